/* householder.h - the rule by which a column becomes a reflector, in kernels: LAPACK xLARFG's.
 *
 * H = I - tau·v·vᴴ with Hᴴ·(alpha, rest) = (end, 0, ..., 0), v = (1, rest / pivot). */
#ifndef TRIGON_HOUSEHOLDER_H
#define TRIGON_HOUSEHOLDER_H

#include <math.h>

#include "gpu/kernels/element.h"

template <class R> __device__ inline R square(R x) { return x * x; }
template <class R> __device__ inline R square(complex<R> x) { return x.re * x.re + x.im * x.im; }
template <class R> __device__ inline R imaginary(R) { return 0; }
template <class R> __device__ inline R imaginary(complex<R> x) { return x.im; }
template <class R> __device__ inline R root_of(R x) { return static_cast<R>(sqrt(static_cast<double>(x))); }
template <class R> __device__ inline R length_of(R x, R y) {
  return static_cast<R>(hypot(static_cast<double>(x), static_cast<double>(y)));
}

template <class T> struct householder {
  using R = real_of<T>;
  R end;
  T pivot, tau, inverse; /* inverse = 1 / tau */
  bool is_zero;          /* the column is zero: v = (1, 0, ..., 0), and tau = 2 turns the sign of its zero */

  /* rest: the length of the elements behind alpha. */
  __device__ householder(T alpha, R rest) {
    const R whole = length_of(length_of(real(alpha), imaginary(alpha)), rest);
    is_zero = whole == 0;
    end = real(alpha) < 0 ? whole : -whole;
    pivot = is_zero ? one<T>() : subtract(alpha, make(T{}, end, R(0)));
    tau = is_zero ? make(T{}, R(2), R(0)) : divide(pivot, -end);
    inverse = is_zero ? make(T{}, R(0.5), R(0)) : divide(make(T{}, -end, R(0)), pivot);
  }
};

#endif
