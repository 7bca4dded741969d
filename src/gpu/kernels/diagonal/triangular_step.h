/* triangular_step.h - one step of a triangular solve or product, in place: a block of threads computes a tile row of B.
 *
 * The step takes a slab of B's columns, and computes tile row i0 from the rows before i0 (left-looking; Charara,
 * Ltaief, Keyes, Euro-Par 2016, section 4.2).
 *
 *            [ L11         ]       [ B1 ]   rows before i0
 *        L = [ L21 L22     ]   B = [ B2 ]   rows i0 .. i0 + ORDER - 1
 *            [ ...         ]       [ .. ] */
#ifndef TRIGON_TRIANGULAR_STEP_H
#define TRIGON_TRIANGULAR_STEP_H

#include "gpu/kernels/products/tile_gemm.h"

/* A diagonal tile of L in shared memory. */
template <class T, int ORDER> struct diagonal_tile {
  /* [column][row]: all threads read the same element at a time. Columns are apart so that transposing stores of
   * neighbouring lanes go to different banks. */
  alignas(16) T diagonal[ORDER][ORDER + 16 / sizeof(T)];
  T inverse[ORDER]; /* the reciprocals of the diagonal's elements, or 0: see reciprocal */
};

/* A lower triangle in shared memory, stored as [column][row], with its reciprocals. Functions take it by value. */
template <class T, int LD> struct staged_triangle {
  const T (*columns)[LD];
  const T *inverse;
  bool conjugated;

  __device__ T lower(int row, int col) const { return conjugated ? conjugate(columns[col][row]) : columns[col][row]; }
  __device__ T reciprocal(int col) const { return conjugated ? conjugate(inverse[col]) : inverse[col]; }
};

/* Steps of a solve in tiles of this geometry: ORDER rows and WIDTH columns. */
template <class Tile> struct solve_tiles : Tile {
  using base = Tile;
  using T = typename Tile::T;
  static constexpr int ORDER = base::ROWS, WIDTH = base::COLS;
  static_assert(WIDTH <= base::THREADS, "each column has a thread, which solves for it");

  /* The shared memory of a step: first for the staged sums, then for the solve. */
  union workspace {
    typename base::stage stage;
    struct {
      diagonal_tile<T, ORDER> triangle;
      T tile[ORDER][WIDTH + 1]; /* [row][column]; the odd stride avoids bank conflicts */
    };
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) <= TG_SHARED_BYTES, "launched without asking for more");
};

/* The tiles of leaves. Slabs are narrow, so that each multiprocessor gets several. */
template <class T>
using leaf_tile = geometry<T, TG_TILE(8, 32), TG_TILE(16, 32), TG_TILE(4, 16), TG_TILE(1, 2), TG_TILE(2, 4)>;
template <class T> struct leaf : solve_tiles<leaf_tile<T>> {
  static_assert(leaf::ORDER <= leaf::WIDTH, "a diagonal tile fits into a tile");
};

/* A diagonal tile of L on its way to shared memory: begin_diagonal fetches the tile, finish_diagonal stores it. */
template <class T> using diagonal_stream = stream<leaf_tile<T>, leaf<T>::ORDER, leaf<T>::ORDER>;

template <class T>
__device__ inline diagonal_stream<T> begin_diagonal(const matrix<T> &L, bool unit, int64_t i0, int64_t end) {
  diagonal_stream<T> tile(L.as(LOWER, unit), i0, end, i0, end);
  tile.fetch();
  return tile;
}

/* Behind the end of L the diagonal gets ones. Ends with a barrier. */
template <class T>
__device__ inline void finish_diagonal(diagonal_tile<T, leaf<T>::ORDER> &to, const diagonal_stream<T> &tile) {
  const int i = static_cast<int>(threadIdx.x);
  tile.put(to.diagonal);
  __syncthreads();
  if (i < leaf<T>::ORDER) {
    if (i >= tile.rows) to.diagonal[i][i] = one<T>();
    to.inverse[i] = reciprocal(to.diagonal[i][i]);
  }
  __syncthreads();
}

/* One column of X, whose elements are `step` apart, becomes that of L⁻¹·X, by forward substitution in registers. L has
 * ORDER rows, lower(row, column) and reciprocal(column). All reciprocals must be there (not 0). */
template <int ORDER, class Triangle, class T>
__device__ inline void substitute_by_reciprocals(Triangle L, T *column, int step) {
  T x[ORDER];
#pragma unroll
  for (int i = 0; i < ORDER; i++) x[i] = column[i * step];
#pragma unroll
  for (int j = 0; j < ORDER; j++) {
    x[j] = multiply(x[j], L.reciprocal(j));
#pragma unroll
    for (int i = j + 1; i < ORDER; i++) x[i] = subtract(x[i], multiply(L.lower(i, j), x[j]));
  }
#pragma unroll
  for (int i = 0; i < ORDER; i++) column[i * step] = x[i];
}

/* Solves for one column by division, because a reciprocal of the diagonal is missing (0). The case is rare, so the code
 * is short. */
template <int ORDER, class Triangle, class T>
__device__ TG_NOINLINE void substitute_by_division(Triangle L, T *column, int step) {
#pragma unroll 1
  for (int j = 0; j < ORDER; j++) {
    const T x = divide(column[j * step], L.lower(j, j));
    column[j * step] = x;
#pragma unroll 1
    for (int i = j + 1; i < ORDER; i++) column[i * step] = subtract(column[i * step], multiply(L.lower(i, j), x));
  }
}

template <class T>
__device__ TG_NOINLINE void substitute(const diagonal_tile<T, leaf<T>::ORDER> &L, T *column, int step) {
  constexpr int ORDER = leaf<T>::ORDER;
  const staged_triangle<T, ORDER + 16 / sizeof(T)> staged = {L.diagonal, L.inverse, false};
  bool every = true;
  for (int j = 0; j < ORDER; j++) every = every && !is_zero(L.inverse[j]);
  if (every)
    substitute_by_reciprocals<ORDER>(staged, column, step);
  else
    substitute_by_division<ORDER>(staged, column, step);
}

/* shared.tile = L⁻¹·shared.tile for the diagonal tile L, one thread for each column. Begins and ends with barriers. */
template <class G> __device__ TG_NOINLINE void solve_tile(typename G::workspace &shared) {
  const int column = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (column < G::WIDTH) substitute<typename G::T>(shared.triangle, &shared.tile[0][column], G::WIDTH + 1);
  __syncthreads();
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1), for columns j0 .. j0 + WIDTH - 1 of B, but only before column j_end. */
template <class G, class T = typename G::T>
__device__ inline void solve_step(typename G::workspace &shared, const matrix<T> &L, const matrix<T> &B, bool unit,
                                  T alpha, int64_t i0, int64_t i_end, int64_t j0, int64_t j_end) {
  using base = typename G::base;
  const diagonal_stream<T> diagonal = begin_diagonal(L, unit, i0, i_end);
  stream<base, G::WIDTH, G::ORDER> right(B.transposed(), j0, j_end, i0, i_end);
  right.fetch();
  typename G::sums sum = {};
  accumulate<base>(sum, shared.stage, L, B, i0, i_end, j0, j_end, 0, i0);
  right.put(shared.tile);
  finish_diagonal<T>(shared.triangle, diagonal);
  each_sum<base>(sum, [&](int row, int col, T s) {
    shared.tile[row][col] = subtract(scalar_times(alpha, shared.tile[row][col]), s);
  });
  solve_tile<G>(shared);
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, B.transposed(), j0, i0, j_end, i_end);
  __syncthreads();
}

/* A product can have higher tiles than a solve, because no part of a product is sequential. */
template <class T>
using multiplier_tile =
    geometry<T, TG_TILE(16, 64), TG_TILE(8, 32), TG_TILE(4, sizeof(T) == 16 ? 8 : 16), TG_TILE(2, 4), TG_TILE(1, 4)>;
template <class T> struct multiplier : multiplier_tile<T> {
  using base = multiplier_tile<T>;
  union workspace {
    typename base::stage stage;
    T tile[base::ROWS][base::COLS + 1];
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) <= TG_SHARED_BYTES, "launched without asking for more");
};

/* B2 = alpha·(L21·B1 + L22·B2), for the same columns, in tiles of any geometry. `tile` and `stage` share memory. */
template <class G, class T, int STRIDE>
__device__ inline void multiply_step(typename G::stage &stage, T (&tile)[G::ROWS][STRIDE], const matrix<T> &L,
                                     const matrix<T> &B, bool unit, T alpha, int64_t i0, int64_t i_end, int64_t j0,
                                     int64_t j_end) {
  typename G::sums sum = {};
  accumulate<G>(sum, stage, L, B, i0, i_end, j0, j_end, 0, i0);
  accumulate<G>(sum, stage, L.as(LOWER, unit), B, i0, i_end, j0, j_end, i0, i_end);
  each_sum<G>(sum, [&](int row, int col, T s) { tile[row][col] = scalar_times(alpha, s); });
  __syncthreads();
  store_tile<G::COLS, G::ROWS, G::THREADS>(tile, B.transposed(), j0, i0, j_end, i_end);
  __syncthreads();
}

#endif
