/* vector_calls.c - the public routines of BLAS's level 2: each is a routine of level 3 of width one, whose vectors may
 * have increments.
 *
 * GEMV and GER are GEMM, SYMV is SYMM, TRMV is TRMM, TRSV is TRSM, SYR is SYRK, SYR2 is SYR2K. vector_calls.inc has the
 * functions of one precision. */
#include <stdio.h>

#include "routines.h"

/* An argument list: the names of the arguments, the flags among them, and the names by which the caller knows the
 * operation's operands. One of these is a matrix. */
typedef struct vector_form {
  const char *arguments;
  unsigned takes;
  const char *operands[operands_of_call];
  int matrix;
  bool has_y, is_square;
} vector_form;

static const vector_form gemv_form = {
    "op m n alpha A lda x incx beta y incy", TAKES_OP, {"A", "x", "y"}, 0, true, false};
static const vector_form trmv_form = {
    "uplo op diag n A lda x incx", TAKES_UPLO | TAKES_OP | TAKES_DIAG, {"A", "x", NULL}, 0, false, true};
static const vector_form symv_form = {
    "uplo n alpha A lda x incx beta y incy", TAKES_UPLO, {"A", "x", "y"}, 0, true, true};
static const vector_form ger_form = {"m n alpha x incx y incy A lda", 0, {"x", "y", "A"}, 2, true, false};
static const vector_form syr_form = {"uplo n alpha x incx A lda", TAKES_UPLO, {"x", NULL, "A"}, 2, false, true};
static const vector_form syr2_form = {"uplo n alpha x incx y incy A lda", TAKES_UPLO, {"x", "y", "A"}, 2, true, true};

/* --------------------------------------------------------------------------------------------------- operands -- */

/* Whether the elements of a vector lie within the address space. */
static bool fits(int64_t n, int64_t inc) {
  return n <= 0 || (inc > -PTRDIFF_MAX && fits_memory(inc < 0 ? -inc : inc, n));
}

/* A vector of BLAS's: with a negative increment its first element lies last. */
static view vector_at(trigon_type type, const void *data, int64_t n, int64_t inc) {
  view x = matrix_at(type, data, n, 1, n > 1 ? n : 1);
  x.gap = (int64_t)((uint64_t)inc - 1); /* of the smallest integer, too, which is refused later */
  if (data && n > 1 && inc < 0 && fits(n, inc)) x.base = (char *)x.base + (1 - n) * inc * type_size(type);
  return x;
}

/* ----------------------------------------------------------------------------------------------------- checks -- */

/* Finds what is wrong with a vector. Calls without faults do not come here. */
__attribute__((cold)) static void blame_vector(call *c, const char *name, const view *x, int64_t inc) {
  char increment[8];
  snprintf(increment, sizeof increment, "inc%s", name);
  if (!x->base && x->m > 0) bad_argument(c, name, "is NULL, must point to %lld elements", (long long)x->m);
  if (inc == 0) bad_argument(c, increment, "is 0, must not be 0");
  if (!fits(x->m, inc))
    bad_argument(c, increment, "is %lld: %lld elements so far apart are more than the address space holds",
                 (long long)inc, (long long)x->m);
}

static void check_vector(call *c, const char *name, const view *x) {
  const int64_t inc = (int64_t)((uint64_t)x->gap + 1);
  if ((!x->base && x->m > 0) || inc == 0 || !fits(x->m, inc)) blame_vector(c, name, x, inc);
}

/* Checks the arguments in their order: the operands of the operation have it, too. */
static void check_arguments(call *c, const vector_form *form, const operation *o) {
  const view *const operands[] = {&o->A, &o->B, &o->C};
  const view M = *operands[form->matrix];
  check_flags(c, &(routine_spec){.takes = form->takes}, o);
  if (!form->is_square) check_size(c, "m", "A", M.m);
  check_size(c, "n", "A", M.n);
  for (int i = 0; i < operands_of_call; i++)
    if (i == form->matrix)
      check_matrix(c, "A", "lda", (trigon_matrix){M.base, M.type, M.m, M.n, M.ld}, M.type, M.m, M.n);
    else if (form->operands[i])
      check_vector(c, form->operands[i], operands[i]);
}

/* -------------------------------------------------------------------------------------------------- functions -- */

/* The call over views. */
static operation operation_of(const vector_form *form, const vectors_call *s) {
  const bool by_columns = (form->matrix == 0) == (s->op == TRIGON_NOTRANS);
  const view M = matrix_at(s->type, s->A, s->m, s->n, s->lda);
  const view x = vector_at(s->type, s->x, by_columns ? s->n : s->m, s->incx), none = {0};
  const view y = form->has_y ? vector_at(s->type, s->y, by_columns ? s->m : s->n, s->incy) : none;
  return (operation){.routine = s->routine,
                     .vectors = true,
                     .side = TRIGON_LEFT,
                     .uplo = s->uplo,
                     .op = s->op,
                     .opB = s->opB,
                     .adjoint = s->adjoint,
                     .diag = s->diag,
                     .alpha = s->alpha,
                     .beta = s->beta,
                     .A = form->matrix == 0 ? M : x,
                     .B = form->matrix == 0 ? x : y,
                     .C = form->matrix == 0 ? y : M};
}

/* Checks and runs a call. `name` is that of the public function. As in BLAS, nothing changes if the matrix is empty:
 * even y is not scaled. */
__attribute__((noinline)) static trigon_status call_vectors(trigon_context *ctx, const char *name,
                                                            const vector_form *form, const vectors_call *s) {
  call c = enter_call(ctx, name, form->arguments);
  operation o = operation_of(form, s);
  if (check_one_process(&c) != TRIGON_OK) return c.status;
  c.operands = form->operands;
  check_arguments(&c, form, &o);
  return c.status != TRIGON_OK || s->m == 0 || s->n == 0 ? c.status : run_call(&c, &o);
}

static inline trigon_status call_small_vectors(trigon_context *ctx, const char *name, const vector_form *form,
                                               const vectors_call *s) {
  return ran_small_with_vectors(ctx, s) ? TRIGON_OK : call_vectors(ctx, name, form, s);
}

#define CALLS "vector_calls.inc"
#include "each_type.inc"
