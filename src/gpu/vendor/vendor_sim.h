/* vendor_sim.h - defines the functions of vendor.h for the simulated GPU of the tests (simulator/sim.h). */
#ifndef TRIGON_VENDOR_SIM_H
#define TRIGON_VENDOR_SIM_H

#include "../../../simulator/cuda/cuda_runtime_api.h"

#include <stdio.h>
#include <string.h>

#define TG_VENDOR "sim"
#define TG_DEVICE_LAUNCHES 0
#define TG_HAS_HOPPER 0
#ifdef TRIGON_SIM_LARGE
#define TG_TILE(small, large) (large)
#else
#define TG_TILE(small, large) (small)
#endif

#define cublasHandle_t simblasHandle_t
#define cublasStatus_t simblasStatus_t
#define cublasOperation_t simblasOperation_t
#define cublasSideMode_t simblasSideMode_t
#define cublasFillMode_t simblasFillMode_t
#define cublasDiagType_t simblasDiagType_t
#define CUBLAS_SIDE_LEFT SIMBLAS_SIDE_LEFT
#define CUBLAS_SIDE_RIGHT SIMBLAS_SIDE_RIGHT
#define CUBLAS_FILL_MODE_LOWER SIMBLAS_FILL_MODE_LOWER
#define CUBLAS_FILL_MODE_UPPER SIMBLAS_FILL_MODE_UPPER
#define CUBLAS_DIAG_UNIT SIMBLAS_DIAG_UNIT
#define CUBLAS_DIAG_NON_UNIT SIMBLAS_DIAG_NON_UNIT
#define CUBLAS_STATUS_SUCCESS SIMBLAS_STATUS_SUCCESS
#define CUBLAS_STATUS_NOT_INITIALIZED SIMBLAS_STATUS_NOT_INITIALIZED
#define CUBLAS_STATUS_ALLOC_FAILED SIMBLAS_STATUS_ALLOC_FAILED
#define CUBLAS_STATUS_INVALID_VALUE SIMBLAS_STATUS_INVALID_VALUE
#define CUBLAS_STATUS_EXECUTION_FAILED SIMBLAS_STATUS_EXECUTION_FAILED
#define CUBLAS_STATUS_INTERNAL_ERROR SIMBLAS_STATUS_INTERNAL_ERROR
#define CUBLAS_STATUS_NOT_SUPPORTED SIMBLAS_STATUS_NOT_SUPPORTED
#define CUBLAS_OP_N SIMBLAS_OP_N
#define CUBLAS_OP_T SIMBLAS_OP_T
#define CUBLAS_OP_C SIMBLAS_OP_C
#define cublasCreate simblasCreate
#define cublasDestroy simblasDestroy
#define cublasSetStream simblasSetStream
#define cublasSetWorkspace simblasSetWorkspace
#define cublasSgemm_64 simblasSgemm_64
#define cublasDgemm_64 simblasDgemm_64
#define cublasCgemm_64 simblasCgemm_64
#define cublasZgemm_64 simblasZgemm_64
#define cublasSgemmStridedBatched_64 simblasSgemmStridedBatched_64
#define cublasDgemmStridedBatched_64 simblasDgemmStridedBatched_64
#define cublasCgemmStridedBatched_64 simblasCgemmStridedBatched_64
#define cublasZgemmStridedBatched_64 simblasZgemmStridedBatched_64

#include "device_guard.h"

static inline bool tg_stream_is_here(const tg_device_guard *guard, simStream_t stream) {
  return simStreamDevice(stream) == guard->device;
}

#define tg_pointer_device simPointerDevice
static inline bool tg_pointer_on_host(const void *p) { return simPointerDevice(p) < 0; }
static inline bool tg_pointer_is_pinned(const void *p) { return simPointerPinned(p); }
#define tg_is_one_allocation simIsOneAllocation
#define tg_device_name simDeviceName
#define tg_capture_of simStreamCaptureOf
static inline int tg_compute_capability(int device) { return (void)device, 0; }
static inline int tg_floats_to_doubles(int device) { return (void)device, 0; }
static inline cudaError_t tg_kernel_code(const void *kernel, int *ptx, int *own) {
  return (void)kernel, *ptx = *own = 0, cudaSuccess;
}
#define tg_configure sim_configure

#ifdef __cplusplus
#include <cmath>
#include <math.h>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define threadIdx simThreadIdx
#define blockIdx simBlockIdx
#define blockDim simBlockDim
#define gridDim simGridDim
#define __syncthreads() simBarrier(__FILE__, __LINE__)

#include "dot4.h"

template <class T> inline T *tg_shared() { return static_cast<T *>(simShared); }

inline int tg_warp() { return simWarpSize; }

struct tg_site {
  const char *file;
  int line;
};
#define TG_HERE                                                                                                        \
  { __builtin_FILE(), __builtin_LINE() }
inline void tg_barrier(tg_site site) { simBarrier(site.file, site.line); }

inline double tg_rsqrt(double x) { return 1 / sqrt(x); }
inline float tg_rsqrt_seed(float x) { return 1 / sqrtf(x); }
inline double tg_rsqrt_seed(double x) { return static_cast<double>(static_cast<float>(1 + 0x1p-20) / sqrt(x)); }
inline double tg_reciprocal_seed(double x) { return static_cast<double>(static_cast<float>(1 - 0x1p-20) / x); }
inline float tg_rsqrt(float x) { return 1 / sqrtf(x); }
inline float tg_rsqrt_plain(float x) { return 1 / sqrtf(x); }

template <class T> inline T tg_shuffle(T x, int lane, tg_site site = TG_HERE) {
  static_assert(std::is_trivially_copyable<T>::value, "lanes exchange bytes");
  T result = x;
  simShuffle(&result, &x, sizeof x, lane, site.file, site.line);
  return result;
}

/* Every call moves the clock by one second. */
inline unsigned long long tg_nanoseconds() {
  static unsigned long long now;
  return now += 1000000000;
}

#define tg_atomic_min simAtomicMin
#define tg_atomic_add simAtomicAdd
inline void tg_atomic_max(unsigned *p, unsigned x) { simAtomicMax(p, x); }
inline void tg_atomic_max(unsigned long long *p, unsigned long long x) { simAtomicMaxWide(p, x); }

inline bool tg_any(bool x, unsigned long long *vote, tg_site site = TG_HERE) {
  tg_barrier(site);
  if (threadIdx.x == 0) *vote = 1;
  tg_barrier(site);
  if (x) simAtomicMin(vote, 0);
  tg_barrier(site);
  const bool any = *vote == 0;
  tg_barrier(site);
  return any;
}

/* The x of all lanes of the warp, until the thread waits again. */
template <class T> inline const T *tg_gather(const T &x, tg_site site = TG_HERE) {
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 256, "lanes exchange bytes");
  return static_cast<const T *>(simGather(&x, sizeof x, site.file, site.line));
}

/* The lanes exchange their fragments: lane 4·(i % 8) + k % 4 holds A(i, k), and lane 4·j + k % 4 holds B(k, j). */
template <int LEFT, int RIGHT>
inline void tg_mma(double (&c)[4], const double (&a)[LEFT], const double (&b)[RIGHT], tg_site site = TG_HERE) {
  static_assert(LEFT == 2 * RIGHT, "16 rows, 8 columns");
  struct fragments {
    double a[LEFT], b[RIGHT];
  } mine;
  for (int i = 0; i < LEFT; i++) mine.a[i] = a[i];
  for (int i = 0; i < RIGHT; i++) mine.b[i] = b[i];
  const fragments *const of = tg_gather(mine, site);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  for (int k = 0; k < 4 * RIGHT; k++)
    for (int e = 0; e < 2; e++)
      for (int h = 0; h < 2; h++)
        c[2 * h + e] += of[4 * g + k % 4].a[k / 4 * 2 + h] * of[4 * (2 * t + e) + k % 4].b[k / 4];
}

inline float tg_cut(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= 0xffffe000u;
  memcpy(&x, &bits, sizeof bits);
  return x;
}
inline void tg_mma(float (&c)[4], const float (&a)[4], const float (&b)[2], tg_site site = TG_HERE) {
  struct fragments {
    float a[4], b[2];
  } mine;
  for (int i = 0; i < 4; i++) mine.a[i] = tg_cut(a[i]);
  for (int i = 0; i < 2; i++) mine.b[i] = tg_cut(b[i]);
  const fragments *const of = tg_gather(mine, site);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  for (int e = 0; e < 2; e++)
    for (int h = 0; h < 2; h++) {
      double sum = c[2 * h + e];
      for (int k = 0; k < 8; k++)
        sum += static_cast<double>(of[4 * g + k % 4].a[k / 4 * 2 + h]) * of[4 * (2 * t + e) + k % 4].b[k / 4];
      c[2 * h + e] = static_cast<float>(sum);
    }
}

inline void tg_mma(int (&d)[4], const unsigned (&a)[2], unsigned b, const int (&c)[4], tg_site site = TG_HERE) {
  struct fragments {
    unsigned a[2], b;
  };
  const fragments *const of = tg_gather(fragments{{a[0], a[1]}, b}, site);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  for (int e = 0; e < 2; e++)
    for (int h = 0; h < 2; h++) {
      d[2 * h + e] = c[2 * h + e];
      for (int k = 0; k < 4; k++) d[2 * h + e] = tg_dot4(of[4 * g + k].a[h], of[4 * (2 * t + e) + k].b, d[2 * h + e]);
    }
}

inline void tg_mma(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], tg_site site = TG_HERE) {
  struct fragments {
    unsigned a[4], b[2];
  };
  const fragments *const of = tg_gather(fragments{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}}, site);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  for (int e = 0; e < 2; e++)
    for (int h = 0; h < 2; h++)
      for (int k = 0; k < 8; k++)
        c[2 * h + e] = tg_dot4(of[4 * g + k % 4].a[k / 4 * 2 + h], of[4 * (2 * t + e) + k % 4].b[k / 4], c[2 * h + e]);
}

inline void tg_load_matrices(unsigned (&x)[4], const void *row, tg_site site = TG_HERE) {
  const void *const *const rows = tg_gather(row, site);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int m = 0; m < 4; m++) x[m] = static_cast<const unsigned *>(rows[8 * m + lane / 4])[lane % 4];
}

/* The race detector knows barriers of blocks alone. */
inline void tg_sync_warp(tg_site site = TG_HERE) { tg_barrier(site); }

inline void tg_forget(int64_t &) {}
inline void tg_forget(unsigned &) {}
inline void tg_forget(const double *&) {}

/* Copies land at the wait (simulator/async_copies.c). */
template <class T> inline void tg_copy_async_run(T *to, const T *from, int valid) {
  const int all = static_cast<int>(16 / sizeof(T));
  simCopyAsync(to, from, 16, static_cast<size_t>(valid < 0 ? 0 : valid > all ? all : valid) * sizeof(T));
}
template <class T> inline void tg_copy_async_one(T *to, const T *from, bool valid) {
  simCopyAsync(to, from, sizeof(T), valid ? sizeof(T) : 0);
}
template <class T> inline void tg_copy_async_if(bool wanted, T *to, const T *from, bool valid) {
  if (wanted) tg_copy_async_one(to, from, valid);
}
inline void tg_copy_async(double *to, const double *from, bool valid) { tg_copy_async_one(to, from, valid); }
inline void tg_copy_async_pair(double *to, const double *from, int valid) { tg_copy_async_run(to, from, valid); }
inline void tg_commit_copies() { simCommitCopies(); }
template <int LEFT> inline void tg_await_copies() { simAwaitCopies(LEFT); }

#define tg_take_ticket simTicket
#define tg_take_ticket_beside simTicket
#define tg_take_ticket_of simTicketOf
inline void tg_write_through() {}
#define tg_release simPublish
#define tg_add_release simCount
#define tg_acquire simAwait
#define tg_acquire_most simAwaitMost
#define tg_acquire_now simAwaitMost
#define tg_load_relaxed simPeek
#define tg_arrive simArrive

inline void tg_prefetch(const void *) {}

/* A cell has a flag beside its number, so that the simulated GPU finds a missing tg_empty, a wait for a higher ticket,
 * and races. A block releases what happened before a barrier, and acquires behind one. */
template <class T> struct tg_cell {
  T number;
  unsigned flag;
};
template <class T> inline void tg_empty(tg_cell<T> *cell) { cell->flag = 0; }
template <class T> inline void tg_send(tg_cell<T> *cell, T x, bool valid, tg_site site = TG_HERE) {
  if (valid) cell->number = x;
  tg_barrier(site);
  if (valid) simPublish(&cell->flag, 1);
}
template <class T, int COUNT> struct tg_letters {};
template <class T, int COUNT, class Cell> inline void tg_look(tg_letters<T, COUNT> &, Cell) {}
template <class T, int COUNT, class Cell>
inline void tg_receive(T (&x)[COUNT], tg_letters<T, COUNT> &, unsigned, Cell cell, tg_site site = TG_HERE) {
  for (int e = 0; e < COUNT; e++) (void)simAwait(&cell(e)->flag, 1);
  tg_barrier(site);
  for (int e = 0; e < COUNT; e++) x[e] = cell(e)->number;
}

/* A slot has a flag beside its number, too. If a number was overwritten before it was read, a real GPU waits for ever;
 * here such a wait is reported. */
template <class T> struct tg_slot {
  T number;
  unsigned flag;
};
template <class T> inline void tg_put(tg_slot<T> *slot, T x, unsigned tag, bool valid, tg_site site = TG_HERE) {
  if (valid) slot->number = x;
  tg_barrier(site);
  if (valid) simPublish(&slot->flag, tag);
}
template <class T, int COUNT> struct tg_seen {};
template <class T, int COUNT, class Slot> inline void tg_look(tg_seen<T, COUNT> &, unsigned, bool, Slot) {}
template <class T, int COUNT, class Slot, class Meanwhile>
inline void tg_get(T (&x)[COUNT], tg_seen<T, COUNT> &, unsigned tag, bool wanted, Slot slot, Meanwhile,
                   tg_site site = TG_HERE) {
  for (int e = 0; e < COUNT && wanted; e++) {
    simAwait(&slot(e)->flag, tag);
    if (simPeek(&slot(e)->flag) != tag) simAwait(&slot(e)->flag, ~0u);
  }
  tg_barrier(site);
  for (int e = 0; e < COUNT; e++) x[e] = wanted ? slot(e)->number : T{};
}

template <class T> inline T tg_load_fresh(const T *p) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "what one load reads");
  return *p;
}

template <class Task> struct tg_call {
  static_assert(std::is_trivially_copyable<Task>::value && alignof(Task) <= 16, "a task is copied byte by byte");
  void (*kernel)(Task);
  Task task;
  static void run(const void *p) { static_cast<const tg_call *>(p)->kernel(static_cast<const tg_call *>(p)->task); }
};

template <class Task>
inline cudaError_t tg_launch(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads, size_t shared,
                             Task task) {
  const tg_call<Task> call = {kernel, task};
  return simLaunch(stream, reinterpret_cast<const void *>(kernel), call.run, &call, sizeof call, blocks, threads,
                   shared);
}

template <class Task>
inline cudaError_t tg_launch_together(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                      size_t shared, Task task) {
  const tg_call<Task> call = {kernel, task};
  return simLaunchTogether(stream, reinterpret_cast<const void *>(kernel), call.run, &call, sizeof call, blocks,
                           threads, shared);
}

inline cudaError_t tg_most_together(const void *, int threads, size_t, int64_t *blocks) {
  return simMostTogether(blocks, threads);
}

inline int tg_cluster_rank() { return simClusterRank(); }
inline void tg_cluster_sync(tg_site site = TG_HERE) { simClusterBarrier(site.file, site.line); }
template <class T> inline T *tg_cluster_shared(T *p, int block) { return static_cast<T *>(simClusterShared(p, block)); }

template <class Task>
inline cudaError_t tg_launch_clusters(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                      size_t shared, Task task, int cluster) {
  const tg_call<Task> call = {kernel, task};
  return simLaunchClusters(stream, reinterpret_cast<const void *>(kernel), call.run, &call, sizeof call, blocks,
                           threads, shared, cluster);
}

inline cudaError_t tg_most_clusters(const void *, int threads, size_t, int cluster, int *clusters) {
  return simMostClusters(clusters, threads, cluster);
}

inline cudaError_t tg_load(const void *kernel, size_t shared) { return simLoad(kernel, shared); }

#define TG_HAS_MMA 1

/* Only warps of 32 lanes have the fragments. */
inline cudaError_t tg_has_mma(int device, const void *, bool *has) {
  int warp = 0;
  cudaError_t error = simDeviceGetAttribute(&warp, simDevAttrWarpSize, device);
  *has = warp == 32;
  return error;
}
inline cudaError_t tg_has_int8_mma(int device, const void *kernel, bool *has) {
  return tg_has_mma(device, kernel, has);
}
#endif

#endif
