/* register_reduction.h - the steps of a block's solver (block_solver.h) before its iteration, with the matrix in the
 * registers of the block: the reduction to tridiagonal form, two barriers a column, and the product of its reflectors
 * without any.
 *
 * The whole square is held, not a triangle. A thread has every ACROSS-th column and every DOWN-th row, so that all
 * threads have work until the end. Each row belongs to ACROSS neighbouring lanes, whose sums are made by shuffles.
 *
 * One pass through the registers applies the update of the column before and makes S (column_steps.h).
 * Source: LAPACK xSYTD2, xORG2L. */
#ifndef TRIGON_REGISTER_REDUCTION_H
#define TRIGON_REGISTER_REDUCTION_H

#include "column_steps.h"

constexpr int power_of_two_from(int n) { return n <= 1 ? 1 : 2 * power_of_two_from((n + 1) / 2); }

template <class Solver> struct register_reduction : column_steps<Solver> {
  using steps = column_steps<Solver>;
  using steps::s, steps::sums, steps::column, steps::u_of, steps::lane_apart;
  using T = typename Solver::element;
  using R = typename Solver::R;
  static constexpr int ACROSS = 8, DOWN = Solver::THREADS / ACROSS;
  static constexpr int COLS = (Solver::MOST + ACROSS - 1) / ACROSS;
  static constexpr int ROWS = power_of_two_from((Solver::MOST + DOWN - 1) / DOWN);
  static constexpr int PAIR = ROWS < 2 ? ROWS : 2; /* so many rows of a thread are skipped together in the product */
  static constexpr int TOGETHER = sizeof(T) > sizeof(R) ? 2 : 4; /* and so many columns in the reduction */
  static_assert(Solver::THREADS % 64 == 0 && Solver::THREADS >= Solver::MOST && ROWS <= ACROSS,
                "whole warps, and a thread a row");

  __device__ static int across() { return static_cast<int>(threadIdx.x) % ACROSS; }
  __device__ static int down() { return static_cast<int>(threadIdx.x) / ACROSS; }
  __device__ static int row(int r) { return down() + DOWN * r; }
  __device__ static int col(int c) { return across() + ACROSS * c; }

  /* Whether any thread's rows r .. r + PAIR - 1, or column c, are not before the row, or column, `first`. */
  __device__ static bool has_rows(int r, int first) { return DOWN * (r + PAIR) > first; }
  __device__ static bool has_row(int r, int first) { return DOWN * (r + 1) > first; }
  __device__ static bool has_col(int c, int first) { return ACROSS * (c + 1) > first; }

  /* The sum over the lanes of x[i] comes to the lanes from owner_of(i) on. In each step two lanes share what they
   * have: each keeps one half of the sums. */
  template <int COUNT, int APART> __device__ static TG_INLINE T scattered_sum(T (&x)[COUNT]) {
    if constexpr (COUNT == 1) {
      T sum = x[0];
#pragma unroll
      for (int apart = APART; apart > 0; apart /= 2) sum = add(sum, shuffle(sum, lane_apart(apart)));
      return sum;
    } else {
      const bool keeps_last = (across() & APART) != 0;
      T kept[COUNT / 2];
#pragma unroll
      for (int i = 0; i < COUNT / 2; i++) {
        const T other = shuffle(keeps_last ? x[i] : x[i + COUNT / 2], lane_apart(APART));
        kept[i] = add(keeps_last ? x[i + COUNT / 2] : x[i], other);
      }
      return scattered_sum<COUNT / 2, APART / 2>(kept);
    }
  }
  static constexpr int OWNERS = ACROSS / ROWS; /* lanes that get the same sum */
  __device__ static int owner_of(int i) { return (static_cast<int>(threadIdx.x) % tg_warp()) - across() + i * OWNERS; }

  /* ------------------------------------------------------------------------------------------------- reduction -- */

  __device__ void load(T (&a)[ROWS][COLS]) const {
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int c = 0; c < COLS; c++) {
        const int i = row(r), j = col(c);
        a[r][c] = i >= s.n || j >= s.n ? T{} : i >= j ? s.F.at(i, j) : conjugate(s.F.at(j, i));
      }
  }

  /* Rows from FIRST_ROW on of TOGETHER columns, whose elements do not wait for each other. */
  template <int FIRST_ROW, int FIRST_COL>
  __device__ TG_INLINE void pass_columns(T (&a)[ROWS][COLS], T (&sum)[ROWS], const T (&u_row)[ROWS],
                                         const T (&w_row)[ROWS], int k) const {
    const T *const before = u_of(k - 1), *const now = u_of(k);
    T u[TOGETHER], w[TOGETHER], next[TOGETHER];
#pragma unroll
    for (int t = 0; t < TOGETHER; t++) {
      const int j = col(FIRST_COL + t);
      const bool is_inside = FIRST_COL + t < COLS && j < s.n;
      u[t] = is_inside ? conjugate(before[j]) : T{}, w[t] = is_inside ? conjugate(s.of.w[j]) : T{};
      next[t] = is_inside ? now[j] : T{};
    }
#pragma unroll
    for (int t = 0; t < TOGETHER; t++)
#pragma unroll
      for (int r = FIRST_ROW; r < ROWS; r++) {
        const int c = FIRST_COL + t < COLS ? FIRST_COL + t : COLS - 1;
        if (c < FIRST_COL + t) continue;
        a[r][c] = subtract_product(subtract_product(a[r][c], u_row[r], w[t]), w_row[r], u[t]);
        sum[r] = multiply_add(a[r][c], next[t], sum[r]);
      }
    if ((k + 1) / (ACROSS * TOGETHER) * TOGETHER != FIRST_COL) return;
#pragma unroll
    for (int t = 0; t < TOGETHER; t++)
#pragma unroll
      for (int r = FIRST_ROW; r < ROWS; r++)
        if (FIRST_COL + t < COLS && col(FIRST_COL + t) == k + 1 && row(r) < s.n) column()[row(r)] = a[r][FIRST_COL + t];
  }
  template <int FIRST_ROW, int FIRST_COL>
  __device__ TG_INLINE void pass_from(T (&a)[ROWS][COLS], T (&sum)[ROWS], const T (&u_row)[ROWS],
                                      const T (&w_row)[ROWS], int k) const {
    if (has_col(FIRST_COL + TOGETHER - 1, k + 1)) pass_columns<FIRST_ROW, FIRST_COL>(a, sum, u_row, w_row, k);
    if constexpr (FIRST_COL + TOGETHER < COLS) pass_from<FIRST_ROW, FIRST_COL + TOGETHER>(a, sum, u_row, w_row, k);
  }

  template <int FIRST_ROW> __device__ TG_INLINE void pass(T (&a)[ROWS][COLS], T (&sum)[ROWS], int k) const {
    const T *const before = u_of(k - 1);
    T u_row[ROWS], w_row[ROWS];
#pragma unroll
    for (int r = FIRST_ROW; r < ROWS; r++) {
      const bool is_inside = row(r) < s.n;
      u_row[r] = is_inside ? before[row(r)] : T{}, w_row[r] = is_inside ? s.of.w[row(r)] : T{};
    }
    pass_from<FIRST_ROW, 0>(a, sum, u_row, w_row, k);
  }

  /* Applies the update of column k - 1 to rows and columns from k + 1 on, and makes S. */
  __device__ void multiply_matrix(T (&a)[ROWS][COLS], int k) const {
    T sum[ROWS] = {};
    if (ROWS > 1 && !has_row(ROWS / 2 - 1, k + 1))
      pass<ROWS / 2>(a, sum, k);
    else
      pass<0>(a, sum, k);
    const T *const now = u_of(k);
    R part = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (row(r) < s.n) part += real(multiply(conjugate(now[row(r)]), sum[r]));
    store_sums(sum, part);
  }

  /* S, and the parts of uᴴ·S. */
  __device__ void store_sums(T (&sum)[ROWS], R part) const {
    const T mine = scattered_sum<ROWS, ACROSS / 2>(sum);
    const int i = row(across() / OWNERS);
    if (across() % OWNERS == 0 && i < s.n) sums()[i] = mine;
    this->store_part(part);
  }

  __device__ void reduce() const {
    T a[ROWS][COLS];
    load(a);
    this->begin();
#pragma unroll 1
    for (int k = 0; k + 1 < s.n; k++) {
      this->reflect(k);
      multiply_matrix(a, k);
      __syncthreads();
      this->finish_column(k);
    }
    this->end();
  }

  /* --------------------------------------------------------------------------------------------------- product -- */

  /* (I - tau·v·vᴴ)·Q. A thread has rows of Q in place of columns, and columns in place of rows: a sum over a column
   * is again one over neighbouring lanes. */
  __device__ void apply(T (&q)[ROWS][COLS], int k, T tau) const {
    const int first = k + 1;
    T v[COLS], sum[ROWS];
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      const int i = col(c);
      v[c] = i == first ? one<T>() : i > first && i < s.n ? s.reflector(i, k) : T{};
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] = T{};
#pragma unroll
    for (int pair = 0; pair < ROWS; pair += PAIR) {
      if (!has_rows(pair, first)) continue;
#pragma unroll
      for (int c = 0; c < COLS; c++)
#pragma unroll
        for (int r = pair; r < pair + PAIR; r++) sum[r] = multiply_add(conjugate(v[c]), q[r][c], sum[r]);
    }
    const T by = multiply(tau, scattered_sum<ROWS, ACROSS / 2>(sum));
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] = shuffle(by, owner_of(r));
#pragma unroll
    for (int pair = 0; pair < ROWS; pair += PAIR) {
      if (!has_rows(pair, first)) continue;
#pragma unroll
      for (int c = 0; c < COLS; c++)
#pragma unroll
        for (int r = pair; r < pair + PAIR; r++) q[r][c] = subtract_product(q[r][c], v[c], sum[r]);
    }
  }

  /* Q = H0·H1·... in the matrix's place, from the last reflector on. */
  __device__ void form() const {
    T q[ROWS][COLS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int c = 0; c < COLS; c++) q[r][c] = row(r) == col(c) ? one<T>() : T{};
#pragma unroll 1
    for (int k = s.n - 2; k >= 0; k--)
      if (!is_zero(s.of.tau[k])) apply(q, k, s.of.tau[k]);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int c = 0; c < COLS; c++)
        if (row(r) < s.n && col(c) < s.n) s.F.at(col(c), row(r)) = q[r][c];
    __syncthreads();
  }
};

#endif
