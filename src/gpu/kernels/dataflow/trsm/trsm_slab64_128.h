/* trsm_slab64_128.h - a tile of the dataflow TRSM of doubles in slabs of 64 or 128 columns, on matrix units.
 *
 * A block takes ORDER rows and LINES columns of B. Its sums are as large as those of a matrix product, so that L and X
 * are read seldom. See mma_solve.h.
 *
 * If there are many slabs, the first blocks invert the diagonal tiles, and the others copy the inverses. Otherwise each
 * block inverts the diagonal tile of its own row, because that takes less time than the wait for another block. Both
 * give the same bits. */
#ifndef TRIGON_TRSM_SLAB64_128_H
#define TRIGON_TRSM_SLAB64_128_H

#include "gpu/kernels/dataflow/dataflow_slabs.h"
#include "gpu/kernels/diagonal/mma_solve.h"

/* `inverses`: memory for the inverses of all diagonal tiles of one matrix, or NULL. Behind the flags of the slabs there
 * is one for each tile row: the inverse is ready, and whether products may use it. */
struct slab64_128_task {
  dataflow_task dataflow;
  void *inverses;
};
enum shared_inverse : unsigned { INVERSE_USABLE = 1, INVERSE_REJECTED = 2 };

template <class G> __device__ inline double *inverse_of_row(const slab64_128_task &w, unsigned row) {
  return reinterpret_cast<double *>(static_cast<packed_triangle<G::WARPS> *>(w.inverses) + row);
}

/* Inverts the diagonal tile of a tile row for all blocks. */
template <class G>
__device__ inline void share_inverse(typename G::workspace &shared, const slab64_128_task &w, unsigned row,
                                     unsigned *flag) {
  const triangular &t = w.dataflow.t;
  const matrix<double> triangle = matrix_of<double>(t.L, 0).as(LOWER, t.unit);
  const bool inverted = invert_diagonal<G>(shared, triangle, static_cast<int64_t>(row) * G::ORDER, t.n);
  const double *from = shared.inverse.block[0][0];
  double *to = inverse_of_row<G>(w, row);
#pragma unroll 4
  for (unsigned e = 2 * threadIdx.x; e < sizeof shared.inverse / sizeof *from; e += 2 * G::THREADS)
    *reinterpret_cast<two_doubles *>(to + e) = *reinterpret_cast<const two_doubles *>(from + e);
  tg_publish(flag, inverted ? INVERSE_USABLE : INVERSE_REJECTED);
}

/* Begins to copy the inverse if products may use it. Returns whether they may. */
template <class G>
__device__ inline bool begin_inverse(typename G::workspace &shared, const slab64_128_task &w, unsigned row,
                                     const unsigned *flag) {
  const bool usable = tg_await_most(flag, INVERSE_USABLE, &shared.word) == INVERSE_USABLE;
  const double *from = inverse_of_row<G>(w, row);
  double *to = shared.inverse.block[0][0];
#pragma unroll 4
  for (unsigned e = 2 * threadIdx.x; usable && e < sizeof shared.inverse / sizeof *to; e += 2 * G::THREADS)
    tg_copy_async_pair(to + e, from + e, 2);
  tg_commit_copies(); /* add_streams awaits these copies, too, and without stages it commits none */
  return usable;
}

/* Fetches the tile of B. Nothing uses the elements yet, so that the block can wait for an inverse meanwhile. */
template <class G>
__device__ inline void fetch_right(typename G::sums &sum, const matrix<double> &B, const triangular &t, int64_t i0,
                                   int64_t j0) {
  if (i0 + G::ORDER > t.n || j0 + G::LINES > t.width) {
    each_mma_sum<G>(sum, [&](int line, int unknown, double &s) {
      const int64_t i = i0 + unknown, j = j0 + line;
      s = i < t.n && j < t.width ? *B.at(i, j) : 0;
    });
    return;
  }
  const double *from = B.at(i0 + mma_col<G>() + 2 * (mma_lane() % 4), j0 + mma_row<G>() + mma_lane() / 4);
  const bool pairs = B.row == 1 && B.col % 2 == 0 && reinterpret_cast<uintptr_t>(from) % 16 == 0;
  const int64_t down = 8 * B.row, across = 8 * B.col - G::WIDTH * down;
#pragma unroll
  for (int i = 0; i < 2 * G::HEIGHT; i++, from += across)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++, from += down) {
      double *to = sum.of[i / 2][j] + i % 2 * 2;
      if (pairs) {
        const two_doubles v = *reinterpret_cast<const two_doubles *>(from);
        to[0] = v.first, to[1] = v.second;
      } else {
        to[0] = *from, to[1] = from[B.row];
      }
    }
}

/* A ticket's tile. The first `inverses` tickets are those of inverses. */
template <class G> struct slab64_128_coord {
  unsigned row, slab;
  matrix<double> L, B;
  int64_t i0, j0;

  __device__ slab64_128_coord(const slab64_128_task &w, unsigned inverses, unsigned ticket)
      : row((ticket - inverses) / w.dataflow.slabs), slab((ticket - inverses) % w.dataflow.slabs) {
    const triangular &t = w.dataflow.t;
    const slab_coord in(t, w.dataflow.first + slab, G::LINES);
    L = matrix_of<double>(t.L, in.b), B = matrix_of<double>(t.B, in.b);
    i0 = static_cast<int64_t>(row) * G::ORDER, j0 = in.j0;
  }
  __device__ matrix<double> triangle(const slab64_128_task &w) const { return L.as(LOWER, w.dataflow.t.unit); }
  __device__ unsigned *flag(const slab64_128_task &w) const { return w.dataflow.words.flags + slab; }
};

/* sum = -(alpha·B2 - L21·B1) for the ticket's tile. The sums begin with -alpha·B2, so that B is read ahead of the first
 * wait. Returns whether shared.inverse may be used. */
template <class G, class Layouts>
__device__ inline bool sum_wide(typename G::sums &sum, typename G::workspace &shared, const slab64_128_task &w,
                                unsigned inverses, unsigned ticket) {
  const triangular &t = w.dataflow.t;
  const slab64_128_coord<G> at(w, inverses, ticket);
  bool inverted = inverses == 0 && invert_diagonal<G>(shared, at.triangle(w), at.i0, t.n) != NO_INVERSE;
  fetch_right<G>(sum, at.B, t, at.i0, at.j0);
  if (inverses > 0) inverted = begin_inverse<G>(shared, w, at.row, w.dataflow.words.flags + w.dataflow.slabs + at.row);
  each_mma_sum<G>(sum, [&](int, int, double &s) { s = -scalar_times(t.alpha.re, s); });
  dataflow_progress progress = {at.flag(w), &shared.word, 0};
  add_streams<G, Layouts, mma_order<true, false>>(
      sum, shared.ring, {at.B.transposed(), at.j0, t.width, 0, at.i0}, {at.L, at.i0, t.n, 0, at.i0},
      int64_t{at.row} * G::STEPS,
      [&](int stage, int) {
        progress.await_eagerly(static_cast<unsigned>(stage / G::STEPS) + 1);
        return int64_t{progress.known} * G::STEPS;
      },
      [](int) {});
  return inverted;
}

/* B2 = -L22⁻¹·sum for the ticket's tile. */
template <class G>
__device__ inline void end_wide(typename G::sums &sum, typename G::workspace &shared, const slab64_128_task &w,
                                unsigned inverses, unsigned ticket, bool inverted) {
  const triangular &t = w.dataflow.t;
  const slab64_128_coord<G> at(w, inverses, ticket);
  bool nonfinite = false;
  each_mma_sum<G>(sum, [&](int line, int unknown, double s) {
    shared.tile[line][unknown] = -s;
    nonfinite = nonfinite || !is_finite(s);
  });
  const solution_target to = {at.B.at(at.i0, at.j0), at.B.row, at.B.col, static_cast<int>(least(t.n - at.i0, G::ORDER)),
                              static_cast<int>(least(t.width - at.j0, G::LINES))};
  solve_lines<G>(shared, at.triangle(w), at.i0, t.n, inverted, nonfinite, to, [] {});
  tg_publish(at.flag(w), at.row + 1);
}

/* Takes a ticket: first for the inverses, then for tiles. */
template <class G, class Layouts>
__device__ inline void run_slab64_128(typename G::workspace &shared, const slab64_128_task &w) {
  const dataflow_task &f = w.dataflow;
  const unsigned inverses = w.inverses ? static_cast<unsigned>((f.t.n + G::ORDER - 1) / G::ORDER) : 0;
  int64_t ticket = tg_ticket(f.words.ticket, &shared.word);
  if (ticket < inverses) {
    share_inverse<G>(shared, w, static_cast<unsigned>(ticket), f.words.flags + f.slabs + ticket);
  } else {
    typename G::sums sum;
    const bool inverted = sum_wide<G, Layouts>(sum, shared, w, inverses, static_cast<unsigned>(ticket));
    tg_forget(ticket); /* else what both find from it would take registers from the sums */
    end_wide<G>(sum, shared, w, inverses, static_cast<unsigned>(ticket), inverted);
  }
  dataflow_end(f.words, f.slabs + inverses, &shared.word);
}

#endif
