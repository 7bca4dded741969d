/* api.c - the public routines: over matrices here, with BLAS's and LAPACK's argument lists in api_typed.inc, included
 * once for each precision. Each names itself and its arguments, for the messages, and hands over to api_run.c. */
#include "api.h"

trigon_status trigon_gemm(trigon_context *ctx, trigon_op opA, trigon_op opB, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return run_gemm(enter_call(ctx, "trigon_gemm", "opA opB alpha A B beta C"), opA, opB, alpha, A, B, beta, C);
}

trigon_status trigon_trmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                          trigon_scalar alpha, trigon_matrix A, trigon_matrix B) {
  return run_trmm(enter_call(ctx, "trigon_trmm", "side uplo op diag alpha A B"), side, uplo, op, diag, alpha, A, B);
}

trigon_status trigon_trsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                          trigon_scalar alpha, trigon_matrix A, trigon_matrix B) {
  return run_trsm(enter_call(ctx, "trigon_trsm", "side uplo op diag alpha A B"), side, uplo, op, diag, alpha, A, B);
}

trigon_status trigon_syrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                          trigon_scalar beta, trigon_matrix C) {
  return run_syrk(enter_call(ctx, "trigon_syrk", "uplo op alpha A beta C"), TRIGON_TRANS, uplo, op, alpha, A, beta, C);
}

trigon_status trigon_herk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, double alpha, trigon_matrix A,
                          double beta, trigon_matrix C) {
  return run_syrk(enter_call(ctx, "trigon_herk", "uplo op alpha A beta C"), TRIGON_CONJTRANS, uplo, op,
                  (trigon_scalar){alpha, 0}, A, (trigon_scalar){beta, 0}, C);
}

trigon_status trigon_syr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                           trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return run_syr2k(enter_call(ctx, "trigon_syr2k", "uplo op alpha A B beta C"), TRIGON_TRANS, uplo, op, alpha, A, B,
                   beta, C);
}

trigon_status trigon_her2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                           trigon_matrix B, double beta, trigon_matrix C) {
  return run_syr2k(enter_call(ctx, "trigon_her2k", "uplo op alpha A B beta C"), TRIGON_CONJTRANS, uplo, op, alpha, A, B,
                   (trigon_scalar){beta, 0}, C);
}

trigon_status trigon_symm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return run_symm(enter_call(ctx, "trigon_symm", "side uplo alpha A B beta C"), TRIGON_TRANS, side, uplo, alpha, A, B,
                  beta, C);
}

trigon_status trigon_hemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return run_symm(enter_call(ctx, "trigon_hemm", "side uplo alpha A B beta C"), TRIGON_CONJTRANS, side, uplo, alpha, A,
                  B, beta, C);
}

trigon_status trigon_potrf(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  return run_potrf(enter_call(ctx, "trigon_potrf", "uplo A info"), uplo, A, info);
}

trigon_status trigon_potrs(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B) {
  return run_potrs(enter_call(ctx, "trigon_potrs", "uplo A B"), uplo, A, B);
}

trigon_status trigon_posv(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B, int64_t *info) {
  return run_posv(enter_call(ctx, "trigon_posv", "uplo A B info"), uplo, A, B, info);
}

trigon_status trigon_trtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, trigon_matrix A, int64_t *info) {
  return run_trtri(enter_call(ctx, "trigon_trtri", "uplo diag A info"), uplo, diag, A, info);
}

trigon_status trigon_lauum(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A) {
  return run_lauum(enter_call(ctx, "trigon_lauum", "uplo A"), uplo, A);
}

trigon_status trigon_potri(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  return run_potri(enter_call(ctx, "trigon_potri", "uplo A info"), uplo, A, info);
}

trigon_status trigon_logdet(trigon_context *ctx, trigon_matrix A, double *logdet) {
  return run_logdet(enter_call(ctx, "trigon_logdet", "A logdet"), A, logdet);
}

/* A matrix given by pointer, sizes and leading dimension. Inputs lose their const here and are never written. */
static trigon_matrix matrix(trigon_type type, const void *data, int64_t rows, int64_t cols, int64_t ld) {
  return (trigon_matrix){(void *)data, type, rows, cols, ld};
}

static trigon_scalar real(double x) { return (trigon_scalar){x, 0}; }

#define COMPLEX 0
#define TYPE TRIGON_S
#define NAME(routine) trigon_s##routine
#define REAL float
#include "api_typed.inc"
#define COMPLEX 0
#define TYPE TRIGON_D
#define NAME(routine) trigon_d##routine
#define REAL double
#include "api_typed.inc"
#define COMPLEX 1
#define TYPE TRIGON_C
#define NAME(routine) trigon_c##routine
#define REAL float
#include "api_typed.inc"
#define COMPLEX 1
#define TYPE TRIGON_Z
#define NAME(routine) trigon_z##routine
#define REAL double
#include "api_typed.inc"
