/* solve_one_column.h - a triangular solve with one column by one warp, for batches of reals.
 *
 * Each warp has a matrix of its own, and waits for no other warp. L is cut into tiles of ORDER lines × 32 elements.
 * Lines are those along which neighbours are stored, so a lane has an element of each line. A tile goes from memory to
 * registers, and each register gets its element of the next tile as soon as it was used: a tile is always on its way.
 *
 * If the lines are columns of L (right-looking), a lane has a row, and the products of a panel are subtracted from the
 * rows below. If they are rows of L (left-looking), a lane has a column and a part of each sum, and the parts are added
 * over the lanes at the end. Either way L⁻ᴴ begins with what L⁻¹ has read last.
 *
 * Diagonal tiles are copied to shared memory ahead, and solved by substitution with a row for each lane. */
#ifndef TRIGON_SOLVE_ONE_COLUMN_H
#define TRIGON_SOLVE_ONE_COLUMN_H

#include <type_traits>

#include "solve_few_columns.h"

template <class T_> struct column_solve {
  using T = T_;
  static_assert(std::is_same<T, real_of<T>>::value, "reals");
  static constexpr int COLS = 1, LDX = 1;
  static constexpr bool MMA = false;
  static constexpr int ORDER = TG_TILE(8, 32), LANES = GROUP;
  static constexpr int THREADS = GROUP, GROUPS = 1;
  static constexpr int LD = ORDER + 1; /* the lanes that copy the short way find different banks */
  static constexpr int RESIDENT = 12;  /* blocks of a multiprocessor: more have no registers for two tiles */

  struct stage {
    alignas(16) T l[ORDER][LD];
  };
  struct workspace {
    stage diagonal;
    alignas(16) T last[ORDER][LDX];
    T inverse[ORDER];
    unsigned long long vote;
    __device__ workspace() {}
  };
};

/* Begins to copy the diagonal tile at (i0, i0). */
template <class G>
__device__ inline void begin_diagonal_copy(typename G::stage &to, const solve_problem<typename G::T> &p, int i0) {
  const int rows = static_cast<int>(least(p.n - i0, G::ORDER)), lane = group_lane(), diagonal = p.L.unit ? 1 : 0;
  const bool by_columns = along_rows(p.L);
  const int to_lane = by_columns ? 1 : G::LD, to_line = by_columns ? G::LD : 1;
  const int64_t from_line = by_columns ? p.L.col : p.L.row;
  const typename G::T *from = p.L.at(i0, i0) + lane * (by_columns ? p.L.row : p.L.col);
  typename G::T *address = &to.l[0][0] + lane * to_lane;
#pragma unroll 8
  for (int e = 0; e < G::ORDER; e++, address += to_line, from += from_line) {
    const int r = by_columns ? lane : e, c = by_columns ? e : lane;
    tg_copy_async_if(lane < G::ORDER, address, from, r < rows && r >= c + diagonal);
  }
  tg_commit_copies();
}

/* Solves with the diagonal tile for shared.last, stores the rows, and begins to copy the next diagonal tile. Begins and
 * ends with a barrier. */
template <class G>
__device__ inline void finish_panel(typename G::workspace &shared, const solve_problem<typename G::T> &p, int i0) {
  const int row = i0 + group_lane();
  tg_await_copies<0>();
  __syncthreads();
  solve_last<G>(shared, shared.diagonal, p, i0);
  if (group_lane() < G::ORDER && row < p.n) *p.B.at(row, 0) = shared.last[group_lane()][0];
  if (i0 + G::ORDER < p.n) begin_diagonal_copy<G>(shared.diagonal, p, i0 + G::ORDER);
  __syncthreads();
}

/* Right-looking: the lines are columns. */
template <class G>
__device__ inline void solve_by_columns(typename G::workspace &shared, const solve_problem<typename G::T> &p) {
  using T = typename G::T;
  constexpr int ORDER = G::ORDER, CHAINS = 4;
  const int lane = group_lane(), n = static_cast<int>(p.n);
  /* A lane behind the end reads the last row. */
  const auto element = [&](const matrix<T> &M, int i, int j) { return M.at(least(i + lane, n - 1), j); };
  T l[ORDER], b = *element(p.B, 0, 0);
  const T *next = element(p.L, ORDER, 0);
  if (ORDER < n) {
    const T *from = next;
#pragma unroll
    for (int c = 0; c < ORDER; c++, from += p.L.col) l[c] = *from;
  }
#pragma unroll 1
  for (int i = ORDER; i < n; i += G::LANES) tg_prefetch(element(p.B, i, 0));
  begin_diagonal_copy<G>(shared.diagonal, p, 0);
#pragma unroll 1
  for (int j0 = 0; j0 < n; j0 += ORDER) {
    const T alpha = j0 == 0 ? p.alpha : one<T>();
    __syncthreads();
    if (lane < ORDER) shared.last[lane][0] = scalar_times(alpha, b);
    finish_panel<G>(shared, p, j0);
#pragma unroll 1
    for (int i0 = j0 + ORDER; i0 < n; i0 += G::LANES) {
      T *const row = element(p.B, i0, 0);
      const T before = i0 + lane < n ? *row : T{};
      if (i0 + G::LANES < n)
        next = element(p.L, i0 + G::LANES, j0);
      else if (j0 + 2 * ORDER < n)
        next = element(p.L, j0 + 2 * ORDER, j0 + ORDER);
      const T *from = next;
      T sum[CHAINS] = {};
#pragma unroll
      for (int c = 0; c < ORDER; c++, from += p.L.col) {
        sum[c % CHAINS] = multiply_add(l[c], shared.last[c][0], sum[c % CHAINS]);
        l[c] = *from;
      }
      const T x = subtract(scalar_times(alpha, before), add(add(sum[0], sum[1]), add(sum[2], sum[3])));
      if (i0 + lane < n) *row = x;
      if (i0 == j0 + ORDER) b = x;
    }
  }
}

/* Left-looking: the lines are rows. */
template <class G>
__device__ inline void solve_by_rows(typename G::workspace &shared, const solve_problem<typename G::T> &p) {
  using T = typename G::T;
  constexpr int ORDER = G::ORDER;
  const int lane = group_lane(), n = static_cast<int>(p.n), own = spread_number<ORDER>(0);
  /* A lane behind the end reads the last column before the diagonal tile. */
  const auto element = [&](int i, int j) { return p.L.at(i, least(j + lane, i - 1)); };
  T l[ORDER];
  const T *next = element(ORDER, 0);
  const auto fetch = [&](int r, int rows, const T *from) {
    if (r < rows) l[r] = *from;
  };
  if (ORDER < n) {
    const T *from = next;
#pragma unroll
    for (int r = 0; r < ORDER; r++, from += p.L.row) fetch(r, n - ORDER, from);
  }
  begin_diagonal_copy<G>(shared.diagonal, p, 0);
#pragma unroll 1
  for (int i0 = 0; i0 < n; i0 += ORDER) {
    const T b = i0 + own < n ? *p.B.at(i0 + own, 0) : T{};
    T sum[ORDER] = {}, x = lane < i0 ? *p.B.at(lane, 0) : T{};
    int rows = n - i0;
#pragma unroll 1
    for (int j0 = 0; j0 < i0; j0 += G::LANES) {
      const int ahead = j0 + G::LANES;
      const bool exists = ORDER % G::LANES == 0 || j0 + lane < i0;
      const T later = ahead + lane < i0 ? *p.B.at(ahead + lane, 0) : T{};
      if (ahead < i0)
        next = element(i0, ahead);
      else if (i0 + ORDER < n)
        next = element(i0 + ORDER, 0), rows -= ORDER;
      const T *from = next;
#pragma unroll
      for (int r = 0; r < ORDER; r++, from += p.L.row) {
        if (exists) sum[r] = multiply_add(l[r], x, sum[r]);
        fetch(r, rows, from);
      }
      x = later;
    }
    add_lanes<ORDER>(sum);
    if (spread_owner<ORDER>()) shared.last[own][0] = subtract(scalar_times(p.alpha, b), sum[0]);
    finish_panel<G>(shared, p, i0);
  }
}

/* B = alpha·L⁻¹·B for one column. Begins and ends with a barrier. */
template <class G>
__device__ inline void solve_column(typename G::workspace &shared, const solve_problem<typename G::T> &p) {
  __syncthreads();
  along_rows(p.L) ? solve_by_columns<G>(shared, p) : solve_by_rows<G>(shared, p);
  __syncthreads();
}

#endif
