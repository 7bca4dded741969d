/* potrf_units.h - the tiles of the dataflow POTRF for doubles, on matrix units (tg_mma).
 *
 *     S = A(i, j) - Σ L(i, k)·L(j, k)ᵀ, k < j          L(i, j) = S·L(j, j)⁻ᵀ, or the factor of S on the diagonal
 *
 * The sums stay in registers while L streams through shared memory. The solve with L(j, j) goes by 16 columns, each
 * with the inverse of a diagonal block of 16 × 16: that is nearly one product, and these inverses are made in the time
 * of 16 substitutions. */
#ifndef TRIGON_POTRF_UNITS_H
#define TRIGON_POTRF_UNITS_H

#include "factor_tile.h"
#include "flow_factor.h"
#include "unit_triangle.h"

template <int WARPS_> struct factor_tile_units : unit_geometry<16 * WARPS_, 16 * WARPS_, WARPS_ / 2, 2, 4> {
  using base = unit_geometry<16 * WARPS_, 16 * WARPS_, WARPS_ / 2, 2, 4>;
  static constexpr int WARPS = WARPS_, ORDER = 16 * WARPS, LD = ORDER + 4, RESIDENT = 2;

  /* Of the inverse of a diagonal tile, only the diagonal blocks. */
  struct diagonal_blocks {
    double block[WARPS][16][BLOCK_LD];
    __device__ double (&at(int r, int))[16][BLOCK_LD] { return block[r]; }
  };
  struct workspace {
    union {
      typename base::ring ring;
      alignas(16) double tile[ORDER][LD]; /* [column][row] */
    };
    packed_triangle<WARPS> diagonal;
    diagonal_blocks inverse;
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* ------------------------------------------------------------------------------------------- diagonal tile -- */

/* Factors 8 columns of shared.tile, from c0 on. Each thread has a row, and factors the diagonal block of 8 × 8, too, so
 * that the columns need nothing from other threads. A pivot that is not positive keeps its place, and the column under
 * it becomes zero. Returns the first such column, or `failed` if that is not negative. Ends with a barrier. */
template <class G> __device__ inline int factor_columns(typename G::workspace &shared, int c0, int failed) {
  enum { COLS = 8 };
  const int r = static_cast<int>(threadIdx.x);
  const bool has_row = r < G::ORDER;
  double d[COLS][COLS], x[COLS];
#pragma unroll
  for (int j = 0; j < COLS; j++) {
    x[j] = has_row ? shared.tile[c0 + j][r] : 0;
#pragma unroll
    for (int i = j; i < COLS; i++) d[i][j] = shared.tile[c0 + j][c0 + i];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < COLS; j++) {
    const double pivot = d[j][j], scale = pivot > 0 ? tg_rsqrt(pivot) : 0, near = pivot * scale;
    const double root = scale > 0 ? fma(fma(-near, near, pivot), scale / 2, near) : pivot;
    if (!(pivot > 0) && failed < 0) failed = c0 + j;
#pragma unroll
    for (int i = j + 1; i < COLS; i++) d[i][j] *= scale;
    x[j] = r == c0 + j ? root : x[j] * scale;
#pragma unroll
    for (int k = j + 1; k < COLS; k++) {
      x[k] -= x[j] * d[k][j];
#pragma unroll
      for (int i = k; i < COLS; i++) d[i][k] -= d[i][j] * d[k][j];
    }
  }
#pragma unroll
  for (int j = 0; j < COLS; j++)
    if (has_row && r >= c0 + j) shared.tile[c0 + j][r] = x[j];
  __syncthreads();
  return failed;
}

/* Subtracts the products of 8 columns from the next 8 columns. Ends with a barrier. */
template <class G> __device__ inline void update_columns(typename G::workspace &shared, int c0) {
  enum { COLS = 8, SHARE = COLS / 2 };
  static_assert(G::THREADS == 2 * G::ORDER, "each row has two threads");
  const int r = static_cast<int>(threadIdx.x) % G::ORDER,
            c = c0 + COLS + static_cast<int>(threadIdx.x) / G::ORDER * SHARE;
  double sum[SHARE];
#pragma unroll
  for (int j = 0; j < SHARE; j++) sum[j] = shared.tile[c + j][r];
#pragma unroll
  for (int k = 0; k < COLS; k++) {
    const double x = shared.tile[c0 + k][r];
#pragma unroll
    for (int j = 0; j < SHARE; j++) sum[j] -= x * shared.tile[c0 + k][c + j];
  }
#pragma unroll
  for (int j = 0; j < SHARE; j++)
    if (r >= c + j) shared.tile[c + j][r] = sum[j];
  __syncthreads();
}

/* Subtracts the products of the 16 columns of block b from the blocks to the right. The warps share these blocks. Ends
 * with a barrier. */
template <class G> __device__ inline void update_blocks(typename G::workspace &shared, int b) {
  int turn = 0;
#pragma unroll 1
  for (int col = b + 1; col < G::WARPS; col++)
#pragma unroll 1
    for (int row = col; row < G::WARPS; row++)
      for (int h = 0; h < 2; h++, turn++) {
        if (turn % G::WARPS != unit_warp()) continue;
        double a[8], right[4], c[4];
        double(*to)[G::LD] = &shared.tile[16 * col + 8 * h];
        load_left<G::LD>(a, &shared.tile[16 * b][16 * row]);
        load_right_by_rows<G::LD>(right, &shared.tile[16 * b][16 * col + 8 * h]);
        for (double &x : right) x = -x;
        each_of_fragment(c, [&](int i, int j, double &x) { x = to[j][16 * row + i]; });
        tg_mma(c, a, right);
        each_of_fragment(c, [&](int i, int j, double x) { to[j][16 * row + i] = x; });
      }
  __syncthreads();
}

/* Factors shared.tile. Returns the first column whose pivot is not positive, or -1, to each thread. Begins and ends with
 * a barrier. */
template <class G> __device__ TG_NOINLINE int factor_units(typename G::workspace &shared) {
  int failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int b = 0; b < G::WARPS; b++) {
    failed = factor_columns<G>(shared, 16 * b, failed);
    update_columns<G>(shared, 16 * b);
    failed = factor_columns<G>(shared, 16 * b + 8, failed);
    update_blocks<G>(shared, b);
  }
  return failed;
}

/* ------------------------------------------------------------------------------------------------- solving -- */

/* Whether products with the inverses of the diagonal blocks may replace substitution: the rule of inverse_is_safe for
 * each block, one of the two norms for all. Half a warp computes one of them. Ends with a barrier. */
template <class G> __device__ inline bool blocks_are_safe(typename G::workspace &shared, int64_t n) {
  const int b = unit_warp(), i = unit_lane() % 16, order = unit_lane() / 16;
  const double(&L)[16][BLOCK_LD] = shared.diagonal.at(b, b), (&V)[16][BLOCK_LD] = shared.inverse.at(b, b);
  double sum = 0, bound = 0;
#pragma unroll
  for (int j = 0; j < 16; j++)
    if (j <= i) sum += magnitude(order == 0 ? L[j][i] : V[j][i]);
  shared.sums[order][16 * b + i] = sum;
  tg_sync_warp();
#pragma unroll
  for (int j = 0; j < 16; j++)
    if (j <= i) bound += magnitude(order == 0 ? V[j][i] : L[j][i]) * shared.sums[order][16 * b + j];
  const bool usable = !is_zero(shared.reciprocal[16 * b + i]);
  const bool rejected = !usable || !(2 * 16 * bound <= 30 * static_cast<double>(n));
  const bool first = tg_any(order == 0 && rejected, &shared.vote),
             second = tg_any(order == 1 && rejected, &shared.vote);
  return !first || !second;
}

/* shared.tile = shared.tile·L⁻ᵀ, by blocks of 16 columns. A warp has 16 rows. Right-looking, so that the next block's
 * sums are the first that become complete. */
template <class G> __device__ inline void solve_by_blocks(typename G::workspace &shared) {
  const int row = 16 * unit_warp();
  double sum[G::WARPS][2][4], a[8], b[4];
#pragma unroll
  for (int c = 0; c < G::WARPS; c++)
    for (int h = 0; h < 2; h++)
      each_of_fragment(sum[c][h], [&](int i, int j, double &x) { x = -shared.tile[16 * c + 8 * h + j][row + i]; });
#pragma unroll
  for (int c = 0; c < G::WARPS; c++) {
    /* The sums pass through shared memory, because the product reads them in other fragments. */
    if (c > 0) {
      for (int h = 0; h < 2; h++)
        each_of_fragment(sum[c][h], [&](int i, int j, double x) { shared.tile[16 * c + 8 * h + j][row + i] = -x; });
      tg_sync_warp();
    }
    load_left<G::LD>(a, &shared.tile[16 * c][row]);
    tg_sync_warp();
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double x[4] = {};
      load_right_by_rows<BLOCK_LD>(b, &shared.inverse.at(c, c)[0][8 * h]);
      tg_mma(x, a, b);
      each_of_fragment(x, [&](int i, int j, double v) { shared.tile[16 * c + 8 * h + j][row + i] = v; });
    }
    tg_sync_warp();
    load_left<G::LD>(a, &shared.tile[16 * c][row]);
#pragma unroll
    for (int next = c + 1; next < G::WARPS; next++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        load_right_by_rows<BLOCK_LD>(b, &shared.diagonal.at(next, c)[0][8 * h]);
        tg_mma(sum[next][h], a, b);
      }
  }
}

/* The same by substitution, one thread for each row. This is the rare case. */
template <class G> __device__ TG_NOINLINE void solve_by_substitution(typename G::workspace &shared) {
  const int r = static_cast<int>(threadIdx.x);
  if (r >= G::ORDER) return;
#pragma unroll 1
  for (int j = 0; j < G::ORDER; j++) {
    const bool safe = !is_zero(shared.reciprocal[j]);
    const double s = shared.tile[j][r], x = safe ? s * shared.reciprocal[j] : s / shared.diagonal.element(j, j);
    shared.tile[j][r] = x;
#pragma unroll 4
    for (int c = j + 1; c < G::ORDER; c++) shared.tile[c][r] -= shared.diagonal.element(c, j) * x;
  }
}

/* shared.tile = -sum·L⁻ᵀ for the diagonal tile L at (j0, j0). Begins with shared.tile free; ends with a barrier. */
template <class G>
__device__ inline void solve_tile_units(typename G::workspace &shared, typename G::sums &sum, const matrix<double> &A,
                                        int64_t j0, int64_t n) {
  bool wild = false;
  each_unit_sum<G>(sum, [&](int r, int c, double s) {
    shared.tile[c][r] = -s;
    wild = wild || !is_finite(s);
  });
  stage_diagonal<G>(shared, A, j0, n);
  invert_blocks<G>(shared);
  tg_sync_warp();
  const bool safe = blocks_are_safe<G>(shared, n);
  /* A product with the zeros of the inverses would spread a NaN or an infinity to columns before. */
  if (!tg_any(wild, &shared.vote) && safe)
    solve_by_blocks<G>(shared);
  else
    solve_by_substitution<G>(shared);
  __syncthreads();
}

/* --------------------------------------------------------------------------------------------------- tiles -- */

/* sum = -A at (i0, j0). A is read ahead of the first wait. */
template <class G>
__device__ inline void begin_sums(typename G::sums &sum, const matrix<double> &A, int64_t i0, int64_t j0, int64_t n) {
  each_unit_sum<G>(sum, [&](int r, int c, double &s) {
    const int64_t i = i0 + r, j = j0 + c;
    s = i < n && j <= i ? -*A.at(i, j) : 0;
  });
}

/* Calls multiply(stage) for the tiles left of `col` in the tile rows i and j, as they become final. */
template <class G, class Multiply>
__device__ inline void each_stage_of_rows(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                          const flow_place &place, unsigned row, unsigned col, unsigned tiles,
                                          Multiply multiply) {
  enum { STAGES = G::ORDER / G::TERMS };
  const int64_t i0 = static_cast<int64_t>(row) * G::ORDER, j0 = static_cast<int64_t>(col) * G::ORDER;
  const int64_t end = static_cast<int64_t>(tiles) * G::ORDER;
  flow_progress upper = place.progress(col), own = place.progress(row);
  const auto ready = [&](int64_t stage) {
    const unsigned needed = static_cast<unsigned>(stage) / STAGES + 1;
    upper.await(needed);
    own.await(needed);
    return static_cast<int64_t>(upper.known < own.known ? upper.known : own.known) * STAGES;
  };
  each_stage<G>(shared.ring, unit_stream<G, G::ROWS>(A, i0, n, 0, end), unit_stream<G, G::COLS>(A, j0, n, 0, end),
                static_cast<int64_t>(tiles) * STAGES, ready, multiply);
}

template <class G>
__device__ inline void store_units(typename G::workspace &shared, const matrix<double> &A, int64_t i0, int64_t j0,
                                   int64_t n) {
  store_tile<G::ORDER, G::ORDER, G::THREADS>(shared.tile, A.as(LOWER), i0, j0, n, n);
}

/* L(i, j), i > j. */
template <class G>
__device__ inline void solve_below(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                   const flow_place &place) {
  const int64_t i0 = static_cast<int64_t>(place.row) * G::ORDER, j0 = static_cast<int64_t>(place.col) * G::ORDER;
  typename G::sums sum;
  begin_sums<G>(sum, A, i0, j0, n);
  each_stage_of_rows<G>(shared, A, n, place, place.row, place.col, place.col,
                        [&](const typename G::stage &stage, auto between) { multiply_stage<G>(sum, stage, between); });
  place.progress(place.col).await(place.col + 1);
  solve_tile_units<G>(shared, sum, A, j0, n);
  store_units<G>(shared, A, i0, j0, n);
  place.publish(place.col + 1);
}

/* L(i, i - 1) and L(i, i). The sums of both are computed from the same stages. */
template <class G>
__device__ inline void factor_next(typename G::workspace &shared, const factor &p, int64_t b, const matrix<double> &A,
                                   const flow_place &place) {
  const unsigned i = place.row;
  const int64_t n = p.n, i0 = static_cast<int64_t>(i) * G::ORDER, j0 = i0 - G::ORDER;
  typename G::sums own;
  begin_sums<G>(own, A, i0, i0, n);
  if (i > 0) {
    typename G::sums left;
    begin_sums<G>(left, A, i0, j0, n);
    each_stage_of_rows<G>(shared, A, n, place, i, i - 1, i - 1, [&](const typename G::stage &stage, auto between) {
      multiply_stage<G>(left, stage, between);
      multiply_terms<G, G::ROWS + 4, G::ROWS + 4>(own, stage.a[0], stage.a[0]);
    });
    place.progress(i - 1).await(i);
    solve_tile_units<G>(shared, left, A, j0, n);
    store_units<G>(shared, A, i0, j0, n);
    place.publish(i);
#pragma unroll 1
    for (int k = 0; k < G::ORDER; k += G::TERMS) multiply_terms<G, G::LD, G::LD>(own, shared.tile[k], shared.tile[k]);
    __syncthreads();
  }
  /* Behind the end of A the diagonal gets ones. */
  each_unit_sum<G>(own, [&](int r, int c, double s) { shared.tile[c][r] = r == c && i0 + r >= n ? 1 : -s; });
  const int failed = factor_units<G>(shared);
  if (failed >= 0 && threadIdx.x == 0) record_failure(p, b, i0 + failed);
  store_units<G>(shared, A, i0, i0, n);
  place.publish(i + 1);
}

#endif
