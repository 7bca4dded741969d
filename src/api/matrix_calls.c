/* matrix_calls.c - the public routines over trigon_matrix (trigon_trsm, ...): each makes an operation of its arguments.
 *
 * call_routine (routines.c) checks and runs the operation. blas_calls.inc has the routines with BLAS's and LAPACK's
 * argument lists, and batch_calls.inc the batched routines; both are included once for each precision. */
#include "batch_call.h"
#include "routines.h"

/* Runs an operation over matrices. The arguments are its routine and its other members. */
#define CALL(name, ...) call_routine(ctx, SPELLING_MATRIX, &(operation){.routine = ROUTINE_##name, __VA_ARGS__})

/* Returns if the call is small. A must be square. `fits` says whether B, if the routine has one, fits A. */
#define SMALL(name, fits, ...)                                                                                         \
  if (type_is_valid(A.type) && A.rows == A.cols && (fits) &&                                                           \
      ran_small(ctx, &(small_call){.routine = ROUTINE_##name,                                                          \
                                   .type = A.type,                                                                     \
                                   .uplo = uplo,                                                                       \
                                   .A = A.data,                                                                        \
                                   .n = A.rows,                                                                        \
                                   .lda = A.ld,                                                                        \
                                   __VA_ARGS__}))                                                                      \
  return TRIGON_OK

/* Whether a scalar is real if the type is. Rounding it to the type could hide an imaginary part. */
static inline bool suits(trigon_scalar alpha, trigon_type type) { return alpha.im == 0 || type_is_complex(type); }

/* Whether a matrix of the right-hand sides, or of unknowns, has A's type and, along A, A's order. */
static inline bool stands_beside(trigon_side side, trigon_matrix A, trigon_matrix B) {
  return B.type == A.type && (side == TRIGON_LEFT ? B.rows : B.cols) == A.rows;
}

/* Returns if the product is small. `fits` says whether the operands, and the scalars, fit each other. */
#define SMALL_PRODUCT(name, fits, ...)                                                                                 \
  if (type_is_valid(C.type) && A.type == C.type && (fits) &&                                                           \
      ran_small_product(ctx, &(small_product_call){.routine = ROUTINE_##name,                                          \
                                                   .type = C.type,                                                     \
                                                   .A = A.data,                                                        \
                                                   .lda = A.ld,                                                        \
                                                   .C = C.data,                                                        \
                                                   .m = C.rows,                                                        \
                                                   .n = C.cols,                                                        \
                                                   .ldc = C.ld,                                                        \
                                                   __VA_ARGS__}))                                                      \
  return TRIGON_OK

static inline int64_t rows_of(trigon_op op, trigon_matrix A) { return op == TRIGON_NOTRANS ? A.rows : A.cols; }
static inline int64_t cols_of(trigon_op op, trigon_matrix A) { return op == TRIGON_NOTRANS ? A.cols : A.rows; }

/* Whether op(A)·op(B) has the rows and columns of C. */
static inline bool multiplies(trigon_op opA, trigon_matrix A, trigon_op opB, trigon_matrix B, trigon_matrix C) {
  return B.type == C.type && rows_of(opA, A) == C.rows && cols_of(opB, B) == C.cols &&
         cols_of(opA, A) == rows_of(opB, B);
}

/* Whether op(A)·op(A)ᴴ has the rows and columns of C. */
static inline bool updates(trigon_op op, trigon_matrix A, trigon_matrix C) {
  return C.rows == C.cols && rows_of(op, A) == C.rows;
}

trigon_status trigon_gemm(trigon_context *ctx, trigon_op opA, trigon_op opB, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  SMALL_PRODUCT(GEMM, multiplies(opA, A, opB, B, C) && suits(alpha, C.type) && suits(beta, C.type), .op = opA,
                .opB = opB, .alpha = rounded(alpha, C.type), .B = B.data, .ldb = B.ld, .beta = rounded(beta, C.type),
                .k = cols_of(opA, A));
  return CALL(GEMM, .op = opA, .opB = opB, .alpha = alpha, .A = view_of(A), .B = view_of(B), .beta = beta,
              .C = view_of(C));
}

trigon_status trigon_trmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                          trigon_scalar alpha, trigon_matrix A, trigon_matrix B) {
  SMALL(TRMM, stands_beside(side, A, B) && suits(alpha, A.type), .side = side, .op = op, .diag = diag,
        .alpha = rounded(alpha, A.type), .B = B.data, .width = side == TRIGON_LEFT ? B.cols : B.rows, .ldb = B.ld);
  return CALL(TRMM, .side = side, .uplo = uplo, .op = op, .diag = diag, .alpha = alpha, .A = view_of(A),
              .B = view_of(B));
}

trigon_status trigon_trsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                          trigon_scalar alpha, trigon_matrix A, trigon_matrix B) {
  SMALL(TRSM, stands_beside(side, A, B) && suits(alpha, A.type), .side = side, .op = op, .diag = diag,
        .alpha = rounded(alpha, A.type), .B = B.data, .width = side == TRIGON_LEFT ? B.cols : B.rows, .ldb = B.ld);
  return CALL(TRSM, .side = side, .uplo = uplo, .op = op, .diag = diag, .alpha = alpha, .A = view_of(A),
              .B = view_of(B));
}

trigon_status trigon_syrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                          trigon_scalar beta, trigon_matrix C) {
  SMALL_PRODUCT(SYRK, updates(op, A, C) && suits(alpha, C.type) && suits(beta, C.type), .adjoint = TRIGON_TRANS,
                .uplo = uplo, .op = op, .alpha = rounded(alpha, C.type), .beta = rounded(beta, C.type),
                .k = cols_of(op, A));
  return CALL(SYRK, .adjoint = TRIGON_TRANS, .uplo = uplo, .op = op, .alpha = alpha, .A = view_of(A), .beta = beta,
              .C = view_of(C));
}

trigon_status trigon_herk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, double alpha, trigon_matrix A,
                          double beta, trigon_matrix C) {
  SMALL_PRODUCT(SYRK, updates(op, A, C), .adjoint = TRIGON_CONJTRANS, .uplo = uplo, .op = op,
                .alpha = rounded(real(alpha), C.type), .beta = rounded(real(beta), C.type), .k = cols_of(op, A));
  return CALL(SYRK, .adjoint = TRIGON_CONJTRANS, .uplo = uplo, .op = op, .alpha = {alpha, 0}, .A = view_of(A),
              .beta = {beta, 0}, .C = view_of(C));
}

trigon_status trigon_syr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                           trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return CALL(SYR2K, .adjoint = TRIGON_TRANS, .uplo = uplo, .op = op, .alpha = alpha, .A = view_of(A), .B = view_of(B),
              .beta = beta, .C = view_of(C));
}

trigon_status trigon_her2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, trigon_matrix A,
                           trigon_matrix B, double beta, trigon_matrix C) {
  return CALL(SYR2K, .adjoint = TRIGON_CONJTRANS, .uplo = uplo, .op = op, .alpha = alpha, .A = view_of(A),
              .B = view_of(B), .beta = {beta, 0}, .C = view_of(C));
}

trigon_status trigon_symm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return CALL(SYMM, .adjoint = TRIGON_TRANS, .side = side, .uplo = uplo, .alpha = alpha, .A = view_of(A),
              .B = view_of(B), .beta = beta, .C = view_of(C));
}

trigon_status trigon_hemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha, trigon_matrix A,
                          trigon_matrix B, trigon_scalar beta, trigon_matrix C) {
  return CALL(SYMM, .adjoint = TRIGON_CONJTRANS, .side = side, .uplo = uplo, .alpha = alpha, .A = view_of(A),
              .B = view_of(B), .beta = beta, .C = view_of(C));
}

trigon_status trigon_potrf(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  SMALL(POTRF, true, .info = info);
  return CALL(POTRF, .uplo = uplo, .A = view_of(A), .info = info);
}

trigon_status trigon_potrs(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B) {
  SMALL(POTRS, stands_beside(TRIGON_LEFT, A, B), .B = B.data, .width = B.cols, .ldb = B.ld);
  return CALL(POTRS, .uplo = uplo, .A = view_of(A), .B = view_of(B));
}

trigon_status trigon_posv(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B, int64_t *info) {
  SMALL(POSV, stands_beside(TRIGON_LEFT, A, B), .B = B.data, .width = B.cols, .ldb = B.ld, .info = info);
  return CALL(POSV, .uplo = uplo, .A = view_of(A), .B = view_of(B), .info = info);
}

trigon_status trigon_trtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, trigon_matrix A, int64_t *info) {
  SMALL(TRTRI, true, .diag = diag, .info = info);
  return CALL(TRTRI, .uplo = uplo, .diag = diag, .A = view_of(A), .info = info);
}

trigon_status trigon_lauum(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A) {
  SMALL(LAUUM, true, .info = NULL);
  return CALL(LAUUM, .uplo = uplo, .A = view_of(A));
}

trigon_status trigon_potri(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info) {
  SMALL(POTRI, true, .info = info);
  return CALL(POTRI, .uplo = uplo, .A = view_of(A), .info = info);
}

trigon_status trigon_check_diagonal(trigon_context *ctx, trigon_matrix A, int64_t *info) {
  return CALL(CHECK_DIAGONAL, .A = view_of(A), .info = info);
}

trigon_status trigon_logdet(trigon_context *ctx, trigon_matrix A, double *logdet) {
  return CALL(LOGDET, .A = view_of(A), .logdet = logdet);
}

#undef SMALL_PRODUCT
#undef SMALL
#undef CALL

#define CALLS "batch_calls.inc"
#include "each_type.inc"
#define CALLS "blas_calls.inc"
#include "each_type.inc"
