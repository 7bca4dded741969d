/* line.h - the lines of an emulated product (rows of op(A), columns of op(B)): statistics, and the exponents that they
 * allow or need. docs/fp64.md derives the bounds. Logarithms are integers in units of 1/256. */
#ifndef TRIGON_LINE_H
#define TRIGON_LINE_H

#include "crt.h"

enum { log_unit = 256, fp64_tile = 128, no_need = -(1 << 30), endless_need = 1 << 28 };

/* Infinite and undefined elements count as zeros here. Sums of integers do not depend on the order of summation. */
typedef struct line {
  int32_t scale;     /* the largest ceil(|a|·2^scale) lies between 128 and 255; 0 for a line of zeros */
  int32_t grain;     /* all elements are multiples of 2^grain */
  bool finite;       /* all elements are finite */
  uint64_t ceilings; /* sum of ceil(|a|·2^scale) */
  uint64_t squares;  /* sum of ceil(|a|·2^(scale + 8))²: below 2^64 for lines of less than 2^32 elements */
  int64_t nonzeros;
} line;

/* The exponent that brings x between 127 and 255, so that its ceiling is between 128 and 255. x > 0. */
static TRIGON_ALSO_IN_KERNELS inline int32_t scale_of(double x) {
  const binary b = binary_of(x);
  const int zeros = leading_zeros(b.significand) & 63; /* x is not 0, which the analyzer does not know */
  const uint64_t fraction = b.significand << zeros;    /* 255·2^56 and more would be rounded up to 256 */
  return zeros - 56 - b.exponent - (fraction > (uint64_t)255 << 56);
}

/* The exponent of the lowest one of x, which is not 0. */
static TRIGON_ALSO_IN_KERNELS inline int32_t grain_of(double x) {
  const binary b = binary_of(x);
  return b.exponent + 63 - leading_zeros(b.significand & (~b.significand + 1));
}

/* From this E on, the line is scaled without rounding. e = scale + E. */
static TRIGON_ALSO_IN_KERNELS inline int32_t exact_from(const line *a) { return -a->scale - a->grain; }

/* The largest E with 2^E · x <= 2^(room/512), for a bound x whose 512·log2(x) is at most `log`. */
static TRIGON_ALSO_IN_KERNELS inline int32_t exponent_for(int32_t room, int32_t log) {
  const int32_t twice = room - log;
  return twice >= 0 ? twice / 512 : -((511 - twice) / 512);
}

/* 256·log2 of the square of the norm of the scaled line, from above. */
static TRIGON_ALSO_IN_KERNELS inline int32_t log_of_norm(const line *a) {
  return a->squares ? log2_above(a->squares) - 16 * log_unit : 0;
}

/* A lower bound of 2^(s+t)·|A||B|_ij from the product of the ceilings. */
static TRIGON_ALSO_IN_KERNELS inline uint64_t lower_bound(uint64_t ceilings, const line *a, const line *b, int64_t k) {
  const int64_t both = a->nonzeros + b->nonzeros - k; /* at least so many products are not zero */
  const int64_t bound = (int64_t)(ceilings - a->ceilings - b->ceilings) + (both > 0 ? both : 0);
  return bound > 0 ? (uint64_t)bound : 0;
}

/* The condition 2^-2E·|b|² <= kappa·2^-106·C² as 512·E >= need + 106·256 - log(kappa). This is `need`, for the norm of
 * the other line and the lower bound C. */
static TRIGON_ALSO_IN_KERNELS inline int32_t need_of(const line *other, uint64_t bound) {
  return bound ? log_of_norm(other) - 2 * log2_below(bound) : endless_need;
}

/* 106·256 - 256·log2(kappa): kappa is 6, or 1/2 if k <= 2. floor(256·log2(6)) = 661. */
static TRIGON_ALSO_IN_KERNELS inline int32_t accuracy(int64_t k) { return 106 * log_unit - (k <= 2 ? -log_unit : 661); }

/* The room that the moduli must have, so that this line's E reaches the need. */
static TRIGON_ALSO_IN_KERNELS inline int32_t room_for(const line *a, int32_t log, int32_t need, int64_t k) {
  if (need == no_need) return 0; /* all products are zero */
  const int32_t twice = need + accuracy(k);
  int32_t E = twice > 0 ? (twice + 511) / 512 : 0;
  const int32_t exact = exact_from(a);
  if (E > exact) E = exact > 0 ? exact : 0;
  return log + 512 * E;
}

#endif
