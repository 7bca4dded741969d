/* checks.h - arguments as the caller wrote them: which are bad, where they stand, and what to say of them. */
#ifndef TRIGON_CHECKS_H
#define TRIGON_CHECKS_H

#include "../core/operation.h"
#include "context.h"

/* The two forms in which a routine can be called: over trigon_matrix, and with BLAS's or LAPACK's argument list. */
typedef enum spelling { SPELLING_MATRIX, SPELLING_BLAS } spelling;

/* One public call. Its checks run in the order of the arguments (but that a square operand is square comes first, for
 * others take their sizes from it) and stop at the first that fails: `status` is that failure, and the context's message
 * names it. */
typedef struct call {
  trigon_context *ctx;
  const char *name;         /* of the function that the caller called; NULL: `routine` says it */
  const operation *routine; /* in this spelling */
  spelling spelling;
  const char *arguments; /* the names of its arguments behind the context, separated by blanks */
  trigon_status status;
} call;

/* Starts a call: clears the last message. A NULL context fails it. */
call enter_call(trigon_context *ctx, const char *name, const char *arguments);
call enter_routine(trigon_context *ctx, spelling as, const operation *o);

/* Fails the call as the backend did, whose reason stands in the context: "trigon_dtrsm: argument 8 (A): ...", or without
 * an argument where none is to blame. Returns the status. */
trigon_status refused_call(call *c, trigon_status status);

/* Fails the call, unless it has failed already: "trigon_dtrsm: argument 9 (lda) is 3, must be at least 5". */
__attribute__((format(printf, 3, 4))) void bad_argument(call *c, const char *name, const char *format, ...);

/* Checks every argument of a routine. */
void check_operation(call *c, const operation *o);

/* A size >= 0 that BLAS's spelling calls `name`, and that is a side of the operand `matrix` in the other spelling. */
void check_size(call *c, const char *name, const char *matrix, int64_t size);

/* An operand: its type, its shape, its leading dimension (`ld` in BLAS's spelling), and that it is there. */
void check_matrix(call *c, const char *name, const char *ld, trigon_matrix M, trigon_type type, int64_t rows,
                  int64_t cols);

#endif
