/* api_run.c - each routine behind both of its spellings: check the arguments, make views, take the quick returns of
 * reference BLAS, call the algorithm. */
#include "algo/algo.h"
#include "api.h"

/* ------------------------------------------------------------------------------------------- around a call -- */

/* The scalar in the precision of the matrices: what underflows there is zero. */
static trigon_scalar rounded(trigon_scalar x, trigon_type type) {
  if (type == TRIGON_S || type == TRIGON_C) return (trigon_scalar){(float)x.re, (float)x.im};
  return x;
}

/* Announces the call to the backend, with an operand for each letter of `names`; false where the call is over. */
static bool begin(call *c, const char *names, const view *operands, int count, int64_t *info) {
  if (c->status != TRIGON_OK) return false;
  backend *b = c->ctx->backend;
  int culprit = -1;
  trigon_status status = b->begin(b, operands, count, info, &culprit);
  if (status == TRIGON_OK) return true;
  const char operand[] = {culprit >= 0 && culprit < count ? names[culprit] : '\0', '\0'};
  refused_call(c, status, culprit == count ? "info" : operand);
  return false;
}

/* The first failure counts: where the algorithm has one, what `end` says after it is not told. */
static trigon_status end(call *c, trigon_status status) {
  if (status != TRIGON_OK) refused_call(c, status, "");
  trigon_status ended = c->ctx->backend->end(c->ctx->backend);
  if (status == TRIGON_OK && ended != TRIGON_OK) refused_call(c, ended, "");
  return c->status;
}

/* C = beta·C, for all of C: the product of nothing. */
static trigon_status scale(backend *b, trigon_scalar beta, view C) {
  return b->gemm(b, TRIGON_NOTRANS, TRIGON_NOTRANS, zero, block(C, 0, 0, C.m, 0), block(C, 0, 0, 0, C.n), beta, C);
}

/* ------------------------------------------------------------------------------------------------ products -- */

trigon_status run_gemm(call c, trigon_op opA, trigon_op opB, trigon_scalar alpha, trigon_matrix A, trigon_matrix B,
                       trigon_scalar beta, trigon_matrix C) {
  bool plainA = opA == TRIGON_NOTRANS, plainB = opB == TRIGON_NOTRANS;
  int64_t m = C.rows, n = C.cols, k = plainA ? A.cols : A.rows;
  check_op(&c, "opA", opA);
  check_op(&c, "opB", opB);
  check_size(&c, "m", "C", m);
  check_size(&c, "n", "C", n);
  check_size(&c, "k", "A", k);
  check_scalar(&c, "alpha", alpha, A.type);
  check_matrix(&c, "A", "lda", A, A.type, plainA ? m : k, plainA ? k : m);
  check_matrix(&c, "B", "ldb", B, A.type, plainB ? k : n, plainB ? n : k);
  check_scalar(&c, "beta", beta, A.type);
  check_matrix(&c, "C", "ldc", C, A.type, m, n);

  view v[] = {view_of(A), view_of(B), view_of(C)};
  if (!begin(&c, "ABC", v, 3, NULL)) return c.status;
  backend *b = c.ctx->backend;
  alpha = rounded(alpha, A.type), beta = rounded(beta, A.type);
  bool nothing_to_add = is_zero(alpha) || k == 0;
  if (m == 0 || n == 0 || (nothing_to_add && is_one(beta))) return end(&c, TRIGON_OK);
  if (nothing_to_add) return end(&c, scale(b, beta, v[2]));
  return end(&c, b->gemm(b, opA, opB, alpha, v[0], v[1], beta, v[2]));
}

/* TRMM and TRSM differ in the algorithm alone. */
typedef trigon_status triangular(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha,
                                 view A, view B);

static trigon_status run_triangular(call c, triangular *algorithm, trigon_side side, trigon_uplo uplo, trigon_op op,
                                    trigon_diag diag, trigon_scalar alpha, trigon_matrix A, trigon_matrix B) {
  int64_t n = side == TRIGON_LEFT ? B.rows : B.cols;
  check_side(&c, side);
  check_uplo(&c, uplo);
  check_op(&c, "op", op);
  check_diag(&c, diag);
  check_size(&c, "m", "B", B.rows);
  check_size(&c, "n", "B", B.cols);
  check_scalar(&c, "alpha", alpha, A.type);
  check_matrix(&c, "A", "lda", A, A.type, n, n);
  check_matrix(&c, "B", "ldb", B, A.type, B.rows, B.cols);

  view v[] = {view_of(A), view_of(B)};
  if (!begin(&c, "AB", v, 2, NULL)) return c.status;
  alpha = rounded(alpha, A.type);
  if (B.rows == 0 || B.cols == 0) return end(&c, TRIGON_OK);
  if (is_zero(alpha)) return end(&c, scale(c.ctx->backend, zero, v[1]));
  return end(&c, algorithm(c.ctx->backend, side, uplo, op, diag, alpha, v[0], v[1]));
}

trigon_status run_trmm(call c, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                       trigon_matrix A, trigon_matrix B) {
  return run_triangular(c, algo_trmm, side, uplo, op, diag, alpha, A, B);
}

trigon_status run_trsm(call c, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                       trigon_matrix A, trigon_matrix B) {
  return run_triangular(c, algo_trsm, side, uplo, op, diag, alpha, A, B);
}

/* ------------------------------------------------------------------------- symmetric and Hermitian products -- */

/* SYRK where B is NULL, else SYR2K. */
static trigon_status run_update(call c, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                trigon_matrix A, const trigon_matrix *B, trigon_scalar beta, trigon_matrix C) {
  bool plain = op == TRIGON_NOTRANS;
  int64_t n = C.rows, k = plain ? A.cols : A.rows, rows = plain ? n : k, cols = plain ? k : n;
  check_uplo(&c, uplo);
  check_symmetric_op(&c, adjoint, op, A.type);
  check_size(&c, "n", "C", n);
  check_square(&c, "C", C);
  check_size(&c, "k", "A", k);
  check_scalar(&c, "alpha", alpha, A.type);
  check_matrix(&c, "A", "lda", A, A.type, rows, cols);
  if (B) check_matrix(&c, "B", "ldb", *B, A.type, rows, cols);
  check_scalar(&c, "beta", beta, A.type);
  check_matrix(&c, "C", "ldc", C, A.type, n, n);

  view v[] = {view_of(A), view_of(C), view_of(B ? *B : A)};
  if (!begin(&c, "ACB", v, B ? 3 : 2, NULL)) return c.status;
  backend *b = c.ctx->backend;
  alpha = rounded(alpha, A.type), beta = rounded(beta, A.type);
  bool nothing_to_add = is_zero(alpha) || k == 0;
  if (n == 0 || (nothing_to_add && is_one(beta))) return end(&c, TRIGON_OK);
  for (int i = 0; nothing_to_add && i < 3; i += 2) v[i] = plain ? block(v[i], 0, 0, n, 0) : block(v[i], 0, 0, 0, n);
  op = plain ? op : adjoint;
  if (B) return end(&c, algo_syr2k(b, adjoint, uplo, op, alpha, v[0], v[2], beta, v[1]));
  return end(&c, algo_syrk(b, adjoint, uplo, op, alpha, v[0], beta, v[1]));
}

trigon_status run_syrk(call c, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                       trigon_scalar beta, trigon_matrix C) {
  return run_update(c, adjoint, uplo, op, alpha, A, NULL, beta, C);
}

trigon_status run_syr2k(call c, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                        trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return run_update(c, adjoint, uplo, op, alpha, A, &B, beta, C);
}

trigon_status run_symm(call c, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                       trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  int64_t m = C.rows, n = C.cols, order = side == TRIGON_LEFT ? m : n;
  check_side(&c, side);
  check_uplo(&c, uplo);
  check_size(&c, "m", "C", m);
  check_size(&c, "n", "C", n);
  check_scalar(&c, "alpha", alpha, A.type);
  check_matrix(&c, "A", "lda", A, A.type, order, order);
  check_matrix(&c, "B", "ldb", B, A.type, m, n);
  check_scalar(&c, "beta", beta, A.type);
  check_matrix(&c, "C", "ldc", C, A.type, m, n);

  view v[] = {view_of(A), view_of(B), view_of(C)};
  if (!begin(&c, "ABC", v, 3, NULL)) return c.status;
  backend *b = c.ctx->backend;
  alpha = rounded(alpha, A.type), beta = rounded(beta, A.type);
  if (m == 0 || n == 0 || (is_zero(alpha) && is_one(beta))) return end(&c, TRIGON_OK);
  if (is_zero(alpha)) return end(&c, scale(b, beta, v[2]));
  return end(&c, algo_symm(b, adjoint, side, uplo, alpha, v[0], v[1], beta, v[2]));
}

/* ------------------------------------------------------------------------------------------ Cholesky family -- */

/* Whether the call has one matrix of order n > 0; checks it, and announces it to the backend. */
static bool begin_square(call *c, trigon_matrix A, view *v, int64_t *info) {
  check_size(c, "n", "A", A.rows);
  check_matrix(c, "A", "lda", A, A.type, A.rows, A.rows);
  *v = view_of(A);
  return begin(c, "A", v, 1, info);
}

/* The same for a matrix and the right-hand sides that go with it. */
static bool begin_solve(call *c, trigon_matrix A, trigon_matrix B, view v[2], int64_t *info) {
  check_size(c, "n", "A", A.rows);
  check_size(c, "nrhs", "B", B.cols);
  check_matrix(c, "A", "lda", A, A.type, A.rows, A.rows);
  check_matrix(c, "B", "ldb", B, A.type, A.rows, B.cols);
  v[0] = view_of(A), v[1] = view_of(B);
  return begin(c, "AB", v, 2, info);
}

trigon_status run_potrf(call c, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  view v;
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &v, info)) return c.status;
  return end(&c, v.n == 0 ? TRIGON_OK : algo_potrf(c.ctx->backend, uplo, v));
}

trigon_status run_potrs(call c, trigon_uplo uplo, trigon_matrix A, trigon_matrix B) {
  view v[2];
  check_uplo(&c, uplo);
  if (!begin_solve(&c, A, B, v, NULL)) return c.status;
  return end(&c, v[0].n == 0 || v[1].n == 0 ? TRIGON_OK : algo_potrs(c.ctx->backend, uplo, v[0], v[1]));
}

trigon_status run_posv(call c, trigon_uplo uplo, trigon_matrix A, trigon_matrix B, int64_t *info) {
  view v[2];
  check_uplo(&c, uplo);
  if (!begin_solve(&c, A, B, v, info)) return c.status;
  return end(&c, v[0].n == 0 ? TRIGON_OK : algo_posv(c.ctx->backend, uplo, v[0], v[1]));
}

trigon_status run_trtri(call c, trigon_uplo uplo, trigon_diag diag, trigon_matrix A, int64_t *info) {
  view v;
  check_uplo(&c, uplo);
  check_diag(&c, diag);
  if (!begin_square(&c, A, &v, info)) return c.status;
  return end(&c, v.n == 0 ? TRIGON_OK : algo_trtri(c.ctx->backend, uplo, diag, v));
}

trigon_status run_lauum(call c, trigon_uplo uplo, trigon_matrix A) {
  view v;
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &v, NULL)) return c.status;
  return end(&c, v.n == 0 ? TRIGON_OK : algo_lauum(c.ctx->backend, uplo, v));
}

trigon_status run_potri(call c, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  view v;
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &v, info)) return c.status;
  return end(&c, v.n == 0 ? TRIGON_OK : algo_potri(c.ctx->backend, uplo, v));
}
