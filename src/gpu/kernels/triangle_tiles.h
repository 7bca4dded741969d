/* triangle_tiles.h - the device code that copies a lower triangle tile by tile, and fills the one opposite to it. */
#ifndef TRIGON_TRIANGLE_TILES_H
#define TRIGON_TRIANGLE_TILES_H

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

/* The number of tiles on a side of a matrix of order n. */
TRIGON_HOST_DEVICE inline int64_t tiles_on_side(int64_t n) { return (n + COPY_TILE - 1) / COPY_TILE; }

/* Copies the tiles first, first + step, ... of the square, as far as they are in the lower triangle. */
template <class T>
__device__ inline void copy_tiles(copied_tile<T> &shared, const triangle_copy &p, int64_t first, int64_t step) {
  const int64_t side = tiles_on_side(p.n);
  for (int64_t at = first; at < side * side; at += step)
    if (at % side >= at / side) copy_tile(shared, p, at % side * COPY_TILE, at / side * COPY_TILE);
}

#endif
