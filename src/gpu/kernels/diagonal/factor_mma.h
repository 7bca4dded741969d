/* factor_mma.h - the Cholesky factor of a diagonal tile of doubles, by a block of threads with matrix units (tg_mma).
 *
 * The tile is shared.own[column][row]. Half of the threads have a row each, and factor a strip of 8 columns at a time.
 * Each of them factors the diagonal block of 8 × 8, too, so that the columns need nothing from other threads. They
 * store what is final, and update the second strip of a panel of 16 columns. All warps update the first strip of the
 * next panel. The other half of the threads, the helpers, update everything behind while a strip is factored; one of
 * them may publish.
 *
 * G::workspace has, besides `own`, the member `vote`. */
#ifndef TRIGON_FACTOR_MMA_H
#define TRIGON_FACTOR_MMA_H

#include "factor_tile.h"
#include "mma_diagonal.h"
#include "strip_columns.h"

using eight_columns = strip_columns<double, 8>;

/* √pivot, where rate = 1 / √pivot. */
template <class R> __device__ inline R root_of(R pivot, R rate) {
  const R approx = pivot * rate;
  return fma(fma(-approx, approx, pivot), rate / 2, approx);
}

/* Factors the columns, if all pivots are far from the ends of the range. Returns whether they are; all threads get the
 * same answer. `row` is the thread's first row, counted from the strip's first one. Without
 * cases for other pivots the columns follow each other at the latency of their arithmetic: with y near 1 / √pivot and
 * the small e = 1 - pivot·y², 1 / √pivot is y + y·e·(1/2 + 3/8·e). */
template <int ROWS> __device__ inline bool factor_plain(strip_columns<double, 8, ROWS> &c, int row) {
  bool plain = true;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const double pivot = c.d[j][j], below = j < 7 ? c.d[j + 1][j] : 0, y = tg_rsqrt_seed(pivot), approx = below * y;
    const double e = fma(-pivot, y * y, 1.), half = fma(e, .375, .5), rate = fma(half, y * e, y);
    plain = plain && is_plain(pivot);
    c.eliminate(j, rate, root_of(pivot, rate), fma(half, approx * e, approx), row);
  }
  return plain;
}

/* factor_plain for floats, whose 1 / √pivot needs no correction. */
__device__ inline bool is_plain(float x) { return x >= 0x1p-120f && x <= 0x1p120f; }
template <int ROWS> __device__ inline bool factor_plain(strip_columns<float, 8, ROWS> &c, int row) {
  bool plain = true;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const float pivot = c.d[j][j], below = j < 7 ? c.d[j + 1][j] : 0, rate = tg_rsqrt_seed(pivot);
    plain = plain && is_plain(pivot);
    c.eliminate(j, rate, root_of(pivot, rate), below * rate, row);
  }
  return plain;
}

/* factor_plain if lanes broadcast the diagonal block (strip_columns.h). */
template <int WIDTH, int ROWS> __device__ inline bool factor_plain(broadcast_columns<double, WIDTH, ROWS> &c, int row) {
  bool plain = true;
#pragma unroll
  for (int j = 0; j < WIDTH; j++) {
    const double pivot = c.pivot_of(j), y = tg_rsqrt_seed(pivot), e = fma(-pivot, y * y, 1.);
    const double rate = fma(fma(e, .375, .5), y * e, y);
    plain = plain && is_plain(pivot);
    c.eliminate(j, rate, root_of(pivot, rate), row);
  }
  return plain;
}

/* Factors 8 columns of a tile in shared memory, whatever the pivots are. Returns the first column whose pivot is not
 * positive, or `failed` if that is not negative. This is the rare case. Ends with a barrier. */
template <class G> __device__ TG_NOINLINE int factor_any(typename G::workspace &shared, int c0, int failed) {
  const int row = static_cast<int>(threadIdx.x);
  eight_columns e;
  if (row < G::ORDER) e.load_row(shared.own[c0], G::LD, row), e.load_diagonal(shared.own[c0] + c0, G::LD);
  __syncthreads();
  if (row < G::ORDER) {
    const int bad = e.factor_any(row - c0);
    if (bad >= 0 && failed < 0) failed = c0 + bad;
    e.store_row(shared.own[c0], G::LD, row);
  }
  __syncthreads();
  return failed;
}

/* Stores a row of 8 columns to memory, from the diagonal on; `to` is its first element in these columns. */
__device__ inline void put_row(const eight_columns &e, double *to, int64_t step, int c0, int row) {
#pragma unroll
  for (int j = 0; j < 8; j++, to += step)
    if (row >= c0 + j) *to = e.x[0][j];
}

/* Subtracts the products of 8 columns, of which the row has x, from the next 8 columns of the row. */
template <int LD> __device__ inline void update_eight(double (*own)[LD], int c0, int row, const double (&x)[8]) {
  double next[8];
#pragma unroll
  for (int k = 0; k < 8; k++) next[k] = own[c0 + 8 + k][row];
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int k = 0; k < 8; k++) next[k] -= x[j] * own[c0 + j][c0 + 8 + k];
#pragma unroll
  for (int k = 0; k < 8; k++) own[c0 + 8 + k][row] = next[k];
}

/* Where a tile of a matrix lies: its element (0, 0), the strides, and the rows that exist. */
struct tile_target {
  double *first;
  int64_t row, col;
  int rows;

  __device__ tile_target(const matrix<double> &A, int64_t i0, int64_t j0, int64_t n, int most)
      : first(A.at(i0, j0)), row(A.row), col(A.col), rows(static_cast<int>(least(n - i0, most))) {}
};

/* Stores WIDTH columns of a tile in shared memory, from column c0 on, to a matrix whose rows are contiguous; `from` is
 * column c0. Neighbouring threads store neighbouring elements: if each thread stored its row, a store would touch as
 * many lines as a warp has lanes. COUNT threads take part. If `lower`, what lies above the diagonal is not stored. */
template <int WIDTH, int COUNT, int LD>
__device__ inline void store_by_rows(const double (*from)[LD], const tile_target &target, int c0, bool lower) {
  const int thread = static_cast<int>(threadIdx.x), c = thread % WIDTH;
  double *to = target.first + thread / WIDTH * target.row + c0 + c;
#pragma unroll 4
  for (int r = thread / WIDTH; r < target.rows; r += COUNT / WIDTH, to += COUNT / WIDTH * target.row)
    if (!lower || r >= c0 + c) *to = from[c][r];
}

/* own -= from·fromᵀ for the 16 columns of `from`, in a strip of 8 columns, and in the blocks of 16 rows first, first +
 * pace, ... A warp takes GROUP of them at once, so that one does not wait for another. */
template <class G, int GROUP>
__device__ inline void subtract_strip(double (*own)[G::LD], const double (*from)[G::LD], int strip, int first,
                                      int pace) {
  double b[4];
  load_right_by_rows<G::LD>(b, from[0] + 8 * strip);
#pragma unroll 1
  for (; first < G::WARPS; first += GROUP * pace) {
    double a[GROUP][8], c[GROUP][4];
    const auto block = [&](int e) { return first + e * pace; };
#pragma unroll
    for (int e = 0; e < GROUP; e++) {
      const int row = 16 * (block(e) < G::WARPS ? block(e) : first);
      each_of_fragment(c[e], [&](int i, int j, double &x) { x = -own[8 * strip + j][row + i]; });
      load_left<G::LD>(a[e], from[0] + row);
    }
#pragma unroll
    for (int e = 0; e < GROUP; e++) tg_mma(c[e], a[e], b);
#pragma unroll
    for (int e = 0; e < GROUP; e++)
      if (block(e) < G::WARPS)
        each_of_fragment(c[e], [&](int i, int j, double x) { own[8 * strip + j][16 * block(e) + i] = -x; });
  }
}

/* What a helper subtracts while a strip of 8 columns is factored: from strips first, first + HELPERS, ... before `end`
 * the products of 16 columns. Those of the panel before go first to the second strip of the panel in work; meanwhile
 * another helper publishes. Then they go to the panels behind. The products of X, from before the factor, go to all
 * strips behind the first panel; X may be null. */
template <class G> struct helper_work {
  const double (*from)[G::LD];
  int first, end;

  __device__ helper_work(const double (*own)[G::LD], const double (*x)[G::LD], int strip, int helper) {
    enum { STRIPS = 2 * G::WARPS };
    const bool before = strip < 2, second = strip % 2 != 0;
    from = before ? x : own + 16 * (strip / 2 - 1);
    first = before ? (second ? STRIPS - 2 : 2) + helper : strip + 1 + (second ? helper : 0);
    end = before ? (!x ? 0 : second ? STRIPS : STRIPS - 2) : second ? STRIPS : helper == 0 ? strip + 2 : 0;
  }
};

/* Factors the first `strips` strips of shared.own, and stores them to `target`. If BY_ROWS, its rows are contiguous.
 * Rows and columns behind these strips are read, but may hold anything. Behind each whole panel of 16 columns all
 * threads call publish(number of panels), which is a barrier. Returns the first column whose pivot is not positive, or
 * -1, to the threads that have rows. Begins with a barrier. */
template <class G, bool BY_ROWS, class Publish>
__device__ inline int factor_mma(typename G::workspace &shared, const tile_target &target, int strips,
                                 const double (*x)[G::LD], Publish publish) {
  enum { HELPERS = (G::THREADS - G::ORDER) / 32 };
  static_assert(G::THREADS == 2 * G::ORDER, "half of the threads have rows");
  const int row = static_cast<int>(threadIdx.x);
  const int helper = mma_warp() - G::ORDER / 32;
  const bool helps = helper >= 0;
  const bool exists = row < target.rows;
  double *to = target.first + row * target.row;
  int failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int strip = 0; strip < strips; strip++) {
    const int c0 = 8 * strip;
    const bool second = strip % 2 != 0;
    eight_columns e;
    bool plain = true;
    if (!helps) {
      e.load_row(shared.own[c0], G::LD, row), e.load_diagonal(shared.own[c0] + c0, G::LD);
      plain = factor_plain(e, row - c0);
    } else {
      const helper_work<G> work(shared.own, x, strip, helper);
#pragma unroll 1
      for (int s = work.first; s < work.end; s += HELPERS) subtract_strip<G, 3>(shared.own, work.from, s, s / 2, 1);
    }
    if (tg_any(!plain, &shared.vote)) {
      failed = factor_any<G>(shared, c0, failed);
      if (!helps) e.load_row(shared.own[c0], G::LD, row);
    } else if (!helps) {
      e.store_row(shared.own[c0], G::LD, row);
    }
    __syncthreads();
    if (!helps && BY_ROWS) store_by_rows<8, G::ORDER>(shared.own + c0, target, c0, true);
    if (!helps && !BY_ROWS) put_row(e, to, target.col, c0, exists ? row : -1);
    to += 8 * target.col;
    if (second && strip + 1 < strips)
      subtract_strip<G, 1>(shared.own, shared.own + c0 - 8, strip + 1, strip / 2 + 1 + mma_warp(), G::WARPS);
    else if (!second && !helps)
      update_eight(shared.own, c0, row, e.x[0]);
    if (second)
      publish(static_cast<unsigned>(strip + 1) / 2);
    else
      __syncthreads();
  }
  return failed;
}

#endif
