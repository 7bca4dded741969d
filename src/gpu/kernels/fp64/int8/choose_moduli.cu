/* choose_moduli.cu - chooses the number of moduli of an emulated product, and the tiles that fall back to native
 * products, from the bounds. */
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"

enum { CHOICE_THREADS = TG_TILE(16, 256) };

__host__ __device__ static int64_t different_lines(const emulation &e) { return e.m + (e.same_lines ? 0 : e.n); }

__global__ static void __launch_bounds__(CHOICE_THREADS) find_logs_kernel(emulation e) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * CHOICE_THREADS, all = is_hopeless(&e) ? 0 : different_lines(e);
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * CHOICE_THREADS + threadIdx.x; i < all; i += step) {
    const line_set &x = i < e.m ? e.A : e.B;
    const int64_t number = i < e.m ? i : i - e.m;
    x.log[number] = log_of_line(&e, &x, number);
  }
}

/* Calls fold(t, other) so that entry 0 of the threads' entries gets those of all. */
template <class Fold> __device__ static void fold_threads(Fold fold) {
  for (int half = CHOICE_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) fold(static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.x) + half);
  }
}

/* The largest headroom of the lines first .. first + fp64_tile - 1, by the threads of the block together. */
__device__ static int32_t headroom_of_lines(const emulation &e, const line_set &x, int64_t first, int64_t across) {
  int32_t headroom = 0;
  for (int64_t i = first + threadIdx.x; i < first + fp64_tile && i < x.count; i += CHOICE_THREADS) {
    const int32_t one_headroom = headroom_of_line(&e, &x, i, across);
    headroom = one_headroom > headroom ? one_headroom : headroom;
  }
  return headroom;
}

/* A block for each tile. */
__global__ static void __launch_bounds__(CHOICE_THREADS) find_headroom_kernel(emulation e) {
  int32_t *const headroom_bits = tg_shared<int32_t>();
  const bool hopeless = is_hopeless(&e);
  for (int64_t at = blockIdx.x; at < e.A.across * e.B.across; at += gridDim.x) {
    const int64_t row = at % e.B.across, col = at / e.B.across;
    if (!computes_tile(&e, row, col)) continue;
    if (hopeless) {
      if (threadIdx.x == 0) e.headroom_bits[at] = hopeless_headroom;
      continue;
    }
    const int32_t left = headroom_of_lines(e, e.A, row * fp64_tile, col);
    const int32_t right = headroom_of_lines(e, e.B, col * fp64_tile, row);
    headroom_bits[threadIdx.x] = left > right ? left : right;
    fold_threads([&](int t, int other) {
      headroom_bits[t] = headroom_bits[other] > headroom_bits[t] ? headroom_bits[other] : headroom_bits[t];
    });
    if (threadIdx.x == 0) e.headroom_bits[at] = headroom_bits[0];
    __syncthreads();
  }
}

/* One block. */
__global__ static void __launch_bounds__(CHOICE_THREADS) decide_kernel(emulation e) {
  tile_count *const counts = tg_shared<tile_count>();
  tile_count count = {0, 0, 0, 0};
  for (int64_t at = threadIdx.x; at < e.A.across * e.B.across; at += CHOICE_THREADS)
    if (computes_tile(&e, at % e.B.across, at / e.B.across)) count_tile(&count, &e, e.headroom_bits[at]);
  counts[threadIdx.x] = count;
  fold_threads([&](int t, int other) { add_count(&counts[t], &counts[other]); });
  if (threadIdx.x == 0) decide(&e, &counts[0]);
}

cudaError_t launch_choose(queue q, const emulation *e) {
  const int64_t groups = (different_lines(*e) + CHOICE_THREADS - 1) / CHOICE_THREADS;
  cudaError_t error =
      launch_kernel(q, registered<find_logs_kernel>(), blocks_for(groups, CHOICE_THREADS), CHOICE_THREADS, *e);
  if (error == cudaSuccess)
    error = launch_kernel(q, registered<find_headroom_kernel, CHOICE_THREADS * sizeof(int32_t)>(),
                          blocks_for(e->A.across * e->B.across, CHOICE_THREADS), CHOICE_THREADS, *e);
  if (error == cudaSuccess)
    error = launch_kernel(q, registered<decide_kernel, CHOICE_THREADS * sizeof(tile_count)>(), 1, CHOICE_THREADS, *e);
  return error;
}
