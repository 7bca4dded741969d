/* pack_mma.h - residues of the lines of an emulated product on matrix units.
 *
 * The residues of integers modulo several moduli are products of bytes (fp64/int8/byte_divisor.h): weights of moduli by
 * bytes, times bytes by elements. A product of 16 × 16 × 8 takes 8 moduli and 16 elements X_0 .. X_7 and Y_0 .. Y_7.
 * Row g of the first factor has the 8 weights of modulus g in columns 0 .. 7, row g + 8 has them in columns 8 .. 15.
 * Column n of the second factor has the bytes of X_n above those of Y_n. So lane t of a group of four gives one word:
 * the low or the high one of X_g or Y_g. It gets the residues of X_2t, X_2t+1, Y_2t and Y_2t+1 modulo modulus g, four
 * neighbours of a line in one word. Four such products are four runs of 16 neighbours, one for each lane of the group.
 *
 * A lane converts two elements of these runs. If terms are neighbours in memory, the runs are 64 neighbours of a line.
 * Otherwise they are 32 terms of two lines. Eight runs are 1024 neighbouring bytes, or sectors of 32 bytes. A store
 * fills whole sectors.
 *
 * An element takes about 110 instructions for 14 moduli, 190 without matrix units. Then the bytes count: 22 for an
 * element of 8 and its residues. */
#ifndef TRIGON_PACK_MMA_H
#define TRIGON_PACK_MMA_H

#include "line_reader.h"
#include "residue_bytes.h"
#include "scale_element.h"

namespace pack_mma {

enum {
  THREADS = TG_TILE(64, 128),
  WARPS = THREADS / 32,
  RUN_TERMS = residue_chunk,
  TURNS = 2, /* of four runs */
  STEPS = 8, /* of eight runs, for a warp */
  GROUP_MODULI = 8,
};

struct alignas(16) four_words {
  unsigned of[4];
};

/* The words of the weights of modulus g of a group: for the bytes 0 .. 7, and for the bytes 8 .. 11. Where there is no
 * modulus, another one is taken, and nothing is stored. */
struct lane_divisor {
  unsigned low[2], high[2];
  byte_divisor by;
  __device__ void make(const crt &table, int group) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const int number = GROUP_MODULI * group + g;
    by = table.divisors[number < table.count ? number : 0];
    const unsigned first = t % 2 ? by.weights[1] : by.weights[0], last = t % 2 ? 0 : by.weights[2];
    low[0] = t < 2 ? first : 0, low[1] = t < 2 ? 0 : first;
    high[0] = t < 2 ? last : 0, high[1] = t < 2 ? 0 : last;
  }
};

/* Eight runs of a warp, four for each turn: their distances from the warp's first line and term. ALONG: terms are
 * neighbours in memory. */
template <bool ALONG> struct run_shape {
  enum {
    LINES = ALONG ? 1 : 2 * TURNS,
    TERMS = 8 * RUN_TERMS / LINES,
    BLOCK_LINES = LINES * WARPS, /* of a block of threads */
    BLOCK_TERMS = TERMS * STEPS
  };
  static_assert(residue_lines % BLOCK_LINES == 0 && residue_terms % TERMS == 0, "blocks of planes are filled");
  __device__ static int line(int turn, int run) { return ALONG ? 0 : 2 * turn + run % 2; }
  __device__ static int term(int turn, int run) { return RUN_TERMS * (ALONG ? 4 * turn + run : run / 2); }
};

/* The two words of the bytes of X or Y that this lane gives to products 2p and 2p + 1, from the element that it has
 * converted: lanes of an even t have the element of product 2p, the others that of 2p + 1. */
__device__ inline void share_words(unsigned &even, unsigned &odd, unsigned low, unsigned high) {
  const bool is_odd = threadIdx.x % 2;
  const unsigned other = tg_shuffle(is_odd ? low : high, static_cast<int>(threadIdx.x) % 32 ^ 1);
  even = is_odd ? other : low, odd = is_odd ? high : other;
}

/* What a lane gives to the four products of a turn. */
template <int WORDS> struct run_bytes {
  unsigned low[4], high[WORDS == 3 ? 4 : 1];
  __device__ void take(int p, double scaled) {
    unsigned x[WORDS];
    scale_element(x, scaled);
    balance_bytes(x);
    share_words(low[2 * p], low[2 * p + 1], x[0], x[1]);
    if constexpr (WORDS == 3) share_words(high[2 * p], high[2 * p + 1], x[2], 0);
  }
};

/* The residues of a run modulo the lane's modulus. */
template <int WORDS> __device__ inline four_words residues_of(const run_bytes<WORDS> &x, const lane_divisor &d) {
  four_words run;
  const int F = static_cast<int>(d.by.start), start[4] = {F, F, F, F};
#pragma unroll
  for (int j = 0; j < 4; j++) {
    int sum[4];
    tg_mma(sum, d.low, x.low[j], start);
    if constexpr (WORDS == 3) tg_mma(sum, d.high, x.high[j], sum);
    run.of[j] = tg_low_bytes(reduce_bytes(sum[0], d.by), reduce_bytes(sum[1], d.by), reduce_bytes(sum[2], d.by),
                             reduce_bytes(sum[3], d.by));
  }
  return run;
}

/* What a lane reads for products 2p + t % 2 of both turns: two terms of run g / 2. */
template <bool REAL, bool ALONG> struct lane_reader {
  using shape = run_shape<ALONG>;
  enum { TURN_LINES = ALONG ? 1 : TURNS };
  int run, term;
  int left;   /* terms of the operand in the part, from the lane's first one on */
  bool whole; /* all of the warp's lines exist */
  split_power scale[TURN_LINES];
  bool exists[TURN_LINES];
  int64_t line[TURN_LINES], first; /* the first term of the part, in the operand */

  /* The warp's lines begin at `from` within the block, its terms at `first_term`. */
  __device__ lane_reader(const emulation &e, const line_set &x, int64_t from, int64_t first_term)
      : whole(from + shape::LINES <= x.present), first(e.first + first_term) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const int64_t rest = (e.depth < e.k - e.first ? e.depth : e.k - e.first) - first_term;
    run = g / 2, term = 4 * (t % 2) + 2 * (t / 2) + g % 2;
    left = rest < shape::BLOCK_TERMS ? static_cast<int>(rest) : static_cast<int>(shape::BLOCK_TERMS);
    for (int h = 0; h < TURN_LINES; h++) {
      const int64_t here = from + shape::line(h, run);
      exists[h] = here < x.present, line[h] = x.first + here;
      const int exponent = exists[h] ? exponent_of_line(&e, &x, line[h]) : 0;
      if (exists[h] && first_term + shape::term(h, run) + term == 0) x.exponent[line[h]] = exponent;
      scale[h] = power_of(exponent);
    }
  }

  /* The elements of the step that begins `at` terms behind the part's first one. */
  __device__ void read(double (&a)[TURNS][2], const line_set &x, int at) const {
    const bool all = whole && at + shape::TERMS <= left; /* for the whole warp */
#pragma unroll
    for (int h = 0; h < TURNS; h++) {
      const int here = at + shape::term(h, run) + term;
      with_terms<REAL, ALONG>(x, line[ALONG ? 0 : h], first + here, [&](auto reader) {
        if (all) {
          a[h][0] = reader(0), a[h][1] = reader(8);
        } else {
          a[h][0] = exists[ALONG ? 0 : h] && here < left ? reader(0) : 0;
          a[h][1] = exists[ALONG ? 0 : h] && here + 8 < left ? reader(8) : 0;
        }
      });
    }
  }
};

/* Where a lane writes. A step of ALONG is a whole row of a block of the planes. */
template <bool ALONG> struct lane_writer {
  using shape = run_shape<ALONG>;
  enum { TURN_LINES = ALONG ? 1 : TURNS };
  int8_t *to[TURN_LINES]; /* the row, in the plane of the lane's first modulus and in the first block of terms */
  int row[TURN_LINES];    /* its last three bits, which permute chunks */
  int64_t plane;

  __device__ lane_writer(const line_set &x, int64_t line, int64_t blocks, int64_t plane_) : plane(plane_) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int h = 0; h < TURN_LINES; h++) {
      const int64_t here = line + shape::line(h, lane % 4);
      row[h] = residue_row(static_cast<int>(here % residue_lines)) & 7;
      to[h] = x.planes + lane / 4 * plane + residue_index(here, 0, blocks) - row[h] * residue_chunk;
    }
  }

  /* `term`: of the step, in the planes. */
  __device__ int8_t *address(int h, int64_t term) const {
    const int turn = ALONG ? 0 : h;
    const int in_block = static_cast<int>(term % residue_terms) + shape::term(h, static_cast<int>(threadIdx.x) % 4);
    return to[turn] + term / residue_terms * residue_block + ((in_block / residue_chunk) ^ row[turn]) * residue_chunk;
  }
};

/* Stores the residues of a step. */
template <bool REAL, bool ALONG, int GROUPS, int WORDS>
__device__ inline void store_step(const double (&a)[TURNS][2], const lane_reader<REAL, ALONG> &from,
                                  const lane_writer<ALONG> &to, int64_t term, int moduli,
                                  const lane_divisor (&divisors)[GROUPS]) {
  const int number = static_cast<int>(threadIdx.x) % 32 / 4;
#pragma unroll
  for (int h = 0; h < TURNS; h++) {
    const split_power scale = from.scale[ALONG ? 0 : h];
    run_bytes<WORDS> bytes;
#pragma unroll
    for (int p = 0; p < 2; p++) bytes.take(p, is_finite_number(a[h][p]) ? a[h][p] * scale.half * scale.other : 0);
    int8_t *address = to.address(h, term);
#pragma unroll
    for (int q = 0; q < GROUPS; q++, address += GROUP_MODULI * to.plane) {
      const four_words run = residues_of(bytes, divisors[q]);
      if (number + GROUP_MODULI * q < moduli) *reinterpret_cast<four_words *>(address) = run;
    }
  }
}

/* The blocks of threads for the lines and terms of a block, padded. */
template <bool ALONG> struct block_grid {
  using shape = run_shape<ALONG>;
  unsigned lines, terms;
  __host__ __device__ block_grid(const line_set &x, int64_t depth) {
    lines =
        static_cast<unsigned>((x.present + residue_lines - 1) / residue_lines) * (residue_lines / shape::BLOCK_LINES);
    terms =
        static_cast<unsigned>((residue_blocks(depth) * residue_terms + shape::BLOCK_TERMS - 1) / shape::BLOCK_TERMS);
  }
  __host__ __device__ int64_t all() const { return static_cast<int64_t>(lines) * terms; }
};

/* The warps of a block take the same number of steps, because lanes exchange words. */
template <bool REAL, bool ALONG, int GROUPS, int WORDS>
__device__ inline void make_part(const emulation &e, const line_set &x, const crt &table) {
  using shape = run_shape<ALONG>;
  const block_grid<ALONG> grid(x, e.depth);
  const int64_t line = static_cast<int64_t>(blockIdx.x % grid.lines) * shape::BLOCK_LINES +
                       static_cast<int>(threadIdx.x / 32) * shape::LINES;
  const int64_t term = static_cast<int64_t>(blockIdx.x / grid.lines) * shape::BLOCK_TERMS;
  const int64_t rest = residue_blocks(e.depth) * residue_terms - term;
  const int end = rest < shape::BLOCK_TERMS ? static_cast<int>(rest) : static_cast<int>(shape::BLOCK_TERMS);
  lane_divisor divisors[GROUPS];
#pragma unroll
  for (int q = 0; q < GROUPS; q++) divisors[q].make(table, q);
  const lane_reader<REAL, ALONG> from(e, x, line, term);
  const lane_writer<ALONG> to(x, line, residue_blocks(e.depth), residue_plane(x.present, e.depth));
  double next[TURNS][2];
  from.read(next, x, 0);
#pragma unroll 1
  for (int at = 0; at < end; at += shape::TERMS) {
    double a[TURNS][2];
#pragma unroll
    for (int i = 0; i < 2 * TURNS; i++) a[i / 2][i % 2] = next[i / 2][i % 2];
    from.read(next, x, at + shape::TERMS);
    store_step<REAL, ALONG, GROUPS, WORDS>(a, from, to, term + at, table.count, divisors);
  }
}

} // namespace pack_mma

#endif
