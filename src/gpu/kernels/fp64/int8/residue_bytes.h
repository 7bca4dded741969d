/* residue_bytes.h - residues of integers from their bytes, by products of bytes: the steps of fp64/int8/byte_divisor.h
 * on a GPU. */
#ifndef TRIGON_RESIDUE_BYTES_H
#define TRIGON_RESIDUE_BYTES_H

#include "fp64/int8/byte_divisor.h"
#include "residue_divisor.h"

/* From two's complement of WORDS words to signed bytes. */
template <int WORDS> __host__ __device__ inline void balance_bytes(unsigned (&x)[WORDS]) {
  static_assert(WORDS == 2 || WORDS == 3, "8 or 12 bytes");
  const uint64_t low = static_cast<uint64_t>(x[1]) << 32 | x[0], sum = low + 0x8080808080808080ull;
  if (WORDS == 3) x[WORDS - 1] = (x[WORDS - 1] + 0x80808080u + (sum < low)) ^ 0x80808080u;
  x[0] = static_cast<unsigned>(sum) ^ 0x80808080u, x[1] = static_cast<unsigned>(sum >> 32) ^ 0x80808080u;
}

/* Steps 4 and 5, for the bits of f. The low byte is that of the residue. */
__host__ __device__ inline unsigned reduce_bytes(int sum, const byte_divisor &d) {
  const unsigned f = static_cast<unsigned>(sum);
  return bits_of_float(fmaf(float_of_bits(f), d.inverse, 0x1.8p23f)) * d.minus_p + f;
}

#endif
