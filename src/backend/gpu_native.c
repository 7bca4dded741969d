/* gpu_native.c - the vendor's own routines, one call for the whole problem: what native=1 compares with.
 * Factorizations: gpu_solver.c. */
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

/* The Hermitian forms of c and z stand behind the symmetric ones. */
static int index_of(trigon_type type, trigon_op adjoint) {
  const bool hermitian = adjoint == TRIGON_CONJTRANS && (type == TRIGON_C || type == TRIGON_Z);
  return gpu_type_index(type) + (hermitian ? 2 : 0);
}

static cublasSideMode_t side_of(trigon_side side) { return side == TRIGON_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT; }
static cublasFillMode_t fill_of(trigon_uplo uplo) {
  return uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static cublasDiagType_t diag_of(trigon_diag diag) {
  return diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
static const char *const names[] = {
    [TRIGON_GEMM] = "GEMM",   [TRIGON_TRMM] = "TRMM", [TRIGON_TRSM] = "TRSM", [TRIGON_SYRK] = "SYRK",
    [TRIGON_SYR2K] = "SYR2K", [TRIGON_SYMM] = "SYMM", [PROBLEM_LOGDET] = NULL};

trigon_status gpu_native_open(reason *why) {
  (void)why;
  return TRIGON_OK;
}

trigon_status gpu_native_supports(gpu *g, const problem *p) {
  reason *why = g->seam.why;
  if (gpu_solver_has(p->routine)) return g->solver ? TRIGON_OK : gpu_solver_create(&g->solver, why);
  if (names[p->routine]) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "neither cuBLAS nor cuSOLVER has this routine for native=1");
  return TRIGON_NOT_SUPPORTED;
}

static cublasStatus_t solve(cublasHandle_t handle, const problem *p, trigon_op op, const number *alpha) {
  return trsm[index_of(p->B.type, TRIGON_TRANS)](handle, side_of(p->side), fill_of(p->uplo), gpu_blas_operation(op),
                                                 diag_of(p->diag), p->B.m, p->B.n, alpha, p->A.base, p->A.ld, p->B.base,
                                                 p->B.ld);
}

trigon_status gpu_native_run(gpu *g, const problem *p) {
  reason *why = g->seam.why;
  gpu_blas *b = g->blas;
  if (gpu_solver_has(p->routine)) {
    g->may_fail = true;
    return gpu_solver_run(g->solver, p, g->queue, &g->control->failure, why);
  }
  cublasHandle_t handle = gpu_blas_handle(b);
  const number al = gpu_number(p->A.type, p->alpha), be = gpu_number(p->A.type, p->beta);
  const view A = p->A, B = p->B, C = p->C;
  const int64_t k = p->op == TRIGON_NOTRANS ? A.n : A.m;
  const int t = index_of(A.type, p->adjoint);
  cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
  switch (p->routine) {
  case TRIGON_GEMM:
    return gpu_blas_gemm(b, A.type, p->op, p->opB, C.m, C.n, k, p->alpha, gpu_strided(A), gpu_strided(B), p->beta,
                         gpu_strided(C), why);
  case TRIGON_TRSM: status = solve(handle, p, p->op, &al); break;
  case TRIGON_TRMM:
    status = trmm[t](handle, side_of(p->side), fill_of(p->uplo), gpu_blas_operation(p->op), diag_of(p->diag), B.m, B.n,
                     &al, A.base, A.ld, B.base, B.ld, B.base, B.ld);
    break;
  case TRIGON_SYRK:
    status = syrk[t](handle, fill_of(p->uplo), gpu_blas_operation(p->op), C.n, k, &al, A.base, A.ld, &be, C.base, C.ld);
    break;
  case TRIGON_SYR2K:
    status = syr2k[t](handle, fill_of(p->uplo), gpu_blas_operation(p->op), C.n, k, &al, A.base, A.ld, B.base, B.ld, &be,
                      C.base, C.ld);
    break;
  case TRIGON_SYMM:
    status = symm[t](handle, side_of(p->side), fill_of(p->uplo), C.m, C.n, &al, A.base, A.ld, B.base, B.ld, &be, C.base,
                     C.ld);
    break;
  }
  return gpu_blas_status(status, names[p->routine], why);
}

#else

trigon_status gpu_native_open(reason *why) {
  snprintf(why->text, sizeof why->text, "native=1 is not there for %s", TG_VENDOR);
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_native_supports(gpu *g, const problem *p) {
  (void)p;
  return gpu_native_open(g->seam.why);
}

trigon_status gpu_native_run(gpu *g, const problem *p) {
  (void)p;
  return gpu_native_open(g->seam.why);
}

#endif
