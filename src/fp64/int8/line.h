/* line.h - the lines of an emulated product (rows of op(A), columns of op(B)): statistics, and the exponents that they
 * allow or need. docs/fp64.md derives the bounds. Logarithms are integers in units of 1/256. */
#ifndef TRIGON_LINE_H
#define TRIGON_LINE_H

#include "crt.h"

enum { log_unit = 256, fp64_tile = 128 };

/* Infinite and undefined elements count as zeros here. Sums of integers do not depend on the order of summation. Units
 * are 2^-scale unless a comment says otherwise. */
typedef struct line_stats {
  uint32_t
      ceilings; /* sum of the ceilings: each is the least integer above |a|, or the largest ceiling if that is less */
  uint32_t nonzeros;
  int32_t log_norm; /* log2 of the square of the norm, in units of 1/256, rounded up */
  int32_t scale;
  int32_t grain; /* all elements are multiples of 2^grain, in units of 1 */
  float norm;    /* at least the norm of the least integers above |a| */
  float excess;  /* at least the norm of what these integers are above the ceilings; 0 if nothing was cut off */
  bool finite;   /* all elements are finite */
} line_stats;

/* The bits of ceilings, so that a sum of k products of two ceilings is below 2^32: 8 below k = 2^16, and one less for
 * each further factor of four. The bound of an element is not looked for above k = most_bounded_terms. */
enum { most_bounded_terms = 1 << 28 };
static TRIGON_HOST_DEVICE inline int ceiling_bits(int64_t k) {
  int bits = 8;
  while (bits > 2 && k >> (32 - 2 * bits)) bits--;
  return bits;
}

/* The exponent that brings x below 2^bits - 1, so that its ceiling has this number of bits. x > 0. */
static TRIGON_HOST_DEVICE inline int32_t scale_of(double x, int bits) {
  const binary b = binary_of(x);
  const int zeros = leading_zeros(b.significand) & 63; /* x is not 0, which the analyzer does not know */
  const uint64_t fraction = b.significand << zeros, most = (((uint64_t)1 << bits) - 1) << (64 - bits);
  return zeros - (64 - bits) - b.exponent - (fraction > most); /* what is above `most` would be rounded up to 2^bits */
}

/* The exponent of the lowest one of x, which is not 0. */
static TRIGON_HOST_DEVICE inline int32_t grain_of(double x) {
  const binary b = binary_of(x);
  return b.exponent + 63 - leading_zeros(b.significand & (~b.significand + 1));
}

/* How elements become integers. Fine integers have 16 bits for the largest element. Ceilings have `bits` bits, and
 * begin at a unit 2^cut larger than the largest element needs: larger elements are cut off, smaller ones keep more
 * bits. */
typedef struct line_scale {
  int32_t largest; /* the exponent for the largest element, without a cut */
  int bits, cut;
} line_scale;

enum { most_cut = 4 };

/* 2^e as a product of two normal numbers, |e| < 2000. */
typedef struct split_power {
  double half, other;
} split_power;
static TRIGON_HOST_DEVICE inline split_power power_of(int e) {
  const int first = e / 2;
  split_power p;
  p.half = power_of_two(first), p.other = power_of_two(e - first);
  return p;
}

/* ceil(|a|·2^e) for |a|·2^e < 2^32, by a product that is exact unless it is far below 1. A sum with 2^52 that is
 * rounded up has the ceiling in its low bits, and products that are rounded up do not become 0. */
static TRIGON_HOST_DEVICE inline uint32_t ceiling_integer(double a, split_power scale) {
#if defined(__CUDA_ARCH__)
  return (uint32_t)__double2loint(__fma_ru(__dmul_ru(fabs(a), scale.half), scale.other, 0x1p52));
#else
  const uint32_t integer = (uint32_t)ceil(fabs(a) * scale.half * scale.other);
  return integer || a == 0 ? integer : 1;
#endif
}

static TRIGON_HOST_DEVICE inline uint32_t ceiling_of(uint32_t fine, const line_scale *s, int cut) {
  const int shift = 16 - s->bits - cut;
  const uint32_t x = (fine + (((uint32_t)1 << shift) - 1)) >> shift, most = ((uint32_t)1 << s->bits) - 1;
  return x < most ? x : most;
}

/* An element's ceiling as the products take it: for the scale of the ceilings, which the largest element may exceed by
 * the cut. */
static TRIGON_HOST_DEVICE inline uint32_t packed_ceiling(double a, split_power scale, int bits) {
  const uint32_t x = is_finite_number(a) ? ceiling_integer(a, scale) : 0, most = ((uint32_t)1 << bits) - 1;
  return x < most ? x : most;
}

/* A sample of a line: rounded-down logarithms of fine integers, each at least sample_log. Large elements are cut off if
 * the others would have too few bits otherwise: so that the mean logarithm, without fine bits, is at least 1.5. A
 * single large element does not change it much. Elements (u - 0.5)·exp(z) with uniform u and normal z then need one
 * modulus less. */
typedef struct line_sample {
  uint32_t logs, count; /* of elements that are not 0 */
} line_sample;
enum { line_samples = 128, sample_log = 6 };

static TRIGON_HOST_DEVICE inline void add_sample(line_sample *sample, double a, split_power fine) {
  if (a == 0 || !is_finite_number(a)) return;
  const int log = 63 - leading_zeros(ceiling_integer(a, fine));
  sample->logs += (uint32_t)(log > sample_log ? log : sample_log), sample->count++;
}

static TRIGON_HOST_DEVICE inline int cut_for(const line_sample *sample, int bits) {
  const uint32_t twice = (uint32_t)(2 * (16 - bits) + 3);
  int cut = 0;
  while (cut < most_cut && 2 * (sample->logs + (uint32_t)cut * sample->count) < twice * sample->count) cut++;
  return cut;
}

/* Sums over a line whose scale is known. */
typedef struct line_sums {
  int32_t grain;
  uint32_t ceilings, nonzeros;
  uint64_t squares, excess_squares; /* of fine integers */
} line_sums;

enum { no_grain = 1 << 20 }; /* of zeros */

static TRIGON_HOST_DEVICE inline line_sums no_line_sums(void) {
  line_sums s;
  s.grain = no_grain, s.ceilings = s.nonzeros = 0, s.squares = s.excess_squares = 0;
  return s;
}

/* What many threads find of a line together. Everything begins with 0. */
typedef struct line_totals {
  unsigned long long largest; /* the bits of the largest finite magnitude */
  unsigned long long nonzeros, ceilings, squares, excess_squares;
  unsigned grain; /* how far it is below no_grain */
  unsigned infinite;
  int cut;
} line_totals;

/* Fine integers above this one have an excess. */
static TRIGON_HOST_DEVICE inline uint32_t excess_limit(const line_scale *s) {
  return s->cut ? (((uint32_t)1 << s->bits) - 2) << (16 - s->bits - s->cut) : UINT32_MAX;
}

/* Only an element whose last digit is below the grain so far can change the grain. */
static TRIGON_HOST_DEVICE inline void add_element(line_sums *s, double a, split_power scale, const line_scale *to) {
  if (a == 0 || !is_finite_number(a)) return;
  const uint32_t fine = ceiling_integer(a, scale);
  const int32_t unit = (int32_t)(bits_of(a) >> 52 & 2047) - 1075;
  if (unit < s->grain) {
    const int32_t grain = grain_of(a);
    s->grain = grain < s->grain ? grain : s->grain;
  }
  s->ceilings += ceiling_of(fine, to, to->cut), s->squares += (uint64_t)fine * fine, s->nonzeros++;
  const uint32_t limit = excess_limit(to);
  if (fine > limit) s->excess_squares += (uint64_t)(fine - limit) * (fine - limit);
}

static TRIGON_HOST_DEVICE inline line_sums sums_of_totals(const line_totals *t) {
  line_sums s;
  s.grain = no_grain - (int32_t)t->grain;
  s.ceilings = (uint32_t)t->ceilings, s.nonzeros = (uint32_t)t->nonzeros;
  s.squares = t->squares, s.excess_squares = t->excess_squares;
  return s;
}

/* log2 of the square of a float that is positive, in units of 1/256, rounded up. */
static TRIGON_HOST_DEVICE inline int32_t log_of_square(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const uint64_t significand = (bits & 0x7fffff) | 0x800000;
  return log2_above(significand * significand) + 2 * log_unit * ((int32_t)(bits >> 23) - 150);
}

/* The norm of fine integers, in ceilings' units. The factor 1 + 2^-20 is above all roundings, from here to the bounds
 * that are made of norms. Each operation rounds to nearest, on the host and on every GPU. */
static TRIGON_HOST_DEVICE inline double norm_of(uint64_t squares, const line_scale *s) {
  return sqrt((double)squares) * (1 + 0x1p-20) / (double)(1 << (16 - s->bits - s->cut));
}

static TRIGON_HOST_DEVICE inline line_stats stats_of(const line_sums *s, const line_scale *to, bool finite, int64_t k) {
  line_stats a;
  const double norm = norm_of(s->squares, to);
  a.scale = to->largest + to->cut, a.grain = s->grain, a.finite = finite;
  a.ceilings = s->ceilings, a.nonzeros = s->nonzeros;
  a.log_norm = s->nonzeros ? log_of_square((float)norm) : 0;
  a.norm = (float)((norm + sqrt((double)k)) * (1 + 0x1p-20));
  a.excess = (float)norm_of(s->excess_squares, to);
  return a;
}

/* From this E on, the line is scaled without rounding. e = scale + E. */
static TRIGON_HOST_DEVICE inline int32_t exact_from(const line_stats *a) { return -a->scale - a->grain; }

/* The largest E with 2^E · x <= 2^(headroom/512), for a bound x whose 512·log2(x) is at most `log`. */
static TRIGON_HOST_DEVICE inline int32_t exponent_for(int32_t headroom, int32_t log) {
  const int32_t twice = headroom - log;
  return twice >= 0 ? twice / 512 : -((511 - twice) / 512);
}

/* ------------------------------------------------------------------------------------- bounds of an element -- */

/* A lower bound of 2^(s+t)·|A||B|_ij from the product of the ceilings: Σ(Ā - 1)(B̄ - 1) where both are not 0. At least
 * `both` products are not 0 if it is positive: the nonzeros of both lines less k. */
static TRIGON_HOST_DEVICE inline uint32_t lower_bound(uint32_t upper, uint32_t ceilings, uint32_t both) {
  const uint32_t less = ceilings - ((int32_t)both > 0 ? both : 0);
  return (upper > less ? upper : less) - less;
}

/* The bits of a float, cut off, are a logarithm whose mantissa is linear: 2^23·(log2(x) + 127) from below by at most
 * 0.09·2^23. For a lower bound of 0 the logarithm is -64, which no number of moduli suffices for. */
static TRIGON_HOST_DEVICE inline uint32_t log_bits(uint32_t x) {
  const uint32_t least = 63u << 23;
#if defined(__CUDA_ARCH__)
  const uint32_t bits = __float_as_uint(__uint2float_rd(x));
#else
  const int zeros = leading_zeros(x) - 32;
  const uint32_t bits = x ? ((x << zeros) >> 8) + ((uint32_t)(157 - zeros) << 23) : 0;
#endif
  return bits > least ? bits : least;
}

/* The condition 2^-E·|b| <= sqrt(kappa)·2^-53·C, for the norm of the other line and the lower bound C of the element,
 * is 512·E >= need + accuracy. This is `need` in units of 2^-23, from the norm's share and log_bits(C). If all products
 * are 0, the need is negative. */
static TRIGON_HOST_DEVICE inline uint32_t need_share(int32_t other_log_norm) {
  return ((uint32_t)other_log_norm << 15) + (254u << 23);
}
static TRIGON_HOST_DEVICE inline int32_t need_from(uint32_t share, uint32_t bits) {
  return (int32_t)(share - 2 * bits);
}
static const int32_t least_need = INT32_MIN;
static TRIGON_HOST_DEVICE inline uint32_t bits_of_bound(uint32_t upper, uint32_t lower) {
  return upper ? log_bits(lower) : 254u << 23;
}

/* Needs are stored with the highest bit flipped, so that they are ordered as unsigned numbers, and 0 is none. */
static TRIGON_HOST_DEVICE inline uint32_t stored_need(int32_t need) { return (uint32_t)need ^ 0x80000000u; }

/* `need` in units of 1/256, rounded up. */
static TRIGON_HOST_DEVICE inline int32_t need_of(uint32_t stored) {
  return ((int32_t)(stored ^ 0x80000000u) >> 15) + 1;
}

/* 106·256 - 256·log2(kappa), or with 48 for floats: kappa is 6, or 1/2 if k <= 2. floor(256·log2(6)) = 661. */
static TRIGON_HOST_DEVICE inline int32_t accuracy(int64_t k, bool single) {
  return (single ? 48 : 106) * log_unit - (k <= 2 ? -log_unit : 661);
}

/* The headroom that the moduli must have, so that this line's E reaches the need. */
static TRIGON_HOST_DEVICE inline int32_t headroom_for(const line_stats *a, int32_t log, int32_t need,
                                                      int32_t accuracy) {
  const int32_t twice = need + accuracy;
  int32_t E = twice > 0 ? (twice + 511) / 512 : 0;
  const int32_t exact = exact_from(a);
  if (E > exact) E = exact > 0 ? exact : 0;
  return log + 512 * E;
}

#endif
