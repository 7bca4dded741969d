/* properties_cuda.h - what an NVIDIA GPU is: its name, its compute capability, its rates, its code (see vendor.h). */
#ifndef TRIGON_PROPERTIES_CUDA_H
#define TRIGON_PROPERTIES_CUDA_H

#include <cuda_runtime.h>
#include <stdio.h>

static inline cudaError_t tg_device_name(int device, char *text, size_t size) {
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  snprintf(text, size, "%.80s", error == cudaSuccess ? properties.name : "");
  return error;
}

static inline int tg_compute_capability(int device) {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    (void)cudaGetLastError(); /* the table for any GPU is right, too */
  return 10 * major + minor;
}

static inline int tg_floats_to_doubles(int device) {
  int ratio = 0;
  const cudaError_t error = cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  return error == cudaSuccess ? ratio : 0;
}

static inline cudaError_t tg_kernel_code(const void *kernel, int *ptx, int *own) {
  struct cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  *ptx = error == cudaSuccess ? attributes.ptxVersion : 0;
  *own = error == cudaSuccess ? attributes.binaryVersion : 0;
  return error;
}

#endif
