/* residue_bytes.h - residues of integers of 8 or 12 bytes, for products of bytes on matrix units.
 *
 * 1. An integer x is a sum of signed bytes times powers of 256: with 128 added to each byte, the carries are those of
 *    one long sum, and the bytes less 128 are signed.
 * 2. The product of these bytes with the residues of the powers is congruent to x, and at most 12·128·127 in magnitude.
 * 3. It is added to the bits of the float F = K·p, a little above 2^23, and reduced as in residue_divisor.h. All sums s
 *    that may occur are tried by test_residue_products. */
#ifndef TRIGON_RESIDUE_BYTES_H
#define TRIGON_RESIDUE_BYTES_H

#include "residue_divisor.h"

/* Word i has the residues of 2^(32·i), ..., 2^(32·i + 24). `start` are the bits of F. */
struct byte_divisor {
  unsigned weights[3], start, minus_p;
  float inverse;
};

__host__ __device__ inline byte_divisor byte_divisor_of(int signed_p) {
  byte_divisor d = {};
  const unsigned p = static_cast<unsigned>(signed_p);
  unsigned power = 1, below = 0; /* how far the product may be below 0 */
  for (int i = 0; i < 12; i++) {
    const int weight = symmetric_residue(power, signed_p);
    d.weights[i / 4] |= (static_cast<unsigned>(weight) & 255) << 8 * (i % 4);
    below += static_cast<unsigned>(128 * (weight < 0 ? -weight : weight));
    power = (power << 8) % p;
  }
  const unsigned first = ((1u << 23) + below) / p + 1; /* K */
  d.start = 0x4b000000u + (first * p - (1u << 23));
  d.minus_p = ~p + 1, d.inverse = 1 / static_cast<float>(p);
  return d;
}

/* From two's complement of WORDS words to signed bytes. */
template <int WORDS> __host__ __device__ inline void balance_bytes(unsigned (&x)[WORDS]) {
  static_assert(WORDS == 2 || WORDS == 3, "8 or 12 bytes");
  const uint64_t low = static_cast<uint64_t>(x[1]) << 32 | x[0], sum = low + 0x8080808080808080ull;
  if (WORDS == 3) x[WORDS - 1] = (x[WORDS - 1] + 0x80808080u + (sum < low)) ^ 0x80808080u;
  x[0] = static_cast<unsigned>(sum) ^ 0x80808080u, x[1] = static_cast<unsigned>(sum >> 32) ^ 0x80808080u;
}

/* Step 3 for the bits of F plus a product of bytes. */
__host__ __device__ inline unsigned reduce_bytes(int sum, const byte_divisor &d) {
  const unsigned f = static_cast<unsigned>(sum);
  return bits_of_float(fmaf(float_of_bits(f), d.inverse, 0x1.8p23f)) * d.minus_p + f;
}

#endif
