/* unscale.h - the last step of an emulated product: alpha·2^g·(high + low) + beta·c with one rounding at the end.
 *
 * Terms keep their exponents apart, so that no intermediate value overflows or underflows. Products are written as
 * fma(a, b, 0), because a compiler may fuse a product with a later sum, and then the host and a GPU differ. */
#ifndef TRIGON_UNSCALE_H
#define TRIGON_UNSCALE_H

#include "crt.h"

/* (high + low)·2^exponent, with 1 <= |high| <= 2 or high = low = 0. */
typedef struct exact_term {
  double high, low;
  int exponent;
} exact_term;

/* |high| is 0 or between 2^-1000 and 2^1000. */
static TRIGON_HOST_DEVICE inline exact_term term_of(double high, double low, int exponent) {
  const double_double s = two_sum(high, low);
  const int e = s.high == 0 ? 0 : (int)(bits_of(s.high) >> 52 & 2047) - 1023;
  const double scale = power_of_two(-e);
  exact_term t;
  t.high = s.high * scale, t.low = s.low * scale, t.exponent = exponent + e;
  return t;
}

/* A finite number, subnormal or not, as a term. */
static TRIGON_HOST_DEVICE inline exact_term term_of_number(double x) {
  const binary b = binary_of(x);
  return term_of(b.negative ? -(double)b.significand : (double)b.significand, 0, b.exponent);
}

/* a·b with a relative error of 2^-104 at most; without an error if both lows are 0. One low must be 0. */
static TRIGON_HOST_DEVICE inline exact_term times(exact_term a, exact_term b) {
  const double high = fma(a.high, b.high, 0.0), error = fma(a.high, b.high, -high);
  return term_of(high, fma(a.high, b.low, fma(a.low, b.high, error)), a.exponent + b.exponent);
}

/* A term 300 binary digits below the other one counts by its sign alone. */
static TRIGON_HOST_DEVICE inline exact_term plus(exact_term a, exact_term b) {
  if (a.high == 0) return b;
  if (b.high == 0) return a;
  const exact_term big = a.exponent >= b.exponent ? a : b, small = a.exponent >= b.exponent ? b : a;
  const int distance = big.exponent - small.exponent;
  const double scale = power_of_two(distance < 300 ? -distance : -300);
  const double_double high = two_sum(big.high, small.high * scale), low = two_sum(big.low, small.low * scale);
  const double_double sum = two_sum(high.high, high.low + low.high);
  return term_of(sum.high, sum.low + low.low, big.exponent);
}

/* The nearest double. A subnormal result is rounded from high + low once: if high lies halfway between two doubles, the
 * sign of low decides. */
static TRIGON_HOST_DEVICE inline double rounded_term(exact_term t) {
  if (t.high == 0) return 0;
  if (t.exponent > 1023) return t.high * power_of_two(1023) * 2;
  if (t.exponent >= -1022) return t.high * power_of_two(t.exponent);
  if (t.exponent < -1076) return t.high < 0 ? -0.0 : 0.0;
  const double rounded = t.high * power_of_two(-500) * power_of_two(t.exponent + 500);
  const double rest = t.high - rounded * power_of_two(1000) * power_of_two(-t.exponent - 1000);
  const double unit = power_of_two(-1074 - t.exponent); /* 2^-1074 in units of the term */
  const double tiny = power_of_two(-1022) * power_of_two(-52);
  if ((rest < 0 ? -rest : rest) != unit / 2 || (rest < 0) != (t.low < 0) || t.low == 0) return rounded;
  return rest < 0 ? rounded - tiny : rounded + tiny;
}

/* Whether x is 0 or between 2^-500 and 2^500 in magnitude. */
static TRIGON_HOST_DEVICE inline bool is_moderate(double x) {
  const int exponent = (int)(bits_of(x) >> 52 & 2047) - 1023;
  return x == 0 || (exponent > -500 && exponent < 500);
}

/* Nearly all calls have these scalars, and elements in this range. Then all products of unscale_plainly are exact. */
static TRIGON_HOST_DEVICE inline bool are_plain_scalars(double alpha, double beta) {
  return (alpha == 1 || alpha == -1) && (beta == 0 || beta == 1 || beta == -1);
}
static TRIGON_HOST_DEVICE inline bool is_plain_element(int exponent, double beta, double c) {
  return exponent > -300 && exponent < 300 && (beta == 0 || is_moderate(c));
}
static TRIGON_HOST_DEVICE inline double unscale_plainly(double_double sum, int exponent, double alpha, double beta,
                                                        double c) {
  const double scale = alpha * power_of_two(exponent), high = sum.high * scale, low = sum.low * scale;
  if (beta == 0) return high;
  const double_double s = two_sum(high, beta * c);
  return s.high + (s.low + low);
}

/* alpha·2^exponent·(high + low) + beta·c for a finite alpha and an integer high + low. Does not use c if beta is 0. An
 * infinite or undefined beta·c is the result, because the other term is finite. */
static TRIGON_HOST_DEVICE inline double unscale(double_double sum, int exponent, double alpha, double beta, double c) {
  if (are_plain_scalars(alpha, beta) && is_plain_element(exponent, beta, c))
    return unscale_plainly(sum, exponent, alpha, beta, c);
  if (beta != 0 && !(is_finite_number(beta) && is_finite_number(c))) return beta * c;
  const exact_term t = times(term_of_number(alpha), term_of(sum.high, sum.low, exponent));
  if (beta == 0) return rounded_term(t);
  return rounded_term(plus(t, times(term_of_number(beta), term_of_number(c))));
}

/* ----------------------------------------------------------------------------------------- complex numbers -- */

typedef struct complex_number {
  double re, im;
} complex_number;

/* a·b + c·d, of terms without lows and of terms with them */
static TRIGON_HOST_DEVICE inline exact_term two_products(double a, exact_term b, double c, exact_term d) {
  return plus(times(term_of_number(a), b), times(term_of_number(c), d));
}

/* alpha·(re·2^-e + i·im·2^-f) + beta·c for a finite alpha; e and f are given as negative exponents. If beta·c has an
 * infinite or undefined operand, it is computed and added as plain arithmetic does. */
static TRIGON_HOST_DEVICE inline complex_number unscale_complex(double_double re, int re_exponent, double_double im,
                                                                int im_exponent, complex_number alpha,
                                                                complex_number beta, complex_number c) {
  const exact_term x = term_of(re.high, re.low, re_exponent), y = term_of(im.high, im.low, im_exponent);
  const exact_term sum_re = two_products(alpha.re, x, -alpha.im, y), sum_im = two_products(alpha.re, y, alpha.im, x);
  complex_number z;
  if (beta.re == 0 && beta.im == 0) {
    z.re = rounded_term(sum_re), z.im = rounded_term(sum_im);
  } else if (is_finite_number(beta.re) && is_finite_number(beta.im) && is_finite_number(c.re) &&
             is_finite_number(c.im)) {
    const exact_term p = term_of_number(c.re), q = term_of_number(c.im);
    z.re = rounded_term(plus(sum_re, two_products(beta.re, p, -beta.im, q)));
    z.im = rounded_term(plus(sum_im, two_products(beta.re, q, beta.im, p)));
  } else {
    const double re_re = beta.re * c.re, im_im = beta.im * c.im, re_im = beta.re * c.im, im_re = beta.im * c.re;
    z.re = rounded_term(sum_re) + (re_re - im_im), z.im = rounded_term(sum_im) + (re_im + im_re);
  }
  return z;
}

#endif
