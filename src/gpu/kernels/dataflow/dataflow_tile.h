/* dataflow_tile.h - the tile of dataflow leaves for every type on every GPU, and products with the inverse of a
 * diagonal tile. */
#ifndef TRIGON_DATAFLOW_TILE_H
#define TRIGON_DATAFLOW_TILE_H

#include "dataflow_slabs.h"
#include "gpu/kernels/diagonal/inverse_rule.h"
#include "gpu/kernels/diagonal/triangular_step.h"
#if TG_HAS_MMA
#include "gpu/kernels/products/complex_mma.h"
#endif

/* On matrix units, a geometry of the same size as Product, if there is one. */
template <bool HAS_MMA, class Product> struct mma_product_for { using type = Product; };
#if TG_HAS_MMA
template <class Product> struct mma_product_for<true, Product> {
  using type = complex_mma<Product::ROWS, Product::COLS, 2>;
};
#endif

/* Portable kernels have the tiles of the leaf `step`, and the inverse of a diagonal tile. A kernel chooses how products
 * with other tiles are computed:
 *
 *   base           as in the leaf `step`
 *   deep_product   fetches all terms of a tile at once, so that a chain of tiles waits once for them. Long sums take
 *                  longer (docs/performance.md). For doubles there is not enough shared memory
 *   mma_product    complex doubles on matrix units */
template <class T> struct dataflow_tile : leaf<T> {
  using typename leaf<T>::base;
  static constexpr bool IS_SINGLE = sizeof(real_of<T>) < sizeof(double);
  static constexpr bool HAS_MMA = sizeof(T) == sizeof(complex<double>) && base::ROWS % 16 == 0;
  using deep_product =
      geometry<T, base::ROWS, base::COLS, IS_SINGLE ? base::ROWS : base::DEPTH, base::ITEM_ROWS, base::ITEM_COLS>;
  using mma_product = typename mma_product_for<HAS_MMA, base>::type;
  static constexpr int STRIDE = base::ROWS + base::PAD;
  struct workspace {
    union {
      typename leaf<T>::workspace step;
      typename deep_product::stage deep_stage;
      typename mma_product::stage mma_stage;
    };
    alignas(16) T inverse[leaf<T>::ORDER][STRIDE]; /* [column][row] */
    real_of<T> sums[2][leaf<T>::ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
    /* The memory for the stages of one of these products. */
    template <class Product> __device__ typename Product::stage &stage_of() {
      return *reinterpret_cast<typename Product::stage *>(&step);
    }
  };
  static_assert(sizeof(workspace) <= TG_SHARED_MOST, "every GPU has this much");
};

/* Makes shared.inverse, by substitution with the identity. Returns whether products may use it. Ends with a barrier. */
template <class T>
__device__ TG_NOINLINE bool invert_tile(typename dataflow_tile<T>::workspace &shared, const matrix<T> &L, bool unit,
                                        int64_t i0, int64_t i_end, int64_t n) {
  using G = dataflow_tile<T>;
  finish_diagonal<T>(shared.step.triangle, begin_diagonal(L, unit, i0, i_end));
  each<G::WIDTH, G::ORDER, G::THREADS>(true, [&](int f, int s) { shared.step.tile[s][f] = f == s ? one<T>() : T{}; });
  solve_tile<leaf<T>>(shared.step);
  each<G::ORDER, G::ORDER, G::THREADS>(true, [&](int r, int c) { shared.inverse[c][r] = shared.step.tile[r][c]; });
  __syncthreads();
  const bool usable = !is_zero(shared.step.triangle.inverse[threadIdx.x % G::ORDER]);
  return use_of_inverse<G::ORDER>(
      shared.sums, &shared.vote, n, usable, [&](int i, int j) { return shared.step.triangle.diagonal[j][i]; },
      [&](int i, int j) { return shared.inverse[j][i]; });
}

/* shared.step.tile = V·shared.step.tile, by products of the kind G. Ends with a barrier. */
template <class T, class G = typename dataflow_tile<T>::base>
__device__ inline void multiply_by_inverse(typename dataflow_tile<T>::workspace &shared) {
  auto &tile = shared.step.tile;
  typename G::sums sum = {};
  multiply_terms(G(), sum, shared.inverse, tile, static_cast<int>(threadIdx.x));
  __syncthreads();
  each_sum<G>(sum, [&](int row, int col, T x) { tile[row][col] = x; });
  __syncthreads();
}

#endif
