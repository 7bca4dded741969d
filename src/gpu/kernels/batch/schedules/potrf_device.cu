/* potrf_device.cu - POTRF of a batch with launches from the device (the paper's V.C). Runs on NVIDIA's GPUs alone.
 *
 * A kernel of parents launches the first panel of each matrix with exactly the threads that the panel needs. Kernels
 * cannot wait for the kernels that they launch, so each panel launches the next one of its matrix, which begins when
 * the present one has ended (a tail launch). Thus the panels of a matrix form a chain, and no search for the largest
 * order and no blocks without work are needed.
 *
 * This file is the only one with relocatable device code, which launches from the device need. */
#include "gpu/kernels/batch_members.h"
#include "potrf_panel.h"

enum {
  PARENT_THREADS = 32,  /* a warp: parents spread over the multiprocessors, and each of them launches one by one */
  LAUNCH_FAILED = -100, /* info of a matrix that was not computed, as on the CPU */
};

/* The panel of a matrix that begins in column `first`, and all panels behind it. */
template <class T> struct chain {
  matrix<T> A;
  int n, first;
  int64_t *info;
};

template <class T> __global__ void __launch_bounds__(potrf_device_rows) chain_kernel(chain<T> t);

template <class T> __device__ inline void launch_chain(const chain<T> &t, cudaStream_t stream) {
  const int threads = panel_shape<T>::threads(t.n - t.first);
  chain_kernel<T><<<1, threads, panel_shape<T>::shared(threads), stream>>>(t);
  if (cudaGetLastError() != cudaSuccess) *t.info = LAUNCH_FAILED;
}

template <class T> __global__ void __launch_bounds__(potrf_device_rows) chain_kernel(chain<T> t) {
  using G = panel_shape<T>;
  if (!has_row<T>(t.n - t.first)) return;
  const int failed = factor_rows(t.A, t.n, t.first);
  if (threadIdx.x != 0) return;
  t.first += G::NB;
  if (failed >= 0)
    *t.info = failed + 1;
  else if (t.first < t.n)
    launch_chain(t, cudaStreamTailLaunch);
}

struct parents_task {
  batch_task batch;
  int64_t parents;
};

/* Each parent takes the matrices in turn. */
template <class T> __global__ void __launch_bounds__(PARENT_THREADS) parents_kernel(parents_task t) {
  const matrix_batch &b = t.batch.of;
  const int64_t parent = static_cast<int64_t>(blockIdx.x) * PARENT_THREADS + threadIdx.x;
  for (int64_t i = parent; parent < t.parents && i < b.count; i += t.parents) {
    const int64_t n = size_at(&b.n, i);
    if (b.info[i] != 0 || n == 0 || n > potrf_device_rows) continue;
    launch_chain(chain<T>{matrix_of<T>(factor_of(t.batch, i).A, 0), static_cast<int>(n), 0, &b.info[i]},
                 cudaStreamFireAndForget);
  }
}

/* A kernel ends when all that it has launched has ended. So the launches of one kernel of parents are out of the way
 * when the next kernel begins. */
cudaError_t launch_potrf_from_device(queue q, trigon_type type, const batch_task *b, int64_t wanted, int64_t together) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    cudaError_t error = cudaSuccess;
    const auto &parents = registered<parents_kernel<T>, 0, NEEDS_LAUNCHES>();
    (void)registered<chain_kernel<T>, 0, NEEDS_LAUNCHES>(); /* parents launch it */
    for (int64_t at = 0; error == cudaSuccess && at < b->of.count; at += together) {
      const int64_t left = b->of.count - at, count = left < together ? left : together;
      parents_task t = {*b, wanted > 0 && wanted < count ? wanted : count};
      t.batch.of = part_of(&b->of, at, count);
      error = launch_kernel(q, parents, (t.parents + PARENT_THREADS - 1) / PARENT_THREADS, PARENT_THREADS, t);
    }
    return error;
  });
}
