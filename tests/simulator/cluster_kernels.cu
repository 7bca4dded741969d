/* cluster_kernels.cu - right and wrong kernels of clusters (cluster_kernels.h). */
#include "cluster_kernels.h"

__device__ static int thread() { return static_cast<int>(threadIdx.x); }
__device__ static int among_all() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ static int next_rank(cluster_task t) { return (tg_cluster_rank() + 1) % t.cluster; }

template <bool WAITS> __global__ static void exchange(cluster_task t) {
  int *const mine = tg_shared<int>() + thread();
  const int *next = NULL;
  for (int turn = 0; turn < 3; turn++) {
    *mine = among_all() + turn;
    tg_cluster_sync();
    next = tg_cluster_shared(mine, next_rank(t));
    t.data[among_all()] = *next - turn;
    if (WAITS) tg_cluster_sync();
  }
  tg_cluster_sync();
}

__global__ static void read_before(cluster_task t) {
  t.data[among_all()] = *tg_cluster_shared(tg_shared<int>() + thread(), next_rank(t));
  tg_cluster_sync();
}

__global__ static void read_behind(cluster_task t) {
  tg_cluster_sync();
  if (tg_cluster_rank() == 0) return;
  tg_cluster_sync();
  t.data[among_all()] = *tg_cluster_shared(tg_shared<int>() + thread(), 0);
}

__global__ static void read_of_none(cluster_task t) {
  tg_cluster_sync();
  t.data[among_all()] = *tg_cluster_shared(tg_shared<int>() + thread(), t.cluster);
}

__global__ static void early_end(cluster_task t) {
  if (tg_cluster_rank() == 0) return;
  tg_cluster_sync();
  t.data[among_all()] = 1;
}

__global__ static void diverge(cluster_task) {
  if (thread() == 0)
    __syncthreads();
  else
    tg_cluster_sync();
}

__global__ static void deadlock(cluster_task t) {
  if (tg_cluster_rank() == 0) tg_await(reinterpret_cast<unsigned *>(t.data), 1);
  tg_cluster_sync();
}

cudaError_t launch_cluster_probe(cluster_probe what, cudaStream_t stream, int64_t blocks, int threads,
                                 cluster_task task) {
  static void (*const kernels[CLUSTER_PROBES])(cluster_task) = {
      exchange<true>, exchange<false>, read_before, read_behind, read_of_none, early_end, diverge, deadlock};
  const size_t shared = static_cast<size_t>(threads) * sizeof(int);
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(kernels[what]), shared);
  return error != cudaSuccess ? error
                              : tg_launch_clusters(stream, kernels[what], blocks, threads, shared, task, task.cluster);
}
