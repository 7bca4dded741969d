/* gpu_native.c - the vendor's own triangular and symmetric routines, one call for the whole problem: what native=1 compares with. */
#include "gpu.h"

#include <stdio.h>

#if defined(TRIGON_VENDOR_CUDA)

typedef cublasStatus_t trsm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda, void *B,
                               int64_t ldb);
typedef cublasStatus_t trmm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda, const void *B,
                               int64_t ldb, void *C, int64_t ldc);
typedef cublasStatus_t syrk_fn(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int64_t n, int64_t k,
                               const void *alpha, const void *A, int64_t lda, const void *beta, void *C, int64_t ldc);
typedef cublasStatus_t syr2k_fn(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int64_t n, int64_t k,
                                const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                const void *beta, void *C, int64_t ldc);
typedef cublasStatus_t symm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int64_t m, int64_t n,
                               const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                               const void *beta, void *C, int64_t ldc);

/* Routines of one name have one calling sequence, scalars and matrices being addresses: s d c z, and the Hermitian c z. */
static trsm_fn *const trsm[] = {(trsm_fn *)cublasStrsm_64, (trsm_fn *)cublasDtrsm_64, (trsm_fn *)cublasCtrsm_64,
                                (trsm_fn *)cublasZtrsm_64};
static trmm_fn *const trmm[] = {(trmm_fn *)cublasStrmm_64, (trmm_fn *)cublasDtrmm_64, (trmm_fn *)cublasCtrmm_64,
                                (trmm_fn *)cublasZtrmm_64};
static syrk_fn *const syrk[] = {(syrk_fn *)cublasSsyrk_64, (syrk_fn *)cublasDsyrk_64, (syrk_fn *)cublasCsyrk_64,
                                (syrk_fn *)cublasZsyrk_64, (syrk_fn *)cublasCherk_64, (syrk_fn *)cublasZherk_64};
static syr2k_fn *const syr2k[] = {(syr2k_fn *)cublasSsyr2k_64, (syr2k_fn *)cublasDsyr2k_64,
                                  (syr2k_fn *)cublasCsyr2k_64, (syr2k_fn *)cublasZsyr2k_64,
                                  (syr2k_fn *)cublasCher2k_64, (syr2k_fn *)cublasZher2k_64};
static symm_fn *const symm[] = {(symm_fn *)cublasSsymm_64, (symm_fn *)cublasDsymm_64, (symm_fn *)cublasCsymm_64,
                                (symm_fn *)cublasZsymm_64, (symm_fn *)cublasChemm_64, (symm_fn *)cublasZhemm_64};

static int index_of(trigon_type type, trigon_op adjoint) {
  bool hermitian = adjoint == TRIGON_CONJTRANS;
  if (type == TRIGON_S) return 0;
  if (type == TRIGON_D) return 1;
  return (type == TRIGON_C ? 2 : 3) + (hermitian ? 2 : 0);
}

static cublasSideMode_t side_of(trigon_side side) { return side == TRIGON_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT; }
static cublasFillMode_t fill_of(trigon_uplo uplo) {
  return uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static cublasDiagType_t diag_of(trigon_diag diag) {
  return diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
static cublasOperation_t op_of(trigon_op op) {
  return op == TRIGON_NOTRANS ? CUBLAS_OP_N : op == TRIGON_TRANS ? CUBLAS_OP_T : CUBLAS_OP_C;
}

trigon_status gpu_native_supported(reason *why) {
  (void)why;
  return TRIGON_OK;
}

trigon_status gpu_native_triangular(gpu_blas *b, bool solve, trigon_side side, trigon_uplo uplo, trigon_op op,
                                    trigon_diag diag, trigon_scalar alpha, view A, view B, reason *why) {
  number al = gpu_number(B.type, alpha);
  int t = index_of(B.type, TRIGON_TRANS);
  void *X = gpu_address(B);
  cublasStatus_t status = solve ? trsm[t](gpu_blas_handle(b), side_of(side), fill_of(uplo), op_of(op), diag_of(diag),
                                          B.m, B.n, &al, gpu_address(A), A.ld, X, B.ld)
                                : trmm[t](gpu_blas_handle(b), side_of(side), fill_of(uplo), op_of(op), diag_of(diag),
                                          B.m, B.n, &al, gpu_address(A), A.ld, X, B.ld, X, B.ld);
  return gpu_blas_status(status, solve ? "TRSM" : "TRMM", why);
}

trigon_status gpu_native_update(gpu_blas *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                view A, const view *B, trigon_scalar beta, view C, reason *why) {
  number al = gpu_number(C.type, alpha), be = gpu_number(C.type, beta);
  int t = index_of(C.type, adjoint);
  int64_t k = op == TRIGON_NOTRANS ? A.n : A.m;
  cublasStatus_t status = B ? syr2k[t](gpu_blas_handle(b), fill_of(uplo), op_of(op), C.n, k, &al, gpu_address(A), A.ld,
                                       gpu_address(*B), B->ld, &be, gpu_address(C), C.ld)
                            : syrk[t](gpu_blas_handle(b), fill_of(uplo), op_of(op), C.n, k, &al, gpu_address(A), A.ld,
                                      &be, gpu_address(C), C.ld);
  return gpu_blas_status(status, B ? "SYR2K" : "SYRK", why);
}

trigon_status gpu_native_symm(gpu_blas *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                              view A, view B, trigon_scalar beta, view C, reason *why) {
  number al = gpu_number(C.type, alpha), be = gpu_number(C.type, beta);
  cublasStatus_t status =
      symm[index_of(C.type, adjoint)](gpu_blas_handle(b), side_of(side), fill_of(uplo), C.m, C.n, &al, gpu_address(A),
                                      A.ld, gpu_address(B), B.ld, &be, gpu_address(C), C.ld);
  return gpu_blas_status(status, "SYMM", why);
}

#else

trigon_status gpu_native_supported(reason *why) {
  snprintf(why->text, sizeof why->text, "native=1 is not there for %s", TG_VENDOR);
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_native_triangular(gpu_blas *b, bool solve, trigon_side side, trigon_uplo uplo, trigon_op op,
                                    trigon_diag diag, trigon_scalar alpha, view A, view B, reason *why) {
  (void)b, (void)solve, (void)side, (void)uplo, (void)op, (void)diag, (void)alpha, (void)A, (void)B;
  return gpu_native_supported(why);
}

trigon_status gpu_native_update(gpu_blas *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                view A, const view *B, trigon_scalar beta, view C, reason *why) {
  (void)b, (void)adjoint, (void)uplo, (void)op, (void)alpha, (void)A, (void)B, (void)beta, (void)C;
  return gpu_native_supported(why);
}

trigon_status gpu_native_symm(gpu_blas *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                              view A, view B, trigon_scalar beta, view C, reason *why) {
  (void)b, (void)adjoint, (void)side, (void)uplo, (void)alpha, (void)A, (void)B, (void)beta, (void)C;
  return gpu_native_supported(why);
}

#endif
