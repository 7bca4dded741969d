/* mirror_batch.cu - the kernel that stores the adjoint of each triangle of a batch in the other triangle. */
#include "gpu/kernels/batch_members.h"

enum { MIRROR_TILE = TG_TILE(8, 32), MIRROR_ROWS = TG_TILE(4, 8) };
struct mirror_geometry {
  static constexpr int THREADS = MIRROR_TILE * MIRROR_ROWS;
};

/* The odd length of a line avoids bank conflicts. */
template <class T> struct mirror_workspace {
  T tile[MIRROR_TILE][MIRROR_TILE + 1];
  __device__ mirror_workspace() {}
};

/* Mirrors the tile at (i0, j0) of the lower triangle A. */
template <class T>
__device__ inline void mirror_tile(mirror_workspace<T> &shared, const matrix<T> &A, int64_t n, int64_t i0, int64_t j0) {
  const int x = static_cast<int>(threadIdx.x) % MIRROR_TILE, y = static_cast<int>(threadIdx.x) / MIRROR_TILE;
  const bool by_rows = A.row == 1; /* neighbours in memory are neighbours in a column */
#pragma unroll
  for (int h = 0; h < MIRROR_TILE / MIRROR_ROWS; h++) {
    const int k = y + h * MIRROR_ROWS;
    const int64_t i = i0 + (by_rows ? x : k), j = j0 + (by_rows ? k : x);
    if (i < n && j < i) shared.tile[k][x] = *A.at(i, j);
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < MIRROR_TILE / MIRROR_ROWS; h++) {
    const int k = y + h * MIRROR_ROWS;
    const int64_t i = i0 + (by_rows ? k : x), j = j0 + (by_rows ? x : k);
    if (i < n && j < i) *A.at(j, i) = conjugate(shared.tile[x][k]);
  }
  __syncthreads();
}

/* Mirrors the tiles first, first + step, ... of A, as far as they are in the lower triangle. */
template <class T>
__device__ inline void mirror(mirror_workspace<T> &shared, const factor &p, int64_t first, int64_t step) {
  const matrix<T> A = matrix_of<T>(p.A, 0);
  const int64_t tiles = (p.n + MIRROR_TILE - 1) / MIRROR_TILE;
  for (int64_t at = first; at < tiles * tiles; at += step)
    if (at % tiles >= at / tiles) mirror_tile(shared, A, p.n, at % tiles * MIRROR_TILE, at / tiles * MIRROR_TILE);
}

template <class T> __global__ void __launch_bounds__(mirror_geometry::THREADS) mirror_batch_kernel(member_task t) {
  auto &shared = *tg_shared<mirror_workspace<T>>();
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const factor p = factor_of(t.batch, i);
    if (p.n > t.batch.done) mirror<T>(shared, p, first, step);
  });
}

cudaError_t launch_mirror_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_members<mirror_geometry, mirror_batch_kernel<T>, sizeof(mirror_workspace<T>)>(q, t, true);
  });
}
