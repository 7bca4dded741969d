/* trsm_wide.h - a tile of the dataflow TRSM with many columns for doubles, on matrix units.
 *
 * A block takes ORDER rows and LINES columns of B. Its sums are as large as those of a matrix product, so that L and X
 * are read seldom. See unit_solve.h.
 *
 * If there are many slabs, the first blocks invert the diagonal tiles, and the others copy the inverses. Otherwise each
 * block inverts the diagonal tile of its own row, because that takes less time than the wait for another block. Both
 * give the same bits. */
#ifndef TRIGON_TRSM_WIDE_H
#define TRIGON_TRSM_WIDE_H

#include "flow.h"
#include "unit_solve.h"

/* `inverses`: places for the inverses of all diagonal tiles of one matrix, or NULL. Behind the flags of the slabs there
 * is one for each tile row: the inverse is ready, and whether products may use it. */
struct wide_task {
  flow_task flow;
  void *inverses;
};
enum shared_inverse : unsigned { INVERSE_USABLE = 1, INVERSE_REJECTED = 2 };

template <class G> __device__ inline double *place_of_inverse(const wide_task &w, unsigned row) {
  return reinterpret_cast<double *>(static_cast<packed_triangle<G::WARPS> *>(w.inverses) + row);
}

/* Inverts the diagonal tile of a tile row for all blocks. */
template <class G>
__device__ inline void share_inverse(typename G::workspace &shared, const wide_task &w, unsigned row, unsigned *flag) {
  const triangular &t = w.flow.t;
  const matrix<double> triangle = matrix_of<double>(t.L, 0).as(LOWER, t.unit);
  const bool inverted = invert_diagonal<G>(shared, triangle, static_cast<int64_t>(row) * G::ORDER, t.n);
  const double *from = shared.inverse.block[0][0];
  double *to = place_of_inverse<G>(w, row);
#pragma unroll 4
  for (unsigned e = 2 * threadIdx.x; e < sizeof shared.inverse / sizeof *from; e += 2 * G::THREADS)
    *reinterpret_cast<unit_pair *>(to + e) = *reinterpret_cast<const unit_pair *>(from + e);
  tg_publish(flag, inverted ? INVERSE_USABLE : INVERSE_REJECTED);
}

/* Begins to copy the inverse if products may use it. Returns whether they may. */
template <class G>
__device__ inline bool begin_inverse(typename G::workspace &shared, const wide_task &w, unsigned row,
                                     const unsigned *flag) {
  const bool usable = tg_await_most(flag, INVERSE_USABLE, &shared.word) == INVERSE_USABLE;
  const double *from = place_of_inverse<G>(w, row);
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
    each_unit_sum<G>(sum, [&](int line, int unknown, double &s) {
      const int64_t i = i0 + unknown, j = j0 + line;
      s = i < t.n && j < t.width ? *B.at(i, j) : 0;
    });
    return;
  }
  const double *first = B.at(i0 + unit_col<G>() + 2 * (unit_lane() % 4), j0 + unit_row<G>() + unit_lane() / 4);
  const bool pairs = B.row == 1 && B.col % 2 == 0 && reinterpret_cast<uintptr_t>(first) % 16 == 0;
#pragma unroll
  for (int i = 0; i < 2 * G::HEIGHT; i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++) {
      const double *from = first + 8 * i * B.col + 8 * j * B.row;
      double *to = sum.of[i / 2][j] + i % 2 * 2;
      if (pairs) {
        const unit_pair v = *reinterpret_cast<const unit_pair *>(from);
        to[0] = v.first, to[1] = v.second;
      } else {
        to[0] = *from, to[1] = from[B.row];
      }
    }
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. The sums begin with -alpha·B2, so that B
 * is read ahead of the first wait. make_inverse() makes shared.inverse, and copy_inverse() begins to copy it, if that
 * is their case. */
template <class G, class Layouts, class Make, class Copy>
__device__ inline void solve_wide(typename G::workspace &shared, const triangular &t, int64_t b, unsigned row,
                                  int64_t j0, flow_progress &progress, Make make_inverse, Copy copy_inverse) {
  const matrix<double> L = matrix_of<double>(t.L, b), B = matrix_of<double>(t.B, b);
  const matrix<double> triangle = L.as(LOWER, t.unit);
  int64_t i0 = static_cast<int64_t>(row) * G::ORDER;
  const bool made = make_inverse(triangle, i0);
  typename G::sums sum;
  fetch_right<G>(sum, B, t, i0, j0);
  const bool inverted = copy_inverse(made);
  each_unit_sum<G>(sum, [&](int, int, double &s) { s = -scalar_times(t.alpha.re, s); });
  add_streams<G, Layouts, unit_order<true, false>>(
      sum, shared.ring, {B.transposed(), j0, t.width, 0, i0}, {L, i0, t.n, 0, i0}, int64_t{row} * G::STEPS,
      [&](int stage, int) {
        progress.await_eagerly(static_cast<unsigned>(stage / G::STEPS) + 1);
        return int64_t{progress.known} * G::STEPS;
      },
      [](int) {});
  tg_forget(i0), tg_forget(j0); /* else the addresses of B would take registers from the sums */
  bool wild = false;
  each_unit_sum<G>(sum, [&](int line, int unknown, double s) {
    shared.tile[line][unknown] = -s;
    wild = wild || !is_finite(s);
  });
  const solved_place at = {B.at(i0, j0), B.row, B.col, static_cast<int>(least(t.n - i0, G::ORDER)),
                           static_cast<int>(least(t.width - j0, G::LINES))};
  solve_lines<G>(shared, triangle, i0, t.n, inverted, wild, at, [] {});
}

/* Takes a ticket: first for the inverses, then for tiles. */
template <class G, class Layouts> __device__ inline void run_wide(typename G::workspace &shared, const wide_task &w) {
  const flow_task &f = w.flow;
  const unsigned inverses = w.inverses ? static_cast<unsigned>((f.t.n + G::ORDER - 1) / G::ORDER) : 0;
  unsigned *const ready = f.words.flags + f.slabs;
  const unsigned ticket = tg_ticket(f.words.ticket, &shared.word);
  if (ticket < inverses)
    share_inverse<G>(shared, w, ticket, ready + ticket);
  else
    flow_tile_of(f, ticket - inverses, G::LINES, &shared.word,
                 [&](unsigned row, int64_t b, int64_t j0, flow_progress &progress) {
                   solve_wide<G, Layouts>(
                       shared, f.t, b, row, j0, progress,
                       [&](const matrix<double> &L, int64_t i0) {
                         return inverses == 0 && invert_diagonal<G>(shared, L, i0, f.t.n) != NO_INVERSE;
                       },
                       [&](bool made) { return inverses > 0 ? begin_inverse<G>(shared, w, row, ready + row) : made; });
                 });
  flow_end(f.words, f.slabs + inverses, &shared.word);
}

#endif
