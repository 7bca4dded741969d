/* strip_columns.h - a strip of columns of a Cholesky factor, as each thread has it: its rows, and the diagonal block.
 * Every thread factors the diagonal block, too, so that the columns need nothing from other threads. If the rows are
 * those of a warp, the lanes of the diagonal block may broadcast its elements instead. */
#ifndef TRIGON_STRIP_COLUMNS_H
#define TRIGON_STRIP_COLUMNS_H

#include "gpu/kernels/element.h"

/* A pivot p of POTRF: 1/√p and √p, or 0 and p if p is not positive (a NaN is not). Then the column under it becomes
 * zero. */
template <class R> struct pivot {
  R rate, root;
  bool positive;

  __device__ explicit pivot(R p) : positive(p > 0) {
    const R any = tg_rsqrt(p);
    rate = positive ? any : 0;
    const R approx = p * rate;
    root = rate > 0 ? fma(fma(-approx, approx, p), rate / 2, approx) : p; /* approx² may overflow */
  }
};

/* Neighbours, for accesses of 16 bytes. */
template <class T> struct alignas(16) run_of { T of[16 / sizeof(T)]; };

/* x[h][j] -= mine[h]·conj(right[j]) for each j < WIDTH. The address `right` is a multiple of 16. */
template <class T, int ROWS, int WIDTH>
__device__ inline void subtract_products(T (&x)[ROWS][WIDTH], const T (&mine)[ROWS], const T *right) {
  constexpr int RUN = 16 / sizeof(T);
  const run_of<T> *runs = reinterpret_cast<const run_of<T> *>(right);
#pragma unroll
  for (int i = 0; i < WIDTH / RUN; i++) {
    const run_of<T> r = runs[i];
#pragma unroll
    for (int a = 0; a < RUN; a++) {
      const T by = conjugate(r.of[a]);
#pragma unroll
      for (int h = 0; h < ROWS; h++) x[h][i * RUN + a] = subtract_product(x[h][i * RUN + a], mine[h], by);
    }
  }
}

/* Strips of WIDTH columns are stored column by column. A thread may have several rows. Only the first one may be a row
 * of the diagonal block. */
template <class T, int WIDTH, int ROWS> struct strip_rows {
  T x[ROWS][WIDTH];

  /* The thread's row; `strip` is the first column's element in row 0. What lies above the diagonal is never used. */
  __device__ void load_row(const T *strip, int ld, int row, int number = 0) {
#pragma unroll
    for (int j = 0; j < WIDTH; j++) x[number][j] = strip[j * ld + row];
  }
  __device__ void clear_row(int number) {
#pragma unroll
    for (int j = 0; j < WIDTH; j++) x[number][j] = T{};
  }
  __device__ void store_row(T *strip, int ld, int row, int number = 0) const {
#pragma unroll
    for (int j = 0; j < WIDTH; j++) strip[j * ld + row] = x[number][j];
  }

protected:
  /* Column j = the thread's elements times rate = 1 / √pivot. `row` is the thread's first row, counted from the strip's
   * first one. If the thread has the pivot's row, the row's element becomes the root: the element itself may differ
   * from the pivot in the last digits, and a small pivot may have no others. */
  __device__ void scale_column(int j, real_of<T> rate, real_of<T> root, int row) {
#pragma unroll
    for (int h = 0; h < ROWS; h++) x[h][j] = h == 0 && row == j ? make(T{}, root, real_of<T>(0)) : scale(x[h][j], rate);
  }
  /* Subtracts the products of column j from column k; `by` is the conjugate of the element in row k. */
  __device__ void subtract_column(int j, int k, T by) {
#pragma unroll
    for (int h = 0; h < ROWS; h++) x[h][k] = subtract_product(x[h][k], x[h][j], by);
  }
};

template <class T, int WIDTH, int ROWS = 1> struct strip_columns : strip_rows<T, WIDTH, ROWS> {
  using R = real_of<T>;
  T d[WIDTH][WIDTH]; /* the lower triangle of the diagonal block */

  __device__ void load_diagonal(const T *block, int ld) {
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
#pragma unroll
      for (int i = j; i < WIDTH; i++) d[i][j] = block[j * ld + i];
  }

  /* Column j with rate = 1 / √pivot, and the columns behind it. `next` is the column's element below the pivot, times
   * rate: the next pivot waits for it. `row` is the thread's first row, counted from the strip's first one. */
  __device__ void eliminate(int j, R rate, R root, T next, int row) {
#pragma unroll
    for (int i = j + 1; i < WIDTH; i++) d[i][j] = i == j + 1 ? next : scale(d[i][j], rate);
    this->scale_column(j, rate, root, row);
#pragma unroll
    for (int k = j + 1; k < WIDTH; k++) {
      const T by = conjugate(d[k][j]);
      this->subtract_column(j, k, by);
#pragma unroll
      for (int i = k; i < WIDTH; i++) d[i][k] = subtract_product(d[i][k], d[i][j], by);
    }
  }

  /* Factors the columns, whatever the pivots are; `row` as above. A pivot that is not positive keeps its place, and the
   * column under it becomes zero. Returns the first such column, or -1. */
  __device__ int factor_any(int row) {
    int failed = -1;
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
      const pivot<R> p(real(d[j][j]));
      if (!p.positive && failed < 0) failed = j;
      const int below = j + 1 < WIDTH ? j + 1 : j; /* the last column has nothing below its pivot */
      eliminate(j, p.rate, p.root, scale(d[below][j], p.rate), row);
    }
    return failed;
  }
};

/* A strip of columns without a copy of the diagonal block in each thread: 32 lanes of a warp have the rows. The first
 * lanes have the rows of the diagonal block, and broadcast its elements. All lanes call these functions. */
template <class T, int WIDTH, int ROWS> struct broadcast_columns : strip_rows<T, WIDTH, ROWS> {
  using R = real_of<T>;

  /* Broadcasts x of the lane that has the block's row k. */
  template <class X> __device__ static X broadcast(X x, int k) {
    return shuffle(x, static_cast<int>(threadIdx.x) % tg_warp() / 32 * 32 + k);
  }
  __device__ R pivot_of(int j) const { return broadcast(real(this->x[0][j]), j); }

  __device__ void eliminate(int j, R rate, R root, int row) {
    this->scale_column(j, rate, root, row);
#pragma unroll
    for (int k = j + 1; k < WIDTH; k++) this->subtract_column(j, k, conjugate(broadcast(this->x[0][j], k)));
  }

  __device__ int factor_any(int row) {
    int failed = -1;
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
      const pivot<R> p(pivot_of(j));
      if (!p.positive && failed < 0) failed = j;
      eliminate(j, p.rate, p.root, row);
    }
    return failed;
  }
};

#endif
