/* launch.h - helpers of all launchers: the number of blocks, the switch over types, launches of leaves. */
#ifndef TRIGON_LAUNCH_H
#define TRIGON_LAUNCH_H

#include "element.h"

/* The number of blocks for a number of tiles. Block b takes the tiles b, b + blocks, b + 2·blocks, ... AMD launches
 * fewer than 2^32 threads. All vendors launch fewer than 2^31 blocks; with two threads or more in a block, the first
 * limit is the smaller one. */
inline int64_t blocks_for(int64_t tiles, int threads) {
  const int64_t most = UINT32_MAX / static_cast<unsigned>(threads);
  return tiles < most ? tiles : most;
}

/* Calls launch(T{}) for the element type T that `type` names. */
template <class Launch> inline cudaError_t with_type(trigon_type type, Launch launch) {
  switch (type) {
  case TRIGON_S: return launch(float{});
  case TRIGON_D: return launch(double{});
  case TRIGON_C: return launch(pair<float>{});
  default: return launch(pair<double>{});
  }
}

/* Kernels for matrix units have code only for GPUs that have them. */
template <bool UNITS> __device__ constexpr bool has_code() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  return true;
#else
  return !UNITS;
#endif
}

/* Launches a leaf whose blocks of threads take slabs of B's columns. A slab is G::COLS columns wide. */
template <class G> inline cudaError_t launch_slabs(queue q, void (*kernel)(triangular), const triangular *t) {
  if (q.load) return tg_load(kernel);
  const int64_t slabs = (t->width + G::COLS - 1) / G::COLS;
  if (t->n == 0 || slabs * t->count == 0) return cudaSuccess;
  return tg_launch(q.stream, kernel, blocks_for(slabs * t->count, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), *t);
}

/* Launches a leaf whose blocks of threads take one matrix each. */
template <class G> inline cudaError_t launch_matrices(queue q, void (*kernel)(factor), const factor *p) {
  if (q.load) return tg_load(kernel);
  if (p->n == 0 || p->count == 0) return cudaSuccess;
  return tg_launch(q.stream, kernel, blocks_for(p->count, G::THREADS), G::THREADS, sizeof(typename G::workspace), *p);
}

#endif
