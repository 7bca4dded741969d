/* sturm_count.h - bisection of a real tridiagonal matrix: how many eigenvalues lie below a point, and the search
 * for one value by one thread.
 *
 * Source: LAPACK xSTEBZ, xLAEBZ; W. Barth, R. Martin, J. Wilkinson (Numer. Math. 9, 1967). */
#ifndef TRIGON_STURM_COUNT_H
#define TRIGON_STURM_COUNT_H

#include "gpu/kernels/element.h"

enum {
  RESCALED = 4,    /* so many steps the minors stay in the range: see count_below */
  VALUE_POINTS = 3 /* a thread that searches alone looks at so many points at once: they wait for each other's sums */
};

/* Of doubles, in which the matrices of both types are counted. After the rounds an interval has the width of a roundoff
 * of the type's norm. */
static constexpr double small_minor = 0x1p-200, large_minor = 0x1p200, least_pivot = 0x1p-106;
static constexpr double values_end = 1 + 0x1p-20; /* of a norm of at most 1, whose sums were rounded */
template <class R> constexpr int rounds_alone = sizeof(R) == sizeof(float) ? 14 : 27;

/* How many eigenvalues are below each point: the sign changes of the leading minors of T - x·I, whose norm is at most
 * 2.
 *
 *     p_i = (d_i - x)·p_(i-1) - e_(i-1)²·p_(i-2)
 *
 * A minor that is zero, or below 2^-1042, counts as small, with the sign of a small positive pivot. No division is on
 * the way. A step enlarges minors by at most 3, and makes them smaller by 2^-106, or by so little an e² that this does
 * not count. */
template <int POINTS, class R>
__device__ inline void count_below(const R *d, const R *e, int64_t n, const double (&x)[POINTS],
                                   int64_t (&count)[POINTS]) {
  double before[POINTS], minor[POINTS], off = 0;
  int changes[POINTS];
#pragma unroll
  for (int k = 0; k < POINTS; k++) before[k] = 0, minor[k] = 1, changes[k] = 0;
  auto take_row = [&](int64_t i) {
    const double here = static_cast<double>(d[i]), square = off * off;
#pragma unroll
    for (int k = 0; k < POINTS; k++) {
      double next = (here - x[k]) * minor[k] - square * before[k];
      if ((high_word(next) & 0x7fffffff) == 0) next = minor[k] * least_pivot; /* integers: the doubles' pipe is busy */
      changes[k] += static_cast<int>((high_word(next) ^ high_word(minor[k])) >> 31);
      before[k] = minor[k], minor[k] = next;
    }
    off = static_cast<double>(e[i]);
  };
  for (int64_t first = 0; first < n; first += RESCALED) {
    if (first + RESCALED <= n)
#pragma unroll
      for (int i = 0; i < RESCALED; i++) take_row(first + i);
    else
      for (int64_t i = first; i < n; i++) take_row(i);
#pragma unroll
    for (int k = 0; k < POINTS; k++) {
      const double size = magnitude(minor[k]) > magnitude(before[k]) ? magnitude(minor[k]) : magnitude(before[k]);
      const double power = size < small_minor ? large_minor : size > large_minor ? small_minor : 1;
      before[k] *= power, minor[k] *= power;
    }
  }
#pragma unroll
  for (int k = 0; k < POINTS; k++) count[k] = changes[k];
}

/* An eigenvalue by its number in ascending order, from 0, of a matrix whose norm is at most 1. */
template <class R> __device__ inline double value_by_number(const R *d, const R *e, int64_t n, int64_t number) {
  double low = -values_end, high = values_end, x[VALUE_POINTS];
  int64_t count[VALUE_POINTS];
#pragma unroll 1
  for (int round = 0; round < rounds_alone<R>; round++) {
    const double step = (high - low) / (VALUE_POINTS + 1), begin = low;
#pragma unroll
    for (int k = 0; k < VALUE_POINTS; k++) x[k] = begin + step * (k + 1);
    count_below<VALUE_POINTS, R>(d, e, n, x, count);
#pragma unroll
    for (int k = 0; k < VALUE_POINTS; k++)
      if (count[k] <= number) low = x[k];
#pragma unroll
    for (int k = VALUE_POINTS - 1; k >= 0; k--)
      if (count[k] > number) high = x[k];
  }
  return low + (high - low) / 2;
}

#endif
