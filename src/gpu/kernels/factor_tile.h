/* factor_tile.h - the Cholesky factor of a diagonal tile, in a warp; records failures. */
#ifndef TRIGON_FACTOR_TILE_H
#define TRIGON_FACTOR_TILE_H

#include "triangular_step.h"

/* Records that a column of matrix b has failed. One thread calls this function. */
__device__ inline void record_failure(const factor &p, int64_t b, int64_t column) {
  tg_atomic_min(p.failure, static_cast<unsigned long long>(p.column + b * p.column_step + column + 1));
}

/* Factors the diagonal tile. Element (row, col) is in shared.tile[col][row], col <= row < order. Each lane has a row;
 * the columns are computed one after the other. If a pivot is not positive, the factorization stops there, the tile is
 * stored as it is, and every lane gets the pivot's column. Else every lane gets -1. Only the first warp calls this
 * function. */
template <class T> __device__ TG_NOINLINE int factor_tile(typename leaf<T>::workspace &shared, int order) {
  using G = leaf<T>;
  static_assert(G::ORDER <= TG_LEAST_WARP, "each row of the tile has a lane");
  const int lane = static_cast<int>(threadIdx.x);
  const bool has_row = lane < order;
  int failed = -1;
  T row[G::ORDER];
#pragma unroll
  for (int j = 0; j < G::ORDER; j++) row[j] = has_row && j <= lane ? shared.tile[j][lane] : T{};
#pragma unroll
  for (int j = 0; j < G::ORDER; j++) {
    if (j >= order || failed >= 0) continue;
    const real_of<T> pivot = shuffle(real(row[j]), j);
    if (!(pivot > 0)) {
      failed = j;
      continue;
    }
    const real_of<T> root = sqrt(pivot);
    row[j] = lane == j ? make(T{}, root, real_of<T>(0)) : divide(row[j], root);
#pragma unroll
    for (int k = j + 1; k < G::ORDER; k++) row[k] = subtract(row[k], multiply(row[j], conjugate(shuffle(row[j], k))));
  }
#pragma unroll
  for (int j = 0; j < G::ORDER; j++)
    if (has_row && j <= lane) shared.tile[j][lane] = row[j];
  return failed;
}

#endif
