/* strip_columns.h - a strip of columns of a Cholesky factor, as each thread has it: its row, and the diagonal block.
 * Every thread factors the diagonal block, too, so that the columns need nothing from other threads. */
#ifndef TRIGON_STRIP_COLUMNS_H
#define TRIGON_STRIP_COLUMNS_H

#include "element.h"

/* A pivot p of POTRF: 1/√p and √p, or 0 and p if p is not positive (a NaN is not). Then the column under it becomes
 * zero. */
template <class R> struct pivot {
  R rate, root;
  bool positive;

  __device__ explicit pivot(R p) : positive(p > 0) {
    const R any = tg_rsqrt(p);
    rate = positive ? any : 0;
    const R near = p * rate;
    root = rate > 0 ? fma(fma(-near, near, p), rate / 2, near) : p; /* near² may overflow */
  }
};

/* Neighbours, for accesses of 16 bytes. */
template <class T> struct alignas(16) run_of { T of[16 / sizeof(T)]; };

/* x[j] -= mine·conj(right[j]) for each j < WIDTH. The address `right` is a multiple of 16. */
template <class T, int WIDTH> __device__ inline void subtract_products(T (&x)[WIDTH], T mine, const T *right) {
  constexpr int RUN = 16 / sizeof(T);
  const run_of<T> *runs = reinterpret_cast<const run_of<T> *>(right);
#pragma unroll
  for (int i = 0; i < WIDTH / RUN; i++) {
    const run_of<T> r = runs[i];
#pragma unroll
    for (int h = 0; h < RUN; h++) x[i * RUN + h] = subtract_product(x[i * RUN + h], mine, conjugate(r.of[h]));
  }
}

/* Strips of WIDTH columns are stored column by column. */
template <class T, int WIDTH> struct strip_columns {
  using R = real_of<T>;
  T x[WIDTH], d[WIDTH][WIDTH]; /* the row, and the lower triangle of the diagonal block */

  /* The thread's row; `strip` is the first column's element in row 0. What lies above the diagonal is never used. */
  __device__ void load_row(const T *strip, int ld, int row) {
#pragma unroll
    for (int j = 0; j < WIDTH; j++) x[j] = strip[j * ld + row];
  }
  __device__ void store_row(T *strip, int ld, int row) const {
#pragma unroll
    for (int j = 0; j < WIDTH; j++) strip[j * ld + row] = x[j];
  }

  __device__ void load_diagonal(const T *block, int ld) {
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
#pragma unroll
      for (int i = j; i < WIDTH; i++) d[i][j] = block[j * ld + i];
  }

  /* Column j with rate = 1 / √pivot, and the columns behind it. `next` is the column's element below the pivot, times
   * rate: the next pivot waits for it. `on_diagonal`: the thread has the pivot's row. Then its element becomes the
   * root: the row's own element may differ from the pivot in the last digits, and a small pivot may have no others. */
  __device__ void eliminate(int j, R rate, R root, T next, bool on_diagonal) {
#pragma unroll
    for (int i = j + 1; i < WIDTH; i++) d[i][j] = i == j + 1 ? next : scale(d[i][j], rate);
    x[j] = on_diagonal ? make(T{}, root, R(0)) : scale(x[j], rate);
#pragma unroll
    for (int k = j + 1; k < WIDTH; k++) {
      const T by = conjugate(d[k][j]);
      x[k] = subtract_product(x[k], x[j], by);
#pragma unroll
      for (int i = k; i < WIDTH; i++) d[i][k] = subtract_product(d[i][k], d[i][j], by);
    }
  }

  /* Factors the columns, whatever the pivots are. The diagonal is in this row, counted from the strip's first one, if
   * it is in the thread's row. A pivot that is not positive keeps its place, and the column under it becomes zero.
   * Returns the first such column, or -1. */
  __device__ int factor_any(int row) {
    int failed = -1;
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
      const pivot<R> p(real(d[j][j]));
      if (!p.positive && failed < 0) failed = j;
      const int below = j + 1 < WIDTH ? j + 1 : j; /* the last column has nothing below its pivot */
      eliminate(j, p.rate, p.root, scale(d[below][j], p.rate), row == j);
    }
    return failed;
  }
};

#endif
