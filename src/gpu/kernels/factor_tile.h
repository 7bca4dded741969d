/* factor_tile.h - the Cholesky factor of a diagonal tile, in a block of threads; records failures.
 *
 * The place P of the tile says where an element is, at(col, row), and how the work is shared: ORDER rows, PANEL columns
 * at a time, THREADS threads, and squares of SQUARE × SQUARE elements. */
#ifndef TRIGON_FACTOR_TILE_H
#define TRIGON_FACTOR_TILE_H

#include "triangular_step.h"

/* Records that a column of matrix b has failed. One thread calls this function. */
__device__ inline void record_failure(const factor &p, int64_t b, int64_t column) {
  tg_atomic_min(p.failure, static_cast<unsigned long long>(p.column + b * p.column_step + column + 1));
}

/* How a tile of this order is factored. */
template <class T, int ORDER_, int THREADS_> struct factor_place {
  using element_type = T;
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, PANEL = TG_TILE(4, sizeof(T) == 16 ? 4 : 8),
                       SQUARE = TG_TILE(2, sizeof(T) == 4 ? 4 : 2);
  static_assert(ORDER % PANEL == 0 && PANEL % (2 * SQUARE) == 0,
                "what is behind a panel has an even number of squares");
  static constexpr int SQUARES = (ORDER - PANEL) / SQUARE;
  static_assert(THREADS >= ORDER && THREADS >= SQUARES * (SQUARES + 1) / 2, "each row and each square has a thread");
};

/* Factors PANEL columns, from c0 on. Each thread has a row, and factors the diagonal block of PANEL × PANEL, too, so
 * that the columns need nothing from other threads. A pivot that is not positive keeps its place, and the column under
 * it becomes zero. Returns the first such column, or `failed` if that is not negative, to the first thread. Ends with
 * a barrier. */
template <class P> __device__ inline int factor_panel(int c0, int failed) {
  using T = typename P::element_type;
  using R = real_of<T>;
  enum { PANEL = P::PANEL };
  const int r = c0 + static_cast<int>(threadIdx.x);
  const bool has_row = r < P::ORDER;
  T d[PANEL][PANEL], x[PANEL];
#pragma unroll
  for (int j = 0; has_row && j < PANEL; j++) {
    x[j] = P::at(c0 + j, r);
#pragma unroll
    for (int i = j; i < PANEL; i++) d[i][j] = P::at(c0 + j, c0 + i);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; has_row && j < PANEL; j++) {
    const R pivot = real(d[j][j]), any = tg_rsqrt(pivot), rate = pivot > 0 ? any : 0, near = pivot * rate;
    const R root = rate > 0 ? near + (pivot - near * near) * (rate / 2) : pivot;
    if (!(pivot > 0) && failed < 0) failed = c0 + j;
#pragma unroll
    for (int i = j + 1; i < PANEL; i++) d[i][j] = scale(d[i][j], rate);
    x[j] = r == c0 + j ? make(T{}, root, R(0)) : scale(x[j], rate);
    if (r >= c0 + j) P::at(c0 + j, r) = x[j];
#pragma unroll
    for (int k = j + 1; k < PANEL; k++) {
      x[k] = subtract_product(x[k], x[j], conjugate(d[k][j]));
#pragma unroll
      for (int i = k; i < PANEL; i++) d[i][k] = subtract_product(d[i][k], d[i][j], conjugate(d[k][j]));
    }
  }
  __syncthreads();
  return failed;
}

/* The squares behind a panel form a triangle of an even number of rows. Folded, the triangle is a rectangle, of one row
 * more and half of the columns. */
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

/* Subtracts the products of PANEL columns, from c0 on, from the thread's square behind. Ends with a barrier. */
template <class P> __device__ inline void update_behind(int c0, const folded_square &square) {
  using T = typename P::element_type;
  enum { SQUARE = P::SQUARE };
  if (square.exists) {
    const int r = c0 + P::PANEL + SQUARE * square.row, c = c0 + P::PANEL + SQUARE * square.col;
    T sum[SQUARE][SQUARE];
#pragma unroll
    for (int j = 0; j < SQUARE; j++)
#pragma unroll
      for (int i = 0; i < SQUARE; i++) sum[j][i] = P::at(c + j, r + i);
#pragma unroll
    for (int k = 0; k < P::PANEL; k++)
#pragma unroll
      for (int j = 0; j < SQUARE; j++)
#pragma unroll
        for (int i = 0; i < SQUARE; i++)
          sum[j][i] = subtract_product(sum[j][i], P::at(c0 + k, r + i), conjugate(P::at(c0 + k, c + j)));
#pragma unroll
    for (int j = 0; j < SQUARE; j++)
#pragma unroll
      for (int i = 0; i < SQUARE; i++) P::at(c + j, r + i) = sum[j][i];
  }
  __syncthreads();
}

/* Factors the tile, in the lower triangle. What is above the diagonal may be overwritten. Returns the first column
 * whose pivot is not positive, or -1, to the first thread. Begins and ends with a barrier. */
template <class P> __device__ inline int factor_tile() {
  int failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int c0 = 0; c0 < P::ORDER; c0 += P::PANEL) {
    /* Found ahead, while the threads that have no row would wait. */
    const folded_square square(threadIdx.x, static_cast<unsigned>((P::ORDER - c0 - P::PANEL) / P::SQUARE));
    failed = factor_panel<P>(c0, failed);
    update_behind<P>(c0, square);
  }
  return failed;
}

#endif
