/* pack_units.h - residues of the lines of an emulated product on matrix units.
 *
 * The residues of integers modulo several moduli are products of bytes (residue_bytes.h): weights of moduli by bytes,
 * times bytes by elements. A product of 16 × 16 × 8 takes 8 moduli and 16 elements X_0 .. X_7 and Y_0 .. Y_7: row g of
 * the first factor has the 8 weights of modulus g in columns 0 .. 7, row g + 8 has them in columns 8 .. 15, and column n
 * of the second factor has the bytes of X_n above those of Y_n. So lane t of a group of four gives one word: the low or
 * the high one of X_g or Y_g. It gets the residues of X_2t, X_2t+1, Y_2t and Y_2t+1 modulo modulus g, four neighbours of
 * a line in one word. Four such products are a run: 16 neighbours, which a lane stores at once.
 *
 * A warp makes four runs at a time, and a lane converts two of their elements. The runs are neighbours of one line if
 * terms are neighbours in memory, otherwise of four lines. It makes eight runs before it goes on, so that it reads
 * whole sectors of 32 bytes, and writes them.
 *
 * An element takes about 70 instructions for 14 moduli, 190 without matrix units. Then the bytes count: 22 for an element
 * of 8 and its residues. */
#ifndef TRIGON_PACK_UNITS_H
#define TRIGON_PACK_UNITS_H

#include "line_reader.h"
#include "residue_bytes.h"
#include "scale_element.h"

namespace pack_units {

enum {
  THREADS = TG_TILE(64, 256),
  WARPS = THREADS / 32,
  RUN_TERMS = residue_chunk,
  RUNS = 4, /* at a time */
  TURNS = 2,
  GROUP_MODULI = 8,
};

struct alignas(16) four_words {
  unsigned of[4];
};

/* The words of the weights of modulus g of a group: for the bytes 0 .. 7, and for the bytes 8 .. 11. */
struct lane_divisor {
  unsigned low[2], high[2];
  byte_divisor by;
  __device__ void make(int group) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const int number = GROUP_MODULI * group + g;
    by = byte_divisor_of(residue_modulus(number < residue_moduli ? number : 0));
    const unsigned first = by.weights[t % 2], last = t % 2 ? 0 : by.weights[2];
    low[0] = t < 2 ? first : 0, low[1] = t < 2 ? 0 : first;
    high[0] = t < 2 ? last : 0, high[1] = t < 2 ? 0 : last;
  }
};

/* Eight runs of a warp: run r of turn h begins at this line and term of the block. */
struct warp_runs {
  int64_t line, term;
  bool along;
  __device__ int64_t line_of(int r) const { return along ? line : line + r; }
  __device__ int64_t term_of(int h, int r) const { return term + RUN_TERMS * (along ? RUNS * h + r : h); }
};

/* Number n of the eight runs of a block of `padded` lines and `terms` terms. Neighbours in memory follow each other. */
__device__ inline warp_runs runs_at(int64_t n, int64_t padded, int64_t terms, bool along) {
  if (along) {
    const int64_t width = RUN_TERMS * RUNS * TURNS, across = terms / width;
    return {n / across, n % across * width, true};
  }
  const int64_t down = padded / RUNS;
  return {n % down * RUNS, n / down * RUN_TERMS * TURNS, false};
}

/* The two words of the bytes of X or Y that this lane gives to products 2p and 2p + 1, from the element that it has
 * converted: lanes of an even t have the element of product 2p, the others that of 2p + 1. */
__device__ inline void share_words(unsigned (&given)[2], unsigned low, unsigned high) {
  const bool odd = threadIdx.x % 2;
  const unsigned other = tg_shuffle(odd ? low : high, static_cast<int>(threadIdx.x) % 32 ^ 1);
  given[0] = odd ? other : low, given[1] = odd ? high : other;
}

/* What a lane gives to the four products of a turn. */
template <int WORDS> struct run_bytes {
  unsigned low[4], high[WORDS == 3 ? 4 : 1];
  __device__ void take(int p, double scaled) {
    unsigned x[WORDS], given[2];
    scale_element(x, scaled);
    balance_bytes(x);
    share_words(given, x[0], x[1]);
    low[2 * p] = given[0], low[2 * p + 1] = given[1];
    if constexpr (WORDS == 3) {
      share_words(given, x[2], 0);
      high[2 * p] = given[0], high[2 * p + 1] = given[1];
    }
  }
};

/* The residues of a run modulo the lane's modulus. */
template <int WORDS> __device__ inline four_words residues_of(const run_bytes<WORDS> &x, const lane_divisor &d) {
  four_words run;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int start = static_cast<int>(d.by.start);
    int sum[4] = {start, start, start, start};
    tg_mma(sum, d.low, x.low[j]);
    if constexpr (WORDS == 3) tg_mma(sum, d.high, x.high[j]);
    run.of[j] = tg_low_bytes(reduce_bytes(sum[0], d.by), reduce_bytes(sum[1], d.by), reduce_bytes(sum[2], d.by),
                             reduce_bytes(sum[3], d.by));
  }
  return run;
}

/* Where a lane reads: line g / 2 of a turn's runs, and two terms of it. */
struct reading {
  int run, term;
  __device__ reading() {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    run = g / 2, term = 4 * (t % 2) + 2 * (t / 2) + g % 2;
  }
};

template <int GROUPS, int WORDS>
__device__ inline void make_runs(const emulation &e, const line_set &x, const warp_runs &runs, bool exists, int moduli,
                                 const lane_divisor (&divisors)[GROUPS]) {
  const reading from;
  const int64_t line = x.first + runs.line_of(from.run);
  const int64_t left = e.depth < e.k - e.first ? e.depth : e.k - e.first; /* terms */
  const bool reads = exists && runs.line_of(from.run) < x.present;
  double a[TURNS][2];
  with_reader(x, line, [&](auto read) {
#pragma unroll
    for (int i = 0; i < 2 * TURNS; i++) {
      const int64_t term = runs.term_of(i / 2, from.run) + from.term + 8 * (i % 2);
      a[i / 2][i % 2] = reads && term < left ? read(e.first + term) : 0;
    }
  });
  const int exponent = reads ? exponent_of_line(&e, &x, line) : 0;
  if (reads && runs.term_of(0, from.run) + from.term == 0) x.exponent[line] = exponent;
  const power_pair scale = power_of(exponent);
  const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
#pragma unroll
  for (int h = 0; h < TURNS; h++) {
    run_bytes<WORDS> bytes;
#pragma unroll
    for (int p = 0; p < 2; p++) bytes.take(p, is_finite_number(a[h][p]) ? a[h][p] * scale.half * scale.other : 0);
    int8_t *const to = x.planes + residue_place(runs.line_of(t), runs.term_of(h, t), residue_blocks(e.depth));
    const int64_t plane = residue_plane(x.present, e.depth);
#pragma unroll
    for (int q = 0; q < GROUPS; q++) {
      const four_words run = residues_of(bytes, divisors[q]);
      const int number = GROUP_MODULI * q + lane / 4;
      if (exists && number < moduli) *reinterpret_cast<four_words *>(to + number * plane) = run;
    }
  }
}

__host__ __device__ inline int64_t all_runs(const line_set &x, int64_t depth) {
  return residue_plane(x.present, depth) / (RUN_TERMS * RUNS * TURNS);
}

/* The warps of a block take the same number of steps, because lanes exchange words. */
template <int GROUPS, int WORDS> __device__ inline void make_planes(const emulation &e, const line_set &x, int moduli) {
  lane_divisor divisors[GROUPS];
  for (int q = 0; q < GROUPS; q++) divisors[q].make(q);
  const int64_t all = all_runs(x, e.depth), terms = residue_blocks(e.depth) * residue_terms;
  const int64_t padded = (x.present + residue_lines - 1) / residue_lines * residue_lines;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * WARPS; first < all;
       first += static_cast<int64_t>(gridDim.x) * WARPS) {
    const int64_t at = first + threadIdx.x / 32;
    make_runs<GROUPS, WORDS>(e, x, runs_at(at, padded, terms, x.term_step == 1), at < all, moduli, divisors);
  }
}

} // namespace pack_units

#endif
