/* launch_cuda.h - loads and launches kernels on NVIDIA's GPUs (see vendor.h). */
#ifndef TRIGON_LAUNCH_CUDA_H
#define TRIGON_LAUNCH_CUDA_H

#include <cuda_runtime.h>
#include <stdint.h>

template <class Task>
inline cudaError_t tg_launch(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads, size_t shared,
                             Task task) {
  void *arguments[] = {&task};
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(static_cast<unsigned>(blocks)),
                          dim3(static_cast<unsigned>(threads)), arguments, shared, stream);
}

template <class Task>
inline cudaError_t tg_launch_together(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                      size_t shared, Task task) {
  void *arguments[] = {&task};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3(static_cast<unsigned>(blocks)),
                                     dim3(static_cast<unsigned>(threads)), arguments, shared, stream);
}

inline cudaError_t tg_most_together(const void *kernel, int threads, size_t shared, int64_t *blocks) {
  int device = 0, can = 0, processors = 0, each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared);
  *blocks = can ? static_cast<int64_t>(processors) * each : 0;
  return error;
}

inline cudaError_t tg_load(const void *kernel, size_t shared) {
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess || shared <= TG_SHARED_BYTES) return error;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
}

#endif
