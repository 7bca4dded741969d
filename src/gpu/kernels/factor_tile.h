/* factor_tile.h - the Cholesky factor of a diagonal tile, in a warp; records failures. */
#ifndef TRIGON_FACTOR_TILE_H
#define TRIGON_FACTOR_TILE_H

#include "triangular_step.h"

/* Records that a column of matrix b has failed. One thread calls this function. */
__device__ inline void record_failure(const factor &p, int64_t b, int64_t column) {
  tg_atomic_min(p.failure, static_cast<unsigned long long>(p.column + b * p.column_step + column + 1));
}

/* Factors the diagonal tile. Element (row, col) is in shared.tile[col][row], col <= row < order. Each lane has a row;
 * the columns are computed one after the other. If a pivot is not positive, the factorization stops there, and every
 * lane gets the pivot's column. Else every lane gets -1. Only the first warp calls this function.
 *
 * A lane has a PANEL of its row in registers. Whole rows of pairs of doubles would spill. */
template <class T> __device__ TG_NOINLINE int factor_tile(typename leaf<T>::workspace &shared, int order) {
  using G = leaf<T>;
  enum { PANEL = sizeof(T) == 16 ? G::ORDER / 2 : G::ORDER };
  static_assert(G::ORDER <= TG_LEAST_WARP, "each row of the tile has a lane");
  const int lane = static_cast<int>(threadIdx.x);
  int failed = -1;
#pragma unroll 1
  for (int first = 0; first < G::ORDER; first += PANEL) {
    T row[PANEL];
    const auto is_stored = [&](int j) { return lane < order && first + j <= lane; };
#pragma unroll
    for (int j = 0; j < PANEL; j++) row[j] = is_stored(j) ? shared.tile[first + j][lane] : T{};
#pragma unroll 1
    for (int j = 0; j < first && failed < 0; j++) {
      const T x = lane < order ? shared.tile[j][lane] : T{};
#pragma unroll
      for (int k = 0; k < PANEL; k++) row[k] = subtract(row[k], multiply(x, conjugate(shuffle(x, first + k))));
    }
#pragma unroll
    for (int j = 0; j < PANEL; j++) {
      if (first + j >= order || failed >= 0) continue;
      const real_of<T> pivot = shuffle(real(row[j]), first + j);
      if (!(pivot > 0)) {
        failed = first + j;
        continue;
      }
      const real_of<T> root = sqrt(pivot);
      row[j] = lane == first + j ? make(T{}, root, real_of<T>(0)) : divide(row[j], root);
#pragma unroll
      for (int k = j + 1; k < PANEL; k++)
        row[k] = subtract(row[k], multiply(row[j], conjugate(shuffle(row[j], first + k))));
    }
#pragma unroll
    for (int j = 0; j < PANEL; j++)
      if (is_stored(j)) shared.tile[first + j][lane] = row[j];
  }
  return failed;
}

#endif
