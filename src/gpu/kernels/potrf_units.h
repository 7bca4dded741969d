/* potrf_units.h - the tiles of the dataflow POTRF for doubles, on matrix units (tg_mma).
 *
 *     S = A(i, j) - Σ L(i, k)·L(j, k)ᵀ, k < j          L(i, j) = S·L(j, j)⁻ᵀ, or the factor of S on the diagonal
 *
 * A block computes the sums of two tiles, one below the other, so that two products read L(j, k) once. The sums stay in
 * registers while L streams through shared memory. The solve with L(j, j) goes by 16 columns, each
 * with the inverse of a diagonal block of 16 × 16: that is nearly one product, and these inverses are made in the time
 * of 16 substitutions. */
#ifndef TRIGON_POTRF_UNITS_H
#define TRIGON_POTRF_UNITS_H

#include "factor_tile.h"
#include "flow_factor.h"
#include "unit_products.h"
#include "unit_triangle.h"

template <int WARPS_> struct factor_tile_units : unit_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4> {
  using base = unit_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4>;
  static constexpr int WARPS = WARPS_, ORDER = 16 * WARPS, TALL = 2, LD = ORDER + 4, RESIDENT = 2;
  static_assert(base::ROWS == TALL * ORDER && base::COLS == ORDER, "a block computes two tiles");

  /* Of the inverse of a diagonal tile, only the diagonal blocks. */
  struct diagonal_blocks {
    double block[WARPS][16][BLOCK_LD];
    __device__ double (&at(int r, int))[16][BLOCK_LD] { return block[r]; }
  };
  struct workspace {
    union {
      typename base::ring ring;
      struct {
        union {
          alignas(16) double pair[ORDER][base::ROWS + 4]; /* [column][row]; so are the others */
          struct {
            double tile[ORDER][LD], own[ORDER][LD]; /* L(i, i - 1), L(i, i) */
          };
        };
        packed_triangle<WARPS> diagonal;
        diagonal_blocks inverse;
      };
    };
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* ------------------------------------------------------------------------------------------- diagonal tile -- */

/* Factors 8 columns of shared.own, from c0 on. Each thread has a row, and factors the diagonal block of 8 × 8, too, so
 * that the columns need nothing from other threads. A pivot that is not positive keeps its place, and the column under
 * it becomes zero. Returns the first such column, or `failed` if that is not negative, to the threads that have rows.
 * Ends with a barrier. */
template <class G> __device__ inline int factor_columns(typename G::workspace &shared, int c0, int failed) {
  enum { COLS = 8 };
  const int r = static_cast<int>(threadIdx.x);
  const bool has_row = r < G::ORDER;
  double d[COLS][COLS], x[COLS];
#pragma unroll
  for (int j = 0; has_row && j < COLS; j++) {
    x[j] = shared.own[c0 + j][r];
#pragma unroll
    for (int i = j; i < COLS; i++) d[i][j] = shared.own[c0 + j][c0 + i];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; has_row && j < COLS; j++) {
    const double pivot = d[j][j], scale = pivot > 0 ? tg_rsqrt(pivot) : 0, near = pivot * scale;
    const double root = scale > 0 ? fma(fma(-near, near, pivot), scale / 2, near) : pivot;
    if (!(pivot > 0) && failed < 0) failed = c0 + j;
#pragma unroll
    for (int i = j + 1; i < COLS; i++) d[i][j] *= scale;
    x[j] = r == c0 + j ? root : x[j] * scale;
    if (r >= c0 + j) shared.own[c0 + j][r] = x[j];
#pragma unroll
    for (int k = j + 1; k < COLS; k++) {
      x[k] -= x[j] * d[k][j];
#pragma unroll
      for (int i = k; i < COLS; i++) d[i][k] -= d[i][j] * d[k][j];
    }
  }
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
  for (int j = 0; j < SHARE; j++) sum[j] = shared.own[c + j][r];
#pragma unroll
  for (int k = 0; k < COLS; k++) {
    const double x = shared.own[c0 + k][r];
#pragma unroll
    for (int j = 0; j < SHARE; j++) sum[j] -= x * shared.own[c0 + k][c + j];
  }
#pragma unroll
  for (int j = 0; j < SHARE; j++)
    if (r >= c + j) shared.own[c + j][r] = sum[j];
  __syncthreads();
}

/* to = to - from·fromᵀ for the blocks on the diagonal and below it, from block `first` on, and the columns of
 * BLOCKS blocks of `from`. The warps share halves of the blocks of `to`. Ends with a barrier. */
template <class G, int BLOCKS>
__device__ inline void subtract_products(double (*to)[G::LD], const double (*from)[G::LD], int first) {
  int turn = unit_warp(), col = first;
  for (;;) {
    for (; col < G::WARPS && turn >= 2 * (G::WARPS - col); col++) turn -= 2 * (G::WARPS - col);
    if (col >= G::WARPS) break;
    const int row = col + turn / 2, half = 16 * col + turn % 2 * 8;
    double a[8], b[4], c[4];
    each_of_fragment(c, [&](int i, int j, double &x) { x = -to[half + j][16 * row + i]; });
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) {
      load_left<G::LD>(a, from[16 * k] + 16 * row);
      load_right_by_rows<G::LD>(b, from[16 * k] + half);
      tg_mma(c, a, b);
    }
    each_of_fragment(c, [&](int i, int j, double x) { to[half + j][16 * row + i] = -x; });
    turn += G::WARPS;
  }
  __syncthreads();
}

/* Factors shared.own. Returns the first column whose pivot is not positive, or -1, to the threads that have rows.
 * Begins and ends with a barrier. */
template <class G> __device__ TG_NOINLINE int factor_units(typename G::workspace &shared) {
  int failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int b = 0; b < G::WARPS; b++) {
    failed = factor_columns<G>(shared, 16 * b, failed);
    update_columns<G>(shared, 16 * b);
    failed = factor_columns<G>(shared, 16 * b + 8, failed);
    subtract_products<G, 1>(shared.own, shared.own + 16 * b, b + 1);
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

/* tile = tile·L⁻ᵀ for 16 rows of each warp, by blocks of 16 columns. Right-looking, so that the next block's sums are
 * the first that become complete. */
template <class G, int LD>
__device__ inline void solve_by_blocks(typename G::workspace &shared, double (*tile)[LD], int row) {
  double sum[G::WARPS][2][4], a[8], b[4];
#pragma unroll
  for (int c = 0; c < G::WARPS; c++)
#pragma unroll
    for (int h = 0; h < 2; h++)
      each_of_fragment(sum[c][h], [&](int i, int j, double &x) { x = -tile[16 * c + 8 * h + j][row + i]; });
#pragma unroll
  for (int c = 0; c < G::WARPS; c++) {
    /* The sums pass through shared memory, because the product reads them in other fragments. */
    if (c > 0) {
#pragma unroll
      for (int h = 0; h < 2; h++)
        each_of_fragment(sum[c][h], [&](int i, int j, double x) { tile[16 * c + 8 * h + j][row + i] = -x; });
      tg_sync_warp();
    }
    load_left<LD>(a, tile[16 * c] + row);
    tg_sync_warp();
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double x[4] = {};
      load_right_by_rows<BLOCK_LD>(b, &shared.inverse.at(c, c)[0][8 * h]);
      tg_mma(x, a, b);
      each_of_fragment(x, [&](int i, int j, double v) { tile[16 * c + 8 * h + j][row + i] = v; });
    }
    tg_sync_warp();
    load_left<LD>(a, tile[16 * c] + row);
#pragma unroll
    for (int next = c + 1; next < G::WARPS; next++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        load_right_by_rows<BLOCK_LD>(b, &shared.diagonal.at(next, c)[0][8 * h]);
        tg_mma(sum[next][h], a, b);
      }
  }
}

/* tile = tile·L⁻ᵀ by substitution, for one row of each thread. This is the rare case. */
template <class G, int LD>
__device__ TG_NOINLINE void solve_by_substitution(typename G::workspace &shared, double (*tile)[LD], int row) {
#pragma unroll 1
  for (int j = 0; j < G::ORDER; j++) {
    const bool safe = !is_zero(shared.reciprocal[j]);
    const double s = tile[j][row], x = safe ? s * shared.reciprocal[j] : s / shared.diagonal.element(j, j);
    tile[j][row] = x;
#pragma unroll 4
    for (int c = j + 1; c < G::ORDER; c++) tile[c][row] -= shared.diagonal.element(c, j) * x;
  }
}

/* tile = tile·L⁻ᵀ for ROWS rows and the diagonal tile L at (j0, j0). `wild`: the thread has put a NaN or an infinity
 * into the tile. Ends with a barrier. */
template <class G, int ROWS, int LD>
__device__ inline void solve_rows(typename G::workspace &shared, double (*tile)[LD], bool wild, const matrix<double> &A,
                                  int64_t j0, int64_t n) {
  const int thread = static_cast<int>(threadIdx.x);
  stage_diagonal<G>(shared, A, j0, n);
  invert_blocks<G>(shared);
  tg_sync_warp();
  const bool safe = blocks_are_safe<G>(shared, n);
  /* A product with the zeros of the inverses would spread a NaN or an infinity to columns before. */
  if (!tg_any(wild, &shared.vote) && safe) {
#pragma unroll 1
    for (int row = 16 * unit_warp(); row < ROWS; row += G::ORDER) solve_by_blocks<G>(shared, tile, row);
  } else if (thread < ROWS) {
    solve_by_substitution<G>(shared, tile, thread);
  }
  __syncthreads();
}

/* --------------------------------------------------------------------------------------------------- tiles -- */

/* The sums of a block, one tile below the other. They are those of L(i, j) and L(i + 1, j), i > j. If the block takes
 * L(i, i - 1) and L(i, i), they are those of L(i, i - 1)ᵀ, without the tile L(i, i - 1) itself in that of L(i, i). So
 * the columns are tile row `right` in either case. */
struct sums_place {
  int64_t i0, j0;                    /* in A */
  unsigned first, right, cols, rows; /* tile rows and columns; `rows` tile rows from the first one on are awaited */
};

template <class G> __device__ inline sums_place sums_of(const flow_place &place, unsigned tiles) {
  const bool next = place.row == place.col;
  const unsigned first = place.row - next, cols = next && place.row == 0 ? 0 : place.col - next;
  return {(static_cast<int64_t>(place.row) - next) * G::ORDER,
          static_cast<int64_t>(place.col) * G::ORDER,
          first,
          place.col,
          cols,
          next || place.row + 1 == tiles ? 1u : 2u};
}

/* sum = -A, or its mirror image above the diagonal. A is read ahead of the first wait. */
template <class G>
__device__ inline void begin_sums(typename G::sums &sum, const matrix<double> &A, int64_t n, const sums_place &at) {
  each_unit_sum<G>(sum, [&](int r, int c, double &s) {
    const int64_t i = at.i0 + r, j = at.j0 + c;
    s = i >= 0 && i < n && j < n ? -*(i > j ? A.at(i, j) : A.at(j, i)) : 0;
  });
}

/* sum += the products of the tile rows, for the tiles before column `cols`, as they become final. */
template <class G, class Layouts>
__device__ inline void add_rows(typename G::workspace &shared, typename G::sums &sum, const matrix<double> &A,
                                int64_t n, const flow_place &place, const sums_place &at) {
  enum { STAGES = G::ORDER / G::TERMS };
  const int64_t end = static_cast<int64_t>(at.cols) * G::ORDER;
  unsigned known = 0;
  const auto ready = [&](int64_t stage) {
    const unsigned needed = static_cast<unsigned>(stage) / STAGES + 1;
    for (unsigned row = 0; row <= at.rows; row++) {
      const unsigned found =
          tg_await_most(place.flags + (row < at.rows ? at.first + row : at.right), needed, place.word);
      known = row == 0 || found < known ? found : known;
    }
    return static_cast<int64_t>(known) * STAGES;
  };
  add_streams<G, Layouts>(sum, shared.ring, {A, at.i0, n, 0, end}, {A, at.j0, n, 0, end},
                          static_cast<int64_t>(at.cols) * STAGES, ready);
}

/* Puts what is to be solved, or factored, into shared.pair, or into shared.tile and shared.own. Behind the end of A the
 * diagonal gets ones. Returns whether the thread has put a NaN or an infinity among what is to be solved. */
template <class G>
__device__ inline bool put_sums(typename G::workspace &shared, typename G::sums &sum, bool next, int64_t rows) {
  bool wild = false;
  each_unit_sum<G>(sum, [&](int r, int c, double s) {
    const bool is_own = next && r >= G::ORDER;
    if (is_own)
      shared.own[c][r - G::ORDER] = r - G::ORDER == c && c >= rows ? 1 : -s;
    else
      *(next ? &shared.tile[r][c] : &shared.pair[c][r]) = -s;
    wild = wild || (!is_own && !is_finite(s));
  });
  return wild;
}

/* A(i0 + r, j0 + c) = from[c][r] for ROWS rows, or those with r >= c. */
template <class G, int ROWS, int LD>
__device__ inline void store_units(const double (&from)[G::ORDER][LD], const matrix<double> &A, int64_t i0, int64_t j0,
                                   int64_t n, bool lower) {
  const bool fast = along_rows(A);
  const int thread = static_cast<int>(threadIdx.x), across = fast ? ROWS : G::ORDER, pace = G::THREADS / across;
  const int line = thread % across, start = thread / across;
  const int rows = static_cast<int>(least(n - i0, ROWS)), cols = static_cast<int>(least(n - j0, G::ORDER));
  double *to = fast ? A.at(i0 + line, j0 + start) : A.at(i0 + start, j0 + line);
  const int64_t step = pace * (fast ? A.col : A.row);
#pragma unroll 8
  for (int e = 0; e < ROWS * G::ORDER / G::THREADS; e++, to += step) {
    const int other = start + e * pace, r = fast ? line : other, c = fast ? other : line;
    if (r < rows && c < cols && (!lower || r >= c)) *to = from[c][r];
  }
}

/* L(i, j) and L(i + 1, j). */
template <class G>
__device__ inline void solve_below(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                   const flow_place &place, unsigned tiles, bool wild) {
  const unsigned i = place.row, j = place.col;
  const int64_t i0 = static_cast<int64_t>(i) * G::ORDER, j0 = static_cast<int64_t>(j) * G::ORDER;
  place.progress(j).await(j + 1);
  solve_rows<G, G::ROWS>(shared, shared.pair, wild, A, j0, n);
  store_units<G, G::ROWS>(shared.pair, A, i0, j0, n, false);
  place.publish(i, j + 1);
  if (i + 1 < tiles) place.publish(i + 1, j + 1);
}

/* L(i, i - 1) and L(i, i). */
template <class G>
__device__ inline void factor_next(typename G::workspace &shared, const factor &p, int64_t b, const matrix<double> &A,
                                   const flow_place &place, bool wild) {
  const unsigned i = place.row;
  const int64_t n = p.n, i0 = static_cast<int64_t>(i) * G::ORDER, j0 = i0 - G::ORDER;
  if (i > 0) {
    place.progress(i - 1).await(i);
    solve_rows<G, G::ORDER>(shared, shared.tile, wild, A, j0, n);
    store_units<G, G::ORDER>(shared.tile, A, i0, j0, n, false);
    subtract_products<G, G::WARPS>(shared.own, shared.tile, 0);
    place.publish(i, i);
  }
  const int failed = factor_units<G>(shared);
  if (failed >= 0 && threadIdx.x == 0) record_failure(p, b, i0 + failed);
  store_units<G, G::ORDER>(shared.own, A, i0, i0, n, true);
  place.publish(i, i + 1);
}

template <class G>
__device__ inline void potrf_units(typename G::workspace &shared, const flow_factor &f, int64_t b,
                                   const flow_place &place) {
  const matrix<double> A = matrix_of<double>(f.p.A, b);
  const bool next = place.row == place.col;
  const sums_place at = sums_of<G>(place, f.tiles);
  typename G::sums sum;
  begin_sums<G>(sum, A, f.p.n, at);
  if (at.cols > 0)
    with_layouts<UNIT_ALIKE>(A, A,
                             [&](auto layouts) { add_rows<G, decltype(layouts)>(shared, sum, A, f.p.n, place, at); });
  const bool wild = put_sums<G>(shared, sum, next, f.p.n - at.j0);
  if (next)
    factor_next<G>(shared, f.p, b, A, place, wild);
  else
    solve_below<G>(shared, A, f.p.n, place, f.tiles, wild);
}

#endif
