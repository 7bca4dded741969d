/* half_vectors.h - what divide and conquer in a block (divided_solver.h) keeps in the place of the matrix, which is in
 * registers during its reduction: the vectors of the tridiagonal matrix's two halves, a square each, and behind them
 * the reflectors, one column behind the other. A square and the triangle of reflectors have the size of the matrix.
 * The vectors of both halves together are never stored as a square of order n before they are multiplied by the
 * reflectors. */
#ifndef TRIGON_HALF_VECTORS_H
#define TRIGON_HALF_VECTORS_H

#include "gpu/kernels/element.h"

template <class T> struct half_vectors {
  T *data;
  int n;

  static constexpr TRIGON_HOST_DEVICE int leading(int rows) { return rows | 1; } /* odd: rows are in different banks */
  static constexpr TRIGON_HOST_DEVICE int square(int rows) { return rows * leading(rows); }
  static constexpr TRIGON_HOST_DEVICE int size(int n) { return square(n / 2) + square(n - n / 2) + n * (n - 1) / 2; }

  __device__ int middle() const { return n / 2; }
  /* The leading dimension of the half with this row. */
  __device__ int leading_at(int row) const { return leading(row < middle() ? middle() : n - middle()); }
  /* The square on the diagonal that begins at this row. */
  __device__ T *square_at(int row) const {
    const bool first = row < middle();
    return data + (first ? 0 : square(middle())) + (first ? row : row - middle()) * (1 + leading_at(row));
  }
  /* Element i > k of the reflector of column k. */
  __device__ T &reflector(int i, int k) const {
    return data[square(middle()) + square(n - middle()) + k * n - k * (k + 1) / 2 + i - k - 1];
  }
};

#endif
