/* finish_units.h - the last step of an emulated product on matrix units.
 *
 * A digit of an integer is a sum over the moduli of residue times digit of weight (core/crt.h). With the digit of the
 * weight in six parts of 7 bits, these sums are products of bytes: elements by moduli, times moduli by parts. Both
 * columns that a lane gets of each of three products are parts of one digit, so that the lane of number t in its group
 * of four has digit t of all elements of the group. The digits go through shared memory, and each lane ends with all
 * digits of four elements.
 *
 * Doubles would take three multiply-adds for each modulus and element instead, and as many conversions: 335
 * instructions for each element with 14 moduli, against 125 here. */
#ifndef TRIGON_FINISH_UNITS_H
#define TRIGON_FINISH_UNITS_H

#include "../vendor/dot4.h"
#include "element.h"
#include "emulation.h"

namespace finish_units {

enum {
  WARPS = TG_TILE(2, 8),
  THREADS = 32 * WARPS,
  ROWS = fp64_tile, /* of C, for a warp at a time: 16 for each group of lanes */
  GROUP_ROWS = ROWS / 8,
  PARTS = 6,                         /* of a digit */
  CHUNK = 16,                        /* moduli of a product */
  most_blocks = TG_TILE(5, 1 << 11), /* a warp makes its weights once */
};

struct alignas(16) two_doubles {
  double of[2];
};
struct alignas(16) four_words {
  unsigned of[4];
};

/* Up to 16 moduli the weights, at most P/2, have three digits between -2^41 and 2^41. P may have a fourth one, which
 * joins the third: its products with a quotient are below 2^52. */
template <int DIGITS> struct constants {
  double product[DIGITS], inverse;
  __device__ explicit constants(const crt &r) : inverse(r.inverse) {
    for (int q = 0; q < DIGITS; q++) product[q] = r.product[q];
    if (DIGITS < crt_digits) product[DIGITS - 1] += r.product[crt_digits - 1] * 0x1p42;
  }
};

/* The digits of four elements of each lane of a warp, in units of two elements. Neither the writers nor the readers of
 * neighbouring lanes meet in a bank. */
struct exchange {
  enum { UNITS = ROWS / 2 + 1 };
  two_doubles of[crt_digits * UNITS];
  __device__ two_doubles &at(int digit, int g, int pair) {
    return of[digit * UNITS + g * (GROUP_ROWS / 2) + (pair ^ 4 * (g & 1))];
  }
};

/* 7 bits of a digit of a weight, between -64 and 63; the last part is at most 64. */
__device__ inline unsigned part_of(double weight, int part) {
  constexpr long long bias = 64 * ((1ll << 42) - 1) / 127; /* 64 in each part */
  const long long bits = (static_cast<long long>(weight) + bias) >> 7 * part;
  return static_cast<unsigned>(part + 1 < PARTS ? bits & 127 : bits) - 64u;
}

/* The parts of four moduli, from `first` on. */
__device__ inline unsigned parts_of(const crt &r, int digit, int part, int first) {
  unsigned word = 0;
  for (int i = 0; i < 4 && first + i < r.count; i++) word |= (part_of(r.weight[digit][first + i], part) & 255) << 8 * i;
  return word;
}

/* A number below 2^52 in the low bits of 2^52. */
__device__ inline double above_2_52(uint64_t x) {
  const uint64_t bits = 0x4330000000000000ull + x;
  double d;
  __builtin_memcpy(&d, &bits, sizeof d);
  return d;
}

enum : unsigned { BIAS = 1u << 31 }; /* makes the sums of parts positive, so that they need no conversion */

/* The digit of an element from its parts. The first part of each product has the bias. */
__device__ inline double digit_of(const int (&part)[PARTS / 2][4], int h) {
  const auto pair = [&](int v) {
    return static_cast<unsigned>(part[v][2 * h]) + (static_cast<unsigned>(part[v][2 * h + 1]) << 7);
  };
  const double low = above_2_52(static_cast<uint64_t>(pair(1)) * (1u << 14) + pair(0));
  return fma(above_2_52(pair(2)) - (0x1p52 + 0x1p31), 0x1p28, low - (0x1p52 + 0x1p31 + 0x1p45));
}

/* Row g of the group's rows: word i of the result has the residues of 4 moduli of row i. */
template <int CHUNKS>
__device__ inline void load_residues(unsigned (&a)[CHUNKS][GROUP_ROWS], const emulation &e, const int8_t *from,
                                     int moduli, bool exists) {
#pragma unroll
  for (int c = 0; c < CHUNKS; c++) {
    const int first = CHUNK * c + static_cast<int>(threadIdx.x) % 4 * 4;
    four_words plane[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
      plane[i] = exists && first + i < moduli ? *reinterpret_cast<const four_words *>(from + (first + i) * e.plane)
                                              : four_words{};
#pragma unroll
    for (int w = 0; w < 4; w++) {
      unsigned x[4] = {plane[0].of[w], plane[1].of[w], plane[2].of[w], plane[3].of[w]};
      tg_transpose_bytes(x);
#pragma unroll
      for (int i = 0; i < 4; i++) a[c][4 * w + i] = x[i];
    }
  }
}

/* What a lane has of the weights: the parts 2v + g % 2 of digit g / 2. */
template <int CHUNKS> struct weights {
  unsigned of[CHUNKS][PARTS / 2];
  __device__ explicit weights(const crt &r) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    for (int c = 0; c < CHUNKS; c++)
      for (int v = 0; v < PARTS / 2; v++) of[c][v] = parts_of(r, g / 2, 2 * v + g % 2, CHUNK * c + 4 * t);
  }
};

/* Leaves the lane's digit of its group's rows for the others. */
template <int CHUNKS>
__device__ inline void find_digits(exchange &to, const unsigned (&a)[CHUNKS][GROUP_ROWS], const weights<CHUNKS> &w) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int pair = 0; pair < GROUP_ROWS / 2; pair++) {
    int part[PARTS / 2][4];
#pragma unroll
    for (int v = 0; v < PARTS / 2; v++) {
      part[v][0] = part[v][2] = static_cast<int>(BIAS), part[v][1] = part[v][3] = 0;
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        const unsigned rows[2] = {a[c][2 * pair], a[c][2 * pair + 1]};
        tg_mma(part[v], rows, w.of[c][v]);
      }
    }
    to.at(lane % 4, lane / 4, pair) = {{digit_of(part, 0), digit_of(part, 1)}};
  }
}

/* The integers of rows 2·pair and 2·pair + 1 of the group. */
template <int DIGITS>
__device__ inline void find_integers(double_double (&sum)[2], exchange &from, const constants<DIGITS> &r, int pair) {
  double digit[2][DIGITS];
#pragma unroll
  for (int q = 0; q < DIGITS; q++) {
    const two_doubles x = from.at(q, static_cast<int>(threadIdx.x) % 32 / 4, pair);
    digit[0][q] = x.of[0], digit[1][q] = x.of[1];
  }
#pragma unroll
  for (int i = 0; i < 2; i++) sum[i] = integer_of(r.product, r.inverse, digit[i], DIGITS);
}

/* Calls store(row, col, sums) for each pair of rows of the present block of C that do not fall back. The threads of a
 * block take the same steps, because they wait for each other. */
template <int CHUNKS, int DIGITS, class Store>
__device__ inline void finish_block(const emulation &e, const crt &table, Store store) {
  const int warp = static_cast<int>(threadIdx.x) / 32, g = static_cast<int>(threadIdx.x) % 32 / 4,
            t = static_cast<int>(threadIdx.x) % 4;
  exchange &digits = tg_shared<exchange>()[warp];
  const constants<DIGITS> r(table);
  const weights<CHUNKS> w(table);
  const unsigned strips = static_cast<unsigned>((e.A.present + ROWS - 1) / ROWS);
  const unsigned all = strips * static_cast<unsigned>(e.B.present);
  for (unsigned first = blockIdx.x * WARPS; first < all; first += gridDim.x * WARPS) {
    const unsigned at = first + static_cast<unsigned>(warp);
    const int64_t strip = static_cast<int64_t>(at % strips) * ROWS, col = at / strips, row = strip + g * GROUP_ROWS;
    const bool active = at < all && is_emulated(&e, (e.A.first + strip) / fp64_tile, (e.B.first + col) / fp64_tile);
    unsigned a[CHUNKS][GROUP_ROWS];
    load_residues(a, e, e.residues + row + col * e.ld, table.count, active && row < e.A.present);
    find_digits(digits, a, w);
    tg_sync_warp();
#pragma unroll 1 /* the digits of four elements at once would take too many registers */
    for (int s = 0; s < 2; s++) {
      const int pair = t + 4 * s;
      double_double sum[2];
      find_integers(sum, digits, r, pair);
      if (active && row + 2 * pair < e.A.present) store(row + 2 * pair, col, sum);
    }
    tg_sync_warp();
  }
}

} // namespace finish_units

#endif
