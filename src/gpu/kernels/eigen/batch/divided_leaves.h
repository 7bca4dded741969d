/* divided_leaves.h - how divide and conquer in a block of threads begins: the tridiagonal matrix is cut into leaves,
 * which QL solves, a thread for each row of their vectors. Source: J. Cuppen (Numer. Math. 36, 1981); LAPACK xLAED0. */
#ifndef TRIGON_DIVIDED_LEAVES_H
#define TRIGON_DIVIDED_LEAVES_H

#include "common/eigen/divide.h"
#include "common/eigen/scale_rule.h"
#include "gpu/kernels/eigen/secular_functions.h"
#include "half_vectors.h"

/* QL of more rows takes longer than one more level of merges. */
enum { DIVIDED_LEAF_ROWS = TG_TILE(3, 4) };

/* T of order n: the diagonal, which becomes the values, and what is below it. A thread has at most one row of the
 * vectors. */
template <class R, int THREADS> struct divided_leaves {
  R *d, *e;
  int n;

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ int leaf_of(int row, int level) const { return (((row + 1) << level) - 1) / n; }

  /* The largest element of a thread's rows. */
  __device__ R largest() const {
    R largest = 0;
    for (int i = thread(); i < n; i += THREADS) {
      if (magnitude(d[i]) > largest) largest = magnitude(d[i]);
      if (magnitude(e[i]) > largest) largest = magnitude(e[i]);
    }
    return largest;
  }

  /* Scales T, whose largest element is given, to a norm near 1, and cuts it into the leaves of this level. Returns the
   * power of two. */
  __device__ R cut(int level, R largest) const {
    const R power = static_cast<R>(power_for(static_cast<double>(largest), sizeof(R) == sizeof(float)));
    for (int i = thread(); i < n; i += THREADS) e[i] *= power;
    __syncthreads();
    for (int i = thread(); i < n; i += THREADS) {
      const int leaf = leaf_of(i, level);
      R x = d[i] * power;
      if (i > 0 && leaf_of(i - 1, level) != leaf) x -= magnitude(e[i - 1]);
      if (i + 1 < n && leaf_of(i + 1, level) != leaf) x -= magnitude(e[i]);
      d[i] = x;
    }
    __syncthreads();
    return power;
  }

  /* All threads of a leaf compute the same rotations. Returns how many values were not found. */
  __device__ int solve(const half_vectors<R> &halves, int level) const {
    const int i = thread(), leaf = i < n ? leaf_of(i, level) : 0;
    const int first = static_cast<int>(block_begin(n, level, leaf));
    const int rows = static_cast<int>(block_begin(n, level, leaf + 1)) - first;
    R leaf_d[DIVIDED_LEAF_ROWS], leaf_e[DIVIDED_LEAF_ROWS];
    int failed = 0;
    if (i < n) {
      const int ld = halves.leading_at(first);
      R *const row = halves.square_at(first) + (i - first);
      for (int j = 0; j < rows; j++) {
        leaf_d[j] = d[first + j], leaf_e[j] = e[first + j];
        row[j * ld] = R(j == i - first);
      }
      failed = static_cast<int>(secular<R>::solve(rows, leaf_d, leaf_e, row, ld));
    }
    __syncthreads(); /* all have read */
    if (i < n) d[i] = leaf_d[i - first];
    __syncthreads();
    return failed;
  }
};

#endif
