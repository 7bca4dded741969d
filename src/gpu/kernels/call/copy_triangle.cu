/* copy_triangle.cu - the kernel that copies a triangle, and fills the other one with zeros or with the adjoint. */
#include "gpu/kernels/launch.h"
#include "gpu/kernels/operand.h"

enum { COPY_TILE = TG_TILE(8, 32), COPY_ROWS = TG_TILE(4, 8), COPY_THREADS = COPY_TILE * COPY_ROWS };

/* A tile on its way. The odd length of a line avoids bank conflicts. */
template <class T> struct copied_tile {
  T line[COPY_TILE][COPY_TILE + 1];
  __device__ copied_tile() {}
};

/* Calls take(i, j) for the elements of a tile, so that neighbouring threads have neighbours in the memory of A. */
template <class T, class Take> __device__ inline void each_element(const matrix<T> &A, Take take) {
  const int x = static_cast<int>(threadIdx.x) % COPY_TILE, y = static_cast<int>(threadIdx.x) / COPY_TILE;
#pragma unroll
  for (int h = 0; h < COPY_TILE / COPY_ROWS; h++) {
    const int k = y + h * COPY_ROWS;
    A.row == 1 ? take(x, k) : take(k, x);
  }
}

/* Copies the tile at (i0, j0) of the lower triangle. In place nothing needs a copy but the other triangle. */
template <class T>
__device__ inline void copy_tile(copied_tile<T> &shared, const triangle_copy &p, int64_t i0, int64_t j0) {
  const matrix<T> from = matrix_of<T>(p.from, 0), to = matrix_of<T>(p.to, 0), other = to.transposed();
  const int64_t d = i0 - j0, rows = p.n - i0; /* i0 + i >= j0 + j */
  each_element(from, [&](int i, int j) {
    if (i < rows && j <= d + i) shared.line[j][i] = from.load(i0 + i, j0 + j);
  });
  __syncthreads();
  if (from.data != to.data)
    each_element(to, [&](int i, int j) {
      if (i < rows && j <= d + i) *to.at(i0 + i, j0 + j) = shared.line[j][i];
    });
  if (p.other != TRIGON_KEEP)
    each_element(other, [&](int i, int j) {
      if (i < rows && j < d + i)
        *other.at(i0 + i, j0 + j) = p.other == TRIGON_CLEAR ? T{} : conjugate(shared.line[j][i]);
    });
  __syncthreads();
}

/* A block takes a tile, or several if there are too many blocks. Blocks above the diagonal end at once. */
template <class T> __global__ void __launch_bounds__(COPY_THREADS) copy_triangle_kernel(triangle_copy p) {
  auto &shared = *tg_shared<copied_tile<T>>();
  const int64_t tiles = (p.n + COPY_TILE - 1) / COPY_TILE;
  for (int64_t at = blockIdx.x; at < tiles * tiles; at += gridDim.x)
    if (at % tiles >= at / tiles) copy_tile(shared, p, at % tiles * COPY_TILE, at / tiles * COPY_TILE);
}

cudaError_t launch_copy_triangle(queue q, trigon_type type, const triangle_copy *p) {
  const int64_t tiles = (p->n + COPY_TILE - 1) / COPY_TILE;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<copy_triangle_kernel<T>, sizeof(copied_tile<T>)>(),
                         blocks_for(tiles * tiles, COPY_THREADS), COPY_THREADS, *p);
  });
}
