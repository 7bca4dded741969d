/* launch.h - what the launchers of all kernels share. */
#ifndef TRIGON_LAUNCH_H
#define TRIGON_LAUNCH_H

#include "element.h"

/* How many blocks of so many threads to launch for so many tiles: each takes its number, and every further one that many
 * on. AMD launches fewer than 2^32 threads, and everyone fewer than 2^31 blocks, which follows for two threads or more. */
inline int64_t blocks_for(int64_t tiles, int threads) {
  const int64_t most = UINT32_MAX / static_cast<unsigned>(threads);
  return tiles < most ? tiles : most;
}

/* launch(T{}) for the type T of elements that `type` names. */
template <class Launch> inline cudaError_t with_type(trigon_type type, Launch launch) {
  switch (type) {
  case TRIGON_S: return launch(float{});
  case TRIGON_D: return launch(double{});
  case TRIGON_C: return launch(pair<float>{});
  default: return launch(pair<double>{});
  }
}

/* The launch of a leaf whose blocks take slabs of B's columns: G says how wide a slab is. */
template <class G> inline cudaError_t launch_slabs(queue q, void (*kernel)(triangular), const triangular *t) {
  if (q.load) return tg_load(kernel);
  const int64_t slabs = (t->width + G::COLS - 1) / G::COLS;
  if (t->n == 0 || slabs * t->count == 0) return cudaSuccess;
  return tg_launch(q.stream, kernel, blocks_for(slabs * t->count, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), *t);
}

/* The launch of a leaf whose blocks take a matrix each. */
template <class G> inline cudaError_t launch_matrices(queue q, void (*kernel)(factor), const factor *p) {
  if (q.load) return tg_load(kernel);
  if (p->n == 0 || p->count == 0) return cudaSuccess;
  return tg_launch(q.stream, kernel, blocks_for(p->count, G::THREADS), G::THREADS, sizeof(typename G::workspace), *p);
}

#endif
