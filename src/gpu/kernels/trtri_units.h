/* trtri_units.h - a tile of the dataflow TRTRI for doubles, on matrix units (tg_mma). See trtri_flow.cu.
 *
 * A tile column has ORDER columns. Off the diagonal a block takes LINES rows of the tile column. On the diagonal a
 * block takes the whole tile of ORDER × ORDER, because all blocks of the tile column read that tile. */
#ifndef TRIGON_TRTRI_UNITS_H
#define TRIGON_TRTRI_UNITS_H

#include "flow_matrices.h"
#include "unit_solve.h"

/* A matrix in which the tile with its last element at (end - 1, end - 1) is at (i0, i0), transposed and with rows and
 * columns in reverse order. Then the solve with the tile from the right is a forward solve from the left. */
__device__ inline matrix<double> reversed_tile(const matrix<double> &A, int64_t end, int64_t i0, bool unit) {
  const matrix<double> last = A.from(end - 1, end - 1);
  return matrix<double>{last.data, -last.col, -last.row, false, LOWER, unit}.from(-i0, -i0);
}

/* The flags of a matrix. */
struct inverse_flags {
  unsigned *ready,
      *read; /* of each tile row: tiles of X that are ready, from the diagonal on; tiles that have read L */
};

/* Tile rows of a tile column's height. */
template <class G> __device__ constexpr unsigned tile_height() { return G::ORDER / G::LINES; }

/* X(j, j). The inverse is in place, or it is found by substitution. */
template <class G>
__device__ inline void invert_on_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                          unsigned j, unsigned rows, inverse_flags flags) {
  constexpr unsigned HIGH = tile_height<G>();
  const int64_t j0 = static_cast<int64_t>(j) * G::ORDER, j_end = least(j0 + G::ORDER, p.n), shift = p.n - (j_end - j0);
  const int order = static_cast<int>(j_end - j0);
  const matrix<double> L = reversed_tile(A, j_end, shift, p.unit);
  const unsigned below = HIGH * (j + 1);
  const bool inverted = invert_diagonal<G>(shared, L, shift, p.n);
  if (!inverted) {
    each<G::ORDER, G::ORDER, G::THREADS>(true, [&](int r, int c) { shared.tile[c][r] = r == c ? 1 : 0; });
    substitute_units<G>(shared, shared.spare, G::ORDER, L, shift, p.n);
  }
  if (rows > below) tg_await_each(flags.read + below, rows - below, [&](unsigned r) { return r / HIGH + 1; });
  each<G::ORDER, G::ORDER, G::THREADS>(along_rows(A), [&](int r, int c) {
    const int from = order - 1 - c, to = order - 1 - r; /* row and column of the reversed tile */
    if (r >= order || r < c || (r == c && p.unit)) return;
    *A.at(j0 + r, j0 + c) = inverted ? shared.inverse.element(from, to) : shared.tile[to][from];
  });
  for (unsigned r = HIGH * j; r < rows && r < below; r++) tg_publish(flags.ready + r, 1);
}

/* sum = Σ X(i, k)·L(k, j) over the columns k of tile row i from the last one down to those of tile column j + 1, as the
 * tiles of X become ready. */
template <class G, class Layouts>
__device__ inline void add_row(typename G::workspace &shared, typename G::sums &sum, const factor &p,
                               const matrix<double> &A, int64_t i0, int64_t j0, flow_progress progress) {
  const int64_t i_end = least(i0 + G::LINES, p.n), top = i0 / G::ORDER * G::ORDER;
  const int own = static_cast<int>((i_end - top + G::TERMS - 1) / G::TERMS); /* stages of the diagonal tile */
  const int64_t s0 = top + int64_t{own - 1} * G::TERMS, stages = own + (top - j0 - G::ORDER) / G::TERMS;
  const auto ready = [&](int stage) {
    progress.await(stage < own ? 1 : static_cast<unsigned>((stage - own) / G::STEPS) + 2);
    return own + (progress.known - int64_t{1}) * G::STEPS;
  };
  add_streams<G, Layouts, unit_order<true, true>>(sum, shared.ring, {A.as(LOWER, p.unit), i0, i_end, s0, i_end},
                                                  {A.transposed(), j0, j0 + G::ORDER, s0, i_end}, stages, ready,
                                                  [](int) {});
}

/* X(i, j) off the diagonal. If products may not use the inverse, the block reads L(j, j) a second time. */
template <class G, class Layouts>
__device__ inline void invert_off_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                           unsigned i, unsigned j, unsigned rows, inverse_flags flags) {
  constexpr unsigned HIGH = tile_height<G>();
  const int64_t i0 = static_cast<int64_t>(i) * G::LINES, j0 = static_cast<int64_t>(j) * G::ORDER,
                shift = p.n - G::ORDER;
  const unsigned solved = i / HIGH - j; /* the row's tiles before this one */
  const matrix<double> L = reversed_tile(A, j0 + G::ORDER, shift, p.unit);
  const bool inverted = invert_diagonal<G>(shared, L, shift, p.n);
  typename G::sums sum = {};
  add_row<G, Layouts>(shared, sum, p, A, i0, j0, {flags.ready + i, &shared.word, 0});

  bool wild = false;
  each_unit_sum<G>(sum, [&](int r, int c, double s) {
    shared.tile[r][G::ORDER - 1 - c] = -s;
    wild = wild || !is_finite(s);
  });
  const auto await_readers = [&] {
    if (solved > 1) tg_await(flags.read + i, solved - 1); /* the values of a flag ascend */
    tg_publish(flags.read + i, solved);
    tg_await_each(flags.read + i + 1, rows - i - 1, [&](unsigned r) { return (i + 1 + r) / HIGH - j; });
  };
  solve_lines<G>(shared, L, shift, p.n, inverted, wild, await_readers, [&](int c, int r, double x) {
    if (i0 + r < p.n) *A.at(i0 + r, j0 + G::ORDER - 1 - c) = x;
  });
  tg_publish(flags.ready + i, solved + 1);
}

/* The tasks of a matrix: tile columns from last to first, each of them from its last tile row to its diagonal tile. */
template <class G, class Layouts>
__device__ inline void invert_units(typename G::workspace &shared, const factor &p, int64_t b, unsigned task,
                                    unsigned *words) {
  const matrix<double> A = matrix_of<double>(p.A, b);
  const unsigned rows = static_cast<unsigned>((p.n + G::LINES - 1) / G::LINES);
  const inverse_flags flags = {words, words + rows};
  unsigned j = static_cast<unsigned>((p.n - 1) / G::ORDER), below = 0;
  for (; task > below; j--) {
    task -= below + 1;
    below = rows - tile_height<G>() * j;
  }
  if (task < below)
    invert_off_diagonal<G, Layouts>(shared, p, A, rows - 1 - task, j, rows, flags);
  else
    invert_on_diagonal<G>(shared, p, A, j, rows, flags);
}

#endif
