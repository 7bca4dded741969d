/* element.h - arithmetic of the four element types in kernels: float, double, and complex numbers of both. */
#ifndef TRIGON_ELEMENT_H
#define TRIGON_ELEMENT_H

#include "launchers.h"
#include <string.h>

template <class R> struct alignas(2 * sizeof(R)) complex { R re, im; };

/* If least <= |x| <= most, the reciprocal of x is a normal number. `low` and `high` are powers of two halfway to the
 * ends of the range. */
template <class T> struct element;
template <> struct element<float> {
  using real = float;
  static constexpr float least = 0x1p-126f, most = 0x1p126f, low = 0x1p-63f, high = 0x1p63f;
};
template <> struct element<double> {
  using real = double;
  static constexpr double least = 0x1p-1022, most = 0x1p1022, low = 0x1p-511, high = 0x1p511;
};
template <class R> struct element<complex<R>> { using real = R; };
template <class T> using real_of = typename element<T>::real;

/* ---------------------------------------------------------------------------------------------------- reals -- */

template <class R> __device__ inline R real(R x) { return x; }
template <class R> __device__ inline R conjugate(R x) { return x; }
template <class R> __device__ inline R only_real(R x) { return x; }
template <class R> __device__ inline bool is_zero(R x) { return x == 0; }
template <class R> __device__ inline R multiply(R x, R y) { return x * y; }
template <class R> __device__ inline R add(R x, R y) { return x + y; }
template <class R> __device__ inline R subtract(R x, R y) { return x - y; }
template <class R> __device__ inline R scale(R x, R by) { return x * by; }
template <class R> __device__ inline R divide(R x, R y) { return x / y; }
template <class R> __device__ inline R make(R, R re, R) { return re; }

/* alpha·x for a scalar of the interface. If alpha is one, the result is exactly x. */
template <class R> __device__ inline R scalar_times(R alpha, R x) { return alpha * x; }

/* sum + x·y */
template <class R> __device__ inline R multiply_add(R x, R y, R sum) { return sum + x * y; }

/* sum - x·y */
template <class R> __device__ inline R subtract_product(R sum, R x, R y) { return sum - x * y; }

/* 1 / x, or 0 if x or 1 / x is not a normal number. The caller must divide if the result is 0. */
template <class R> __device__ inline R reciprocal(R x) {
  R size = x < 0 ? -x : x;
  return size >= element<R>::least && size <= element<R>::most ? 1 / x : 0;
}

/* -------------------------------------------------------------------------------------------------- complex -- */

template <class R> __device__ inline R real(complex<R> x) { return x.re; }
template <class R> __device__ inline complex<R> conjugate(complex<R> x) { return {x.re, -x.im}; }
template <class R> __device__ inline complex<R> only_real(complex<R> x) { return {x.re, 0}; }
template <class R> __device__ inline bool is_zero(complex<R> x) { return x.re == 0 && x.im == 0; }
template <class R> __device__ inline complex<R> add(complex<R> x, complex<R> y) { return {x.re + y.re, x.im + y.im}; }
template <class R> __device__ inline complex<R> subtract(complex<R> x, complex<R> y) {
  return {x.re - y.re, x.im - y.im};
}
template <class R> __device__ inline complex<R> scale(complex<R> x, R by) { return {x.re * by, x.im * by}; }
template <class R> __device__ inline complex<R> make(complex<R>, R re, R im) { return {re, im}; }

template <class R> __device__ inline complex<R> multiply_add(complex<R> x, complex<R> y, complex<R> sum) {
  return {sum.re + x.re * y.re - x.im * y.im, sum.im + x.re * y.im + x.im * y.re};
}
template <class R> __device__ inline complex<R> subtract_product(complex<R> sum, complex<R> x, complex<R> y) {
  return {sum.re - x.re * y.re + x.im * y.im, sum.im - x.re * y.im - x.im * y.re};
}
template <class R> __device__ inline complex<R> multiply(complex<R> x, complex<R> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* If x has an infinite part, a product with (1, 0) would make the other part NaN, because 0 times infinity is NaN. */
template <class R> __device__ inline complex<R> scalar_times(complex<R> alpha, complex<R> x) {
  return alpha.re == 1 && alpha.im == 0 ? x : multiply(alpha, x);
}

template <class R> __device__ inline R larger_component(complex<R> x) {
  R re = x.re < 0 ? -x.re : x.re, im = x.im < 0 ? -x.im : x.im;
  return re > im ? re : im;
}

/* x / y by Smith's algorithm, for operands far from the ends of the range. The result is wrong if an intermediate
 * result overflows, or if both terms of a sum underflow. y must not be 0. */
template <class R> __device__ inline complex<R> smith_quotient(complex<R> x, complex<R> y) {
  R re = y.re < 0 ? -y.re : y.re, im = y.im < 0 ? -y.im : y.im;
  if (re >= im) {
    R ratio = y.im / y.re, bottom = y.re + y.im * ratio;
    return {(x.re + x.im * ratio) / bottom, (x.im - x.re * ratio) / bottom};
  }
  R ratio = y.re / y.im, bottom = y.re * ratio + y.im;
  return {(x.re * ratio + x.im) / bottom, (x.im * ratio - x.re) / bottom};
}

/* The power of two that scales x into the middle half of the range, or 1 if x is there already. */
template <class R> __device__ inline R centering(complex<R> x) {
  R size = larger_component(x);
  return size > element<R>::high ? element<R>::low : size < element<R>::low ? element<R>::high : 1;
}

template <class R> __device__ inline complex<R> divide(complex<R> x, R y) { return {x.re / y, x.im / y}; }

/* x / y, with an error of a few roundings of |x / y|, if the quotient is a normal number. If one component is smaller
 * than the other by more than the type's digits, all digits of the smaller one may be wrong, unless y is real. */
template <class R> __device__ inline complex<R> divide(complex<R> x, complex<R> y) {
  if (y.im == 0) return divide(x, y.re);
  R to_x = centering(x), to_y = centering(y);
  return scale(smith_quotient(scale(x, to_x), scale(y, to_y)), to_y / to_x);
}

/* As for reals. Numbers between these bounds are far enough from the ends of the range for Smith's algorithm. */
template <class R> __device__ inline complex<R> reciprocal(complex<R> x) {
  R size = larger_component(x);
  bool safe = size >= 2 * element<R>::least && size <= element<R>::most / 2;
  return safe ? smith_quotient(complex<R>{1, 0}, x) : complex<R>{0, 0};
}

/* x of another lane of the warp: see tg_shuffle. */
template <class R> __device__ inline R shuffle(R x, int lane) { return tg_shuffle(x, lane); }
template <class R> __device__ inline complex<R> shuffle(complex<R> x, int lane) {
  return {tg_shuffle(x.re, lane), tg_shuffle(x.im, lane)};
}

/* A scalar of the interface as an element; T{} is zero. */
template <class T> __device__ inline T element_of(trigon_scalar x) {
  return make(T{}, static_cast<real_of<T>>(x.re), static_cast<real_of<T>>(x.im));
}
template <class T> __device__ inline T one() { return make(T{}, real_of<T>(1), real_of<T>(0)); }

/* |re| + |im|: at least the absolute value. */
template <class R> __device__ inline R magnitude(R x) { return x < 0 ? -x : x; }
template <class R> __device__ inline R magnitude(complex<R> x) { return magnitude(x.re) + magnitude(x.im); }

/* The upper half of a double: sign, exponent and 20 bits. */
__device__ inline unsigned high_word(double x) {
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  return static_cast<unsigned>(bits >> 32);
}

/* Whether x is neither infinite nor NaN. */
template <class T> __device__ inline bool is_finite(T x) {
  const real_of<T> size = magnitude(x);
  return size - size == 0;
}
/* A comparison of integers does not wait for the pipe of doubles. */
__device__ inline bool is_finite(double x) {
  constexpr unsigned exponent = 0x7ff00000;
  return (high_word(x) & exponent) != exponent;
}

#endif
