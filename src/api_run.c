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

/* Ends what has begun. Work that failed has stopped half done. The first failure counts: where the algorithm has one, what
 * `end` says after it is not told. */
static trigon_status end(call *c, trigon_status status) {
  if (status != TRIGON_OK) refused_call(c, TRIGON_DEVICE_FAILED);
  trigon_status ended = c->ctx->backend->end(c->ctx->backend, status == TRIGON_OK);
  if (status == TRIGON_OK && ended != TRIGON_OK) refused_call(c, TRIGON_DEVICE_FAILED);
  return c->status;
}

/* Announces the problem to the backend; false where the call is over. */
static bool begin(call *c, const problem *p) {
  if (c->status != TRIGON_OK) return false;
  bool done = false;
  trigon_status status = c->ctx->backend->begin(c->ctx->backend, p, &done);
  if (done)
    end(c, status);
  else if (status != TRIGON_OK)
    refused_call(c, status);
  return status == TRIGON_OK && !done;
}

/* C = beta·C, for all of C: the product of nothing. */
static trigon_status scale(backend *b, trigon_scalar beta, view C) {
  if (C.m == 0 || C.n == 0 || is_one(beta)) return TRIGON_OK;
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

  problem p = {.routine = TRIGON_GEMM, .op = opA, .opB = opB, .A = view_of(A), .B = view_of(B), .C = view_of(C)};
  p.alpha = rounded(alpha, A.type), p.beta = rounded(beta, A.type);
  p.trivial = m == 0 || n == 0 || k == 0 || is_zero(p.alpha);
  if (!begin(&c, &p)) return c.status;
  backend *b = c.ctx->backend;
  if (p.trivial) return end(&c, scale(b, p.beta, p.C));
  return end(&c, b->gemm(b, opA, opB, p.alpha, p.A, p.B, p.beta, p.C));
}

/* TRMM and TRSM differ in the algorithm alone. */
typedef trigon_status triangular(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha,
                                 view A, view B);

static trigon_status run_triangular(call c, trigon_routine routine, triangular *algorithm, trigon_side side,
                                    trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                                    trigon_matrix A, trigon_matrix B) {
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

  problem p = {.routine = routine, .side = side, .uplo = uplo, .op = op, .diag = diag};
  p.A = view_of(A), p.B = view_of(B), p.alpha = rounded(alpha, A.type);
  p.trivial = B.rows == 0 || B.cols == 0 || is_zero(p.alpha);
  if (!begin(&c, &p)) return c.status;
  if (p.trivial) return end(&c, scale(c.ctx->backend, zero, p.B));
  return end(&c, algorithm(c.ctx->backend, side, uplo, op, diag, p.alpha, p.A, p.B));
}

trigon_status run_trmm(call c, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                       trigon_matrix A, trigon_matrix B) {
  return run_triangular(c, TRIGON_TRMM, algo_trmm, side, uplo, op, diag, alpha, A, B);
}

trigon_status run_trsm(call c, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                       trigon_matrix A, trigon_matrix B) {
  return run_triangular(c, TRIGON_TRSM, algo_trsm, side, uplo, op, diag, alpha, A, B);
}

/* ------------------------------------------------------------------------- symmetric and Hermitian products -- */

/* The operand of an update that has no terms. */
static view no_terms(view A, bool plain) { return block(A, 0, 0, plain ? A.m : 0, plain ? 0 : A.n); }

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

  problem p = {.routine = B ? TRIGON_SYR2K : TRIGON_SYRK, .adjoint = adjoint, .uplo = uplo, .op = plain ? op : adjoint};
  p.A = view_of(A), p.B = B ? view_of(*B) : (view){0}, p.C = view_of(C);
  p.alpha = rounded(alpha, A.type), p.beta = rounded(beta, A.type);
  p.trivial = n == 0 || k == 0 || is_zero(p.alpha);
  if (!begin(&c, &p)) return c.status;
  backend *b = c.ctx->backend;
  if (n == 0 || (p.trivial && is_one(p.beta))) return end(&c, TRIGON_OK);
  if (p.trivial) p.A = no_terms(p.A, plain), p.B = no_terms(p.B, plain);
  if (B) return end(&c, algo_syr2k(b, adjoint, uplo, p.op, p.alpha, p.A, p.B, p.beta, p.C));
  return end(&c, algo_syrk(b, adjoint, uplo, p.op, p.alpha, p.A, p.beta, p.C));
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

  problem p = {.routine = TRIGON_SYMM, .adjoint = adjoint, .side = side, .uplo = uplo};
  p.A = view_of(A), p.B = view_of(B), p.C = view_of(C);
  p.alpha = rounded(alpha, A.type), p.beta = rounded(beta, A.type);
  p.trivial = m == 0 || n == 0 || is_zero(p.alpha);
  if (!begin(&c, &p)) return c.status;
  backend *b = c.ctx->backend;
  if (p.trivial) return end(&c, scale(b, p.beta, p.C));
  return end(&c, algo_symm(b, adjoint, side, uplo, p.alpha, p.A, p.B, p.beta, p.C));
}

/* ------------------------------------------------------------------------------------------ Cholesky family -- */

/* Checks the matrix of order n that the problem is about, and announces it to the backend. */
static bool begin_square(call *c, trigon_matrix A, problem *p) {
  check_size(c, "n", "A", A.rows);
  check_matrix(c, "A", "lda", A, A.type, A.rows, A.rows);
  p->A = view_of(A), p->trivial = A.rows == 0;
  return begin(c, p);
}

/* The same for a matrix and the right-hand sides that go with it. */
static bool begin_solve(call *c, trigon_matrix A, trigon_matrix B, problem *p) {
  check_size(c, "n", "A", A.rows);
  check_size(c, "nrhs", "B", B.cols);
  check_matrix(c, "A", "lda", A, A.type, A.rows, A.rows);
  check_matrix(c, "B", "ldb", B, A.type, A.rows, B.cols);
  p->A = view_of(A), p->B = view_of(B), p->trivial = A.rows == 0 || (p->routine == PROBLEM_POTRS && B.cols == 0);
  return begin(c, p);
}

trigon_status run_potrf(call c, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  problem p = {.routine = TRIGON_POTRF, .uplo = uplo, .info = info};
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_potrf(c.ctx->backend, uplo, p.A));
}

trigon_status run_potrs(call c, trigon_uplo uplo, trigon_matrix A, trigon_matrix B) {
  problem p = {.routine = PROBLEM_POTRS, .uplo = uplo};
  check_uplo(&c, uplo);
  if (!begin_solve(&c, A, B, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_potrs(c.ctx->backend, uplo, p.A, p.B));
}

trigon_status run_posv(call c, trigon_uplo uplo, trigon_matrix A, trigon_matrix B, int64_t *info) {
  problem p = {.routine = PROBLEM_POSV, .uplo = uplo, .info = info};
  check_uplo(&c, uplo);
  if (!begin_solve(&c, A, B, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_posv(c.ctx->backend, uplo, p.A, p.B));
}

trigon_status run_trtri(call c, trigon_uplo uplo, trigon_diag diag, trigon_matrix A, int64_t *info) {
  problem p = {.routine = TRIGON_TRTRI, .uplo = uplo, .diag = diag, .info = info};
  check_uplo(&c, uplo);
  check_diag(&c, diag);
  if (!begin_square(&c, A, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_trtri(c.ctx->backend, uplo, diag, p.A));
}

trigon_status run_lauum(call c, trigon_uplo uplo, trigon_matrix A) {
  problem p = {.routine = TRIGON_LAUUM, .uplo = uplo};
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_lauum(c.ctx->backend, uplo, p.A));
}

trigon_status run_potri(call c, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  problem p = {.routine = PROBLEM_POTRI, .uplo = uplo, .info = info};
  check_uplo(&c, uplo);
  if (!begin_square(&c, A, &p)) return c.status;
  return end(&c, p.trivial ? TRIGON_OK : algo_potri(c.ctx->backend, uplo, p.A));
}

trigon_status run_logdet(call c, trigon_matrix A, double *logdet) {
  problem p = {.routine = PROBLEM_LOGDET, .A = view_of(A), .logdet = logdet, .trivial = true};
  check_size(&c, "n", "A", A.rows);
  check_matrix(&c, "A", "lda", A, A.type, A.rows, A.rows);
  if (!logdet) bad_argument(&c, "logdet", "is NULL, must point to where the logarithm goes");
  if (!begin(&c, &p)) return c.status;
  return end(&c, c.ctx->backend->logdet(c.ctx->backend, p.A, logdet));
}
