/* sweep_pipeline.h - eigenvalues of the tridiagonal matrix of a block's solver (block_solver.h) by bisection, and QL
 * sweeps that follow each other through the matrix at the same time.
 *
 * A sweep whose shift is an eigenvalue makes that value its first row. The shifts are known before the first sweep, by
 * bisection, so a sweep does not wait for the result of the one before. Each sweep has a lane of the first warp, two
 * rows behind the sweep before. Rows pass from lane to lane in registers. The other threads apply the sweeps before.
 *
 *     lane 0:  m-1  m-2  m-3  m-4  m-5  ...
 *     lane 1:            m-1  m-2  m-3  ...
 *     lane 2:                      m-1  ...
 *
 * A sweep ends at the first row that has no value yet. It may miss its value by rounding. Then its shift is used
 * again; if this fails, too, sweeps with Wilkinson's shift follow, one at a time. So shifts decide how fast, but not
 * what is found. Source: B. Parlett, The Symmetric Eigenvalue Problem, 7.11 and 8.10; K. Braman, R. Byers, R. Mathias
 * (SIAM J. Matrix Anal. 23, 2002), who pass small chains of shifts through a matrix.
 *
 * An element counts for nothing if it is as small beside the whole matrix as those that divide and conquer neglects. */
#ifndef TRIGON_SWEEP_PIPELINE_H
#define TRIGON_SWEEP_PIPELINE_H

#include "common/eigen/scale_rule.h"
#include "gpu/kernels/eigen/householder.h"
#include "gpu/kernels/eigen/sturm_count.h"

template <class R> struct alignas(2 * sizeof(R)) rotation { R c, s; };

template <class Solver, int SWEEPS> struct sweep_pipeline {
  using R = typename Solver::R;
  const Solver &s;

  enum {
    LAG = 2,   /* rows between two sweeps: a row's value comes from the lane before in the step before its use */
    SHORT = 4, /* blocks of so many rows or fewer are left to single sweeps */
    AHEAD = Solver::IS_SHARED ? 1 : 4, /* columns that are loaded before their use */
    MOST_MISSES = 2                    /* passes without a value, before a single sweep */
  };

  /* How far the iteration is. Rows before l have values. The block l .. m is iterated. At the beginning it was a part
   * of the rows up to `end`, whose unused shifts are those of rows l .. end. Rows up to `scanned` may have been cut
   * since of.place was found. */
  struct progress {
    int l = 0, m = -1, end = -1, scanned = -1, left, misses = 0;
    bool together = false;
  };

  /* -------------------------------------------------------------------------------------------------- bisection -- */

  /* The matrix, scaled to a norm of at most 1, in memory that is free after the reduction. */
  __device__ R *scaled_d() const { return reinterpret_cast<R *>(s.of.v); }
  __device__ R *scaled_e() const { return reinterpret_cast<R *>(s.of.w); }

  /* Scales it. Returns the power, and 0 for a zero matrix. Ends with a barrier. */
  __device__ R scale_tridiagonal() const {
    R norm = 0;
    for (int i = s.thread(); i < s.n; i += Solver::THREADS) {
      const R size = magnitude(s.of.d[i]) + magnitude(s.of.e[i]) + (i > 0 ? magnitude(s.of.e[i - 1]) : 0);
      if (size > norm) norm = size;
    }
    norm = s.most(norm);
    const R power = static_cast<R>(power_for(static_cast<double>(norm), sizeof(R) == sizeof(float)));
    for (int i = s.thread(); i < s.n; i += Solver::THREADS)
      scaled_d()[i] = s.of.d[i] * power, scaled_e()[i] = s.of.e[i] * power;
    __syncthreads();
    return norm == 0 ? 0 : power;
  }

  /* All values, in ascending order, in d. */
  __device__ void find_values() const {
    const R power = scale_tridiagonal();
    for (int i = s.thread(); i < s.n && power != 0; i += Solver::THREADS)
      s.of.d[i] = static_cast<R>(value_by_number<R>(scaled_d(), scaled_e(), s.n, i)) / power;
    __syncthreads();
  }

  /* Cuts the matrix at negligible elements, and finds the values of each block. */
  __device__ void find_shifts(R least) const {
    for (int i = s.thread(); i + 1 < s.n; i += Solver::THREADS)
      if (Solver::is_negligible(s.of.e[i], s.of.d[i], s.of.d[i + 1], least)) s.of.e[i] = 0;
    __syncthreads();
    const R power = scale_tridiagonal();
    for (int i = s.thread(); i < s.n; i += Solver::THREADS) {
      int first = i, last = i;
      while (first > 0 && s.of.e[first - 1] != 0) first--;
      while (s.of.e[last] != 0) last++; /* the last one of all is 0 */
      s.of.place[i] = last;
      s.of.shifts[i] = first == last ? s.of.d[i]
                                     : static_cast<R>(value_by_number<R>(scaled_d() + first, scaled_e() + first,
                                                                         last - first + 1, i - first)) /
                                           power;
    }
    __syncthreads();
  }

  /* The square of what is negligible beside the whole matrix. */
  __device__ R least_element() const {
    R largest = 0;
    for (int i = s.thread(); i < s.n; i += Solver::THREADS) {
      const R size = magnitude(s.of.d[i]) > magnitude(s.of.e[i]) ? magnitude(s.of.d[i]) : magnitude(s.of.e[i]);
      if (size > largest) largest = size;
    }
    const R tolerance = 4 * Solver::eps * s.most(largest); /* as deflate.inc */
    return tolerance * tolerance + reflection<R>::least;
  }

  /* ----------------------------------------------------------------------------------------------------- plans -- */

  /* Row l has its value: takes that value's shift, the nearest one, out of the list. By one thread. */
  __device__ void take_row(progress &at) const {
    const R value = s.of.d[at.l];
    int nearest = at.l;
    R distance = magnitude(s.of.shifts[at.l] - value);
#pragma unroll 4
    for (int i = at.l + 1; i <= at.end; i++) {
      const R apart = magnitude(s.of.shifts[i] - value);
      if (apart < distance) distance = apart, nearest = i;
    }
    s.of.shifts[nearest] = s.of.shifts[at.l];
    at.l++, at.misses = 0;
  }

  /* The last row of the block that begins at row l. */
  __device__ int block_end(const progress &at) const {
    const int most = s.of.place[at.l];
    int m = at.l <= at.scanned ? at.l : most;
    while (m < most && s.of.e[m] != 0) m++;
    return m;
  }

  /* One thread finds what comes next, and computes a single sweep itself. */
  __device__ void plan(progress &at, int to, R least) const {
    s.of.last[to] = -1, at.together = false;
    while (at.l < s.n) {
      if (at.l > at.end) at.end = s.of.place[at.l], at.misses = 0;
      if (at.l > at.m) at.m = block_end(at);
      if (at.l == at.m) {
        take_row(at);
        continue;
      }
      if (at.left <= 0) return;
      at.together = at.m - at.l >= SHORT && at.misses < MOST_MISSES;
      at.left--; /* single sweeps, which do converge, are a third of all turns at least if none finds a value */
      s.of.first[to] = at.l, s.of.last[to] = at.m, s.of.together[to] = at.together, s.of.reverses[to] = false;
      if (at.together) return;
      const int l = at.l, end = s.sweep(l, at.m, least, s.of.rotations[to][0]);
      at.scanned = at.m, at.m = end, at.misses = 0;
      if (s.of.e[l] == 0) take_row(at);
      return;
    }
  }

  /* --------------------------------------------------------------------------------------------------- sweeps -- */

  /* A lane's sweep, which goes through the rows m .. l as they come. */
  struct lane_sweep {
    R shift, c = 1, s = 1, p = 0, g = 0, upper = 0, above = 0;
    R d = 0, e = 0; /* the row that goes on to the next lane in the next step */
    int top, end;   /* the first row without a value; the last row of the block that it begins */
    bool has_shift, active = false, found = false;
  };

  /* Row i, with the elements `here` and `off`, for i < m. Row i + 1 gets (d, e). Returns the rotation. */
  __device__ static rotation<R> rotate_row(lane_sweep &x, int i, int m, R here, R off, R least, R &d, R &e) {
    if (i == m - 1 && x.has_shift && x.top < m) x.active = true, x.upper = x.d, x.g = x.upper - x.shift;
    if (!x.active) {
      x.d = here, x.e = off;
      return {1, 0};
    }
    const R b = x.c * off;
    R r = 0;
    const rotation<R> by = Solver::rotation_of(x.s * off, x.g, r);
    x.c = by.c, x.s = by.s;
    x.g = x.upper - x.p;
    const R t = (here - x.g) * x.s + 2 * x.c * b;
    x.p = x.s * t;
    d = x.g + x.p;
    if (i + 1 < m) {
      const bool splits = Solver::is_negligible(r, d, x.above, least);
      e = splits ? 0 : r;
      if (splits) x.end = i + 1;
    }
    x.g = x.c * t - b, x.above = d, x.upper = here;
    if (i == x.top) {
      x.d = here - x.p, x.e = Solver::is_negligible(x.g, x.d, d, least) ? 0 : x.g;
      x.active = false, x.found = x.e == 0;
      if (x.found) x.top = i + 1;
    }
    return by;
  }

  /* The sweeps of a pass over the rows l .. m, by all lanes of the first warp. Thread 0 loads the rows, and
   * stores those of the last lane, and where the blocks end. */
  __device__ lane_sweep pass(int l, int m, R shift, R least, int to) const {
    const int k = s.thread(), before = k > 0 ? k - 1 : SWEEPS - 1;
    lane_sweep x;
    x.shift = shift, x.top = l, x.end = m, x.has_shift = k < SWEEPS && k < m - l;
    R here = k == 0 ? s.of.d[m] : R(0), off = 0;
    int last = m;
#pragma unroll 1
    for (int step = 0; step < m - l + 2 + LAG * (SWEEPS - 1); step++) {
      const int i = m - step + LAG * k;
      R d = x.d, e = x.e; /* row i + 1 */
      if (k < SWEEPS && i <= m && i + 1 >= l) {
        if (i == m)
          x.d = here, x.e = off;
        else if (i >= l)
          s.of.rotations[to][k][i] = rotate_row(x, i, m, here, off, least, d, e);
      }
      here = tg_shuffle(d, before), off = tg_shuffle(e, before);
      const int top = tg_shuffle(x.top, before);
      if (k > 0 && top > x.top) x.top = top;
      const int row = i + 1 + LAG * (SWEEPS - 1); /* of thread 0: what the last lane has made */
      if (k == 0 && row <= m) {
        s.of.d[row] = here;
        if (row < m) s.of.e[row] = off;
        if (row < m && off == 0) last = row;
        s.of.place[row] = last;
      }
      if (k == 0 && i - 1 >= l) here = s.of.d[i - 1], off = s.of.e[i - 1];
    }
    return x;
  }

  /* The next sweeps, whose rotations go to the buffer `to`. By the first warp; thread 0 knows `at`. */
  __device__ void advance(progress &at, int to, R least) const {
    if (s.thread() == 0) plan(at, to, least);
    if (!tg_shuffle(static_cast<int>(at.together), 0)) return;
    const int l = tg_shuffle(at.l, 0), m = tg_shuffle(at.m, 0);
    R shift = 0;
#pragma unroll
    for (int k = 0; k < SWEEPS; k++) {
      const R of_lane = tg_shuffle(s.thread() == 0 && k < m - l ? s.of.shifts[l + k] : R(0), 0);
      if (s.thread() == k) shift = of_lane;
    }
    const lane_sweep x = pass(l, m, shift, least, to);
    int missed = 0, end = m;
    R again[SWEEPS];
#pragma unroll
    for (int k = 0; k < SWEEPS; k++) {
      const bool found = tg_shuffle(static_cast<int>(x.found), k) != 0;
      const int its_end = tg_shuffle(x.end, k);
      again[k] = tg_shuffle(x.shift, k);
      missed |= !found && k < m - l ? 1 << k : 0;
      if (its_end < end) end = its_end;
    }
    at.l = tg_shuffle(x.top, SWEEPS - 1), at.m = end;
    at.misses = at.l > l ? 0 : at.misses + 1;
    if (s.thread() != 0) return;
    int row = at.l;
#pragma unroll
    for (int k = 0; k < SWEEPS; k++)
      if (missed >> k & 1) s.of.shifts[row++] = again[k];
  }

  /* --------------------------------------------------------------------------------------------------- columns -- */

  /* Applies a pass to row r. A column is loaded once, goes through all sweeps, and is stored as the column SWEEPS
   * behind it. Sweep k carries its next column. Iteration j loads column j, and sweep k rotates columns j + k and
   * j + k + 1. */
  struct row_pass {
    using T = typename Solver::element;
    T carry[SWEEPS];

    __device__ static TG_INLINE T rotated(rotation<R> by, T x, T &carried) {
      const T out = add(scale(x, by.s), scale(carried, by.c));
      carried = subtract(scale(x, by.c), scale(carried, by.s));
      return out;
    }
    /* At the ends of the block some sweeps have no rotation. Behind the last column, sweep j's column is the next one's
     * first. Returns whether a column is complete. */
    template <class Rotations> __device__ bool at_end(const Rotations &by, int l, int m, int j, T &x) {
      const int begin = j < l ? l - j : 0;
      bool complete = true;
#pragma unroll
      for (int k = 0; k <= SWEEPS; k++) {
        if (k > 0 && k == begin) x = carry[k - 1];
        if (k == SWEEPS || k < begin || !complete) continue;
        if (j + k < m)
          x = rotated(by[k][j + k], x, carry[k]);
        else
          carry[k] = x, complete = false;
      }
      return complete;
    }
  };

  __device__ void rotate_together(int turn) const {
    const int l = s.of.first[turn], m = s.of.last[turn];
    const auto &by = s.of.rotations[turn];
    for (int r = s.row_of_thread(); r < s.n; r += Solver::THREADS) {
      row_pass row;
      typename Solver::element ahead[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; i++) ahead[i] = m - i >= l ? s.F.at(r, m - i) : typename Solver::element{};
#pragma unroll 1
      for (int first = m; first >= l - SWEEPS; first -= AHEAD)
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
          const int j = first - i;
          if (j < l - SWEEPS) continue;
          typename Solver::element x = ahead[i];
          if (j - AHEAD >= l) ahead[i] = s.F.at(r, j - AHEAD);
          bool complete = true;
          if (j >= l && j + SWEEPS <= m) {
#pragma unroll
            for (int k = 0; k < SWEEPS; k++) x = row.rotated(by[k][j + k], x, row.carry[k]);
          } else {
            complete = row.at_end(by, l, m, j, x);
          }
          if (complete) s.F.at(r, j + SWEEPS) = x;
        }
    }
  }

  /* Returns how many elements of e are not zero. */
  __device__ int iterate() const {
    enum { turns_of_value = 30 };
    const R least = least_element();
    find_shifts(least);
    progress at;
    at.left = turns_of_value * s.n;
    const bool advances = s.thread() < tg_warp();
    if (advances) advance(at, 0, least);
    __syncthreads();
    for (int turn = 0; s.of.last[turn] >= 0; turn ^= 1) {
      if (advances) advance(at, turn ^ 1, least);
      if (s.of.together[turn])
        rotate_together(turn);
      else
        s.rotate(turn);
      __syncthreads();
    }
    return s.count_left();
  }
};

#endif
