/* vendor_vectors.c - the routines of level 2 of the vendor's BLAS, for comparison: contexts with native=1 compute by
 * them. On NVIDIA alone. */
#include "common/address.h"
#include "gpu/gpu_leaves.h"

#if TG_BLAS_LEAVES

typedef cublasStatus_t gemv_fn(cublasHandle_t, cublasOperation_t, int64_t m, int64_t n, const void *alpha,
                               const void *A, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                               int64_t incy);
typedef cublasStatus_t symv_fn(cublasHandle_t, cublasFillMode_t, int64_t n, const void *alpha, const void *A,
                               int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy);
typedef cublasStatus_t trmv_fn(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int64_t n,
                               const void *A, int64_t lda, void *x, int64_t incx);
typedef cublasStatus_t ger_fn(cublasHandle_t, int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx,
                              const void *y, int64_t incy, void *A, int64_t lda);
typedef cublasStatus_t syr_fn(cublasHandle_t, cublasFillMode_t, int64_t n, const void *alpha, const void *x,
                              int64_t incx, void *A, int64_t lda);
typedef cublasStatus_t syr2_fn(cublasHandle_t, cublasFillMode_t, int64_t n, const void *alpha, const void *x,
                               int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);

/* BLAS's address of a vector: with a negative increment the last element comes first. */
static void *start_of(view x) {
  const int64_t inc = increment_of(x);
  return (char *)address_of(x) + (inc < 0 ? (x.m - 1) * inc * type_size(x.type) : 0);
}

static cublasStatus_t run_routine(gpu_blas *b, const operation *o) {
  const gpu_scalar alpha = gpu_scalar_of(o->A.type, o->alpha), beta = gpu_scalar_of(o->A.type, o->beta);
  cublasHandle_t handle = gpu_blas_handle(b);
  const cublasFillMode_t fill = o->uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  const cublasDiagType_t diag = o->diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const cublasOperation_t op = gpu_blas_operation(o->op);
  const view A = o->A, B = o->B, C = o->C;
  void *const a = start_of(A), *x = start_of(B), *c = start_of(C);
  const int64_t incA = increment_of(A), incB = increment_of(B), incC = increment_of(C);
  const bool is_ger = o->routine == ROUTINE_GEMM && o->opB != TRIGON_NOTRANS; /* GEMV has no op of x */
  const trigon_op form = is_ger ? o->opB : o->adjoint;
  const int t = type_index(A.type) + (form == TRIGON_CONJTRANS && type_is_complex(A.type) ? 2 : 0);
  switch (o->routine) {
  case ROUTINE_GEMM:
    if (is_ger) return ((ger_fn *)gpu_blas_at(b, BLAS_GER + t))(handle, C.m, C.n, &alpha, a, incA, x, incB, c, C.ld);
    return ((gemv_fn *)gpu_blas_at(b, BLAS_GEMV + t))(handle, op, A.m, A.n, &alpha, a, A.ld, x, incB, &beta, c, incC);
  case ROUTINE_TRMM: return ((trmv_fn *)gpu_blas_at(b, BLAS_TRMV + t))(handle, fill, op, diag, A.n, a, A.ld, x, incB);
  case ROUTINE_TRSM: return ((trmv_fn *)gpu_blas_at(b, BLAS_TRSV + t))(handle, fill, op, diag, A.n, a, A.ld, x, incB);
  case ROUTINE_SYRK: return ((syr_fn *)gpu_blas_at(b, BLAS_SYR + t))(handle, fill, C.n, &alpha, a, incA, c, C.ld);
  case ROUTINE_SYR2K:
    return ((syr2_fn *)gpu_blas_at(b, BLAS_SYR2 + t))(handle, fill, C.n, &alpha, a, incA, x, incB, c, C.ld);
  default:
    return ((symv_fn *)gpu_blas_at(b, BLAS_SYMV + t))(handle, fill, A.n, &alpha, a, A.ld, x, incB, &beta, c, incC);
  }
}

bool gpu_vendor_has_vectors(void) { return true; }

trigon_status gpu_vendor_vectors(gpu *g, const operation *o) {
  return gpu_blas_status(run_routine(g->blas, o), "a routine of level 2", g->machine.why);
}

#else

bool gpu_vendor_has_vectors(void) { return false; }
trigon_status gpu_vendor_vectors(gpu *g, const operation *o) { return gpu_vendor_run(g, o); }

#endif
