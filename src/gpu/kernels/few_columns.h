/* few_columns.h - a triangular solve with very few columns by one block of threads, for batches.
 *
 * All of X is in shared memory, and L is read once. A thread solves the
 * diagonal tile for its column, while the next diagonal tile is on its way. If the rows of L are neighbours in memory,
 * a thread has a row of L, and the solved tile of X is subtracted from the rows below. If the columns are neighbours, a
 * group of threads has a row of L, and all that the solved rows subtract from a tile of X comes before its solve. */
#ifndef TRIGON_FEW_COLUMNS_H
#define TRIGON_FEW_COLUMNS_H

#include "few_triangle.h"
#include "triangular_step.h"

template <class T_> struct few_columns {
  using T = T_;
  static constexpr int ORDER = leaf<T>::ORDER, THREADS = leaf<T>::THREADS, GROUPS = THREADS / GROUP;
  static constexpr int RUN = 16 / sizeof(T), RESIDENT = sizeof(T) == 16 ? 3 : 5; /* blocks of a multiprocessor */
  static constexpr int ELEMENTS = TG_TILE(600, 24576 / sizeof(T));
  enum { MOST_COLUMNS = 4 };

  /* From row to row of X. Rows are apart so that 16-byte accesses of neighbouring lanes go to different banks. */
  __host__ __device__ static constexpr int ld(int cols) { return cols == 1 ? 1 : cols + RUN; }
  /* The highest order. There is room for a tile before and behind X, because the last tile may be incomplete. */
  __host__ __device__ static constexpr int most(int cols) { return ELEMENTS / ld(cols) - 2 * ORDER; }
  static_assert(ELEMENTS / (MOST_COLUMNS + RUN) > 2 * ORDER, "a matrix has room");

  struct workspace {
    diagonal_tile<T, leaf<T>::ORDER> triangle;
    alignas(16) T x[ELEMENTS];
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) <= TG_SHARED_MOST, "every GPU has this much");

  /* Whether the kernel takes a matrix of order n with so many columns: all of them at a time. */
  __device__ static bool takes(int64_t n, int64_t columns) {
    return columns <= MOST_COLUMNS && n <= most(columns == 1 ? 1 : MOST_COLUMNS);
  }
};

/* Rows of X in shared memory, in the order in which they are solved. */
template <class T, int COLS> struct solved_rows {
  T *first;
  int step;
  __device__ T *row(int i) const { return first + i * step; }
};

/* X2 = X2 - L21·X1 for the rows from `end` on; X1 is the tile before. A thread has a row. */
template <int COLS, class T>
__device__ inline void subtract_below(const matrix<T> &L, const solved_rows<T, COLS> &x, int end, int n) {
  constexpr int ORDER = few_columns<T>::ORDER, AHEAD = COLS * sizeof(T) <= 32 && ORDER >= 16 ? 16 : 8;
  static_assert(ORDER % AHEAD == 0, "all loads are in groups");
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
  constexpr int SHARE = G::ORDER / G::GROUPS, MOST = 32 / COLS, ROWS = SHARE < MOST ? SHARE : MOST;
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
    const int number = spread_number<ROWS * COLS>(0), row = first + number / COLS;
    if (!spread_owner<ROWS * COLS>() || row >= n) continue;
    T *to = x.row(row) + number % COLS;
    *to = subtract(*to, sum[0]);
  }
}

/* A thread's elements of a diagonal tile, on their way to shared memory. */
template <class T> struct next_diagonal {
  using G = few_columns<T>;
  static constexpr int SHARE = G::ORDER * G::ORDER / G::THREADS, LINES = G::THREADS / G::ORDER;
  T held[SHARE];

  /* The tile at (i0, i0), with the identity behind the end of L. All loads are under way at once. */
  __device__ void fetch(const matrix<T> &L, bool along, int i0, int n) {
    const int line = i0 + static_cast<int>(threadIdx.x) % G::ORDER,
              first = i0 + static_cast<int>(threadIdx.x) / G::ORDER;
    const int64_t step = LINES * (along ? L.col : L.row);
    const T *from = along ? L.at(line, first) : L.at(first, line);
#pragma unroll
    for (int e = 0; e < SHARE; e++, from += step) {
      const int other = first + e * LINES, r = along ? line : other, c = along ? other : line;
      const int least_row = r == c && !L.unit ? c : c + 1;
      held[e] = r == c ? one<T>() : T{};
      if (r < n && r >= least_row) held[e] = *from;
    }
  }

  /* Ends with a barrier. */
  __device__ void put(diagonal_tile<T, leaf<T>::ORDER> &to, bool along, bool conjugated) const {
    const int thread = static_cast<int>(threadIdx.x), line = thread % G::ORDER, first = thread / G::ORDER;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < SHARE; e++) {
      const int other = first + e * LINES;
      (along ? to.diagonal[other][line] : to.diagonal[line][other]) = conjugated ? conjugate(held[e]) : held[e];
    }
    __syncthreads();
    if (thread < G::ORDER) to.inverse[thread] = reciprocal(to.diagonal[thread][thread]);
    __syncthreads();
  }
};

/* X = L⁻¹·X. Begins behind a barrier, and ends with one. */
template <int COLS, class T>
__device__ inline void solve_rows(typename few_columns<T>::workspace &shared, const matrix<T> &L, int n,
                                  const solved_rows<T, COLS> &x) {
  constexpr int ORDER = few_columns<T>::ORDER;
  const bool below = along_rows(L);
  next_diagonal<T> next;
  next.fetch(L, below, 0, n);
#pragma unroll 1
  for (int i0 = 0; i0 < n; i0 += ORDER) {
    if (!below) subtract_before<COLS>(L, x, i0, n);
    next.put(shared.triangle, below, L.conjugated);
    if (i0 + ORDER < n) next.fetch(L, below, i0 + ORDER, n);
    if (threadIdx.x < COLS) substitute<T>(shared.triangle, x.row(i0) + threadIdx.x, x.step);
    __syncthreads();
    if (!below || i0 + ORDER >= n) continue;
    subtract_below<COLS>(L, x, i0 + ORDER, n);
    __syncthreads();
  }
}

/* A solve with L, and perhaps a second one with the adjoint, for which the rows of X have the reverse order. */
template <class T> struct few_solves {
  matrix<T> L[2], B;
  int n, width;
  bool twice;
  T alpha;
};

/* Solves for the columns of B, at most COLS. */
template <int COLS, class T>
__device__ inline void solve_columns(typename few_columns<T>::workspace &shared, const few_solves<T> &s) {
  using G = few_columns<T>;
  const int n = s.n, ld = G::ld(COLS);
  const matrix<T> B = s.B;
  T *x = shared.x + G::ORDER * ld;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += G::THREADS) {
    T value[COLS] = {};
#pragma unroll
    for (int c = 0; c < COLS; c++)
      if (c < s.width) value[c] = *B.at(i, c);
#pragma unroll
    for (int c = 0; c < COLS; c++) x[i * ld + c] = scalar_times(s.alpha, value[c]);
  }
  __syncthreads();
#pragma unroll 1
  for (int turn = 0; turn < (s.twice ? 2 : 1); turn++) { /* one copy of the code for both */
    const matrix<T> L = turn == 0 ? s.L[0] : s.L[1];
    solve_rows<COLS, T>(shared, L, n, {turn == 0 ? x : x + (n - 1) * ld, turn == 0 ? ld : -ld});
  }
  for (int c = 0; c < s.width; c++)
    for (int i = static_cast<int>(threadIdx.x); i < n; i += G::THREADS) *B.at(i, c) = x[i * ld + c];
  __syncthreads();
}

#endif
