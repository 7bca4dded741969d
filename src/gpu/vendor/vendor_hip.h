/* vendor_hip.h - defines the functions of vendor.h for AMD's GPUs: CUDA's names are aliases of HIP's names. Written
 * for HIP 5.2 and later. */
#ifndef TRIGON_VENDOR_HIP_H
#define TRIGON_VENDOR_HIP_H

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
#include <type_traits>
#endif

#define TG_VENDOR "hip"
#define TG_DEVICE_LAUNCHES 0
#define TG_HAS_HOPPER 0
#define TG_TILE(small, large) (large)

#define cudaError_t hipError_t
#define cudaSuccess hipSuccess
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorInvalidDeviceFunction hipErrorInvalidDeviceFunction
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDevice hipGetDevice
#define cudaSetDevice hipSetDevice
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDevAttrMaxPitch hipDeviceAttributeMaxPitch
#define cudaDevAttrPageableMemoryAccessUsesHostPageTables hipDeviceAttributePageableMemoryAccessUsesHostPageTables
#define cudaDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cudaDeviceEnablePeerAccess hipDeviceEnablePeerAccess
#define cudaMemGetInfo hipMemGetInfo
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaHostAlloc hipHostMalloc
#define cudaHostAllocPortable hipHostMallocPortable
#define cudaFreeHost hipHostFree
#define cudaHostRegister hipHostRegister
#define cudaHostRegisterPortable hipHostRegisterPortable
#define cudaHostUnregister hipHostUnregister
#define cudaErrorHostMemoryAlreadyRegistered hipErrorHostMemoryAlreadyRegistered
#define cudaErrorHostMemoryNotRegistered hipErrorHostMemoryNotRegistered
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaEventSynchronize hipEventSynchronize
#define cudaEventQuery hipEventQuery
#define cudaErrorNotReady hipErrorNotReady
#define cudaMemcpyKind hipMemcpyKind
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpy2DAsync hipMemcpy2DAsync
#define cudaMemsetAsync hipMemsetAsync
#define cudaStream_t hipStream_t
#define cudaStreamDefault hipStreamDefault
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaEvent_t hipEvent_t
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventDefault hipEventDefault
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventRecord hipEventRecord
#define cudaEventDestroy hipEventDestroy

#include "device_guard.h"

/* Before version 6, HIP does not tell the device of a stream. */
static inline bool tg_stream_is_here(const tg_device_guard *guard, hipStream_t stream) {
#if HIP_VERSION_MAJOR >= 6
  hipDevice_t device = -1;
  return hipStreamGetDevice(stream, &device) == hipSuccess && device == guard->device;
#else
  (void)guard, (void)stream;
  return true;
#endif
}

typedef enum tg_memory { TG_MEMORY_HOST, TG_MEMORY_DEVICE, TG_MEMORY_BOTH } tg_memory;

static inline tg_memory tg_pointer(const void *p, int *device) {
  hipPointerAttribute_t a;
  *device = -1;
  if (hipPointerGetAttributes(&a, p) != hipSuccess) {
    (void)hipGetLastError(); /* host memory is no error, so forget the error */
    return TG_MEMORY_HOST;
  }
#if HIP_VERSION_MAJOR >= 6
  const bool managed = a.type == hipMemoryTypeManaged, on_device = a.type == hipMemoryTypeDevice;
#else
  const bool managed = a.isManaged, on_device = a.memoryType == hipMemoryTypeDevice;
#endif
  if (managed || on_device) *device = a.device;
  return managed ? TG_MEMORY_BOTH : on_device ? TG_MEMORY_DEVICE : TG_MEMORY_HOST;
}

static inline int tg_pointer_device(const void *p) {
  int device;
  tg_pointer(p, &device);
  return device;
}

static inline bool tg_pointer_on_host(const void *p) {
  int device;
  return tg_pointer(p, &device) != TG_MEMORY_DEVICE;
}

static inline bool tg_pointer_is_pinned(const void *p) {
  hipPointerAttribute_t a;
  if (hipPointerGetAttributes(&a, p) != hipSuccess) return (void)hipGetLastError(), false;
#if HIP_VERSION_MAJOR >= 6
  return a.type == hipMemoryTypeHost;
#else
  return a.memoryType == hipMemoryTypeHost;
#endif
}

/* The runtime does not tell: allocations that are mapped side by side may hold one matrix. */
static inline bool tg_is_one_allocation(const void *p, size_t size) { return (void)p, (void)size, true; }

static inline hipError_t tg_device_name(int device, char *text, size_t size) {
  hipDeviceProp_t properties;
  hipError_t error = hipGetDeviceProperties(&properties, device);
  snprintf(text, size, "%.80s", error == hipSuccess ? properties.name : "");
  return error;
}

static inline int tg_compute_capability(int device) { return (void)device, 0; }
static inline int tg_floats_to_doubles(int device) { return (void)device, 0; }
static inline hipError_t tg_kernel_code(const void *kernel, int *ptx, int *own) {
  return (void)kernel, *ptx = *own = 0, hipSuccess;
}

static inline hipError_t tg_capture_of(hipStream_t stream, unsigned long long *id) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  *id = 0;
  hipError_t error = hipStreamGetCaptureInfo(stream, &status, id);
  if (status != hipStreamCaptureStatusActive) *id = status == hipStreamCaptureStatusNone ? 0 : ~0ull;
  return error;
}

/* Only the simulated GPU has options. */
static inline int tg_configure(int device, const char *options, char *why, size_t size) {
  (void)device, (void)options, (void)why, (void)size;
  return 0;
}

#ifdef __HIPCC__
extern __shared__ __align__(16) unsigned char tg_shared_bytes[];

template <class T> __device__ inline T *tg_shared() { return reinterpret_cast<T *>(tg_shared_bytes); }

/* On the device, warpSize is a constant of the device. On the host the same name has another value. */
__device__ inline int tg_warp() { return warpSize; }

__device__ inline double tg_rsqrt(double x) { return rsqrt(x); }
__device__ inline float tg_rsqrt(float x) { return rsqrtf(x); }
__device__ inline float tg_rsqrt_plain(float x) { return rsqrtf(x); }

template <class T> __device__ inline T tg_shuffle(T x, int lane) { return __shfl(x, lane); }

/* Half the cycles of a clock whose rate is between 1 and 2.5 GHz. */
__device__ inline unsigned long long tg_nanoseconds() { return static_cast<unsigned long long>(clock64()) / 2; }

__device__ inline void tg_atomic_min(unsigned long long *p, unsigned long long x) { atomicMin(p, x); }
__device__ inline void tg_atomic_max(unsigned *p, unsigned x) { atomicMax(p, x); }
__device__ inline void tg_atomic_max(unsigned long long *p, unsigned long long x) { atomicMax(p, x); }
__device__ inline void tg_atomic_add(unsigned long long *p, unsigned long long x) { atomicAdd(p, x); }

/* Loads words of 8 bytes, or of 4, because one atomic load reads at most 8 bytes. */
template <class T> __device__ inline T tg_load_fresh(const T *p) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "what one load reads on other GPUs");
  constexpr int SIZE = sizeof(T) == 4 ? 4 : 8;
  using bits = std::conditional_t<SIZE == 4, unsigned, unsigned long long>;
  bits x[sizeof(T) / SIZE];
  for (int i = 0; i < static_cast<int>(sizeof(T) / SIZE); i++)
    x[i] = __hip_atomic_load(reinterpret_cast<const bits *>(p) + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  T result;
  __builtin_memcpy(&result, x, sizeof result);
  return result;
}

__device__ inline bool tg_any(bool x, unsigned long long *) { return __syncthreads_or(x) != 0; }

/* Copies land at once. */
template <class T> __device__ inline void tg_copy_async_one(T *to, const T *from, bool valid) {
  *to = valid ? *from : T{};
}
template <class T> __device__ inline void tg_copy_async_if(bool wanted, T *to, const T *from, bool valid) {
  if (wanted) *to = valid ? *from : T{};
}
template <class T> __device__ inline void tg_copy_async_run(T *to, const T *from, int valid) {
  for (int i = 0; i < static_cast<int>(16 / sizeof(T)); i++) to[i] = i < valid ? from[i] : T{};
}
__device__ inline void tg_commit_copies() {}
template <int LEFT> __device__ inline void tg_await_copies() {}

__device__ inline void tg_forget(unsigned &) {}
__device__ inline void tg_forget(const double *&) {}
__device__ inline void tg_forget(int64_t &) {} /* kernels whose sums fill the registers use matrix units */

#define TG_HAS_MMA 0

/* The lanes of a wave run in step, but compilers may move accesses to memory. */
__device__ inline void tg_sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

struct tg_site {};
#define TG_HERE                                                                                                        \
  {}
__device__ inline void tg_barrier(tg_site) { __syncthreads(); }

__device__ inline unsigned tg_take_ticket(unsigned *counter) {
  return __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__device__ inline unsigned tg_take_ticket_of(unsigned *counter, unsigned all) { return atomicInc(counter, all - 1); }

__device__ inline unsigned tg_take_ticket_beside(unsigned *counter) { return tg_take_ticket(counter); }

/* A barrier orders memory within the block alone. Several compilers let stores of other waves pass it on their way out
 * of the compute unit, and then one thread's release does not wait for them. */
__device__ inline void tg_write_through() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }

__device__ inline void tg_release(unsigned *flag, unsigned value) {
  __hip_atomic_store(flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

__device__ inline void tg_add_release(unsigned *flag) {
  (void)__hip_atomic_fetch_add(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/* Polls without order, for an acquiring load empties the L1 cache. */
__device__ inline unsigned tg_acquire(const unsigned *flag, unsigned value) {
  while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < value) __builtin_amdgcn_s_sleep(1);
  return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}

__device__ inline unsigned tg_acquire_most(const unsigned *flag, unsigned value) { return tg_acquire(flag, value); }
__device__ inline unsigned tg_acquire_now(const unsigned *flag, unsigned value) { return tg_acquire(flag, value); }

__device__ inline bool tg_arrive(unsigned *counter, unsigned all) {
  return __hip_atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == all - 1;
}

template <class Word> __device__ inline void tg_store_relaxed(Word *p, Word x) {
  __hip_atomic_store(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class Word> __device__ inline Word tg_load_relaxed(const Word *p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void tg_pause(unsigned) { __builtin_amdgcn_s_sleep(1); }
__device__ inline void tg_prefetch(const void *p) { __builtin_prefetch(p); }

__device__ inline void tg_store_relaxed_pair(unsigned long long *p, unsigned long long x, unsigned long long y) {
  tg_store_relaxed(p, x), tg_store_relaxed(p + 1, y);
}
__device__ inline void tg_load_relaxed_pair(const unsigned long long *p, unsigned long long *x, unsigned long long *y) {
  *x = tg_load_relaxed(p), *y = tg_load_relaxed(p + 1);
}
#include "cells.h"
#include "slots.h"

template <class Task>
inline hipError_t tg_launch(hipStream_t stream, void (*kernel)(Task), int64_t blocks, int threads, size_t shared,
                            Task task) {
  void *arguments[] = {&task};
  return hipLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), arguments, shared, stream);
}

/* No launch has its blocks together: nobody has tried it on AMD's GPUs. */
template <class Task> inline hipError_t tg_launch_together(hipStream_t, void (*)(Task), int64_t, int, size_t, Task) {
  return hipErrorCooperativeLaunchTooLarge;
}
inline hipError_t tg_most_together(const void *, int, size_t, int64_t *blocks) { return *blocks = 0, hipSuccess; }

/* AMD's GPUs have no clusters of blocks. */
__device__ inline int tg_cluster_rank() { return 0; }
__device__ inline void tg_cluster_sync() { __syncthreads(); }
template <class T> __device__ inline T *tg_cluster_shared(T *p, int) { return p; }
template <class Task>
inline hipError_t tg_launch_clusters(hipStream_t, void (*)(Task), int64_t, int, size_t, Task, int) {
  return hipErrorInvalidValue;
}
inline hipError_t tg_most_clusters(const void *, int, size_t, int, int *clusters) { return *clusters = 0, hipSuccess; }

/* No kernel asks for more shared memory than every launch may have. */
inline hipError_t tg_load(const void *kernel, size_t) {
  hipFuncAttributes attributes;
  return hipFuncGetAttributes(&attributes, kernel);
}
#endif

#endif
