/* residues.h - doubles as integers, and these integers modulo small numbers: the steps of an emulated product that
 * work on one element of an operand. Only integer operations, so that the host and every GPU get the same bits.
 *
 * A line is a row of op(A) or a column of op(B). Each line has an exponent e. Its element a becomes the integer
 * a' = rint(a·2^e). */
#ifndef TRIGON_RESIDUES_H
#define TRIGON_RESIDUES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/host_device.h"

/* A finite double is ±significand·2^exponent. */
typedef struct binary {
  uint64_t significand; /* below 2^53 */
  int exponent;
  bool negative;
} binary;

static TRIGON_HOST_DEVICE inline uint64_t bits_of(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits); /* HIP has no memcpy for both sides */
  return bits;
}

static TRIGON_HOST_DEVICE inline bool is_finite_number(double x) { return (bits_of(x) >> 52 & 2047) != 2047; }

static TRIGON_HOST_DEVICE inline binary binary_of(double x) {
  const uint64_t bits = bits_of(x), fraction = bits & (((uint64_t)1 << 52) - 1);
  const int biased = (int)(bits >> 52 & 2047);
  binary b;
  b.significand = biased ? fraction | (uint64_t)1 << 52 : fraction;
  b.exponent = (biased ? biased : 1) - 1075;
  b.negative = bits >> 63;
  return b;
}

/* 2^e, -1022 <= e <= 1023 */
static TRIGON_HOST_DEVICE inline double power_of_two(int e) {
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* How many zeros stand before the first one of x. */
static TRIGON_HOST_DEVICE inline int leading_zeros(uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return x ? __builtin_clzll(x) : 64;
#endif
}

/* How many zeros stand behind the last one of x, which is not 0. */
static TRIGON_HOST_DEVICE inline int trailing_zeros(uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(x)) - 1;
#else
  return __builtin_ctz(x);
#endif
}

/* ------------------------------------------------------------------------------------------------- rounding -- */

/* The integer ±(high·2^64 + low). */
typedef struct scaled {
  uint64_t low;
  uint32_t high;
  bool negative;
} scaled;

/* significand·2^-shift, rounded to the nearest integer, ties to even. shift > 0. */
static TRIGON_HOST_DEVICE inline uint64_t round_off(uint64_t significand, int shift) {
  if (shift > 54) return 0; /* less than a quarter */
  const uint64_t whole = significand >> shift, rest = significand - (whole << shift), half = (uint64_t)1 << (shift - 1);
  return whole + (rest > half || (rest == half && (whole & 1)));
}

/* rint(x·2^e) for every finite x with |x|·2^e < 2^95; exact for subnormal x, too. The exponents of an emulated product
 * keep |x|·2^e below 2^86, and below 2^63 if there are at most 14 moduli. */
static TRIGON_HOST_DEVICE inline scaled round_scaled(double x, int e) {
  const binary b = binary_of(x);
  const int shift = b.exponent + e;
  scaled a;
  a.negative = b.negative, a.high = 0;
  if (shift < 0)
    a.low = round_off(b.significand, -shift);
  else if (shift == 0 || !b.significand)
    a.low = b.significand;
  else if (shift < 64)
    a.low = b.significand << shift, a.high = (uint32_t)(b.significand >> (64 - shift));
  else
    a.low = 0, a.high = (uint32_t)(b.significand << (shift - 64));
  return a;
}

/* ceil(|x|·2^e) for a finite x whose result is below 2^31. */
static TRIGON_HOST_DEVICE inline uint32_t ceil_scaled(double x, int e) {
  const binary b = binary_of(x);
  const int shift = b.exponent + e;
  if (!b.significand) return 0;
  if (shift >= 0) return (uint32_t)(b.significand << shift);
  if (shift < -53) return 1;
  const uint64_t whole = b.significand >> -shift;
  return (uint32_t)(whole + (whole << -shift != b.significand));
}

/* ------------------------------------------------------------------------------------------------- residues -- */

/* What the residue modulo p needs. Byte i of an integer counts power[i] = 2^(8i) mod p. So a residue is an inner
 * product of 8 or 12 bytes (`dp4a` on a GPU) and one reduction. */
typedef struct modulus {
  uint8_t power[12];
  uint32_t reciprocal; /* ceil(2^32 / p) */
  int32_t p, half, multiple;
} modulus;

/* The symmetric residue of t modulo p: -⌊p/2⌋ ≤ r < p - ⌊p/2⌋. So r is an int8_t. |t| must be below 2^20.
 * `multiple` is a multiple of p, and makes the dividend u positive and below 2^22. The quotient is exact:
 * reciprocal·p - 2^32 < p, so u·reciprocal / 2^32 exceeds u/p by less than 2^22 / 2^32 = 2^-10 < 1/p. */
static TRIGON_HOST_DEVICE inline int8_t symmetric_residue(int32_t t, const modulus *m) {
  const uint32_t u = (uint32_t)(t + m->multiple + m->half);
  const uint32_t quotient = (uint32_t)((uint64_t)u * m->reciprocal >> 32);
  return (int8_t)((int32_t)(u - quotient * (uint32_t)m->p) - m->half);
}

/* The inner product of the bytes is at most 12·255·255 < 2^20. */
static TRIGON_HOST_DEVICE inline int8_t residue_of(scaled a, const modulus *m) {
  int32_t sum = 0;
  for (int i = 0; i < 8; i++) sum += (int32_t)(a.low >> 8 * i & 255) * m->power[i];
  for (int i = 0; i < 4; i++) sum += (int32_t)(a.high >> 8 * i & 255) * m->power[8 + i];
  return symmetric_residue(a.negative ? -sum : sum, m);
}

/* The symmetric residue of any sum of an inner product. The sum is cut at bit 16. */
static TRIGON_HOST_DEVICE inline int8_t residue_of_sum(int32_t sum, const modulus *m) {
  const int32_t high = sum >> 16, low = sum & 65535; /* sum = high·2^16 + low */
  return symmetric_residue(symmetric_residue(high, m) * m->power[2] + low, m);
}

#endif
