/* trsm_slab8_32.h - a tile of the dataflow TRSM of doubles in slabs of 8, 16 or 32 columns, on matrix units
 * (tg_mma).
 *
 * A block takes 16·WARPS rows and 8·GROUPS columns, and each of its warps 16 of these rows. A warp streams its rows of
 * L through a ring of stages of its own (asynchronous copies), so that the warps meet only when a tile of X arrives.
 * The sums stay in registers.
 *
 * Narrow slabs have a chain: each tile row waits for the one above. So all that does not depend on the last tile of X
 * is done before the tile arrives. A block inverts its diagonal tile, V = L(i, i)⁻¹, and makes W = V·L(i, i-1), if both
 * are safe. When X(i - 1) arrives, one product is left,
 *
 *     X(i) = V·(alpha·B(i) - Σ L(i, j)·X(j), j < i - 1) - W·X(i - 1)
 *
 * W stays in registers. If products with W might lose digits,
 * or if X(i - 1) would arrive before W is made, the sum has all products, and V is applied at the end. */
#ifndef TRIGON_TRSM_SLAB8_32_H
#define TRIGON_TRSM_SLAB8_32_H

#include "gpu/kernels/diagonal/mma_diagonal.h"
#include "slab8_32_pipeline.h"

template <int WARPS_, int GROUPS_> struct slab8_32 {
  static constexpr int WARPS = WARPS_, GROUPS = GROUPS_, ORDER = 16 * WARPS, COLS = 8 * GROUPS, THREADS = 32 * WARPS;
  static constexpr int RESIDENT = 1, STAGES = GROUPS > 2 ? 4 : TG_TILE(4, 6), UNROLLED = GROUPS > 2 ? 2 : 4;
  static constexpr int LD = ORDER + 8;  /* lanes read pairs of rows of two columns at a time */
  static constexpr int STAGE = 16 * 16; /* of a warp */
  static_assert(STAGES - 2 < WARPS, "a tile of X lands while the one before is multiplied");
  static_assert(STAGES >= 4 && WARPS % 2 == 0, "W takes two stages at a time");
  static constexpr unsigned PREFETCHED = 3;              /* tiles of L that are prefetched */
  static constexpr unsigned FIRST_AHEAD = TG_TILE(1, 3); /* in earlier tile rows X arrives before W is made */

  struct workspace {
    union {
      alignas(16) packed_triangle<WARPS> inverse; /* of the diagonal tile */
      packed_triangle<WARPS> spare;               /* the diagonal tile itself, for substitution */
      alignas(16) double last[COLS][LD];          /* X(i - 1), for W */
    };
    union {
      packed_triangle<WARPS> diagonal;
      struct {
        alignas(16) double ring[WARPS][STAGES][STAGE];
        union {
          alignas(16) double tiles[2][COLS][LD]; /* tiles of X or B: [column][row] */
          double tile[COLS][LD];                 /* the first of them */
        };
      };
    };
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* The warp's 16 rows of the tile. Row block r of V takes r + 1 products. Warps w and w + 4 share a matrix unit, so the
 * second half of the warps has the row blocks in reverse order. */
template <class G> __device__ inline int row_block() {
  const int warp = mma_warp();
  return warp < G::WARPS / 2 ? warp : 3 * G::WARPS / 2 - 1 - warp;
}

/* ------------------------------------------------------------------------------------------------ tile row -- */

/* The warp's rows of W, as left fragments. */
template <class G> struct mma_ahead { double of[G::WARPS][8]; };

/* Makes W. The first stages of the stream are those of L(i, i - 1); all warps read those of all warps, two at a time,
 * so that a fragment of V serves both. The stream goes on at column 0. Ends with a barrier. */
template <class G, bool BY_TERMS>
__device__ inline void make_ahead(mma_ahead<G> &w, typename G::workspace &shared, left_stream<G, BY_TERMS> &left,
                                  const matrix<double> &L, int64_t first) {
  const int block = row_block<G>(), g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int p = 0; p < G::WARPS; p += 2) {
    if (p == 0)
      tg_await_copies<G::STAGES - 3>();
    else
      tg_await_copies<G::STAGES - 4>();
    __syncthreads();
#pragma unroll
    for (int s = p == 0 ? 1 : 0; s < 2; s++) { /* into the slots of the last two stages, which all warps have read */
      if (p + G::STAGES - 2 + s == G::WARPS) left.go_to(L, first, 0);
      left.begin();
    }
    double sum[2][2][4] = {};
#pragma unroll 2
    for (int k = 0; k <= block; k++) {
      double a[8], b[4];
      load_left<BLOCK_LD>(a, shared.inverse.at(block, k)[0]);
#pragma unroll
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const double *stage = shared.ring[k][(p + q) % G::STAGES];
#pragma unroll
          for (int i = 0; i < 4; i++) b[i] = stage[stage_at<BY_TERMS>(t + 4 * i, 8 * h + g)];
          tg_mma(sum[q][h], a, b);
        }
    }
    /* Element (g + 8h, 2t + e) of the sums number m is the term 8m + 2t + e of the fragment. */
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) w.of[p + q][2 * i + h] = sum[q][i / 2][2 * h + i % 2];
  }
  __syncthreads();
  left.begin();
}

/* Prefetches a tile of ROWS × COLS, of which `rows` rows and `cols` columns exist, if elements of a row or of a column
 * are neighbours. */
template <class G, int ROWS, int COLS>
__device__ inline void prefetch_tile(const matrix<double> &tile, int64_t rows, int64_t cols) {
  constexpr int LINE = 16, DOWN = ROWS / LINE, ACROSS = COLS > LINE ? COLS / LINE : 1; /* lines of the cache */
  const bool fast = along_rows(tile);
  const int lines = fast ? COLS * DOWN : ROWS * ACROSS;
#pragma unroll 1
  for (int line = static_cast<int>(threadIdx.x); line < lines; line += G::THREADS) {
    const int r = fast ? line % DOWN * LINE : line / ACROSS, c = fast ? line / DOWN : line % ACROSS * LINE;
    if (r < rows && c < cols) tg_prefetch(tile.at(r, c));
  }
}

/* Prefetches the warp's rows of a tile of L, if the elements of a row are neighbours: then memory is read in runs of a
 * tile's width, not of a stage's. Two lanes have a row. */
template <class G>
__device__ inline void prefetch_rows(const matrix<double> &L, int64_t first, int64_t n, int64_t col) {
  constexpr int HALF = G::ORDER / 2, LINE = 16; /* elements of half a row, and of a line of the cache */
  int64_t lane = mma_lane();
  tg_forget(lane);
  const double *from = L.at(first + lane / 2, col) + lane % 2 * HALF;
  if (L.col != 1 || first + lane / 2 >= n) return;
#pragma unroll
  for (int e = 0; e < HALF; e += LINE) tg_prefetch(from + e);
}

/* sum += Σ L(row, j)·X(j) over the tile rows j < rows, as they become ready. The next tile of X is copied during the
 * products with the present one if it is known to be ready. right(j) is the stream of X at tile j. Ends with a
 * barrier. */
template <class G, bool BY_TERMS, class Right, class Prefetch>
__device__ inline void add_tile_row(double (&sum)[G::GROUPS][4], typename G::workspace &shared,
                                    left_stream<G, BY_TERMS> &left, unsigned rows, dataflow_progress &progress,
                                    Right right, Prefetch prefetch) {
  const int block = row_block<G>();
  bool copied = false;
#pragma unroll 1
  for (unsigned j = 0; j < rows; j++) {
    double(&now)[G::COLS][G::LD] = shared.tiles[j % 2];
    if (!copied) {
      progress.await_eagerly(j + 1);
      right(j).begin(now);
      tg_commit_copies();
      tg_await_copies<0>();
    }
    tg_await_copies<G::STAGES - 2>();
    __syncthreads(); /* all have this tile, and nobody reads the one before any more */
    copied = j + 1 < rows && progress.known > j + 1;
    if (copied) right(j + 1).begin(shared.tiles[(j + 1) % 2]); /* in one group with the next stage */
    prefetch(j);
#pragma unroll G::UNROLLED
    for (int k = 0; k < G::WARPS; k++) {
      tg_await_copies<G::STAGES - 2>();
      tg_sync_warp();
      left.begin(); /* into the stage of the step before, which all lanes have read */
      double a[8], b[4];
      load_stage<BY_TERMS>(a, shared.ring[block][left.slot]);
#pragma unroll
      for (int g = 0; g < G::GROUPS; g++) {
        load_terms_of<G::LD>(b, &now[8 * g][16 * k]);
        tg_mma(sum[g], a, b);
      }
    }
  }
  __syncthreads();
}

/* sum = V·shared.tile for the warp's rows. V is zero above its diagonal. */
template <class G> __device__ inline void apply_inverse(double (&sum)[G::GROUPS][4], typename G::workspace &shared) {
  const int block = row_block<G>();
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
#pragma unroll
    for (int i = 0; i < 4; i++) sum[g][i] = 0;
#pragma unroll 2
  for (int k = 0; k <= block; k++) {
    double a[8], b[4];
    load_left<BLOCK_LD>(a, shared.inverse.at(block, k)[0]);
#pragma unroll
    for (int g = 0; g < G::GROUPS; g++) {
      load_right<G::LD>(b, &shared.tile[8 * g][16 * k]);
      tg_mma(sum[g], a, b);
    }
  }
}

/* sum += W·X(i - 1). `right` is the stream of X, at tile i - 1. Begins with shared.last free, behind a barrier. */
template <class G>
__device__ inline void add_last(double (&sum)[G::GROUPS][4], typename G::workspace &shared, const mma_ahead<G> &w,
                                const right_stream<G> &right, unsigned row, dataflow_progress &progress) {
  progress.await_eagerly(row);
  right.begin(shared.last);
  tg_commit_copies();
  tg_await_copies<0>();
  __syncthreads();
#pragma unroll
  for (int p = 0; p < G::WARPS; p++)
#pragma unroll
    for (int g = 0; g < G::GROUPS; g++) {
      double b[4];
      load_terms_of<G::LD>(b, &shared.last[8 * g][16 * p]);
      tg_mma(sum[g], w.of[p], b);
    }
}

/* shared.tile = -L(i, i)⁻¹·(shared.tile + L(i, i-1)·shared.last) by substitution, without the second term if `ahead` is
 * false. This is the rare case. Begins behind a barrier, and ends with one. */
template <class G>
__device__ TG_NOINLINE void solve_again(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n,
                                        bool ahead) {
  each<G::ORDER, G::COLS, G::THREADS>(true, [&](int r, int c) {
    double sum = shared.tile[c][r];
    for (int k = 0; ahead && i0 + r < n && k < G::ORDER; k++)
      sum += *L.at(i0 + r, i0 - G::ORDER + k) * shared.last[c][k];
    shared.tile[c][r] = -sum;
  });
  substitute_mma<G>(shared, shared.spare, G::COLS, L, i0, n);
}

/* Begins to copy the tile of B to `tile`, with zeros behind its end. The caller's next commit ends the group of these
 * copies. */
template <class G>
__device__ inline void begin_right(double (&tile)[G::COLS][G::LD], const matrix<double> &B, const triangular &t,
                                   int64_t i0, int64_t j0) {
  if (i0 + G::ORDER <= t.n)
    right_stream<G>(B, j0, t.width).at(i0 / G::ORDER).begin(tile);
  else
    each<G::ORDER, G::COLS, G::THREADS>(along_rows(B), [&](int r, int c) {
      const bool exists = i0 + r < t.n && j0 + c < t.width;
      tg_copy_async(&tile[c][r], exists ? B.at(i0 + r, j0 + c) : B.data, exists);
    });
}

/* Stores the lane's part of the tile. `to` is its first element, which is (i, j) of B. */
template <class G>
__device__ inline void store_sums(const double (&x)[G::GROUPS][4], double *to, const matrix<double> &B,
                                  const triangular &t, int64_t i, int64_t j) {
  const bool whole = i + 8 < t.n && j + G::COLS - 7 < t.width;
  const int64_t down = 8 * B.row, next = B.col, skip = 6 * B.col;
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++, to += skip)
#pragma unroll
    for (int e = 0; e < 2; e++, to += next) {
      if (whole || (i < t.n && j + 8 * g + e < t.width)) *to = x[g][e];
      if (whole || (i + 8 < t.n && j + 8 * g + e < t.width)) to[down] = x[g][2 + e];
    }
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. The sums begin with -alpha·B2, which is
 * read ahead of the first wait. */
template <class G, bool BY_TERMS>
__device__ inline void solve_mma(typename G::workspace &shared, const triangular &t, int64_t b, unsigned row,
                                 int64_t j0, dataflow_progress &progress) {
  const matrix<double> L = matrix_of<double>(t.L, b), B = matrix_of<double>(t.B, b);
  const matrix<double> triangle = L.as(LOWER, t.unit);
  const int block = row_block<G>();
  const int64_t i0 = static_cast<int64_t>(row) * G::ORDER;
  int64_t first = i0 + 16 * block;
  prefetch_tile<G, G::ORDER, G::COLS>(B.from(i0, j0), t.n - i0, t.width - j0);
  if (row > 0) prefetch_tile<G, G::ORDER, G::ORDER>(L.from(i0, i0 - G::ORDER), t.n - i0, G::ORDER);
  const inverse_use use = invert_diagonal<G>(shared, triangle, i0, t.n);
  /* With 32 columns, W and a stage by terms would not fit into the registers. */
  constexpr bool FITS = !BY_TERMS || G::GROUPS <= 2;
  const bool ahead = FITS && use == FOR_PRODUCTS && row >= G::FIRST_AHEAD;

  begin_right<G>(shared.tiles[1], B, t, i0, j0);
  left_stream<G, BY_TERMS> left(shared.ring[block], L, first, t.n, ahead ? i0 - G::ORDER : 0,
                                static_cast<int>(row) * G::WARPS);
#pragma unroll
  for (int s = 1; s < G::STAGES; s++) left.begin();
  mma_ahead<G> w;
  if (ahead) {
    make_ahead<G, BY_TERMS>(w, shared, left, L, first);
  } else {
    tg_await_copies<G::STAGES - 2>();
    __syncthreads();
  }
  double sum[G::GROUPS][4];
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int r, int c, double &s) {
      s = -scalar_times(t.alpha.re, shared.tiles[1][8 * g + c][16 * block + r]);
    });
  const unsigned rows = ahead ? row - 1 : row;
  /* right and prefetch compute their addresses anew, because the sums and W need the registers. */
  const auto right = [&](unsigned j) {
    tg_forget(j0);
    return right_stream<G>(B, j0, t.width).at(j);
  };
  const auto prefetch = [&](unsigned j) {
    tg_forget(first);
    if (BY_TERMS && j + G::PREFETCHED < rows)
      prefetch_rows<G>(L, first, t.n, static_cast<int64_t>(j + G::PREFETCHED) * G::ORDER);
  };
  add_tile_row<G, BY_TERMS>(sum, shared, left, rows, progress, right, prefetch);
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int r, int c, double s) { shared.tile[8 * g + c][16 * block + r] = s; });
  __syncthreads();
  if (use != NO_INVERSE) apply_inverse<G>(sum, shared);
  tg_forget(j0), tg_forget(first);
  const int64_t i = first + mma_lane() / 4, j = j0 + mma_lane() % 4 * 2;
  double *const to = B.at(i, j); /* before the wait */
  if (ahead) {
    const right_stream<G> last = right(row - 1);
    __syncthreads();
    add_last<G>(sum, shared, w, last, row, progress);
  }
  bool nonfinite = false;
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int, int, double &x) { x = -x, nonfinite = nonfinite || !is_finite(x); });
  /* A product with the zeros of V would spread a NaN or an infinity to rows above. */
  if (tg_any(nonfinite, &shared.vote) || use == NO_INVERSE) {
    solve_again<G>(shared, triangle, i0, t.n, ahead);
#pragma unroll
    for (int g = 0; g < G::GROUPS; g++)
      each_of_fragment(sum[g], [&](int r, int c, double &s) { s = shared.tile[8 * g + c][16 * block + r]; });
  }
  store_sums<G>(sum, to, B, t, i, j);
}

#endif
