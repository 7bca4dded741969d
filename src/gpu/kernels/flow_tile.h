/* flow_tile.h - the tile of dataflow leaves for every type on every GPU, and products with the inverse of a diagonal
 * tile. */
#ifndef TRIGON_FLOW_TILE_H
#define TRIGON_FLOW_TILE_H

#include "flow.h"
#include "triangular_step.h"

/* Portable kernels have the tiles of the leaf `step`, and the inverse of a diagonal tile. */
template <class T> struct flow_tile : leaf<T> {
  using typename leaf<T>::base;
  static constexpr int STRIDE = base::ROWS + base::PAD;
  struct workspace {
    typename leaf<T>::workspace step;
    alignas(16) T inverse[leaf<T>::ORDER][STRIDE]; /* [column][row] */
    real_of<T> sums[2][leaf<T>::ORDER];
    unsigned long long vote;
    unsigned word;
  };
  static_assert(sizeof(workspace) <= TG_SHARED_MOST, "every GPU has this much");
};

/* Makes shared.inverse, by substitution with the identity. Returns whether products may use it. Ends with a barrier. */
template <class T>
__device__ TG_NOINLINE bool invert_tile(typename flow_tile<T>::workspace &shared, const matrix<T> &L, bool unit,
                                        int64_t i0, int64_t i_end, int64_t n) {
  using G = flow_tile<T>;
  finish_diagonal<T>(shared.step, begin_diagonal(L, unit, i0, i_end));
  each<G::WIDTH, G::ORDER, G::THREADS>(true, [&](int f, int s) { shared.step.tile[s][f] = f == s ? one<T>() : T{}; });
  solve_tile<T>(shared.step);
  each<G::ORDER, G::ORDER, G::THREADS>(true, [&](int r, int c) { shared.inverse[c][r] = shared.step.tile[r][c]; });
  __syncthreads();
  const bool usable = !is_zero(shared.step.inverse[threadIdx.x % G::ORDER]);
  return use_of_inverse<G::ORDER>(
      shared.sums, &shared.vote, n, usable, [&](int i, int j) { return shared.step.diagonal[j][i]; },
      [&](int i, int j) { return shared.inverse[j][i]; });
}

/* shared.step.tile = V·shared.step.tile. Ends with a barrier. */
template <class T> __device__ inline void multiply_by_inverse(typename flow_tile<T>::workspace &shared) {
  using G = typename flow_tile<T>::base;
  auto &tile = shared.step.tile;
  typename G::sums sum = {};
  multiply_staged<G>(sum, shared.inverse, tile, static_cast<int>(threadIdx.x));
  __syncthreads();
  each_sum<G>(sum, [&](int row, int col, T x) { tile[row][col] = x; });
  __syncthreads();
}

#endif
