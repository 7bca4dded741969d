/* merge_product.h - the vectors of a merge in a block (block_merge.h): those of both halves times those of the small
 * problem, whose elements are made when they are needed. The threads of a team hold the product in registers.
 *
 * Eight neighbouring lanes have the same columns, and share the rows of each half. They also share the elements of the
 * small problem: each lane makes those of one row, and the others get them by shuffles. */
#ifndef TRIGON_MERGE_PRODUCT_H
#define TRIGON_MERGE_PRODUCT_H

#include "block_merge.h"

/* A thread's rows and columns of a merge's square. GROUPS: rows of a thread in each half. */
template <class R, int GROUPS_> struct product_tile {
  static constexpr int ACROSS = 8, COLUMNS = 4, GROUPS = GROUPS_;
  R q[COLUMNS][2 * GROUPS];

  __device__ static int across() { return static_cast<int>(threadIdx.x) % ACROSS; }
  __device__ static int column(int t, int threads, int r) { return t / ACROSS + threads / ACROSS * r; }
  /* Row g of the thread in a half, from the half's first row on. */
  __device__ static int row(int g) { return across() + ACROSS * g; }
  __device__ static int first_lane() { return static_cast<int>(threadIdx.x) % tg_warp() - across(); }

  template <class Merge>
  __device__ TG_INLINE void multiply(const Merge &m, const half_vectors<R> &halves, int most_rows) {
    multiply_half<0>(m, halves, most_rows);
    multiply_half<1>(m, halves, most_rows);
  }
  template <int HALF, class Merge>
  __device__ TG_INLINE void multiply_half(const Merge &m, const half_vectors<R> &halves, int most_rows) {
    const int from = HALF == 0 ? 0 : m.n1, rows = HALF == 0 ? m.n1 : m.n - m.n1;
    const int ld = halves.leading_at(m.first + from);
    const R *const Z = halves.square_at(m.first + from) + across();
    R sum[COLUMNS][GROUPS] = {};
#pragma unroll 1
    for (int first = 0; first < most_rows; first += ACROSS) {
      R mine[COLUMNS];
      const int k = first + across();
#pragma unroll
      for (int r = 0; r < COLUMNS; r++) {
        const int j = column(m.t, m.threads, r);
        mine[r] = k < rows && j < m.n ? m.element(from + k, j) : R(0);
      }
#pragma unroll
      for (int i = 0; i < ACROSS; i++) {
        const bool is_inside = first + i < rows;
        R by[COLUMNS];
#pragma unroll
        for (int r = 0; r < COLUMNS; r++) by[r] = tg_shuffle(mine[r], first_lane() + i);
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
          const R z = is_inside && row(g) < rows ? Z[ACROSS * g + (first + i) * ld] : R(0);
#pragma unroll
          for (int r = 0; r < COLUMNS; r++) sum[r][g] += z * by[r];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < COLUMNS; r++)
#pragma unroll
      for (int g = 0; g < GROUPS; g++) q[r][HALF * GROUPS + g] = sum[r][g];
  }

  /* visit(element, row, column) of the thread's elements. */
  template <class Merge, class Visit> __device__ TG_INLINE void each(const Merge &m, Visit visit) {
#pragma unroll
    for (int r = 0; r < COLUMNS; r++)
#pragma unroll
      for (int g = 0; g < 2 * GROUPS; g++) {
        const bool first = g < GROUPS;
        const int i = row(first ? g : g - GROUPS), j = column(m.t, m.threads, r);
        if (i < (first ? m.n1 : m.n - m.n1) && j < m.n) visit(q[r][g], first ? i : m.n1 + i, j);
      }
  }
};

#endif
