/* vendor_blas.h - the vendor's BLAS on one device: cuBLAS, hipBLAS (loaded at run time), or the simulated one. */
#ifndef TRIGON_VENDOR_BLAS_H
#define TRIGON_VENDOR_BLAS_H

#include "../core/error.h"
#include "../core/operation.h"
#include "vendor/vendor.h"

typedef struct gpu_blas gpu_blas;

/* For the current device. TRIGON_NOT_FOUND where the machine has none. */
trigon_status gpu_blas_create(gpu_blas **out, reason *why);
void gpu_blas_destroy(gpu_blas *);

/* What it computes with, e.g. "cuBLAS 13.1.0". */
const char *gpu_blas_name(const gpu_blas *);

/* Later products run in that stream and use that device memory alone. */
trigon_status gpu_blas_attach(gpu_blas *, cudaStream_t, void *workspace, int64_t bytes, reason *why);

/* What it gets where no cap forbids it: what cuBLAS's manual recommends for Hopper. */
enum { gpu_blas_most = TG_TILE(4, 32) << 20 };

/* Whether its integers hold such a size or leading dimension. */
bool gpu_blas_holds(int64_t size);

/* Runs a GEMM that is not trivial, and whose sizes fit (gpu_blas_holds). */
trigon_status gpu_blas_gemm(gpu_blas *, const operation *, reason *why);

/* For vendor_leaves.c. */
cublasHandle_t gpu_blas_handle(gpu_blas *);
cublasOperation_t gpu_blas_operation(trigon_op);
trigon_status gpu_blas_status(cublasStatus_t, const char *what, reason *why);
typedef union number {
  float f[2];
  double d[2];
} number;
number gpu_number(trigon_type, trigon_scalar);

#endif
