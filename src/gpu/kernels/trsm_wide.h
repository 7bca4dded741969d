/* trsm_wide.h - a tile of the dataflow TRSM with many columns for doubles, on matrix units.
 *
 * A block takes ORDER rows and LINES columns of B. Its sums are as large as those of a matrix product, so that L and X
 * are read seldom. See unit_solve.h. */
#ifndef TRIGON_TRSM_WIDE_H
#define TRIGON_TRSM_WIDE_H

#include "flow.h"
#include "unit_solve.h"

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. The sums begin with -alpha·B2, so that B
 * is read ahead of the first wait. */
template <class G, class Layouts>
__device__ inline void solve_wide(typename G::workspace &shared, const triangular &t, int64_t b, unsigned row,
                                  int64_t j0, flow_progress &progress) {
  const matrix<double> L = matrix_of<double>(t.L, b), B = matrix_of<double>(t.B, b);
  const matrix<double> triangle = L.as(LOWER, t.unit);
  int64_t i0 = static_cast<int64_t>(row) * G::ORDER;
  const bool inverted = invert_diagonal<G>(shared, triangle, i0, t.n);
  typename G::sums sum;
  each_unit_sum<G>(sum, [&](int line, int unknown, double &s) {
    const int64_t i = i0 + unknown, j = j0 + line;
    s = i < t.n && j < t.width ? -scalar_times(t.alpha.re, *B.at(i, j)) : 0;
  });
  add_streams<G, Layouts, unit_order<true, false>>(
      sum, shared.ring, {B.transposed(), j0, t.width, 0, i0}, {L, i0, t.n, 0, i0}, int64_t{row} * G::STEPS,
      [&](int stage, int) {
        progress.await(static_cast<unsigned>(stage / G::STEPS) + 1);
        return int64_t{progress.known} * G::STEPS;
      },
      [](int) {});
  tg_forget(i0), tg_forget(j0); /* else the addresses of B would take registers from the sums */
  bool wild = false;
  each_unit_sum<G>(sum, [&](int line, int unknown, double s) {
    shared.tile[line][unknown] = -s;
    wild = wild || !is_finite(s);
  });
  solve_lines<G>(
      shared, triangle, i0, t.n, inverted, wild, [] {},
      [&](int unknown, int line, double x) {
        if (i0 + unknown < t.n && j0 + line < t.width) *B.at(i0 + unknown, j0 + line) = x;
      });
}

#endif
