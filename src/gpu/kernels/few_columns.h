/* few_columns.h - a triangular solve with few columns by one block of threads, for batches.
 *
 * All rows of a few columns of X are in shared memory, so that L is read once for all of them. The diagonal tile is
 * solved by substitution. If the rows of L are neighbours in memory, a thread has a row of L, and the solved tile of X
 * is subtracted from the rows below. If the columns are neighbours, a group of threads has a row of L, and all that
 * the solved rows subtract from a tile of X comes before its solve. */
#ifndef TRIGON_FEW_COLUMNS_H
#define TRIGON_FEW_COLUMNS_H

#include "few_triangle.h"

template <class T_> struct few_columns {
  using T = T_;
  static constexpr int ORDER = 32, THREADS = 128, GROUPS = THREADS / GROUP;
  static constexpr int RUN = 16 / sizeof(T), SEVERAL = sizeof(T) == 16 ? 4 : 8; /* columns at a time, if not one */
  static constexpr int ELEMENTS = TG_TILE(1000, 320 * 80 / sizeof(T));
  enum { MOST_COLUMNS = TG_TILE(20, 64) };

  /* From row to row of X. Rows are apart so that 16-byte accesses of neighbouring lanes go to different banks. */
  __host__ __device__ static constexpr int ld(int cols) { return cols == 1 ? 1 : cols + RUN; }
  /* The highest order. There is room for a tile before and behind X, because the last tile may be incomplete. */
  __host__ __device__ static constexpr int most(int cols) { return ELEMENTS / ld(cols) - 2 * ORDER; }
  static_assert(most(SEVERAL) > 0, "a matrix has room");

  struct workspace {
    few_triangle<T, ORDER, THREADS> triangle;
    alignas(16) T x[ELEMENTS];
    __device__ workspace() {}
  };

  /* Whether the kernel takes a solve with L of order n and so many columns. */
  __host__ __device__ static bool takes(int64_t n, int64_t columns) {
    return columns == 1 ? n <= most(1) : columns <= MOST_COLUMNS && n <= most(SEVERAL);
  }
};

/* Rows of X in shared memory, in the order in which they are solved. */
template <class T, int COLS> struct solved_rows {
  T *first;
  int step;
  __device__ T *row(int i) const { return first + i * step; }
};

/* Row i of X, i < ORDER, becomes that of L⁻¹·X, from `first` on. A lane has a row, a group has columns. Begins with a
 * barrier, or behind one. */
template <int COLS, class T, int ORDER, int THREADS>
__device__ inline void substitute_rows(few_triangle<T, ORDER, THREADS> &t, const solved_rows<T, COLS> &x, int first) {
  constexpr int GROUPS = THREADS / GROUP, SHARE = COLS > GROUPS ? COLS / GROUPS : 1;
  static_assert(ORDER == GROUP && (COLS >= GROUPS ? COLS % GROUPS == 0 : true), "groups have equal shares");
  const int lane = group_lane(), column = group_number() * SHARE % COLS;
  const bool has_columns = group_number() * SHARE < COLS; /* all lanes of a warp shuffle */
  T *own = x.row(first + lane) + column, value[SHARE] = {};
#pragma unroll
  for (int c = 0; c < SHARE; c++)
    if (has_columns) value[c] = own[c];
#pragma unroll 4
  for (int j = 0; j < ORDER; j++) {
    const T below = t.lower(lane > j ? lane : j, j), rate = t.reciprocal[j];
#pragma unroll
    for (int c = 0; c < SHARE; c++) {
      const T before = group_shuffle(value[c], j);
      const T pivot = is_zero(rate) ? divide(before, t.lower(j, j)) : multiply(before, rate);
      value[c] = lane == j ? pivot : lane > j ? subtract_product(value[c], below, pivot) : value[c];
    }
  }
#pragma unroll
  for (int c = 0; c < SHARE; c++)
    if (has_columns) own[c] = value[c];
}

/* X2 = X2 - L21·X1 for the rows from `end` on; X1 is the tile before. A thread has a row. */
template <int COLS, class T>
__device__ inline void subtract_below(const matrix<T> &L, const solved_rows<T, COLS> &x, int end, int n) {
  constexpr int ORDER = few_columns<T>::ORDER, AHEAD = 8;
  for (int i = end + static_cast<int>(threadIdx.x); i < n; i += few_columns<T>::THREADS) {
    T sum[COLS];
    T *to = x.row(i);
    const T *from = L.at(i, end - ORDER);
#pragma unroll
    for (int c = 0; c < COLS; c++) sum[c] = to[c];
#pragma unroll 1
    for (int j = 0; j < ORDER; j += AHEAD) {
      T l[AHEAD];
#pragma unroll
      for (int a = 0; a < AHEAD; a++, from += L.col) l[a] = *from;
#pragma unroll
      for (int a = 0; a < AHEAD; a++) {
        const T *solved = x.row(end - ORDER + j + a), rate = L.conjugated ? conjugate(l[a]) : l[a];
#pragma unroll
        for (int c = 0; c < COLS; c++) sum[c] = subtract_product(sum[c], rate, solved[c]);
      }
    }
#pragma unroll
    for (int c = 0; c < COLS; c++) to[c] = sum[c];
  }
}

/* X2 = X2 - L21·X1 for the tile of X from row i0 on; X1 are all rows before. A group has a few rows of L at a time, and
 * its lanes have the columns. */
template <int COLS, class T>
__device__ inline void subtract_before(const matrix<T> &L, const solved_rows<T, COLS> &x, int i0, int n) {
  using G = few_columns<T>;
  constexpr int SHARE = G::ORDER / G::GROUPS, ROWS = COLS == 1 ? SHARE : SHARE / 2;
#pragma unroll 1
  for (int part = 0; part < SHARE; part += ROWS) {
    const int first = i0 + group_number() * SHARE + part;
    T sum[ROWS * COLS] = {};
#pragma unroll 1
    for (int j = group_lane(); j < i0; j += GROUP) {
      const T *from = L.at(first, j), *solved = x.row(j);
      T l[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++, from += L.row) l[r] = first + r < n ? *from : T{};
#pragma unroll
      for (int c = 0; c < COLS; c++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          sum[r * COLS + c] = multiply_add(L.conjugated ? conjugate(l[r]) : l[r], solved[c], sum[r * COLS + c]);
    }
    add_lanes<ROWS * COLS>(sum);
    constexpr int HELD = ROWS * COLS > GROUP ? ROWS * COLS / GROUP : 1;
#pragma unroll
    for (int e = 0; e < HELD; e++) {
      const int number = spread_number<ROWS * COLS>(e), row = first + number / COLS;
      if (!spread_owner<ROWS * COLS>() || row >= n) continue;
      T *to = x.row(row) + number % COLS;
      *to = subtract(*to, sum[e]);
    }
  }
}

/* X = L⁻¹·X. Begins behind a barrier, and ends with one. */
template <int COLS, class T>
__device__ inline void solve_rows(typename few_columns<T>::workspace &shared, const matrix<T> &L, int n,
                                  const solved_rows<T, COLS> &x) {
  constexpr int ORDER = few_columns<T>::ORDER;
  const bool below = along_rows(L);
#pragma unroll 1
  for (int i0 = 0; i0 < n; i0 += ORDER) {
    if (!below) subtract_before<COLS>(L, x, i0, n);
    stage_triangle(shared.triangle, L, i0, n);
    substitute_rows<COLS>(shared.triangle, x, i0);
    __syncthreads();
    if (!below || i0 + ORDER >= n) continue;
    subtract_below<COLS>(L, x, i0 + ORDER, n);
    __syncthreads();
  }
}

/* Solves for COLS columns from j0 on, at most those of B: with L, and then with `second` if it is not NULL, whose rows
 * have the reverse order. */
template <int COLS, class T>
__device__ inline void solve_columns(typename few_columns<T>::workspace &shared, const triangular &t,
                                     const triangular *second, int64_t j0) {
  using G = few_columns<T>;
  const int n = static_cast<int>(t.n), ld = G::ld(COLS), cols = static_cast<int>(least(t.width - j0, COLS));
  const matrix<T> B = matrix_of<T>(t.B, 0).from(0, j0);
  const T alpha = element_of<T>(t.alpha);
  T *x = shared.x + G::ORDER * ld;
#pragma unroll 1
  for (int c = 0; c < COLS; c++)
    for (int i = static_cast<int>(threadIdx.x); i < n; i += G::THREADS)
      x[i * ld + c] = c < cols ? scalar_times(alpha, *B.at(i, c)) : T{};
  __syncthreads();
  solve_rows<COLS>(shared, matrix_of<T>(t.L, 0).as(FULL, t.unit), n, {x, ld});
  if (second) solve_rows<COLS>(shared, matrix_of<T>(second->L, 0).as(FULL, t.unit), n, {x + (n - 1) * ld, -ld});
#pragma unroll 1
  for (int c = 0; c < cols; c++)
    for (int i = static_cast<int>(threadIdx.x); i < n; i += G::THREADS) *B.at(i, c) = x[i * ld + c];
  __syncthreads();
}

#endif
