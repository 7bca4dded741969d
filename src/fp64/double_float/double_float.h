/* double_float.h - numbers as unevaluated sums of two floats (Mukunoki and Imamura, DGEMM on Maxwell GPUs, 2014): the
 * arithmetic, and the steps of a product that work on one element of an operand or of C.
 *
 * With u = 2^-24, a pair is high + low with |low| <= u·|high|. So it has about 48 bits, and the range of a float.
 *
 * The host and every GPU get the same bits, because no compiler can fuse a product with a sum here. The operands of a
 * sum are sums and results of fma, and never plain products, unless the products are exact. */
#ifndef TRIGON_DOUBLE_FLOAT_H
#define TRIGON_DOUBLE_FLOAT_H

#include "fp64/int8/unscale.h"

typedef struct double_float {
  float high, low;
} double_float;

enum { double_float_bits = 48 };

/* -------------------------------------------------------------------------------------------------- arithmetic -- */

/* a + b in 11 operations, with an error of at most 3u²·(|a| + |b|). */
static TRIGON_HOST_DEVICE inline double_float add_double_floats(double_float a, double_float b) {
  const float s = a.high + b.high, v = s - a.high;
  const float error = ((a.high - (s - v)) + (b.high - v)) + (a.low + b.low);
  double_float c;
  c.high = s + error;
  c.low = error - (c.high - s);
  return c;
}

/* a·b in 5 operations, with an error of at most 8u²·|a·b| if |a·b| > 2^-78. */
static TRIGON_HOST_DEVICE inline double_float multiply_double_floats(double_float a, double_float b) {
  const float t = fmaf(a.low, b.high, fmaf(a.high, b.low, 0.0F));
  double_float c;
  c.high = fmaf(a.high, b.high, t);
  c.low = fmaf(a.high, b.high, -c.high) + t;
  return c;
}

/* sum + a·b in 15 operations. add_double_floats(sum, multiply_double_floats(a, b)) takes 16: the high part of the
 * product need not be rounded again, because the sum is.
 *
 * The error of a sum of k products is at most (3k + 8)·u²·Σ|a·b|, with the error of the conversion of a and b. The
 * product's part is at most 7u²·|a·b|: u² for a, b and the low parts that are left out, 5u² for the two roundings of
 * `rest`. The sum's part is at most u²·(|sum| + 3|a·b|) for rest + sum.low, and u²·(|sum| + |s| + 3|a·b|) for `error`.
 * The first product meets an empty sum, and has no such part. */
static TRIGON_HOST_DEVICE inline double_float multiply_add_double_floats(double_float a, double_float b,
                                                                         double_float sum) {
  const float p = fmaf(a.high, b.high, 0.0F); /* not a plain product */
  const float rest = fmaf(a.low, b.high, fmaf(a.high, b.low, fmaf(a.high, b.high, -p)));
  const float s = sum.high + p, v = s - sum.high;
  const float error = (rest + sum.low) + ((sum.high - (s - v)) + (p - v));
  double_float c;
  c.high = s + error;
  c.low = error - (c.high - s);
  return c;
}

/* -------------------------------------------------------------------------------------------------- conversion -- */

static TRIGON_HOST_DEVICE inline bool is_finite_float(float x) { return x - x == 0; }

/* The nearest pair, with an error of at most u²/2·|x| if |x| > 2^-102. A double beyond a float's range becomes
 * infinite. */
static TRIGON_HOST_DEVICE inline double_float double_float_of(double x) {
  double_float p;
  p.high = (float)x;
  p.low = is_finite_float(p.high) ? (float)(x - (double)p.high) : 0;
  return p;
}

static TRIGON_HOST_DEVICE inline double double_of(double_float p) {
  const bool plain = p.low == 0 || !is_finite_float(p.high); /* the sum would lose the sign of zero */
  return plain ? (double)p.high : (double)p.high + (double)p.low;
}

/* x·2^e as a pair, for |x|·2^e < 2^64 and |e| < 2000. Two factors, because one may not be a double. The products are
 * exact unless the result is too small for a float, so a compiler may fuse them. */
static TRIGON_HOST_DEVICE inline double_float scaled_double_float(double x, int e) {
  return double_float_of(x * power_of_two(e / 2) * power_of_two(e - e / 2));
}

/* The exponent that brings the largest element of a line of k terms just below a power of two. So sums of k products
 * stay below 2^126, and a float's range below them is used as far as possible. 0 for a line of zeros.
 *
 * For k <= 2^30 the largest element lies above 2^46. So elements above 2^-148 of the largest one keep 48 bits. The
 * others have errors of at most 2^-150, which is less than 2^-196 of the largest one. */
static TRIGON_HOST_DEVICE inline int32_t line_exponent(double largest, int64_t k) {
  const binary b = binary_of(largest);
  if (!b.significand) return 0;
  const int bits = 64 - leading_zeros((uint64_t)k);
  return (126 - bits) / 2 - (b.exponent + 64 - leading_zeros(b.significand));
}

/* ---------------------------------------------------------------------------------------- infinite, undefined -- */

/* A sum that meets NaN or infinity becomes a pair of NaNs. Then the sum is computed again by floats. So it becomes what
 * IEEE arithmetic gives: all finite terms are far from overflow. */
static TRIGON_HOST_DEVICE inline float multiply_add_special(double_float a, double_float b, float sum) {
  return fmaf(a.high, b.high, sum);
}

/* A product of doubles that no compiler can fuse with a sum. */
static TRIGON_HOST_DEVICE inline double plain_product(double a, double b) { return fma(a, b, 0.0); }

/* -------------------------------------------------------------------------------------------------- last step -- */

static TRIGON_HOST_DEVICE inline exact_term term_of_double_float(double_float sum, int exponent) {
  return term_of((double)sum.high, (double)sum.low, exponent);
}

/* The sum as a double, if the result is not finite anyway or beta·c is not. */
static TRIGON_HOST_DEVICE inline double value_of_sum(double_float sum, int exponent) {
  return is_finite_float(sum.high) ? rounded_term(term_of_double_float(sum, exponent)) : (double)sum.high;
}

/* alpha·2^exponent·sum + beta·c, rounded once if everything is finite. Does not use c if beta is 0. */
static TRIGON_HOST_DEVICE inline double last_step(double_float sum, int exponent, double alpha, double beta, double c) {
  if (is_finite_number(alpha) && is_finite_float(sum.high)) {
    return unscale(two_sum((double)sum.high, (double)sum.low), exponent, alpha, beta, c);
  }
  const double scaled_sum = plain_product(alpha, value_of_sum(sum, exponent));
  return beta == 0 ? scaled_sum : scaled_sum + plain_product(beta, c);
}

/* scalar·x as in plain arithmetic. If the scalar is one, the result is exactly x. */
static TRIGON_HOST_DEVICE inline complex_number plain_complex_product(complex_number scalar, complex_number x) {
  if (scalar.re == 1 && scalar.im == 0) return x;
  complex_number y;
  y.re = plain_product(scalar.re, x.re) - plain_product(scalar.im, x.im);
  y.im = plain_product(scalar.re, x.im) + plain_product(scalar.im, x.re);
  return y;
}

static TRIGON_HOST_DEVICE inline bool is_finite_complex(complex_number x) {
  return is_finite_number(x.re) && is_finite_number(x.im);
}

/* alpha·2^exponent·(re + i·im) + beta·c for complex alpha, beta and c. If all numbers are finite, each part is rounded
 * once. Does not use c if beta is 0. */
static TRIGON_HOST_DEVICE inline complex_number last_complex_step(double_float re, double_float im, int exponent,
                                                                  complex_number alpha, complex_number beta,
                                                                  complex_number c) {
  complex_number y;
  const bool reads = beta.re != 0 || beta.im != 0;
  if (!reads) c.re = c.im = 0;
  if (is_finite_complex(alpha) && is_finite_float(re.high) && is_finite_float(im.high) && is_finite_complex(beta) &&
      is_finite_complex(c)) {
    return unscale_complex(two_sum((double)re.high, (double)re.low), exponent, two_sum((double)im.high, (double)im.low),
                           exponent, alpha, beta, c);
  }
  complex_number sum;
  sum.re = value_of_sum(re, exponent), sum.im = value_of_sum(im, exponent);
  y = plain_complex_product(alpha, sum);
  if (!reads) return y;
  const complex_number old = plain_complex_product(beta, c);
  y.re += old.re, y.im += old.im;
  return y;
}

/* alpha·sum + beta·c in pairs. Does not use c if beta is 0. */
static TRIGON_HOST_DEVICE inline double_float last_double_float_step(double_float sum, double_float alpha,
                                                                     double_float beta, double_float c) {
  const bool reads = beta.high != 0;
  const float plain = fmaf(alpha.high, sum.high, reads ? fmaf(beta.high, c.high, 0.0F) : 0.0F);
  double_float y = multiply_double_floats(alpha, sum);
  if (reads) y = add_double_floats(multiply_double_floats(beta, c), y);
  if (!is_finite_float(y.high)) y.high = plain, y.low = 0;
  return y;
}

#endif
