/* streamed_reduction.h - the steps of a block's solver (block_solver.h) before its iteration, for a matrix in memory
 * outside: the reduction to tridiagonal form, which reads and writes the triangle once a column (column_steps.h), and
 * the product of its reflectors, which does the same with the part of Q that is not trivial yet.
 *
 * 32 threads, a team, have two columns at a time. A thread has the same rows of each, so that it adds their products to
 * sums of its own, while the sums of a column are made by shuffles. An element is loaded together with those of other
 * rows: a store in between would make each load wait for the memory.
 * Source: LAPACK xSYTD2, xORG2L. */
#ifndef TRIGON_STREAMED_REDUCTION_H
#define TRIGON_STREAMED_REDUCTION_H

#include "column_steps.h"

template <class Solver> struct streamed_reduction : column_steps<Solver> {
  using steps = column_steps<Solver>;
  using steps::s, steps::sums, steps::column, steps::u_of, steps::lane_apart;
  using T = typename Solver::element;
  using R = typename Solver::R;
  static constexpr int LANES = Solver::LANES, TEAMS = Solver::WARPS, HALF = TEAMS / 2;
  static constexpr int ROWS = (Solver::MOST + LANES - 1) / LANES;
  static constexpr int TOGETHER = ROWS % 4 == 0 && sizeof(T) < 16 ? 4 : 2; /* rows whose loads wait together */
  static_assert(LANES == 32 && TEAMS % 2 == 0 && Solver::THREADS >= Solver::MOST, "a thread a row");
  static_assert((4 + HALF) * Solver::MOST * sizeof(T) <= sizeof(Solver::workspace::rotations), "free at this time");

  __device__ static int team() { return Solver::thread() / LANES; }
  __device__ static int row(int m) { return Solver::lane() + LANES * m; }
  __device__ static bool has_rows(int m, int first) { return LANES * (m + 1) > first; }

  __device__ static T team_sum(T x) {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) x = add(x, shuffle(x, lane_apart(apart)));
    return x;
  }

  /* What two columns need for their update by column k - 1, u at their rows, and their sums. */
  struct column_pair {
    T u[2], w[2], next[2], dot[2];
  };

  /* Rows m .. m + TOGETHER - 1 of the columns j, j + 1. */
  __device__ TG_INLINE void pass_rows(column_pair &y, T (&sum)[ROWS], int m, int j, int k) const {
    T x[TOGETHER][2];
#pragma unroll
    for (int t = 0; t < TOGETHER; t++)
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const int i = row(m + t);
        x[t][c] = i >= j + c && i < s.n ? s.F.at(i, j + c) : T{};
      }
#pragma unroll
    for (int t = 0; t < TOGETHER; t++) {
      const int i = row(m + t);
      if (m + t >= ROWS || i >= s.n) continue;
      const T u = u_of(k - 1)[i], w = s.of.w[i], next = u_of(k)[i];
#pragma unroll
      for (int c = 0; c < 2; c++) {
        if (i < j + c) continue;
        const T both = subtract_product(subtract_product(x[t][c], u, y.w[c]), w, y.u[c]);
        const T updated = i == j + c ? only_real(both) : both;
        s.F.at(i, j + c) = updated;
        sum[m + t] = multiply_add(updated, y.next[c], sum[m + t]);
        if (i > j + c) y.dot[c] = multiply_add(conjugate(updated), next, y.dot[c]);
        if (j + c == k + 1) column()[i] = updated;
      }
    }
  }

  /* Applies the update of column k - 1 to the triangle from k + 1 on, and makes S: in sums() what the columns give, in
   * `sum` what this thread's rows of them give. All teams go through as many turns, because they share shuffles. */
  __device__ void pass(T (&sum)[ROWS], int k) const {
    for (int base = k + 1; base < s.n; base += 2 * TEAMS) {
      const int j = base + 2 * team();
      column_pair y;
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const bool is_inside = j + c < s.n;
        y.u[c] = is_inside ? conjugate(u_of(k - 1)[j + c]) : T{}, y.w[c] = is_inside ? conjugate(s.of.w[j + c]) : T{};
        y.next[c] = is_inside ? u_of(k)[j + c] : T{}, y.dot[c] = T{};
      }
#pragma unroll
      for (int m = 0; m < ROWS; m += TOGETHER)
        if (LANES * (m + TOGETHER) > j && LANES * m < s.n) pass_rows(y, sum, m, j, k);
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const T dot = team_sum(y.dot[c]);
        if (s.lane() == 0 && j + c < s.n) sums()[j + c] = dot;
      }
    }
  }

  /* Adds the rows' sums of all teams: half of the teams store theirs, and the others add to them. */
  __device__ void gather(T (&sum)[ROWS], int k) const {
    T *const mine = steps::memory(4 + team() % HALF);
    for (int half = 0; half < 2; half++) {
#pragma unroll
      for (int m = 0; m < ROWS; m++)
        if (team() / HALF == half && row(m) < s.n) mine[row(m)] = half == 0 ? sum[m] : add(mine[row(m)], sum[m]);
      __syncthreads();
    }
    const int i = s.thread();
    R part = 0;
    if (i > k && i < s.n) {
      T all = sums()[i];
#pragma unroll
      for (int t = 0; t < HALF; t++) all = add(all, steps::memory(4 + t)[i]);
      sums()[i] = all;
      part = real(multiply(conjugate(u_of(k)[i]), all));
    }
    this->store_part(part);
    __syncthreads();
  }

  __device__ void reduce() const {
    this->begin();
#pragma unroll 1
    for (int k = 0; k + 1 < s.n; k++) {
      T sum[ROWS] = {};
      this->reflect(k);
      pass(sum, k);
      gather(sum, k);
      this->finish_column(k);
    }
    this->end();
  }

  /* --------------------------------------------------------------------------------------------------- product -- */

  /* Column j of (I - tau·v·vᴴ)·Q, by a team; j >= n: nothing. */
  __device__ void apply(int k, int j, T tau) const {
    T x[ROWS], dot = {};
#pragma unroll
    for (int m = 0; m < ROWS; m++) {
      const int i = row(m);
      x[m] = has_rows(m, k + 1) && i > k && i < s.n && j < s.n ? s.F.at(i, j) : T{};
    }
#pragma unroll
    for (int m = 0; m < ROWS; m++)
      if (row(m) > k && row(m) < s.n) dot = multiply_add(conjugate(s.of.v[row(m)]), x[m], dot);
    const T by = multiply(tau, team_sum(dot));
#pragma unroll
    for (int m = 0; m < ROWS; m++)
      if (row(m) > k && row(m) < s.n && j < s.n) s.F.at(row(m), j) = subtract_product(x[m], s.of.v[row(m)], by);
  }

  /* Q = H0·H1·... in the matrix's place, from the last reflector on: each one changes what is behind its own
   * column. */
  __device__ void form() const {
    if (s.thread() == 0 && s.n > 0) s.F.at(s.n - 1, s.n - 1) = one<T>();
#pragma unroll 1
    for (int k = s.n - 2; k >= 0; k--) {
      for (int i = k + 1 + s.thread(); i < s.n; i += Solver::THREADS) {
        s.of.v[i] = i == k + 1 ? one<T>() : s.F.at(i, k);
        s.F.at(i, k) = T{}, s.F.at(k, i) = T{};
      }
      if (s.thread() == 0) s.F.at(k, k) = one<T>();
      __syncthreads();
      const T tau = s.of.tau[k];
      if (!is_zero(tau))
        for (int base = k + 1; base < s.n; base += TEAMS) apply(k, base + team(), tau);
      __syncthreads();
    }
  }
};

#endif
