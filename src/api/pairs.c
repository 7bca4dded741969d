/* pairs.c - the public functions for matrices of pairs of floats. A view of pairs has the type TRIGON_C. */
#include "decorators/fp64/host_product.h"
#include "routines.h"

static const pair_calls *pairs_of(const trigon_context *ctx) { return fp64_support(ctx->machine)->pairs; }

static trigon_status answer(call *c, trigon_status status) {
  return status == TRIGON_OK ? TRIGON_OK : refused_call(c, status);
}

/* The names of the arguments say which matrix is which. */
static trigon_status copy(call *c, trigon_matrix A, trigon_matrix P, bool to_pairs) {
  check_size(c, "m", "", A.rows);
  check_size(c, "n", "", A.cols);
  if (to_pairs) check_matrix(c, "A", "lda", A, TRIGON_D, A.rows, A.cols);
  check_matrix(c, "P", "ldp", P, TRIGON_C, A.rows, A.cols);
  if (!to_pairs) check_matrix(c, "A", "lda", A, TRIGON_D, A.rows, A.cols);
  if (c->status != TRIGON_OK || A.rows == 0 || A.cols == 0) return c->status;
  const view from = view_of(to_pairs ? A : P), to = view_of(to_pairs ? P : A);
  return answer(c, pairs_of(c->ctx)->copy(c->ctx->machine, from, to));
}

trigon_status trigon_to_pairs(trigon_context *ctx, int64_t m, int64_t n, const double *A, int64_t lda, trigon_pair *P,
                              int64_t ldp) {
  call c = enter_call(ctx, "trigon_to_pairs", "m n A lda P ldp");
  return copy(&c, (trigon_matrix){(void *)A, TRIGON_D, m, n, lda}, (trigon_matrix){P, TRIGON_C, m, n, ldp}, true);
}

trigon_status trigon_from_pairs(trigon_context *ctx, int64_t m, int64_t n, const trigon_pair *P, int64_t ldp, double *A,
                                int64_t lda) {
  call c = enter_call(ctx, "trigon_from_pairs", "m n P ldp A lda");
  return copy(&c, (trigon_matrix){A, TRIGON_D, m, n, lda}, (trigon_matrix){(void *)P, TRIGON_C, m, n, ldp}, false);
}

static view pairs_at(const trigon_pair *data, bool transposed, int64_t rows, int64_t cols, int64_t ld) {
  return view_of((trigon_matrix){(void *)data, TRIGON_C, transposed ? cols : rows, transposed ? rows : cols, ld});
}

trigon_status trigon_gemm_pairs(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n, int64_t k,
                                double alpha, const trigon_pair *A, int64_t lda, const trigon_pair *B, int64_t ldb,
                                double beta, trigon_pair *C, int64_t ldc) {
  call c = enter_call(ctx, "trigon_gemm_pairs", "opA opB m n k alpha A lda B ldb beta C ldc");
  operation o = {.routine = ROUTINE_GEMM,
                 .op = opA,
                 .opB = opB,
                 .alpha = real(alpha),
                 .A = pairs_at(A, opA != TRIGON_NOTRANS, m, k, lda),
                 .B = pairs_at(B, opB != TRIGON_NOTRANS, k, n, ldb),
                 .beta = real(beta),
                 .C = pairs_at(C, false, m, n, ldc)};
  if (check_one_process(&c) != TRIGON_OK) return c.status;
  c.spelling = SPELLING_BLAS;
  check_operation(&c, &o);
  if (c.status != TRIGON_OK || m == 0 || n == 0) return c.status;
  return answer(&c, pairs_of(ctx)->gemm(ctx->machine, &o));
}
