/* residue_divisor.h - sums of products modulo a modulus, as signed bytes.
 *
 * A sum of int32 is reduced by three instructions that no carry joins, and one for the sign:
 *
 * 1. The sum plus 2^31 has four unsigned bytes. A product of these bytes with the residues of 1, 2^8, 2^16 and 2^24 is
 *    congruent to the sum. With all residues in -127 .. 127, it is below 255·(1 + 3·127) < 2^17 in magnitude.
 * 2. The product is added to the bits of the float F = K·p, a little above 2^23. The unit of floats is one there, so
 *    that the bits are now those of the float f = F + s, for the s of step 1 (and the residue of -2^31).
 * 3. f/p + 1.5·2^23 rounds to 1.5·2^23 + K + q with q = s/p rounded to nearest: f times the rounded 1/p is wrong by
 *    less than the distance of s/p from the nearest half. (test_residue_products tries all s.)
 * 4. s - q·p: only the low byte counts, and modulo 256 it is the bits of f minus p times the bits of step 3. */
#ifndef TRIGON_RESIDUE_DIVISOR_H
#define TRIGON_RESIDUE_DIVISOR_H

#include <math.h>
#include <string.h>

#include "fp64/int8/residue_layout.h"
#include "gpu/vendor/dot4.h"

/* Sums are reduced at the latest after this many terms: 2^17·127^2 + 127 < 2^31. Modulo 256, where residues may be
 * -128, sums may overflow: their low bytes stay right. */
enum { residue_terms_of_sum = 1 << 17 };

struct residue_divisor {
  unsigned weights, start, minus_p;
  float inverse;
};

/* x mod p, of the least magnitude. */
__host__ __device__ inline int symmetric_residue(unsigned x, int p) {
  const int r = static_cast<int>(x % static_cast<unsigned>(p));
  return 2 * r >= p ? r - p : r;
}

__host__ __device__ inline residue_divisor divisor_of(int p) {
  residue_divisor d;
  int below = 128; /* how far s may be below 0 */
  d.weights = 1;
  for (int i = 1; i < 4; i++) {
    const int weight = symmetric_residue(1u << 8 * i, p);
    d.weights |= (static_cast<unsigned>(weight) & 255) << 8 * i;
    if (weight < 0) below -= 255 * weight;
  }
  const unsigned first = (1u << 23) / p + static_cast<unsigned>(below / p + 2); /* K */
  d.start = 0x4b000000u + (first * p - (1u << 23)) - symmetric_residue(1u << 31, p);
  d.minus_p = static_cast<unsigned>(-p);
  d.inverse = 1 / static_cast<float>(p);
  return d;
}

__host__ __device__ inline float float_of_bits(unsigned bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
__host__ __device__ inline unsigned bits_of_float(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Steps 3 and 4, for the bits of f. */
__host__ __device__ inline unsigned reduce_float(unsigned f, const residue_divisor &d) {
  const unsigned quotient = bits_of_float(fmaf(float_of_bits(f), d.inverse, 0x1.8p23f));
  return quotient * d.minus_p + f;
}

/* The low byte is that of the residue. */
__host__ __device__ inline unsigned reduce_sum(int sum, const residue_divisor &d) {
  const unsigned bytes = static_cast<unsigned>(sum) ^ 0x80000000u;
  return reduce_float(static_cast<unsigned>(tg_dot4_mixed(bytes, d.weights, d.start)), d);
}

#endif
