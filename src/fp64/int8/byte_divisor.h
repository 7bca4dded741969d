/* byte_divisor.h - residues of integers of 8 or 12 bytes, for products of bytes on matrix units.
 *
 * 1. An integer x is a sum of signed bytes times powers of 256: with 128 added to each byte, the carries are those of
 *    one long sum, and the bytes less 128 are signed.
 * 2. The product of these bytes with the residues of the powers is congruent to x, and at most 12·128·127 in magnitude.
 * 3. It is added to the bits of the float F = K·p, a little above 2^23. The unit of floats is one there, so that the
 *    bits are now those of the float f = F + s, for the s of step 2.
 * 4. f/p + 1.5·2^23 rounds to 1.5·2^23 + K + q with q = s/p rounded to nearest: f times the rounded 1/p is wrong by
 *    less than the distance of s/p from the nearest half. A general bound does not show it for p = 255;
 *    test_residue_products tries all s.
 * 5. s - q·p: only the low byte counts, and modulo 256 it is the bits of f minus p times the bits of step 4. */
#ifndef TRIGON_BYTE_DIVISOR_H
#define TRIGON_BYTE_DIVISOR_H

#include <stdint.h>

#include "core/host_device.h"

/* Word i has the residues of 2^(32·i), ..., 2^(32·i + 24). `start` are the bits of F. */
typedef struct byte_divisor {
  uint32_t weights[3], start, minus_p;
  float inverse;
} byte_divisor;

static TRIGON_HOST_DEVICE inline byte_divisor byte_divisor_of(int modulus) {
  byte_divisor d;
  const uint32_t p = (uint32_t)modulus;
  uint32_t power = 1, below = 0; /* how far the product may be below 0 */
  d.weights[0] = d.weights[1] = d.weights[2] = 0;
  for (int i = 0; i < 12; i++) {
    const uint32_t magnitude = 2 * power >= p ? p - power : power;
    d.weights[i / 4] |= ((2 * power >= p ? power - p : power) & 255) << 8 * (i % 4);
    below += 128 * magnitude;
    power = (power << 8) % p;
  }
  const uint32_t K = ((1u << 23) + below) / p + 1;
  d.start = 0x4b000000u + (K * p - (1u << 23));
  d.minus_p = ~p + 1, d.inverse = 1 / (float)modulus;
  return d;
}

#endif
