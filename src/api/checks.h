/* checks.h - checks of a call's arguments: finds the first bad one, and names its position and value. */
#ifndef TRIGON_CHECKS_H
#define TRIGON_CHECKS_H

#include "context.h"
#include "core/operation.h"

/* The two forms in which a routine can be called: over trigon_matrix, and with BLAS's or LAPACK's argument list. */
typedef enum spelling { SPELLING_MATRIX, SPELLING_BLAS } spelling;

/* A, B and C. */
enum { operands_of_call = 3 };

/* One public call. The checks run in the order of the arguments, with one exception: whether a square operand is square
 * is checked first, because other operands take their sizes from this operand. The first check that fails sets `status`
 * and the context's message. */
typedef struct call {
  trigon_context *ctx;
  const char *name;         /* the called function; NULL: `routine` and `spelling` give the name */
  const operation *routine; /* the operation of the call, or NULL */
  spelling spelling;
  const char *arguments;       /* the names of the arguments behind the context, separated by blanks */
  const char *const *operands; /* what the caller calls the operation's A, B and C; NULL: so */
  trigon_status status;
} call;

/* Starts a call: clears the last message. If the context is NULL, the call fails. */
static inline call enter_call(trigon_context *ctx, const char *name, const char *arguments) {
  if (ctx) ctx->message[0] = '\0', ctx->why.argument = NULL;
  return (call){ctx, name, NULL, SPELLING_MATRIX, arguments, NULL, ctx ? TRIGON_OK : TRIGON_BAD_ARGUMENT};
}

static inline call enter_routine(trigon_context *ctx, spelling as, const operation *o) {
  const routine_spec *r = &routine_table[o->routine];
  call c = enter_call(ctx, NULL, as == SPELLING_BLAS ? r->blas : r->matrix);
  c.routine = o, c.spelling = as;
  return c;
}

/* Fails the call with this status. The engine or machine has put the reason into the context. The message is
 * "trigon_dtrsm: argument 8 (A): ...", or has no argument if no argument is bad. Returns the status. */
__attribute__((cold)) trigon_status refused_call(call *c, trigon_status status);

/* Fails the call if the context's matrices are distributed: for functions that have no form for these. */
trigon_status check_one_process(call *c);

/* Fails the call, unless it has failed already: "trigon_dtrsm: argument 9 (lda) is 3, must be at least 5". */
__attribute__((cold, format(printf, 3, 4))) void bad_argument(call *c, const char *name, const char *format, ...);

/* Checks every argument of a routine. */
void check_operation(call *c, const operation *o);

/* Checks the flags that a routine takes. */
void check_flags(call *c, const routine_spec *r, const operation *o);

/* Checks the job, and whether the context has an eigensolver, of which it returns the call's status
 * (eigen_calls.c). */
void check_job(call *c, const eigen_problem *p);
trigon_status check_support(call *c);

/* The position of a name in the names of a function's arguments, from 1; 0 if the function has no such argument. */
int position_among(const char *arguments, const char *name);

/* Whether the offset in bytes of the last element of so many columns fits an address. */
static inline bool fits_memory(int64_t ld, int64_t cols) {
  int64_t elements;
  return !__builtin_mul_overflow(ld, cols, &elements) && elements <= PTRDIFF_MAX / 16; /* the largest has 16 bytes */
}

/* Checks that a size is >= 0. BLAS's spelling calls the size `name`. In the other spelling it is a side of the operand
 * `matrix`. */
void check_size(call *c, const char *name, const char *matrix, int64_t size);

/* Checks an operand: its type, its shape, its leading dimension (named `ld` in BLAS's spelling), its address. */
void check_matrix(call *c, const char *name, const char *ld, trigon_matrix M, trigon_type type, int64_t rows,
                  int64_t cols);

#endif
