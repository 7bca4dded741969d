/* crt.h - the Chinese remainder theorem: the constants of the first N moduli, and an integer from its N residues.
 *
 * With P the product of the moduli, an integer C' with 2|C'| < P is sum w_t·c_t - Q·P. Here c_t is the residue modulo
 * p_t, w_t = (P/p_t)·((P/p_t)^-1 mod p_t), and Q is the integer next to sum w_t·c_t / P. Each w_t and P are written in
 * four digits of base 2^42 between -2^41 and 2^41. The sums over each digit are then exact in double:
 * |sum of digits·c_t| <= 2188·2^41, and |Q·digit| <= 1096·2^41, together below 2^53. So the order of the sums and the
 * use of fma do not matter, and C' is found exactly. */
#ifndef TRIGON_CRT_H
#define TRIGON_CRT_H

#include <math.h>

#include "byte_divisor.h"
#include "residue_layout.h"
#include "residues.h"

enum { most_moduli = residue_moduli, crt_digits = 4, crt_base_bits = 42 };

/* Parts of a digit of a weight, for products of bytes: each is between -64 and 63, the last one at most 64. */
enum { crt_parts = 6, crt_part_bits = crt_base_bits / crt_parts };

typedef struct crt {
  int count;        /* N */
  int32_t headroom; /* 2·sum |a'b'| <= 2·2^(headroom/256) < 0.998·P; see exponent_for */
  modulus moduli[most_moduli];
  double weight[crt_digits][most_moduli], product[crt_digits]; /* digits of w_t and of P, the lowest first */
  double inverse;                                              /* 1 / P */
  int8_t parts[crt_digits * crt_parts][most_moduli]; /* of the weights, the lowest part of the lowest digit first */
  byte_divisor divisors[most_moduli];
} crt;

/* The constants of the first `count` moduli, 1 <= count <= most_moduli. */
void crt_make(crt *, int count);

/* An unevaluated sum. |low| <= half a unit in the last place of high. */
typedef struct double_double {
  double high, low;
} double_double;

/* a + b without an error. No product is here that a compiler could fuse. */
static TRIGON_HOST_DEVICE inline double_double two_sum(double a, double b) {
  double_double s;
  s.high = a + b;
  const double v = s.high - a;
  s.low = (a - (s.high - v)) + (b - v);
  return s;
}

/* The nearest integer of |x| < 2^51. */
static TRIGON_HOST_DEVICE inline double nearest(double x) {
  const double magic = 6755399441055744.0; /* 1.5·2^52 */
  return (x + magic) - magic;
}

/* `digits` is 3 or crt_digits. With 3 the fourth digit would be 0, and all results are the same. */
static TRIGON_HOST_DEVICE inline double_double sum_of_digits(double *digit, int digits) {
  const double base = 4398046511104.0; /* 2^42 */
  for (int q = 0; q + 1 < digits; q++) {
    const double carry = nearest(digit[q] * (1 / base));
    digit[q] -= carry * base;
    digit[q + 1] += carry;
  }
  /* The digits do not overlap now, so no sum cancels, and the result has a relative error of 2^-104 at most. */
  const double_double a = two_sum(digit[1] * base, digit[0]);
  const double_double b = two_sum(digit[2] * base * base, a.high);
  if (digits == 3) return two_sum(b.high, b.low + a.low);
  const double_double c = two_sum(digit[3] * base * base * base, b.high);
  return two_sum(c.high, c.low + (b.low + a.low));
}

/* Adds the share of residue t to the digits of the integer. All sums are exact. */
static TRIGON_HOST_DEVICE inline void add_residue(double digit[crt_digits], const crt *r, int t, double residue) {
  for (int q = 0; q < crt_digits; q++) digit[q] += r->weight[q][t] * residue;
}

/* The integer from the digits to which all residues were added. The exact integer is found, and rounded once. The
 * quotient is at least 2^-10 away from a tie, because of `headroom`. */
static TRIGON_HOST_DEVICE inline double_double integer_of(const double *P, double inverse, double *digit, int digits) {
  const double base = 4398046511104.0;
  double sum = digit[digits - 1];
  for (int q = digits - 2; q >= 0; q--) sum = sum * base + digit[q];
  const double quotient = nearest(sum * inverse);
  for (int q = 0; q < digits; q++) digit[q] -= quotient * P[q];
  return sum_of_digits(digit, digits);
}

/* The integer with the residues c[0], c[stride], ... */
static TRIGON_HOST_DEVICE inline double_double reconstruct(const crt *r, const int8_t *c, int64_t stride) {
  double digit[crt_digits] = {0, 0, 0, 0};
  for (int t = 0; t < r->count; t++) add_residue(digit, r, t, c[t * stride]);
  return integer_of(r->product, r->inverse, digit, crt_digits);
}

/* --------------------------------------------------------------------------------- logarithms in 1/256, safe -- */

/* 256·log2(x) rounded down, or one less; x > 0. 32 bits of x are squared eight times, and each cut rounds down. */
static TRIGON_HOST_DEVICE inline int32_t log2_below(uint64_t x) {
  const int zeros = leading_zeros(x) & 63; /* x is not 0, which the analyzer does not know */
  uint64_t m = x << zeros >> 32;
  int32_t log = (63 - zeros) * 256;
  for (int bit = 128; bit; bit /= 2) {
    m *= m;
    if (m >> 63)
      log += bit, m >>= 32;
    else
      m >>= 31;
  }
  return log;
}

/* An upper bound. The cuts of log2_below take less than 2^-20 of 1/256. */
static TRIGON_HOST_DEVICE inline int32_t log2_above(uint64_t x) { return log2_below(x) + 2; }

#endif
