/* early.h - launches that begin while the launch ahead of them in their stream runs: on Hopper, by programmatic
 * dependent launches. Elsewhere a launch begins when the launch ahead has ended.
 *
 *   tg_begins_early(able, stream)
 *                                whether launches of the stream begin early, on a GPU that is able to. Those of a
 *                                capture do not
 *   tg_launch_early(stream, kernel, blocks, threads, shared, task)
 *                                as tg_launch, but the launch may begin as soon as all blocks of the launch ahead have
 *                                called tg_begin_next, or have ended. What these blocks write later is not there yet.
 *                                A launch that began early shall end behind those ahead: one of its blocks calls
 *                                tg_await_launches
 *   tg_begin_next()              lets the next launch begin
 *   tg_await_launches()          waits until the launches ahead have ended
 *   tg_count_early(flag)         as tg_count, in a launch ahead
 *   tg_await_early(flag, value)  waits until the launches ahead have counted the flag up to the value, as tg_await
 *   tg_multiprocessors()         how many multiprocessors the current device has, or more */
#ifndef TRIGON_VENDOR_EARLY_H
#define TRIGON_VENDOR_EARLY_H

#include "vendor.h"

#ifdef TRIGON_VENDOR_CUDA
inline bool tg_begins_early(bool able, cudaStream_t stream) {
  unsigned long long capture = 0;
  if (!able) return false;
  if (tg_capture_of(stream, &capture) == cudaSuccess) return capture == 0;
  (void)cudaGetLastError(); /* the next use of the stream reports the error */
  return false;
}

template <class Task>
inline cudaError_t tg_launch_early(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                   size_t shared, Task task) {
  void *arguments[] = {&task};
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks)), config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &early, config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments);
}

__device__ inline void tg_begin_next() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
__device__ inline void tg_await_launches() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}
__device__ inline void tg_count_early(unsigned *flag) { tg_count(flag); }
/* Most blocks find the value there. */
__device__ inline void tg_await_early(const unsigned *flag, unsigned value) {
  if (threadIdx.x == 0) (void)tg_acquire_now(flag, value);
  __syncthreads();
}

inline int tg_multiprocessors() {
  enum { MANY = 256 };
  int device = 0, count = MANY;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess)
    return count;
  (void)cudaGetLastError(); /* no result depends on the number */
  return MANY;
}
#else
inline bool tg_begins_early(bool, cudaStream_t) { return false; }

template <class Task>
inline cudaError_t tg_launch_early(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                   size_t shared, Task task) {
  return tg_launch(stream, kernel, blocks, threads, shared, task);
}

__device__ inline void tg_begin_next() {}
__device__ inline void tg_await_launches() {}
__device__ inline void tg_count_early(unsigned *) {}
__device__ inline void tg_await_early(const unsigned *, unsigned) {}

inline int tg_multiprocessors() { return 256; }
#endif

#endif
