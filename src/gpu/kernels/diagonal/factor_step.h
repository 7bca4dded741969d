/* factor_step.h - POTRF of a matrix of any order by one block of threads. */
#ifndef TRIGON_FACTOR_STEP_H
#define TRIGON_FACTOR_STEP_H

#include "factor_tile.h"

/* Where the diagonal tile is factored. */
template <class T> struct step_workspace : factor_workspace<T, leaf<T>::ORDER, leaf<T>::THREADS> {
  __device__ static T &at(int col, int row) { return tg_shared<typename leaf<T>::workspace>()->tile[col][row]; }
};

/* The Cholesky factor of the lower triangle A, of order n, tile by tile, in place. One thread calls record(column) for
 * columns whose pivots are not positive: for the first one first.
 *
 *   [ A11         ]        A11 = L11·L11ᴴ is done
 *   [ A21 A22     ]        A22 = A22 - L21·L21ᴴ = L22·L22ᴴ: the diagonal tile
 *   [ A31 A32 A33 ]        A32 = (A32 - L31·L21ᴴ)·L22⁻ᴴ: a solve with conj(L) from the left, on the rows of A */
template <class T, class Record>
__device__ inline void factor_matrix(typename leaf<T>::workspace &shared, const matrix<T> &A, int64_t n,
                                     Record record) {
  using G = leaf<T>;
  const matrix<T> rows = A.transposed();
  matrix<T> L = A;
  L.conjugated = true;
  for (int64_t j0 = 0; j0 < n; j0 += G::ORDER) {
    const int64_t j_end = least(j0 + G::ORDER, n);
    typename G::sums sum = {};
    accumulate<typename G::base>(sum, shared.stage, L, rows, j0, j_end, j0, j_end, 0, j0);
    stage_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.as(LOWER), j0, j0, j_end, j_end);
    __syncthreads();
    each_sum<typename G::base>(sum, [&](int row, int col, T s) {
      shared.tile[row][col] = row == col && row >= j_end - j0 ? one<T>() : subtract(shared.tile[row][col], s);
    });
    const int failed = factor_tile<step_workspace<T>>();
    if (failed >= 0 && threadIdx.x == 0) record(j0 + failed);
    store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.as(LOWER), j0, j0, j_end, j_end);
    __syncthreads();
    for (int64_t r = j_end; r < n; r += G::WIDTH)
      solve_step<leaf<T>>(shared, L, rows, false, one<T>(), j0, j_end, r, n);
  }
}

#endif
