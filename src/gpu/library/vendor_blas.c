/* vendor_blas.c - products by the vendor's BLAS: a table of its GEMM routines, its handle, stream and workspace.
 *
 * cuBLAS and the simulated BLAS are linked. hipBLAS is loaded when a context is created, because few systems package
 * it. */
#include "vendor_blas.h"
#include "common/address.h"

#include <stdio.h>
#include <stdlib.h>

/* The routines of the four precisions have one calling sequence, because scalars and matrices are passed by address. */
typedef cublasStatus_t gemm_fn(cublasHandle_t, cublasOperation_t, cublasOperation_t, tg_blas_int m, tg_blas_int n,
                               tg_blas_int k, const void *alpha, const void *A, tg_blas_int lda, const void *B,
                               tg_blas_int ldb, const void *beta, void *C, tg_blas_int ldc);
typedef cublasStatus_t batched_fn(cublasHandle_t, cublasOperation_t, cublasOperation_t, tg_blas_int m, tg_blas_int n,
                                  tg_blas_int k, const void *alpha, const void *A, tg_blas_int lda,
                                  tg_blas_stride stride_A, const void *B, tg_blas_int ldb, tg_blas_stride stride_B,
                                  const void *beta, void *C, tg_blas_int ldc, tg_blas_stride stride_C,
                                  tg_blas_int count);

struct gpu_blas {
  cublasHandle_t handle;
  gemm_fn *gemm[4];
  batched_fn *batched[4];
  char name[48];
};

cublasOperation_t gpu_blas_operation(trigon_op op) {
  return op == TRIGON_NOTRANS ? CUBLAS_OP_N : op == TRIGON_TRANS ? CUBLAS_OP_T : CUBLAS_OP_C;
}

gpu_scalar gpu_scalar_of(trigon_type type, trigon_scalar x) {
  if (type_is_single(type)) return (gpu_scalar){.f = {(float)x.re, (float)x.im}};
  return (gpu_scalar){.d = {x.re, x.im}};
}

trigon_status gpu_blas_status(cublasStatus_t status, const char *what, reason *why) {
  if (status == CUBLAS_STATUS_SUCCESS) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "%s failed with status %d of the %s BLAS", what, (int)status, TG_VENDOR);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return TRIGON_NO_MEMORY;
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? TRIGON_NOT_SUPPORTED : TRIGON_DEVICE_FAILED;
}

static trigon_status load(gpu_blas *b, reason *why) {
  static const char letters[] = "SDCZ";
  if (!tg_blas_open()) {
    snprintf(why->text, sizeof why->text, "this machine has no %s BLAS", TG_VENDOR);
    return TRIGON_NOT_FOUND;
  }
  for (int t = 0; t < 4; t++) {
    b->gemm[t] = (gemm_fn *)tg_blas_gemm(letters[t]);
    b->batched[t] = (batched_fn *)tg_blas_batched(letters[t]);
    if (b->gemm[t] && b->batched[t]) continue;
    snprintf(why->text, sizeof why->text, "the %s BLAS lacks a %cGEMM", TG_VENDOR, letters[t]);
    return TRIGON_NOT_FOUND;
  }
  TRY(gpu_blas_status(cublasCreate(&b->handle), "making a handle", why));
  return gpu_blas_status(tg_blas_name(b->handle, b->name, sizeof b->name), "asking for the version", why);
}

trigon_status gpu_blas_create(gpu_blas **out, reason *why) {
  gpu_blas *b = calloc(1, sizeof *b);
  if (!b) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  trigon_status status = load(b, why);
  if (status == TRIGON_OK)
    *out = b;
  else
    gpu_blas_destroy(b);
  return status;
}

void gpu_blas_destroy(gpu_blas *b) {
  if (!b) return;
  if (b->handle) cublasDestroy(b->handle);
  free(b);
}

const char *gpu_blas_name(const gpu_blas *b) { return b->name; }
cublasHandle_t gpu_blas_handle(gpu_blas *b) { return b->handle; }
bool gpu_blas_holds(int64_t size) { return size <= TG_BLAS_INT_MAX; }

/* The stream comes first: a new stream makes the BLAS forget its workspace. */
trigon_status gpu_blas_attach(gpu_blas *b, cudaStream_t stream, void *workspace, int64_t bytes, reason *why) {
  TRY(gpu_blas_status(cublasSetStream(b->handle, stream), "setting the stream", why));
  return gpu_blas_status(cublasSetWorkspace(b->handle, workspace, (size_t)bytes), "setting the workspace", why);
}

trigon_status gpu_blas_gemm(gpu_blas *b, const operation *o, reason *why) {
  const view A = o->A, B = o->B, C = o->C;
  const int t = type_index(C.type);
  const gpu_scalar alpha = gpu_scalar_of(C.type, o->alpha), beta = gpu_scalar_of(C.type, o->beta);
  const cublasOperation_t op = gpu_blas_operation(o->op), opB = gpu_blas_operation(o->opB);
  const tg_blas_int m = (tg_blas_int)C.m, n = (tg_blas_int)C.n, k = (tg_blas_int)sizes_of(o).k;
  const tg_blas_int lda = (tg_blas_int)A.ld, ldb = (tg_blas_int)B.ld, ldc = (tg_blas_int)C.ld;
  void *a = address_of(A), *x = address_of(B), *c = address_of(C);
  const cublasStatus_t status =
      C.count == 1 ? b->gemm[t](b->handle, op, opB, m, n, k, &alpha, a, lda, x, ldb, &beta, c, ldc)
                   : b->batched[t](b->handle, op, opB, m, n, k, &alpha, a, lda, batch_stride_of(A), x, ldb,
                                   batch_stride_of(B), &beta, c, ldc, batch_stride_of(C), (tg_blas_int)C.count);
  return gpu_blas_status(status, "a product", why);
}
