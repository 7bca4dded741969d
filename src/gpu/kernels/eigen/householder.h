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

/* Squares are plain: the matrix has a norm near 1 (scale_triangle.cu). A column whose square is below `least` does not
 * count beside it, and its square has lost digits: it is taken for zero, because H must be unitary. */
template <class R> struct reflection;
template <> struct reflection<float> { static constexpr float least = 0x1p-100f; };
template <> struct reflection<double> { static constexpr double least = 0x1p-900; };

template <class T> struct householder {
  using R = real_of<T>;
  R end;
  T pivot, tau;
  bool is_zero; /* of a column that is zero: v = (1, 0, ..., 0), and tau = 2 turns the sign of its zero */

  /* rest: the sum of the squares of the elements behind alpha. */
  __device__ householder(T alpha, R rest) {
    const R all = square(alpha) + rest, whole = root_of(all);
    is_zero = all < reflection<R>::least;
    end = is_zero ? 0 : real(alpha) < 0 ? whole : -whole;
    pivot = is_zero ? one<T>() : subtract(alpha, make(T{}, end, R(0)));
    tau = is_zero ? make(T{}, R(2), R(0)) : divide(pivot, -end);
  }

  /* The factor that makes v of the elements behind alpha. */
  __device__ T factor_of_rest() const { return is_zero ? T{} : divide(one<T>(), pivot); }

  /* 1 / tau */
  __device__ T inverse() const { return is_zero ? make(T{}, R(0.5), R(0)) : divide(make(T{}, -end, R(0)), pivot); }
};

#endif
