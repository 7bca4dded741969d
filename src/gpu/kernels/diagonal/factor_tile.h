/* factor_tile.h - the Cholesky factor of a diagonal tile, in a block of threads; records failures.
 *
 * The geometry P of the tile says where an element is, at(col, row), and how the work is shared: ORDER rows, PANEL
 * columns at a time, THREADS threads, and squares of SQUARE × SQUARE elements. */
#ifndef TRIGON_FACTOR_TILE_H
#define TRIGON_FACTOR_TILE_H

#include "strip_columns.h"
#include "triangular_step.h"

/* Records that a column of matrix b has failed. One thread calls this function. */
__device__ inline void record_failure(const factor &p, int64_t b, int64_t column) {
  tg_atomic_min(p.failure, static_cast<unsigned long long>(p.column + b * p.column_step + column + 1));
}

/* How a tile of this order is factored. */
template <class T, int ORDER_, int THREADS_> struct factor_workspace {
  using element_type = T;
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, PANEL = TG_TILE(4, sizeof(T) == 16 ? 4 : 8),
                       SQUARE = TG_TILE(2, sizeof(T) == 4 ? 4 : 2);
  static_assert(ORDER % PANEL == 0 && PANEL % (2 * SQUARE) == 0,
                "what is behind a panel has an even number of squares");
  static_assert(THREADS > ORDER, "each row has a thread, and there are others");
};

/* A panel: PANEL columns from c0 on. Each of the first threads has a row below the columns before, and factors the
 * diagonal block of PANEL × PANEL, too, so that the columns need nothing from other threads. */
template <class P> struct factor_panel {
  using T = typename P::element_type;
  using R = real_of<T>;
  static constexpr int PANEL = P::PANEL;
  int c0, row;
  T d[PANEL][PANEL], x[PANEL];

  __device__ explicit factor_panel(int first) : c0(first), row(first + static_cast<int>(threadIdx.x)) {
    if (row >= P::ORDER) return;
#pragma unroll
    for (int j = 0; j < PANEL; j++) {
      x[j] = P::at(c0 + j, row);
#pragma unroll
      for (int i = j; i < PANEL; i++) d[i][j] = P::at(c0 + j, c0 + i);
    }
  }

  /* A pivot that is not positive keeps its place, and the column under it becomes zero. Returns the first such column,
   * or `failed` if that is not negative, to the first thread. */
  __device__ int run(int failed) {
    if (row >= P::ORDER) return failed;
#pragma unroll
    for (int j = 0; j < PANEL; j++) {
      const pivot<R> p(real(d[j][j]));
      if (!p.positive && failed < 0) failed = c0 + j;
#pragma unroll
      for (int i = j + 1; i < PANEL; i++) d[i][j] = scale(d[i][j], p.rate);
      x[j] = row == c0 + j ? make(T{}, p.root, R(0)) : scale(x[j], p.rate);
      if (row >= c0 + j) P::at(c0 + j, row) = x[j];
#pragma unroll
      for (int k = j + 1; k < PANEL; k++) {
        x[k] = subtract_product(x[k], x[j], conjugate(d[k][j]));
#pragma unroll
        for (int i = k; i < PANEL; i++) d[i][k] = subtract_product(d[i][k], d[i][j], conjugate(d[k][j]));
      }
    }
    return failed;
  }
};

/* Subtracts the products of the panel at c0 from HIGH × WIDE elements, of which the first is (row, col). */
template <class P, int HIGH, int WIDE> __device__ inline void subtract_panel(int c0, int row, int col) {
  using T = typename P::element_type;
  T sum[WIDE][HIGH];
#pragma unroll
  for (int j = 0; j < WIDE; j++)
#pragma unroll
    for (int i = 0; i < HIGH; i++) sum[j][i] = P::at(col + j, row + i);
#pragma unroll
  for (int k = 0; k < P::PANEL; k++)
#pragma unroll
    for (int j = 0; j < WIDE; j++)
#pragma unroll
      for (int i = 0; i < HIGH; i++)
        sum[j][i] = subtract_product(sum[j][i], P::at(c0 + k, row + i), conjugate(P::at(c0 + k, col + j)));
#pragma unroll
  for (int j = 0; j < WIDE; j++)
#pragma unroll
    for (int i = 0; i < HIGH; i++) P::at(col + j, row + i) = sum[j][i];
}

/* Subtracts the products of the panel at c0 from the next panel. All threads take part. */
template <class P> __device__ inline void update_next(int c0) {
  enum { HIGH = P::SQUARE / 2, WIDE = 2, ACROSS = P::PANEL / WIDE };
  static_assert((P::ORDER - P::PANEL) / HIGH * ACROSS <= P::THREADS, "one turn is enough");
  const int first = c0 + P::PANEL, thread = static_cast<int>(threadIdx.x);
  const int row = first + thread / ACROSS * HIGH, col = first + thread % ACROSS * WIDE;
  if (row < P::ORDER) subtract_panel<P, HIGH, WIDE>(c0, row, col);
}

/* A triangle of squares that has an even number of rows. Folded, the triangle is a rectangle, of one row more and half
 * of the columns. */
struct folded_square {
  int row, col;
  bool exists;
  __device__ folded_square(unsigned number, unsigned squares) {
    const int q = static_cast<int>(number / (squares + 1)), p = static_cast<int>(number % (squares + 1));
    const int last = static_cast<int>(squares) - 1;
    row = p > q ? p - 1 : last - p;
    col = p > q ? q : last - q;
    exists = 2 * q < static_cast<int>(squares);
  }
};

/* Subtracts the products of the panel at c0 from the columns behind the next panel. The threads that can have no row of
 * a panel do this. */
template <class P> __device__ inline void update_rest(int c0) {
  enum { OTHERS = P::THREADS - P::ORDER };
  const int first = c0 + 2 * P::PANEL, squares = (P::ORDER - first) / P::SQUARE;
  for (int at = static_cast<int>(threadIdx.x) - P::ORDER; at < squares * (squares + 1) / 2; at += OTHERS) {
    const folded_square square(static_cast<unsigned>(at), static_cast<unsigned>(squares));
    subtract_panel<P, P::SQUARE, P::SQUARE>(c0, first + P::SQUARE * square.row, first + P::SQUARE * square.col);
  }
}

/* Factors the tile, in the lower triangle. What is above the diagonal may be overwritten. Returns the first column
 * whose pivot is not positive, or -1, to the first thread. Begins and ends with a barrier.
 *
 * Right-looking, one panel ahead: while some threads factor a panel, the others subtract the products of the panel
 * before from what is behind. */
template <class P> __device__ inline int factor_tile() {
  int failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int c0 = 0; c0 < P::ORDER; c0 += P::PANEL) {
    factor_panel<P> panel(c0);
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < P::ORDER)
      failed = panel.run(failed);
    else if (c0 > 0)
      update_rest<P>(c0 - P::PANEL);
    __syncthreads();
    update_next<P>(c0);
    __syncthreads();
  }
  return failed;
}

#endif
