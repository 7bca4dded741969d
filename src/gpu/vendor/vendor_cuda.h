/* vendor_cuda.h - defines the functions of vendor.h for NVIDIA's GPUs. */
#ifndef TRIGON_VENDOR_CUDA_H
#define TRIGON_VENDOR_CUDA_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TG_VENDOR "cuda"
#ifndef TG_DEVICE_LAUNCHES /* a build without relocatable device code says 0 (CMakeLists.txt) */
#define TG_DEVICE_LAUNCHES 1
#endif
#ifndef TG_HAS_HOPPER /* a build without residue_products_hopper.cu says 0 (CMakeLists.txt) */
#define TG_HAS_HOPPER 1
#endif
#define TRIGON_VENDOR_CUDA
#define TG_TILE(small, large) (large)

/* ---------------------------------------------------------------------------------------------- current device --
 * The guard uses the driver's stack of contexts. If the guard set the runtime's device back instead, the runtime would
 * start a context on a device that the process may never use, and a context of the driver's interface would be lost. */

typedef struct tg_device_guard {
  CUdevice device;
  CUcontext context; /* the device's primary context, which the runtime uses, too; NULL: not open */
  CUresult (*get)(CUdevice *, int), (*retain)(CUcontext *, CUdevice), (*release)(CUdevice);
  CUresult (*push)(CUcontext), (*pop)(CUcontext *), (*context_of)(CUstream, CUcontext *);
} tg_device_guard;

/* The version of the driver's interface whose functions have these types. */
enum { tg_driver_version = 12000 };

/* Stores the driver's function in the pointer to a function at `out`. */
static inline cudaError_t tg_driver_function(const char *name, void *out) {
  enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
#if CUDART_VERSION >= 12050 /* since 12.5 a caller can ask for a version */
  cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, (void **)out, tg_driver_version, cudaEnableDefault, &found);
#else
  cudaError_t error = cudaGetDriverEntryPoint(name, (void **)out, cudaEnableDefault, &found);
#endif
  return error == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorSymbolNotFound : error;
}

/* The values of both enumerations are the same. */
static inline cudaError_t tg_driver_error(CUresult result) { return (cudaError_t)result; }

static inline cudaError_t tg_open(int device, tg_device_guard *guard) {
  cudaError_t error = tg_driver_function("cuDeviceGet", &guard->get);
  if (error == cudaSuccess) error = tg_driver_function("cuDevicePrimaryCtxRetain", &guard->retain);
  if (error == cudaSuccess) error = tg_driver_function("cuDevicePrimaryCtxRelease", &guard->release);
  if (error == cudaSuccess) error = tg_driver_function("cuCtxPushCurrent", &guard->push);
  if (error == cudaSuccess) error = tg_driver_function("cuCtxPopCurrent", &guard->pop);
  if (error == cudaSuccess) error = tg_driver_function("cuStreamGetCtx", &guard->context_of);
  if (error == cudaSuccess) error = tg_driver_error(guard->get(&guard->device, device));
  return error == cudaSuccess ? tg_driver_error(guard->retain(&guard->context, guard->device)) : error;
}

static inline cudaError_t tg_enter(tg_device_guard *guard) { return tg_driver_error(guard->push(guard->context)); }

static inline void tg_leave(tg_device_guard *guard) {
  CUcontext popped;
  guard->pop(&popped);
}

static inline void tg_close(tg_device_guard *guard) {
  if (guard->context) guard->release(guard->device);
}

/* The runtime gives the same error if the driver is too old and if there is no driver. */
static inline void tg_no_devices(cudaError_t error, char *text, size_t size) {
  int version = 0;
  if (error != cudaErrorInsufficientDriver || cudaDriverGetVersion(&version) != cudaSuccess)
    snprintf(text, size, "%s", cudaGetErrorString(error));
  else if (version == 0)
    snprintf(text, size, "no NVIDIA driver was found");
  else
    snprintf(text, size, "the NVIDIA driver is too old, it serves CUDA %d.%d, and CUDA %d.0 is needed", version / 1000,
             version % 1000 / 10, CUDART_VERSION / 1000);
}

static inline bool tg_stream_is_here(const tg_device_guard *guard, cudaStream_t stream) {
  CUcontext context = NULL;
  return guard->context_of(stream, &context) == CUDA_SUCCESS && context == guard->context;
}

/* ---------------------------------------------------------------------------------------------------- pointers -- */

static inline struct cudaPointerAttributes tg_pointer(const void *p) {
  struct cudaPointerAttributes a;
  if (cudaPointerGetAttributes(&a, p) == cudaSuccess) return a;
  (void)cudaGetLastError(); /* host memory is no error, so forget the error */
  memset(&a, 0, sizeof a);
  a.type = cudaMemoryTypeUnregistered;
  return a;
}

static inline int tg_pointer_device(const void *p) {
  struct cudaPointerAttributes a = tg_pointer(p);
  return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged ? a.device : -1;
}

static inline bool tg_pointer_on_host(const void *p) { return tg_pointer(p).type != cudaMemoryTypeDevice; }

static inline bool tg_pointer_is_pinned(const void *p) { return tg_pointer(p).type == cudaMemoryTypeHost; }

/* The runtime does not tell: allocations that are mapped side by side may hold one matrix. */
static inline bool tg_is_one_allocation(const void *p, size_t size) { return (void)p, (void)size, true; }

#include "properties_cuda.h"

static inline cudaError_t tg_capture_of(cudaStream_t stream, unsigned long long *id) {
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  *id = 0;
#if CUDART_VERSION >= 13000
  cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, id, NULL, NULL, NULL, NULL);
#else
  cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, id, NULL, NULL, NULL);
#endif
  if (status != cudaStreamCaptureStatusActive) *id = status == cudaStreamCaptureStatusNone ? 0 : ~0ull;
  return error;
}

/* Only the simulated GPU has options. */
static inline int tg_configure(int device, const char *options, char *why, size_t size) {
  (void)device, (void)options, (void)why, (void)size;
  return 0;
}

#ifdef __CUDACC__
extern __shared__ __align__(16) unsigned char tg_shared_bytes[];

template <class T> __device__ inline T *tg_shared() { return reinterpret_cast<T *>(tg_shared_bytes); }

__device__ constexpr int tg_warp() { return 32; }

__device__ inline double tg_rsqrt(double x) { return rsqrt(x); }
/* Both cases are computed, so that the result does not wait for the comparison. */
__device__ inline float tg_rsqrt(float x) {
  float normal, scaled;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(normal) : "f"(x));
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(scaled) : "f"(x * 0x1p24f));
  return x < 0x1p-126f ? scaled * 0x1p12f : normal;
}

__device__ inline float tg_rsqrt_plain(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ inline double tg_rsqrt_seed(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
__device__ inline float tg_rsqrt_seed(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double tg_reciprocal_seed(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

template <class T> __device__ inline T tg_shuffle(T x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }

__device__ inline unsigned long long tg_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline void tg_atomic_min(unsigned long long *p, unsigned long long x) { atomicMin(p, x); }
__device__ inline void tg_atomic_max(unsigned *p, unsigned x) { atomicMax(p, x); }
__device__ inline void tg_atomic_max(unsigned long long *p, unsigned long long x) { atomicMax(p, x); }
__device__ inline void tg_atomic_add(unsigned long long *p, unsigned long long x) { atomicAdd(p, x); }

/* The type of a word of 4, 8 or 16 bytes. */
template <int SIZE> struct tg_bits;
template <> struct tg_bits<4> { using type = unsigned; };
template <> struct tg_bits<8> { using type = uint2; };
template <> struct tg_bits<16> { using type = uint4; };

template <class T> __device__ inline T tg_load_fresh(const T *p) {
  using bits = typename tg_bits<sizeof(T)>::type;
  const bits x = __ldcg(reinterpret_cast<const bits *>(p));
  T result;
  memcpy(&result, &x, sizeof x);
  return result;
}

__device__ inline bool tg_any(bool x, unsigned long long *) { return __syncthreads_or(x) != 0; }

__device__ inline void tg_forget(int64_t &x) { asm volatile("" : "+l"(x)); }
__device__ inline void tg_forget(unsigned &x) { asm volatile("" : "+r"(x)); }
__device__ inline void tg_forget(const double *&x) { asm volatile("" : "+l"(x)); }

__device__ inline void tg_sync_warp() { __syncwarp(); }

__device__ inline void tg_copy_async(double *to, const double *from, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "r"(valid ? 8 : 0)
               : "memory");
#else
  *to = valid ? *from : 0;
#endif
}

template <class T> __device__ inline void tg_copy_async_run(T *to, const T *from, int valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(static_cast<unsigned>(valid * sizeof(T)))
               : "memory");
#else
  for (int i = 0; i < static_cast<int>(16 / sizeof(T)); i++) to[i] = i < valid ? from[i] : T{};
#endif
}

__device__ inline void tg_copy_async_pair(double *to, const double *from, int valid) {
  tg_copy_async_run(to, from, valid);
}

template <class T> __device__ inline void tg_copy_async_if(bool wanted, T *to, const T *from, bool valid) {
  if (sizeof(T) == 16) return wanted ? tg_copy_async_run(to, from, valid) : void(); /* not by L1, which is full */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("{\n.reg .pred wanted;\nsetp.ne.b32 wanted, %4, 0;\n"
               "@wanted cp.async.ca.shared.global [%0], [%1], %2, %3;\n}"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "n"(sizeof(T)),
                 "r"(valid ? static_cast<unsigned>(sizeof(T)) : 0u), "r"(static_cast<unsigned>(wanted))
               : "memory");
#else
  if (wanted) *to = valid ? *from : T{};
#endif
}

template <class T> __device__ inline void tg_copy_async_one(T *to, const T *from, bool valid) {
  tg_copy_async_if(true, to, from, valid);
}

__device__ inline void tg_commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

template <int LEFT> __device__ inline void tg_await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" : : "n"(LEFT) : "memory");
#endif
}

struct tg_site {};
#define TG_HERE                                                                                                        \
  {}
__device__ inline void tg_barrier(tg_site) { __syncthreads(); }

__device__ inline unsigned tg_take_ticket(unsigned *counter) {
  unsigned ticket;
  asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(counter) : "memory");
  return ticket;
}

__device__ inline unsigned tg_take_ticket_of(unsigned *counter, unsigned all) { return atomicInc(counter, all - 1); }

/* One access for all lanes with the same counter, because accesses to one word follow each other. */
__device__ inline unsigned tg_take_ticket_beside(unsigned *counter) {
  const unsigned beside = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(counter));
  const int first = __ffs(static_cast<int>(beside)) - 1, lane = static_cast<int>(threadIdx.x % 32);
  unsigned ticket = 0;
  if (lane == first)
    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;"
                 : "=r"(ticket)
                 : "l"(counter), "r"(__popc(beside))
                 : "memory");
  return __shfl_sync(beside, ticket, first) + __popc(beside & ((1u << lane) - 1));
}

/* The barrier does it: in this memory model a release holds whatever happened before. */
__device__ inline void tg_write_through() {}

__device__ inline void tg_release(unsigned *flag, unsigned value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(flag), "r"(value) : "memory");
}

/* The additions to a counter form one release sequence: who acquires the last one acquires them all. */
__device__ inline void tg_add_release(unsigned *flag) {
  asm volatile("red.release.gpu.add.u32 [%0], 1;" : : "l"(flag) : "memory");
}

/* Polls by relaxed loads, because an acquiring load empties the L1 cache. */
__device__ inline unsigned tg_acquire(const unsigned *flag, unsigned value) {
  enum { pause = 32 }; /* nanoseconds: much less than a load from the L2 cache takes */
  unsigned found;
  for (;;) {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(found) : "l"(flag) : "memory");
    if (found >= value) break;
    __nanosleep(pause);
  }
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(found) : "l"(flag) : "memory");
  return found;
}

__device__ inline unsigned tg_acquire_most(const unsigned *flag, unsigned value) { return tg_acquire(flag, value); }

__device__ inline unsigned tg_acquire_now(const unsigned *flag, unsigned value) {
  unsigned found;
  do {
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(found) : "l"(flag) : "memory");
  } while (found < value);
  return found;
}

__device__ inline bool tg_arrive(unsigned *counter, unsigned all) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before == all - 1;
}

__device__ inline void tg_store_relaxed(unsigned *p, unsigned x) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}
__device__ inline void tg_store_relaxed(unsigned long long *p, unsigned long long x) {
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}
__device__ inline unsigned tg_load_relaxed(const unsigned *p) {
  unsigned x;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
__device__ inline unsigned long long tg_load_relaxed(const unsigned long long *p) {
  unsigned long long x;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
__device__ inline void tg_pause(unsigned nanoseconds) { __nanosleep(nanoseconds); }
__device__ inline void tg_prefetch(const void *p) { asm volatile("prefetch.global.L2 [%0];" : : "l"(p)); }

/* Two words by one access. Each of them is whole; together they need not be. `p` is a multiple of 16. */
__device__ inline void tg_store_relaxed_pair(unsigned long long *p, unsigned long long x, unsigned long long y) {
  asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" : : "l"(p), "l"(x), "l"(y) : "memory");
}
__device__ inline void tg_load_relaxed_pair(const unsigned long long *p, unsigned long long *x, unsigned long long *y) {
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(*x), "=l"(*y) : "l"(p) : "memory");
}
#include "cells.h"
#include "mma_cuda.h"
#include "slots.h"

#include "clusters_cuda.h"
#include "launch_cuda.h"

#define TG_HAS_MMA 1

/* Code for architectures before 9.0 has no such instruction for tiles of this size. Smaller chips of later
 * architectures have less shared memory. */
inline cudaError_t tg_has_mma(int device, const void *kernel, bool *has) {
  cudaFuncAttributes attributes;
  int shared = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  *has = error == cudaSuccess && attributes.ptxVersion >= 90 && shared >= TG_SHARED_HOPPER - 1024;
  return error;
}
#endif

#endif
