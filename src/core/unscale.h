/* unscale.h - the last step of an emulated product: alpha·2^g·(high + low) + beta·c with one rounding at the end.
 *
 * Terms keep their exponents apart, so that no intermediate value overflows or underflows. Products are written as
 * fma(a, b, 0), because a compiler may fuse a product with a later sum, and then the host and a GPU differ. */
#ifndef TRIGON_UNSCALE_H
#define TRIGON_UNSCALE_H

#include "crt.h"

/* (high + low)·2^exponent, with 1 <= |high| <= 2 or high = low = 0. */
typedef struct term {
  double high, low;
  int exponent;
} term;

/* 2^e, -1022 <= e <= 1023 */
static TRIGON_ALSO_IN_KERNELS inline double power_of_two(int e) {
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* |high| is 0 or between 2^-1000 and 2^1000. */
static TRIGON_ALSO_IN_KERNELS inline term term_of(double high, double low, int exponent) {
  const pair s = two_sum(high, low);
  const int e = s.high == 0 ? 0 : (int)(bits_of(s.high) >> 52 & 2047) - 1023;
  const double scale = power_of_two(-e);
  term t;
  t.high = s.high * scale, t.low = s.low * scale, t.exponent = exponent + e;
  return t;
}

/* A finite number, subnormal or not, as a term. */
static TRIGON_ALSO_IN_KERNELS inline term term_of_number(double x) {
  const binary b = binary_of(x);
  return term_of(b.negative ? -(double)b.significand : (double)b.significand, 0, b.exponent);
}

/* a·b with a relative error of 2^-104 at most; without an error if both lows are 0. One low must be 0. */
static TRIGON_ALSO_IN_KERNELS inline term times(term a, term b) {
  const double high = fma(a.high, b.high, 0.0), error = fma(a.high, b.high, -high);
  return term_of(high, fma(a.high, b.low, fma(a.low, b.high, error)), a.exponent + b.exponent);
}

/* A term 300 binary digits below the other one counts by its sign alone. */
static TRIGON_ALSO_IN_KERNELS inline term plus(term a, term b) {
  if (a.high == 0) return b;
  if (b.high == 0) return a;
  const term big = a.exponent >= b.exponent ? a : b, small = a.exponent >= b.exponent ? b : a;
  const int distance = big.exponent - small.exponent;
  const double scale = power_of_two(distance < 300 ? -distance : -300);
  const pair high = two_sum(big.high, small.high * scale), low = two_sum(big.low, small.low * scale);
  const pair sum = two_sum(high.high, high.low + low.high);
  return term_of(sum.high, sum.low + low.low, big.exponent);
}

/* The nearest double. A subnormal result is rounded from high + low once: if high lies halfway between two doubles, the
 * sign of low decides. */
static TRIGON_ALSO_IN_KERNELS inline double rounded_term(term t) {
  if (t.high == 0) return 0;
  if (t.exponent > 1023) return t.high * power_of_two(1023) * 2;
  if (t.exponent >= -1022) return t.high * power_of_two(t.exponent);
  if (t.exponent < -1076) return t.high < 0 ? -0.0 : 0.0;
  const double near = t.high * power_of_two(-500) * power_of_two(t.exponent + 500);
  const double rest = t.high - near * power_of_two(1000) * power_of_two(-t.exponent - 1000);
  const double unit = power_of_two(-1074 - t.exponent); /* 2^-1074 in units of the term */
  const double tiny = power_of_two(-1022) * power_of_two(-52);
  if ((rest < 0 ? -rest : rest) != unit / 2 || (rest < 0) != (t.low < 0) || t.low == 0) return near;
  return rest < 0 ? near - tiny : near + tiny;
}

/* alpha·2^exponent·(high + low) + beta·c for a finite alpha. Does not use c if beta is 0. An infinite or undefined
 * beta·c is the result, because the other term is finite. */
static TRIGON_ALSO_IN_KERNELS inline double unscale(pair sum, int exponent, double alpha, double beta, double c) {
  if (beta != 0 && !(is_finite_number(beta) && is_finite_number(c))) return beta * c;
  const term t = times(term_of_number(alpha), term_of(sum.high, sum.low, exponent));
  if (beta == 0) return rounded_term(t);
  return rounded_term(plus(t, times(term_of_number(beta), term_of_number(c))));
}

#endif
