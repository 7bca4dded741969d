/* vendor_blas.h - the vendor's BLAS on one device: cuBLAS, hipBLAS (loaded at run time), or the simulated one. */
#ifndef TRIGON_VENDOR_BLAS_H
#define TRIGON_VENDOR_BLAS_H

#include "core/error.h"
#include "core/operation.h"
#include "gpu/vendor/vendor.h"

typedef struct gpu_blas gpu_blas;

/* Opens the vendor's BLAS on the current device. TRIGON_NOT_FOUND if the machine lacks the library or a routine. */
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

/* For vendor_leaves.c. */
cublasHandle_t gpu_blas_handle(gpu_blas *);
cublasOperation_t gpu_blas_operation(trigon_op);
trigon_status gpu_blas_status(cublasStatus_t, const char *what, reason *why);
typedef union gpu_scalar {
  float f[2];
  double d[2];
} gpu_scalar;
gpu_scalar gpu_scalar_of(trigon_type, trigon_scalar);

#endif
