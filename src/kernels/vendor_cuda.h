/* vendor_cuda.h - NVIDIA: see vendor.h. */
#ifndef TRIGON_VENDOR_CUDA_H
#define TRIGON_VENDOR_CUDA_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TG_VENDOR "cuda"
#define TRIGON_VENDOR_CUDA
#define TG_TILE(small, large) (large)

static inline int tg_pointer_device(const void *p) {
  struct cudaPointerAttributes a;
  if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
    (void)cudaGetLastError(); /* host memory is no failure of the caller's */
    return -1;
  }
  return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged ? a.device : -1;
}

static inline cudaError_t tg_device_name(int device, char *text, size_t size) {
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  snprintf(text, size, "%.80s", error == cudaSuccess ? properties.name : "");
  return error;
}

static inline cudaError_t tg_is_capturing(cudaStream_t stream, bool *capturing) {
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaError_t error = cudaStreamIsCapturing(stream, &status);
  *capturing = status != cudaStreamCaptureStatusNone;
  return error;
}

/* Nothing can be configured. */
static inline int tg_configure(int device, const char *options, char *why, size_t size) {
  (void)device, (void)options, (void)why, (void)size;
  return 0;
}

/* ----------------------------------------------------------------------------------------------------- cuBLAS -- */

typedef int64_t tg_blas_int;
typedef long long tg_blas_stride;
#define TG_BLAS_INT_MAX INT64_MAX

#include "vendor_linked_blas.h"

static inline cublasStatus_t tg_blas_name(cublasHandle_t handle, char *text, size_t size) {
  int version = 0;
  cublasStatus_t status = cublasGetVersion(handle, &version);
  snprintf(text, size, "cuBLAS %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
  return status;
}

#ifdef __CUDACC__
extern __shared__ __align__(16) unsigned char tg_shared_bytes[];

template <class T> __device__ inline T *tg_shared() { return reinterpret_cast<T *>(tg_shared_bytes); }

__device__ constexpr int tg_warp() { return 32; }

template <class T> __device__ inline T tg_shuffle(T x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }

__device__ inline void tg_atomic_min(unsigned long long *p, unsigned long long x) { atomicMin(p, x); }

template <class Task>
inline cudaError_t tg_launch(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads, size_t shared,
                             Task task) {
  void *arguments[] = {&task};
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(static_cast<unsigned>(blocks)),
                          dim3(static_cast<unsigned>(threads)), arguments, shared, stream);
}

template <class Task> inline cudaError_t tg_load(void (*kernel)(Task)) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
}
#endif

#endif
