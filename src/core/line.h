/* line.h - the lines of an emulated product (rows of op(A), columns of op(B)): statistics, and the exponents that they
 * allow or need. docs/fp64.md derives the bounds. Logarithms are integers in units of 1/256. */
#ifndef TRIGON_LINE_H
#define TRIGON_LINE_H

#include "crt.h"

enum { log_unit = 256, fp64_tile = 128, endless_need = 1 << 28 };

/* Infinite and undefined elements count as zeros here. Sums of integers do not depend on the order of summation. */
typedef struct line_stats {
  int32_t scale;     /* the largest ceil(|a|·2^scale) has ceiling_bits(k) bits; 0 for a line of zeros */
  int32_t grain;     /* all elements are multiples of 2^grain */
  uint32_t ceilings; /* sum of ceil(|a|·2^scale) */
  uint32_t nonzeros;
  uint64_t squares; /* sum of ceil(|a|·2^(scale + fine))², fine = 16 - ceiling_bits(k) */
  float norm;       /* at least the norm of the line, times 2^scale */
  bool finite;      /* all elements are finite */
} line_stats;

/* The bits of ceilings, so that a sum of k products of two ceilings is below 2^32: 8 below k = 2^16, and one less for
 * each further factor of four. The bound of an element is not looked for above k = most_bounded_terms. */
enum { most_bounded_terms = 1 << 28 };
static TRIGON_ALSO_IN_KERNELS inline int ceiling_bits(int64_t k) {
  int bits = 8;
  while (bits > 2 && k >> (32 - 2 * bits)) bits--;
  return bits;
}

/* The exponent that brings x below 2^bits - 1, so that its ceiling has this number of bits. x > 0. */
static TRIGON_ALSO_IN_KERNELS inline int32_t scale_of(double x, int bits) {
  const binary b = binary_of(x);
  const int zeros = leading_zeros(b.significand) & 63; /* x is not 0, which the analyzer does not know */
  const uint64_t fraction = b.significand << zeros, most = (((uint64_t)1 << bits) - 1) << (64 - bits);
  return zeros - (64 - bits) - b.exponent - (fraction > most); /* what is above `most` would be rounded up to 2^bits */
}

/* The exponent of the lowest one of x, which is not 0. */
static TRIGON_ALSO_IN_KERNELS inline int32_t grain_of(double x) {
  const binary b = binary_of(x);
  return b.exponent + 63 - leading_zeros(b.significand & (~b.significand + 1));
}

/* Sums over a line, whose scale is known. */
typedef struct line_sums {
  int32_t grain;
  uint32_t ceilings, nonzeros;
  uint64_t squares;
} line_sums;

static TRIGON_ALSO_IN_KERNELS inline line_sums no_line_sums(void) {
  line_sums s;
  s.grain = 1 << 20, s.ceilings = s.nonzeros = 0, s.squares = 0;
  return s;
}

static TRIGON_ALSO_IN_KERNELS inline void add_element(line_sums *s, double a, int32_t scale, int bits) {
  if (a == 0 || !is_finite_number(a)) return;
  const int fine = 16 - bits;
  const uint32_t x = ceil_scaled(a, scale + fine);
  const int32_t grain = grain_of(a);
  s->grain = grain < s->grain ? grain : s->grain;
  s->ceilings += (x + ((uint32_t)1 << fine) - 1) >> fine, s->squares += (uint64_t)x * x, s->nonzeros++;
}

static TRIGON_ALSO_IN_KERNELS inline void add_sums(line_sums *s, const line_sums *more) {
  s->grain = more->grain < s->grain ? more->grain : s->grain;
  s->ceilings += more->ceilings, s->squares += more->squares, s->nonzeros += more->nonzeros;
}

/* `largest` is the largest finite magnitude of the line. The norm's factor of 1 + 2^-20 is above all roundings from
 * here to the ratio of a norm and a lower bound. Each operation there rounds to nearest, on the host and on every
 * GPU. */
static TRIGON_ALSO_IN_KERNELS inline line_stats line_of_sums(const line_sums *s, double largest, bool finite,
                                                             int bits) {
  line_stats a;
  a.scale = largest == 0 ? 0 : scale_of(largest, bits), a.grain = s->grain, a.finite = finite;
  a.ceilings = s->ceilings, a.nonzeros = s->nonzeros, a.squares = s->squares;
  a.norm = (float)(sqrt((double)s->squares) * (1 + 0x1p-20) / (double)(1 << (16 - bits)));
  return a;
}

/* From this E on, the line is scaled without rounding. e = scale + E. */
static TRIGON_ALSO_IN_KERNELS inline int32_t exact_from(const line_stats *a) { return -a->scale - a->grain; }

/* The largest E with 2^E · x <= 2^(room/512), for a bound x whose 512·log2(x) is at most `log`. */
static TRIGON_ALSO_IN_KERNELS inline int32_t exponent_for(int32_t room, int32_t log) {
  const int32_t twice = room - log;
  return twice >= 0 ? twice / 512 : -((511 - twice) / 512);
}

/* 256·log2 of the square of the norm of the scaled line, from above. */
static TRIGON_ALSO_IN_KERNELS inline int32_t log_of_norm(const line_stats *a, int bits) {
  return a->squares ? log2_above(a->squares) - 2 * (16 - bits) * log_unit : 0;
}

/* ------------------------------------------------------------------------------------- bounds of an element -- */

/* A lower bound of 2^(s+t)·|A||B|_ij from the product of the ceilings. */
static TRIGON_ALSO_IN_KERNELS inline uint32_t lower_bound(uint32_t product, uint32_t a_ceilings, uint32_t b_ceilings,
                                                          uint32_t a_nonzeros, uint32_t b_nonzeros, int64_t k) {
  const int64_t both = (int64_t)a_nonzeros + b_nonzeros - k; /* at least so many products are not zero */
  const int64_t bound = (int64_t)product - a_ceilings - b_ceilings + (both > 0 ? both : 0);
  return bound > 0 ? (uint32_t)bound : 0;
}

/* 1/C for a lower bound C; infinity for 0. */
static TRIGON_ALSO_IN_KERNELS inline float inverse_bound(uint32_t lower) { return 1 / (float)lower; }

/* Bits of a float that is not negative. They are ordered as the floats are. */
static TRIGON_ALSO_IN_KERNELS inline uint32_t ratio_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The condition 2^-E·|b| <= sqrt(kappa)·2^-53·C, for the norm of the other line and the lower bound C of the element,
 * as 512·E >= need + accuracy. This is `need`, for the largest |b|/C of the line. */
static TRIGON_ALSO_IN_KERNELS inline int32_t need_of(uint32_t ratio) {
  if (ratio >= 0x7f800000u) return endless_need; /* C is 0 */
  const uint64_t significand = (ratio & 0x7fffff) | 0x800000;
  return log2_above(significand * significand) + 2 * log_unit * ((int32_t)(ratio >> 23) - 150);
}

/* 106·256 - 256·log2(kappa), or with 48 for floats: kappa is 6, or 1/2 if k <= 2. floor(256·log2(6)) = 661. */
static TRIGON_ALSO_IN_KERNELS inline int32_t accuracy(int64_t k, bool single) {
  return (single ? 48 : 106) * log_unit - (k <= 2 ? -log_unit : 661);
}

/* The room that the moduli must have, so that this line's E reaches the need. */
static TRIGON_ALSO_IN_KERNELS inline int32_t room_for(const line_stats *a, int32_t log, int32_t need,
                                                      int32_t accuracy) {
  const int32_t twice = need + accuracy;
  int32_t E = twice > 0 ? (twice + 511) / 512 : 0;
  const int32_t exact = exact_from(a);
  if (E > exact) E = exact > 0 ? exact : 0;
  return log + 512 * E;
}

#endif
