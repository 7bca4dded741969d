/* residue_finish.h - the end of a tile of products on matrix units, which Hopper's kernel and that of other GPUs share:
 * a thread's sums become signed bytes modulo the tile's modulus.
 *
 * By the order of lines in residue_layout.h, a thread has 8 runs of 16 neighbouring rows of C, each in one column. The
 * runs come in pairs: the sums of runs 2i and 2i + 1 are 32 sums from number 32·i on, two of each run in turn. Modulus
 * `number` is that of the tile. */
#ifndef TRIGON_RESIDUE_FINISH_H
#define TRIGON_RESIDUE_FINISH_H

#include "gpu/kernels/element.h"
#include "residue_divisor.h"
#include "residue_products.h"

enum { residue_runs = 8, residue_run = 16 };

using residue_sums = int[residue_runs * residue_run];

/* The number of sum i of a run. */
__host__ __device__ constexpr int residue_sum_of(int run, int i) {
  return 32 * (run / 2) + 2 * (run % 2) + 4 * (i / 2) + i % 2;
}

struct alignas(16) residue_words {
  unsigned of[4];
};

/* Coord tells where the thread's runs are in C: row_of(run), the first row, and col_of(run). */
template <bool ADDS> struct residues {
  using task = residue_products;
  static constexpr int MORE_SHARED = 0;
  residue_divisor by;
  __host__ __device__ static const residue_products &products(const task &p) { return p; }
  __device__ static bool is_idle(const task &p) { return *p.moduli == 0; }
  __device__ residues(const task &, int number) : by(divisor_of(residue_modulus(number))) {}

  static constexpr bool begins = ADDS; /* with the residues that are in C */
  template <class Coord> __device__ void begin(const task &p, int number, const Coord &at, residue_sums &d) const {
    each_run(p, number, at, [&](int run, int8_t *from, bool exists) {
      const residue_words x = exists ? *reinterpret_cast<const residue_words *>(from) : residue_words{{0, 0, 0, 0}};
#pragma unroll
      for (int i = 0; i < residue_run; i++) d[residue_sum_of(run, i)] = tg_signed_byte(x.of[i / 4], i % 4);
    });
  }

  /* Makes room for further terms. */
  __device__ void shrink(residue_sums &d) const {
#pragma unroll
    for (int i = 0; i < residue_runs * residue_run; i++) d[i] = static_cast<int8_t>(reduce_sum(d[i], by));
  }

  template <class Coord>
  __device__ void store(const task &p, int number, const Coord &at, const residue_sums &d) const {
    each_run(p, number, at, [&](int run, int8_t *to, bool exists) {
      residue_words x;
#pragma unroll
      for (int w = 0; w < 4; w++) {
        const auto residue = [&](int i) { return reduce_sum(d[residue_sum_of(run, 4 * w + i)], by); };
        x.of[w] = tg_low_bytes(residue(0), residue(1), residue(2), residue(3));
      }
      if (exists) *reinterpret_cast<residue_words *>(to) = x;
    });
  }

  /* Calls what(run, address, whether it exists). */
  template <class Coord, class What>
  __device__ static void each_run(const task &p, int number, const Coord &at, What what) {
#pragma unroll
    for (int run = 0; run < residue_runs; run++)
      what(run, p.C + number * p.c_plane + at.col_of(run) * p.ldc + at.row_of(run),
           at.col_of(run) < p.n && at.row_of(run) < p.m);
  }
};

#endif
