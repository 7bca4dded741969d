/* sim_kernels.cu - small kernels, right and wrong kernels, for the test of the simulated GPU (sim_kernels.h). */
#include "sim_kernels.h"

__device__ static int thread() { return static_cast<int>(threadIdx.x); }
__device__ static int among_all() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ static void add(probe_task t) { t.data[among_all()] += t.value; }

__global__ static void order(probe_task t) { t.data[1 + t.data[0]++] = among_all(); }

__global__ static void barrier_order(probe_task t) {
  __syncthreads();
  t.data[1 + t.data[0]++] = among_all();
}

template <bool WAITS> __global__ static void reverse(probe_task t) {
  int *shared = tg_shared<int>(), last = static_cast<int>(blockDim.x) - 1;
  shared[thread()] = t.data[among_all()];
  if (WAITS) __syncthreads();
  t.data[among_all()] = shared[last - thread()];
}

__global__ static void early_end(probe_task t) {
  if (thread() < t.value) return;
  __syncthreads();
  t.data[among_all()] = 1;
}

__global__ static void diverge(probe_task) {
  if (thread() % 2 == 0)
    __syncthreads();
  else
    __syncthreads();
}

__device__ static void note_block(probe_task t) {
  if (thread() == 0) t.data[1 + t.data[0]++] = static_cast<int>(blockIdx.x);
}

__global__ static void turns(probe_task t) {
  note_block(t);
  __syncthreads();
  note_block(t);
}

__global__ static void atomic_turns(probe_task t) {
  note_block(t);
  tg_atomic_min(reinterpret_cast<unsigned long long *>(t.data + t.value), 0);
  note_block(t);
}

template <class T> __global__ static void mirror(probe_task t) {
  const int lane = thread() % tg_warp();
  T x = {};
  x.number = among_all();
  t.data[among_all()] = tg_shuffle(x, tg_warp() - 1 - lane).number;
}
template <class T> __global__ static void mirror_gathered(probe_task t) {
  const int lane = thread() % tg_warp();
  T x = {};
  x.number = among_all();
  t.data[among_all()] = tg_gather(x)[tg_warp() - 1 - lane].number;
}
struct word {
  int number;
};
struct words {
  double before[2];
  int number;
};

__global__ static void shuffle_ended(probe_task t) {
  if (thread() == 0) return;
  t.data[among_all()] = tg_shuffle(thread(), 1);
}

__global__ static void shuffle_barrier(probe_task t) {
  if (thread() == 0)
    __syncthreads();
  else
    t.data[among_all()] = tg_shuffle(thread(), 1);
}

__global__ static void shuffle_sites(probe_task t) {
  if (thread() == 0)
    t.data[0] = tg_shuffle(thread(), 0);
  else
    t.data[1] = tg_shuffle(thread(), 0);
}

__global__ static void shuffle_no_lane(probe_task t) { t.data[among_all()] = tg_shuffle(thread(), tg_warp()); }

__global__ static void gather_ended(probe_task t) {
  if (thread() > 0) t.data[among_all()] = *tg_gather(thread());
}

/* Two groups are unfinished at the wait, and the first one must land. */
enum copies { RIGHT, EARLY, OPEN, CHANGED };
template <copies HOW> __global__ static void reverse_copied(probe_task t) {
  int *first = tg_shared<int>(), *second = first + blockDim.x, *from = &t.data[among_all()];
  const int last = static_cast<int>(blockDim.x) - 1;
  tg_copy_async_one(&first[thread()], from, true);
  if (HOW != OPEN) tg_commit_copies();
  if (HOW == CHANGED) *from += 1;
  tg_copy_async_one(&second[thread()], from, thread() > 0);
  if (HOW != OPEN) tg_commit_copies();
  tg_await_copies<HOW == EARLY ? 2 : 1>();
  __syncthreads();
  if (HOW == OPEN) tg_await_copies<0>();
  *from = first[last - thread()];
}

__global__ static void copy_skewed(probe_task t) {
  tg_copy_async_one(tg_shared<double>(), reinterpret_cast<const double *>(t.data + 1), true);
}

__global__ static void shared_unwritten(probe_task t) {
  t.data[among_all()] = tg_shared<int>()[thread()];
  tg_shared<int>()[thread()] = 0;
}

__global__ static void shared_overrun(probe_task t) { tg_shared<char>()[t.value] = 0; }

__global__ static void minimum(probe_task t) {
  tg_atomic_min(reinterpret_cast<unsigned long long *>(t.data), static_cast<unsigned>(among_all() + t.value));
}

__global__ static void sum_and_maximum(probe_task t) {
  unsigned long long *const to = reinterpret_cast<unsigned long long *>(t.data);
  const unsigned long long x = static_cast<unsigned long long>(among_all() + t.value) << 32;
  tg_atomic_add(to, x), tg_atomic_max(to + 1, x);
}

/* The two lines are as if they came from two headers, with the same line number in each header. */
#line 1 "first.h"
__device__ static void first_barrier() { __syncthreads(); }
__device__ static int first_shuffle() { return tg_shuffle(thread(), 0); }
#line 1 "second.h"
__device__ static void second_barrier() { __syncthreads(); }
__device__ static int second_shuffle() { return tg_shuffle(thread(), 0); }
#line 136 "sim_kernels.cu"

__global__ static void diverge_files(probe_task) { thread() == 0 ? first_barrier() : second_barrier(); }

__global__ static void shuffle_files(probe_task t) {
  t.data[among_all()] = thread() == 0 ? first_shuffle() : second_shuffle();
}

cudaError_t launch_probe(probe what, cudaStream_t stream, int64_t blocks, int threads, size_t shared, probe_task task) {
  static void (*const kernels[PROBES])(probe_task) = {add,
                                                      order,
                                                      barrier_order,
                                                      reverse<true>,
                                                      reverse<false>,
                                                      early_end,
                                                      diverge_files,
                                                      shuffle_files,
                                                      turns,
                                                      atomic_turns,
                                                      diverge,
                                                      mirror<word>,
                                                      mirror<words>,
                                                      mirror_gathered<words>,
                                                      shuffle_ended,
                                                      shuffle_barrier,
                                                      shuffle_sites,
                                                      shuffle_no_lane,
                                                      gather_ended,
                                                      reverse_copied<RIGHT>,
                                                      reverse_copied<EARLY>,
                                                      reverse_copied<OPEN>,
                                                      reverse_copied<CHANGED>,
                                                      copy_skewed,
                                                      shared_unwritten,
                                                      shared_overrun,
                                                      minimum,
                                                      sum_and_maximum};
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(kernels[what]), shared);
  return error != cudaSuccess ? error : tg_launch(stream, kernels[what], blocks, threads, shared, task);
}

__global__ static void never_loaded(probe_task) {}

cudaError_t launch_unloaded(cudaStream_t stream) { return tg_launch(stream, never_loaded, 1, 32, 0, probe_task{}); }

/* The kernel is loaded with 48 KiB of shared memory. */
cudaError_t launch_beyond_loaded(cudaStream_t stream, size_t shared) {
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(add), 48 << 10);
  return error != cudaSuccess ? error : tg_launch(stream, add, 1, 1, shared, probe_task{});
}
