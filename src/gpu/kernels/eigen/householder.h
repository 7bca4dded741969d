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

/* Squares are plain: the matrix is scaled (scale_triangle.cu), so that squares that underflow belong to elements that do
 * not count beside its norm. */
template <class T> struct householder {
  using R = real_of<T>;
  R end;
  T pivot, tau;
  bool is_zero; /* the column is zero: v = (1, 0, ..., 0), and tau = 2 turns the sign of its zero */

  /* rest: the sum of the squares of the elements behind alpha. */
  __device__ householder(T alpha, R rest) {
    const R whole = root_of(square(alpha) + rest);
    is_zero = whole == 0;
    end = real(alpha) < 0 ? whole : -whole;
    pivot = is_zero ? one<T>() : subtract(alpha, make(T{}, end, R(0)));
    tau = is_zero ? make(T{}, R(2), R(0)) : divide(pivot, -end);
  }

  /* 1 / tau */
  __device__ T inverse() const { return is_zero ? make(T{}, R(0.5), R(0)) : divide(make(T{}, -end, R(0)), pivot); }
};

#endif
