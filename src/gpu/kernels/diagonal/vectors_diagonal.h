/* vectors_diagonal.h - the diagonal tile of a TRSM for few columns: its inverse, and substitution. */
#ifndef TRIGON_VECTORS_DIAGONAL_H
#define TRIGON_VECTORS_DIAGONAL_H

#include "gpu/kernels/products/tile_gemm.h"
#include "inverse_rule.h"

/* Kernels for few columns work in groups of 32 threads, which are whole warps, or halves of a warp of 64 lanes. */
enum { GROUP = 32 };
__device__ inline int group_lane() { return static_cast<int>(threadIdx.x) % GROUP; }
__device__ inline int group_number() { return static_cast<int>(threadIdx.x) / GROUP; }

/* x of another lane of the group: see tg_shuffle. */
template <class T> __device__ inline T group_shuffle(T x, int lane) {
  return shuffle(x, static_cast<int>(threadIdx.x) % tg_warp() / GROUP * GROUP + lane);
}

/* Adds each of COUNT numbers over LANES neighbouring lanes of the group. Lanes exchange halves of their numbers as long
 * as they have several. Then x[e] is the sum of number spread_number<COUNT, LANES>(e). */
template <int COUNT, int LANES = GROUP, class T> __device__ inline void add_lanes(T (&x)[COUNT]) {
  int count = COUNT;
#pragma unroll
  for (int bit = LANES / 2; bit > 0; bit /= 2) {
    const int other = group_lane() ^ bit;
    const bool upper = group_lane() & bit;
    if (count == 1) {
      x[0] = add(x[0], group_shuffle(x[0], other));
      continue;
    }
    count /= 2;
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) {
      if (i >= count) continue;
      const T given = upper ? x[i] : x[i + count], kept = upper ? x[i + count] : x[i];
      x[i] = add(kept, group_shuffle(given, other));
    }
  }
}

/* COUNT numbers spread over LANES lanes: a lane has several, or several lanes have the same one, and the first of these
 * lanes is its owner. */
template <int COUNT, int LANES = GROUP> __device__ inline int spread_number(int e) {
  const int lane = group_lane() % LANES;
  return COUNT < LANES ? lane / (LANES / COUNT) : lane * (COUNT / LANES) + e;
}
template <int COUNT, int LANES = GROUP> __device__ inline bool spread_owner() {
  return COUNT >= LANES || group_lane() % (LANES / COUNT) == 0;
}

/* A lower triangle L of ORDER rows and its inverse V, in one square: L as [column][row], and V as [row + 1][column]. */
template <class T, int ORDER_, int THREADS_> struct vectors_diagonal {
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, BLOCK = 16;
  using scratch = T[ORDER / 2 * (ORDER / 2)];

  T square[ORDER + 1][ORDER + 1];
  T reciprocal[ORDER];
  real_of<T> sums[2][ORDER];
  unsigned long long vote;

  __device__ T &lower(int r, int c) { return square[c][r]; }
  __device__ T &inverse(int r, int c) { return square[r + 1][c]; }
};

/* Stores the triangle at (i0, i0), with the identity behind the end of L. All loads are under way at once. Begins and
 * ends with a barrier. */
template <class T, int ORDER, int THREADS>
__device__ TG_NOINLINE void stage_triangle(vectors_diagonal<T, ORDER, THREADS> &to, const matrix<T> &L, int64_t i0,
                                           int64_t n) {
  constexpr int SHARE = ORDER * ORDER / THREADS, LINES = THREADS / ORDER;
  const int thread = static_cast<int>(threadIdx.x), line = thread % ORDER, first = thread / ORDER;
  const int rows = static_cast<int>(least(n - i0, ORDER));
  const bool fast = along_rows(L);
  T held[SHARE];
#pragma unroll
  for (int e = 0; e < SHARE; e++) {
    const int other = first + e * LINES, r = fast ? line : other, c = fast ? other : line;
    const bool stored = r < rows && (r > c || (r == c && !L.unit));
    held[e] = stored ? L.load(i0 + r, i0 + c) : r == c ? one<T>() : T{};
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < SHARE; e++) {
    const int other = first + e * LINES, r = fast ? line : other, c = fast ? other : line;
    if (r >= c) to.lower(r, c) = held[e];
  }
  __syncthreads();
  if (thread < ORDER) to.reciprocal[thread] = reciprocal(to.lower(thread, thread));
  __syncthreads();
}

/* Inverts the diagonal blocks, one thread for each column, by substitution in registers. */
template <class T, int ORDER, int THREADS>
__device__ inline void invert_small_blocks(vectors_diagonal<T, ORDER, THREADS> &t) {
  constexpr int BLOCK = vectors_diagonal<T, ORDER, THREADS>::BLOCK;
  const int thread = static_cast<int>(threadIdx.x), first = thread / BLOCK * BLOCK, c = thread % BLOCK;
  if (thread >= ORDER) return;
  T x[BLOCK];
  find_inverse_column(
      x, c, [&](int i, int j) { return t.lower(first + i, first + j); },
      [&](int j) { return t.reciprocal[first + j]; });
#pragma unroll
  for (int i = 0; i < BLOCK; i++)
    if (i >= c) t.inverse(first + i, first + c) = x[i];
}

/* From the inverses of blocks of HALF rows to those of twice as many: V21 = -V22·(L21·V11). A thread has HIGH × WIDE
 * elements of a pair of blocks. Ends with a barrier. */
template <int HALF, class T, int ORDER, int THREADS>
__device__ inline void invert_pairs(vectors_diagonal<T, ORDER, THREADS> &t, T *scratch) {
  constexpr int ELEMENTS = ORDER / 2 * HALF, HIGH = ELEMENTS >= 2 * THREADS ? 2 : 1, WIDE = ELEMENTS / (HIGH * THREADS);
  constexpr int DOWN = HALF / HIGH, ACROSS = HALF / WIDE, STEP = 8;
  static_assert(DOWN * ACROSS * (ORDER / 2 / HALF) == THREADS, "each thread has elements");
  const int thread = static_cast<int>(threadIdx.x), first = thread / (DOWN * ACROSS) * (2 * HALF);
  const int row = thread % DOWN, col = thread / DOWN % ACROSS * WIDE;
  T(&below)[HALF][HALF] = reinterpret_cast<T(*)[HALF][HALF]>(scratch)[first / (2 * HALF)]; /* [column][row] */
  T sum[HIGH][WIDE] = {};
  const auto add_term = [&](int k, bool edge) {
#pragma unroll
    for (int h = 0; h < HIGH; h++)
#pragma unroll
      for (int w = 0; w < WIDE; w++)
        sum[h][w] = multiply_add(t.lower(first + HALF + row + h * DOWN, first + k),
                                 edge && k < col + w ? T{} : t.inverse(first + k, first + col + w), sum[h][w]);
  };
  int k = col / STEP * STEP;
#pragma unroll
  for (int i = 0; i < STEP; i++) add_term(k + i, true);
#pragma unroll 1
  for (k += STEP; k < HALF; k += STEP)
#pragma unroll
    for (int i = 0; i < STEP; i++) add_term(k + i, false);
#pragma unroll
  for (int h = 0; h < HIGH; h++)
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
      below[col + w][row + h * DOWN] = sum[h][w];
      sum[h][w] = T{};
    }
  __syncthreads();
#pragma unroll
  for (int d = 0; d < HIGH; d++) /* the terms from d·DOWN on are zero for the rows before */
#pragma unroll 8
    for (int i = 0; i < DOWN; i++)
#pragma unroll
      for (int h = d; h < HIGH; h++)
#pragma unroll
        for (int w = 0; w < WIDE; w++)
          sum[h][w] = multiply_add(
              h == d && i > row ? T{} : t.inverse(first + HALF + row + h * DOWN, first + HALF + d * DOWN + i),
              below[col + w][d * DOWN + i], sum[h][w]);
#pragma unroll
  for (int h = 0; h < HIGH; h++)
#pragma unroll
    for (int w = 0; w < WIDE; w++) t.inverse(first + HALF + row + h * DOWN, first + col + w) = subtract(T{}, sum[h][w]);
  __syncthreads();
}

/* The rules of inverse_rule.h. A group has SHARE rows, and its lanes have the columns. All threads call this function;
 * it ends with a barrier. */
template <class T, int ORDER, int THREADS>
__device__ inline inverse_use find_use(vectors_diagonal<T, ORDER, THREADS> &t, int64_t n) {
  using R = real_of<T>;
  constexpr int SHARE = ORDER * GROUP / THREADS, SPAN = ORDER / GROUP;
  const int first = group_number() * SHARE;
  R l[SHARE][SPAN], v[SHARE][SPAN], sums[2][SHARE];
#pragma unroll
  for (int a = 0; a < SHARE; a++) {
    sums[0][a] = sums[1][a] = 0;
#pragma unroll
    for (int h = 0; h < SPAN; h++) {
      const int row = first + a, col = group_lane() + GROUP * h;
      l[a][h] = row >= col ? magnitude(t.lower(row, col)) : 0;
      v[a][h] = row >= col ? magnitude(t.inverse(row, col)) : 0;
      sums[0][a] += l[a][h], sums[1][a] += v[a][h];
    }
  }
  const int own = first + spread_number<SHARE>(0);
#pragma unroll
  for (int order = 0; order < 2; order++) {
    add_lanes<SHARE>(sums[order]);
    if (spread_owner<SHARE>()) t.sums[order][own] = sums[order][0];
  }
  __syncthreads();
#pragma unroll
  for (int a = 0; a < SHARE; a++) {
    sums[0][a] = sums[1][a] = 0;
#pragma unroll
    for (int h = 0; h < SPAN; h++) {
      const int col = group_lane() + GROUP * h;
      sums[0][a] += v[a][h] * t.sums[0][col], sums[1][a] += l[a][h] * t.sums[1][col];
    }
  }
  add_lanes<SHARE>(sums[0]);
  add_lanes<SHARE>(sums[1]);
  const bool usable = !is_zero(t.reciprocal[own]);
  const bool first_norm = tg_any(!usable || !replaces_substitution<ORDER>(sums[0][0], n), &t.vote);
  const bool second_norm = tg_any(!usable || !replaces_substitution<ORDER>(sums[1][0], n), &t.vote);
  const bool strict = tg_any(!usable || !replaces_products<ORDER>(sums[1][0], n), &t.vote);
  return use_by_votes(first_norm, second_norm, strict);
}

/* Makes the inverse of the staged triangle. Begins and ends with a barrier. */
template <class T, int ORDER, int THREADS>
__device__ TG_NOINLINE inverse_use invert_triangle(vectors_diagonal<T, ORDER, THREADS> &t, T *scratch, int64_t n) {
  invert_small_blocks(t);
  __syncthreads();
  invert_pairs<16>(t, scratch);
  if constexpr (ORDER > 32) invert_pairs<32>(t, scratch);
  return find_use(t, n);
}

/* L⁻¹·x in place by substitution: element i of column c is x[i·COLS + c]. A group takes a column. This is the rare
 * case. Begins and ends with a barrier. */
template <int COLS, class T, int ORDER, int THREADS>
__device__ TG_NOINLINE void substitute_vectors(vectors_diagonal<T, ORDER, THREADS> &t, T *x) {
  static_assert(COLS <= THREADS / GROUP, "each column has a group");
  constexpr int SPAN = ORDER / GROUP;
  const int lane = group_lane(), column = group_number() % COLS;
  const bool writes = group_number() < COLS;
  T own[SPAN];
  __syncthreads();
#pragma unroll
  for (int h = 0; h < SPAN; h++) own[h] = x[(lane + GROUP * h) * COLS + column];
#pragma unroll
  for (int p = 0; p < SPAN; p++)
#pragma unroll 1
    for (int l = 0; l < GROUP; l++) {
      const int j = GROUP * p + l;
      const T before = group_shuffle(own[p], l);
      const bool safe = !is_zero(t.reciprocal[j]);
      const T pivot = safe ? multiply(before, t.reciprocal[j]) : divide(before, t.lower(j, j));
      if (lane == l) own[p] = pivot;
#pragma unroll
      for (int h = p; h < SPAN; h++)
        if (lane + GROUP * h > j) own[h] = subtract(own[h], multiply(t.lower(lane + GROUP * h, j), pivot));
    }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < SPAN; h++)
    if (writes) x[(lane + GROUP * h) * COLS + column] = own[h];
  __syncthreads();
}

#endif
