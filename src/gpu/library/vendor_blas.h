/* vendor_blas.h - the vendor's BLAS on one device: cuBLAS, hipBLAS, or the simulated one. */
#ifndef TRIGON_VENDOR_BLAS_H
#define TRIGON_VENDOR_BLAS_H

#include "core/error.h"
#include "core/operation.h"
#include "gpu/vendor/blas_library.h"

typedef struct gpu_blas gpu_blas;

/* Loads the vendor's BLAS, and opens it on the current device. TRIGON_NOT_FOUND if the machine lacks the library or a
 * function. */
trigon_status gpu_blas_create(gpu_blas **out, reason *why);
void gpu_blas_destroy(gpu_blas *);

/* The name and version of the vendor's BLAS, e.g. "cuBLAS 13.1.0". */
const char *gpu_blas_name(const gpu_blas *);

/* Makes later products run in this stream and use this device memory alone. */
trigon_status gpu_blas_attach(gpu_blas *, cudaStream_t, void *workspace, int64_t bytes, reason *why);

/* The bytes of the workspace if no cap is lower. cuBLAS's manual recommends this size for Hopper. */
enum { gpu_blas_workspace_max = TG_TILE(4, 32) << 20 };

/* Whether the integers of the vendor's BLAS hold this size or leading dimension. */
bool gpu_blas_holds(int64_t size);

/* Runs a GEMM. It must not be trivial, and its sizes must fit (gpu_blas_holds). */
trigon_status gpu_blas_gemm(gpu_blas *, const operation *, reason *why);

/* The same for `count` products, whose matrices are `stride` elements apart. */
trigon_status gpu_blas_products(gpu_blas *, const operation *, int64_t count, const int64_t stride[3], reason *why);

/* For vendor_leaves.c, vendor_vectors.c and vendor_batch.c. */

/* The places of the routines in the table of functions. Each routine has four functions, for the types s, d, c, z.
 * SYRK, SYR2K, SYMM and their forms for vectors have two more, the Hermitian forms of c and z; GER has GERC there. If
 * TG_BLAS_LEAVES is 0, only the products are there, and with TG_BLAS_BATCHES TRSM of a batch. */
enum {
  BLAS_GEMM = 0,
  BLAS_STRIDED_GEMM = 4,
  BLAS_TRSM = 8,
  BLAS_TRMM = 12,
  BLAS_SYRK = 16,
  BLAS_SYR2K = 22,
  BLAS_SYMM = 28,
  BLAS_GEMV = 34,
  BLAS_TRMV = 38,
  BLAS_TRSV = 42,
  BLAS_GER = 46,
  BLAS_SYR = 52,
  BLAS_SYR2 = 58,
  BLAS_SYMV = 64,
  BLAS_TRSM_BATCH = TG_BLAS_LEAVES ? 70 : BLAS_TRSM,
  BLAS_FUNCTIONS = BLAS_TRSM_BATCH + (TG_BLAS_BATCHES ? 4 : 0)
};
typedef void gpu_blas_function(void);
gpu_blas_function *gpu_blas_at(const gpu_blas *, int place);
cublasHandle_t gpu_blas_handle(gpu_blas *);
cublasOperation_t gpu_blas_operation(trigon_op);
trigon_status gpu_blas_status(cublasStatus_t, const char *what, reason *why);
typedef union gpu_scalar {
  float f[2];
  double d[2];
} gpu_scalar;
gpu_scalar gpu_scalar_of(trigon_type, trigon_scalar);

#endif
