/* finish_mma.h - the last step of an emulated product on matrix units.
 *
 * A digit of an integer is a sum over the moduli of residue times digit of weight (fp64/int8/crt.h). With the digit of
 * the weight in six parts of 7 bits, these sums are products of bytes: elements by moduli, times moduli by parts. Both
 * columns that a lane gets of each of three products are parts of one digit, so that the lane of number t in its group
 * of four has digit t of all elements of the group. The digits go through shared memory, and each lane ends with all
 * digits of two elements.
 *
 * Doubles would take three multiply-adds for each modulus and element instead, and as many conversions: 335
 * instructions for each element with 14 moduli, against about 180 here. */
#ifndef TRIGON_FINISH_MMA_H
#define TRIGON_FINISH_MMA_H

#include <stddef.h>

#include "gpu/kernels/element.h"
#include "gpu/vendor/dot4.h"
#include "int8_launchers.h"

namespace finish_mma {

enum {
  WARPS = TG_TILE(2, 8),
  THREADS = 32 * WARPS,
  ROWS = fp64_tile / 2, /* of C, for a block of threads: 8 for each group of lanes */
  COLS = fp64_tile,     /* a warp has one at a time */
  GROUP_ROWS = ROWS / 8,
  CHUNK = 16, /* moduli of a product */
};

struct alignas(16) two_doubles {
  double of[2];
};
struct alignas(8) two_words {
  unsigned of[2];
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

/* The digits of two rows of each lane of a warp. Neither the writers nor the readers of neighbouring lanes meet in a
 * bank. */
struct exchange {
  enum { UNITS = ROWS / 2 + 1 };
  two_doubles of[crt_digits * UNITS];
  __device__ two_doubles &at(int digit, int g, int pair) { return of[digit * UNITS + g * (GROUP_ROWS / 2) + pair]; }
};

__device__ inline double double_of(uint64_t bits) {
  double d;
  __builtin_memcpy(&d, &bits, sizeof d);
  return d;
}
/* The bits of the double 2^52 + x: x becomes the last 32 bits of its significand. */
__device__ inline uint64_t in_2_52(unsigned x) { return 0x4330000000000000ull | x; }

/* The digit of an element from its parts. 2^31 is added to the first part of each product: sums of parts are positive
 * then, and need no conversion. */
__device__ inline double digit_of(const int (&part)[crt_parts / 2][4], int h) {
  const auto pair = [&](int v) {
    return static_cast<unsigned>(part[v][2 * h]) + (static_cast<unsigned>(part[v][2 * h + 1]) << crt_part_bits);
  };
  const double low = double_of(static_cast<uint64_t>(pair(1)) * (1u << 2 * crt_part_bits) + in_2_52(pair(0)));
  return fma(double_of(in_2_52(pair(2))) - (0x1p52 + 0x1p31), 0x1p28, low - (0x1p52 + 0x1p31 + 0x1p45));
}

/* The planes of four moduli of a lane. Behind the last modulus its plane is read once more: the weights are 0. */
template <int CHUNKS> struct lane_planes {
  int64_t of[CHUNKS][4];
  __device__ lane_planes(int64_t plane, int moduli) {
    for (int c = 0; c < CHUNKS; c++)
      for (int i = 0; i < 4; i++) {
        const int modulus_number = CHUNK * c + static_cast<int>(threadIdx.x) % 4 * 4 + i;
        of[c][i] = (modulus_number < moduli ? modulus_number : moduli - 1) * plane;
      }
  }
};

/* Word i of the result has the residues of 4 moduli of the group's row i. Rows that do not exist have any residues. */
template <int CHUNKS>
__device__ inline void load_residues(unsigned (&a)[CHUNKS][GROUP_ROWS], const int8_t *from,
                                     const lane_planes<CHUNKS> &planes) {
#pragma unroll
  for (int c = 0; c < CHUNKS; c++) {
    two_words of[4];
#pragma unroll
    for (int i = 0; i < 4; i++) of[i] = *reinterpret_cast<const two_words *>(from + planes.of[c][i]);
#pragma unroll
    for (int w = 0; w < 2; w++) {
      unsigned x[4] = {of[0].of[w], of[1].of[w], of[2].of[w], of[3].of[w]};
      tg_transpose_bytes(x);
#pragma unroll
      for (int i = 0; i < 4; i++) a[c][4 * w + i] = x[i];
    }
  }
}

/* What a lane has of the weights of 16 moduli at a time: the parts 2v + g % 2 of digit g / 2. */
template <int CHUNKS> struct weights {
  unsigned of[CHUNKS][crt_parts / 2];
  __device__ explicit weights(const crt &r) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    for (int c = 0; c < CHUNKS; c++)
      for (int v = 0; v < crt_parts / 2; v++) {
        const int first = CHUNK * c + 4 * t; /* modulus */
        const int8_t *const parts = r.parts[crt_parts * (g / 2) + 2 * v + g % 2];
        of[c][v] = first < most_moduli ? *reinterpret_cast<const unsigned *>(parts + first) : 0;
      }
  }
};
static_assert(most_moduli % 4 == 0 && offsetof(crt, parts) % 4 == 0, "words of parts");

/* What the products are added to: 2^31 for the first part of each. */
struct biased_parts {
  int of[4];
  __device__ biased_parts() {
    for (int i = 0; i < 4; i++) { /* otherwise the compiler makes the constants anew for each product */
      unsigned bits = i % 2 ? 0u : 1u << 31;
      tg_forget(bits);
      of[i] = static_cast<int>(bits);
    }
  }
};

/* Leaves the lane's digit of its group's rows for the others. */
template <int CHUNKS>
__device__ inline void find_digits(exchange &to, const unsigned (&a)[CHUNKS][GROUP_ROWS], const weights<CHUNKS> &w,
                                   const biased_parts &biased) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int pair = 0; pair < GROUP_ROWS / 2; pair++) {
    int part[crt_parts / 2][4];
#pragma unroll
    for (int v = 0; v < crt_parts / 2; v++) {
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        const unsigned rows[2] = {a[c][2 * pair], a[c][2 * pair + 1]};
        if (c == 0)
          tg_mma(part[v], rows, w.of[c][v], biased.of);
        else
          tg_mma(part[v], rows, w.of[c][v], part[v]);
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

/* A part of the present block of C for a block of threads. It lies within one tile. */
struct block_part {
  int64_t row, col, end_col;
  bool active;
  __device__ explicit block_part(const emulation &e) {
    const unsigned strips = static_cast<unsigned>((e.A.present + ROWS - 1) / ROWS);
    row = static_cast<int64_t>(blockIdx.x % strips) * ROWS, col = static_cast<int64_t>(blockIdx.x / strips) * COLS;
    end_col = col + COLS < e.B.present ? col + COLS : e.B.present;
    const int64_t tile_row = (e.A.first + row) / fp64_tile, tile_col = (e.B.first + col) / fp64_tile;
    active = computes_tile(&e, tile_row, tile_col) && is_emulated(&e, tile_row, tile_col);
  }
};
inline int64_t block_parts(const emulation &e) {
  return (e.A.present + ROWS - 1) / ROWS * ((e.B.present + COLS - 1) / COLS);
}

/* Whether nearly all pairs of rows are plain: doubles at aligned addresses, all of them computed, with plain scalars.
 * */
__device__ inline bool is_plain(const emulation &e, const block_part &part) {
  const bool even = reinterpret_cast<uintptr_t>(e.C) % sizeof(two_doubles) == 0 && e.ldc % 2 == 0;
  const int64_t row = e.A.first + part.row, col = e.B.first + part.col;
  const bool inside = !e.triangle || (e.triangle == TRIANGLE_LOWER ? row >= col + COLS : row + ROWS <= col);
  return !e.single && !e.is_complex && even && inside && are_plain_scalars(e.alpha.re, e.beta.re);
}

/* Stores a plain pair; `exponent` are those of its integers. Returns false if an element is not plain. */
__device__ inline bool store_plainly(const emulation &e, two_doubles *C, const int (&exponent)[2],
                                     const double_double (&sum)[2]) {
  const double beta = e.beta.re;
  const two_doubles before = beta != 0 ? *C : two_doubles{};
  if (!is_plain_element(exponent[0], beta, before.of[0]) || !is_plain_element(exponent[1], beta, before.of[1]))
    return false;
  *C = {{unscale_plainly(sum[0], exponent[0], e.alpha.re, beta, before.of[0]),
         unscale_plainly(sum[1], exponent[1], e.alpha.re, beta, before.of[1])}};
  return true;
}

/* Calls store(row, col, sums) for each pair of rows of the block's part that is not plain. Lane t of a group ends with
 * rows 2t and 2t + 1 of the group. The threads of a block take the same steps, because they wait for each other. */
template <int CHUNKS, int DIGITS, class Store>
__device__ inline void finish_part(const emulation &e, const crt &table, const block_part &part, Store store) {
  const int warp = static_cast<int>(threadIdx.x) / 32, g = static_cast<int>(threadIdx.x) % 32 / 4,
            t = static_cast<int>(threadIdx.x) % 4;
  exchange &digits = tg_shared<exchange>()[warp];
  const constants<DIGITS> r(table);
  const weights<CHUNKS> w(table);
  const biased_parts biased;
  const int64_t row = part.row + g * GROUP_ROWS + 2 * t, i = e.A.first + row;
  const bool has_row = row < e.A.present, has_next = row + 1 < e.A.present;
  const bool plain = is_plain(e, part) && has_next;
  const int left[2] = {has_row ? e.A.exponent[i] : 0, has_next ? e.A.exponent[i + 1] : 0};
  /* There is room for 16 rows where there is one. */
  const int64_t group = row - 2 * t < e.A.present ? row - 2 * t : part.row;
  const lane_planes<CHUNKS> planes(e.plane, table.count);
  for (int64_t first = part.col; first < part.end_col; first += WARPS) {
    const int64_t col = first + warp, j = e.B.first + col;
    const bool exists = col < part.end_col;
    unsigned a[CHUNKS][GROUP_ROWS];
    load_residues(a, e.residues + group + (exists ? col : first) * e.ld, planes);
    tg_sync_warp(); /* the last digits were read; and all lanes come together for the products */
    find_digits(digits, a, w, biased);
    tg_sync_warp();
    double_double sum[2];
    find_integers(sum, digits, r, t);
    if (!exists || !has_row) continue;
    const int right = e.B.exponent[j], exponent[2] = {-(left[0] + right), -(left[1] + right)};
    two_doubles *const C = reinterpret_cast<two_doubles *>(static_cast<double *>(e.C) + i + j * e.ldc);
    if (!plain || !store_plainly(e, C, exponent, sum)) store(row, col, sum);
  }
}

} // namespace finish_mma

#endif
