/* residue_pieces.h - residues of integers of up to 90 bits, by floats: sums of products of bytes (dp4a) are slower.
 *
 * The integer is a sum of pieces x_i·2^(BITS·i). The last piece has the sign, the others are from 0 to 2^BITS - 1.
 *
 * 1. s = Σ x_i·w_i, where w_i is the residue of 2^(BITS·i) of the least magnitude. |s| < 2^22, so M + s is a float
 *    without a rounding, M = 1.5·2^23, and all partial sums are, too. The low byte of its bits is that of s.
 * 2. M + s/p rounds to M + q, with q = s/p rounded to nearest: s times the rounded 1/p is wrong by less than
 *    |s/p|·2^-24 < 1/(2p), and s/p is at least as far away from a half, or it is a half and p is 256.
 * 3. s - q·p: only the low byte counts, and modulo 256 it is the bits of step 1 minus p times the bits of step 2. */
#ifndef TRIGON_RESIDUE_PIECES_H
#define TRIGON_RESIDUE_PIECES_H

#include "residue_divisor.h"

/* The pieces of integers below 2^MOST in magnitude, in two's complement of WORDS words. */
template <int WORDS_, int PIECES_, int BITS_, int MOST> struct piece_shape {
  static constexpr int WORDS = WORDS_, PIECES = PIECES_, BITS = BITS_;
  static_assert(BITS * (PIECES - 1) < MOST && MOST <= 32 * WORDS - 1, "the last piece has the sign");
  static constexpr int last = MOST - BITS * (PIECES - 1); /* digits of the last piece */
  static_assert((1 << BITS) * (1 + (PIECES - 2) * 128) + (1 << last) * 128 < 1 << 22, "the sums are exact");
};
using few_pieces = piece_shape<2, 5, 13, 63>;  /* up to 14 moduli (fp64/int8/residues.h) */
using more_pieces = piece_shape<3, 6, 12, 72>; /* up to 16 */
using most_pieces = piece_shape<3, 8, 12, 86>;

struct piece_divisor {
  float weight[most_pieces::PIECES], inverse;
  unsigned minus_p;
};

__host__ __device__ inline piece_divisor piece_divisor_of(int p, int bits) {
  piece_divisor d;
  unsigned power = 1;
  for (int i = 0; i < most_pieces::PIECES; i++) {
    d.weight[i] = static_cast<float>(symmetric_residue(power, p));
    power = (power << bits) % static_cast<unsigned>(p);
  }
  d.inverse = 1 / static_cast<float>(p), d.minus_p = static_cast<unsigned>(-p);
  return d;
}

/* 32 bits of the integer from bit `at` on. */
template <int WORDS> __host__ __device__ inline unsigned bits_from(const unsigned (&x)[WORDS], int at) {
  const int word = at / 32, shift = at % 32;
  return shift == 0 || word + 1 == WORDS ? x[word] >> shift : x[word] >> shift | x[word + 1] << (32 - shift);
}

/* The first piece is M + x_0. */
template <class S>
__host__ __device__ inline void cut_pieces(float (&piece)[S::PIECES], const unsigned (&x)[S::WORDS]) {
  const unsigned mask = (1u << S::BITS) - 1;
  piece[0] = float_of_bits((x[0] & mask) | 0x4b400000u);
  for (int i = 1; i + 1 < S::PIECES; i++)
    piece[i] = float_of_bits((bits_from(x, S::BITS * i) & mask) | 0x4b000000u) - 0x1p23f;
  constexpr int at = S::BITS * (S::PIECES - 1), word = at / 32;
  const unsigned top = bits_from(x, at);
  piece[S::PIECES - 1] =
      static_cast<float>(word + 1 == S::WORDS ? static_cast<int>(x[S::WORDS - 1]) >> at % 32 : static_cast<int>(top));
}

/* Steps 2 and 3, for M + s. */
__host__ __device__ inline unsigned reduce_piece_sum(float sum, const piece_divisor &d) {
  const float quotient = fmaf(sum - 0x1.8p23f, d.inverse, 0x1.8p23f);
  return bits_of_float(quotient) * d.minus_p + bits_of_float(sum);
}

/* The low byte is that of the residue. */
template <int PIECES>
__host__ __device__ inline unsigned reduce_pieces(const float (&x)[PIECES], const piece_divisor &d) {
  float sum = x[0];
  for (int i = 1; i < PIECES; i++) sum = fmaf(x[i], d.weight[i], sum);
  return reduce_piece_sum(sum, d);
}

#endif
