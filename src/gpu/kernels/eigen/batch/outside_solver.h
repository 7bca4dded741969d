/* outside_solver.h - divide and conquer by a block of threads for a matrix that does not fit its shared memory, behind
 * the reduction in the matrix's own place (streamed_reduction.h).
 *
 * The reduction leaves T and its reflectors to another launch, because that one needs memory beside the matrix: n²
 * elements for each block. The vectors of the tridiagonal matrix's halves change places between two buffers, level by
 * level. Before the last merge the reflectors take the place of one of them:
 *
 *     matrix   reflectors, T                                      at last the vectors
 *     space    halves' vectors (half_vectors.h) | the same, then the reflectors
 *
 * A warp has COLUMNS columns of a product in registers, each of its lanes every 32nd row. Of the last merge these are
 * columns of the result once the reflectors are applied, which come through shared memory. What warps read of the
 * vectors at the same time comes from the first-level cache.
 * Source: J. Cuppen (Numer. Math. 36, 1981); LAPACK xSTEDC, xLAED1, xORMTR. */
#ifndef TRIGON_OUTSIDE_SOLVER_H
#define TRIGON_OUTSIDE_SOLVER_H

#include "block_merge.h"
#include "divided_leaves.h"
#include "gpu/kernels/eigen/block_sum.h"

/* What the reduction leaves in the matrix's place, whose lower triangle has the reflectors: e and the power on the
 * diagonal, and tau beside it. d is where the values come to. */
template <class T> struct left_tridiagonal {
  T *A;
  int64_t ld;

  __device__ T &e(int k) const { return A[k + k * ld]; }
  __device__ T &tau(int k) const { return A[k + (k + 1) * ld]; }
  __device__ T &reflector(int i, int k) const { return A[i + k * ld]; }
};

template <class T, int ORDER_, int THREADS_> struct outside_solver {
  using R = real_of<T>;
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, GROUPS = 1, SHARING = 1, WARPS = THREADS / 32;
  static constexpr int HALF_ROWS = ((ORDER + 1) / 2 + 31) / 32, ROWS = 2 * HALF_ROWS; /* of a lane */
  static constexpr int ROOM = 256 / (ROWS * static_cast<int>(sizeof(T)));             /* half of 128 registers */
  static constexpr int COLUMNS = ROOM < 1 ? 1 : ROOM > 4 ? 4 : ROOM;
  static constexpr int TOGETHER = HALF_ROWS < 4 ? HALF_ROWS : 4; /* rows of a lane that are skipped together */
  static constexpr int STAGED = TG_TILE(2, 4); /* reflectors that are copied to shared memory together */
  static_assert((COLUMNS & (COLUMNS - 1)) == 0 && HALF_ROWS % TOGETHER == 0, "sums of columns are halved");
  using merge = block_merge<R, ORDER, THREADS>;

  struct workspace {
    merge_vectors<R, ORDER> merges;
    R d[ORDER], e[ORDER], largest[THREADS];
    T tau[ORDER], staged[2][STAGED][ORDER + 1];
    __device__ workspace() {}
  };

  /* Elements of T that a block needs beside a matrix of order n. */
  static __host__ __device__ int64_t elements(int64_t n) {
    const int64_t most = n - n / 2;
    return 4 * (most | 1) * most + n; /* two buffers of two squares, of which the second one also has the reflectors */
  }

  workspace &of;
  left_tridiagonal<T> A;
  T *space;
  int n;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int first_lane() { return static_cast<int>(threadIdx.x) % tg_warp() - lane(); }
  __device__ static R shuffle_real(R x, int to) { return tg_shuffle(x, first_lane() + to); }

  /* The buffers of the vectors: the result of the merges before the last one is in the first. */
  __device__ half_vectors<R> buffer(int number) const {
    R *const data = reinterpret_cast<R *>(space);
    return {number == 0 ? data : reinterpret_cast<R *>(reflectors_at()), n};
  }
  __device__ T *reflectors_at() const { return space + (elements(n) - n) / 2; }
  /* Elements i > k of the reflector of column k, from reflector_of(k)[i] on. */
  __device__ T *reflector_of(int k) const { return reflectors_at() + (k * n - k * (k + 1) / 2 - k - 1); }

  /* --------------------------------------------------------------------------------------------------- products -- */

  /* Columns of a merge: those from `first` on, of which a warp has COLUMNS. */
  struct tile {
    T q[COLUMNS][ROWS];

    /* A lane's row g in the whole of the merge, or n if there is none. */
    __device__ static int row(const merge &m, int g) {
      const int i = lane() + 32 * (g < HALF_ROWS ? g : g - HALF_ROWS);
      return g < HALF_ROWS ? (i < m.n1 ? i : m.n) : (m.n1 + i < m.n ? m.n1 + i : m.n);
    }

    /* Halves have at most `most_rows` rows. All warps go through as many turns, because two of them may share
     * shuffles. */
    __device__ void multiply(const merge &m, const half_vectors<R> &halves, int first, int most_rows) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int from = half == 0 ? 0 : m.n1, rows = half == 0 ? m.n1 : m.n - m.n1;
        const int ld = halves.leading_at(m.first + from);
        const R *const Z = halves.square_at(m.first + from);
        R sum[COLUMNS][HALF_ROWS] = {};
#pragma unroll 1
        for (int base = 0; base < most_rows; base += 32) {
          R mine[COLUMNS];
#pragma unroll
          for (int c = 0; c < COLUMNS; c++)
            mine[c] = base + lane() < rows && first + c < m.n ? m.element(from + base + lane(), first + c) : R(0);
#pragma unroll 4
          for (int k = 0; k < 32; k++) {
            R by[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) by[c] = shuffle_real(mine[c], k);
#pragma unroll
            for (int g = 0; g < HALF_ROWS; g++) {
              const int i = lane() + 32 * g;
              const R z = i < rows && base + k < rows ? Z[i + (base + k) * ld] : R(0);
#pragma unroll
              for (int c = 0; c < COLUMNS; c++) sum[c][g] += z * by[c];
            }
          }
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
          for (int g = 0; g < HALF_ROWS; g++) q[c][half * HALF_ROWS + g] = make(T{}, sum[c][g], R(0));
      }
    }

    /* visit(element, row, column) of the lane's elements. */
    template <class Visit> __device__ void each(const merge &m, int first, Visit visit) {
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
#pragma unroll
        for (int g = 0; g < ROWS; g++) {
          const int i = row(m, g);
          if (i < m.n && first + c < m.n) visit(q[c][g], i, first + c);
        }
    }
  };

  /* A merge before the last one: the vectors go to the other buffer. Warps share the columns of all merges of the
   * level. */
  __device__ void multiply_halves(merge m, int level, int most_rows, const half_vectors<R> &from,
                                  const half_vectors<R> &to) const {
    const int tiles = (((n - 1) >> level) + COLUMNS) / COLUMNS,
              items = tiles << level; /* of the largest merge; of all */
#pragma unroll 1
    for (int base = 0; base < items; base += WARPS) {
      const int item = base + warp(), first = item < items ? item % tiles * COLUMNS : n;
      m.move(n, level, item < items ? item / tiles : 0);
      tile Z;
      Z.multiply(m, from, first, most_rows);
      R *const place = to.square_at(m.first);
      const int ld = to.leading_at(m.first);
      Z.each(m, first, [&](T x, int i, int j) { place[i + j * ld] = real(x); });
    }
    __syncthreads();
  }

  /* The lanes' sums of each column, for all lanes. */
  template <int COUNT, int APART> __device__ static TG_INLINE T scattered_sum(T (&x)[COUNT]) {
    const int mine = static_cast<int>(threadIdx.x) % tg_warp();
    if constexpr (COUNT == 1) {
      T sum = x[0];
#pragma unroll
      for (int apart = APART; apart > 0; apart /= 2) sum = add(sum, shuffle(sum, mine ^ apart));
      return sum;
    } else {
      const bool keeps_last = (lane() & APART) != 0;
      T kept[COUNT / 2];
#pragma unroll
      for (int i = 0; i < COUNT / 2; i++)
        kept[i] =
            add(keeps_last ? x[i + COUNT / 2] : x[i], shuffle(keeps_last ? x[i] : x[i + COUNT / 2], mine ^ APART));
      return scattered_sum<COUNT / 2, APART / 2>(kept);
    }
  }

  /* Whether a lane's row of groups g .. g + TOGETHER - 1 lies behind row k. */
  __device__ static bool has_rows(const merge &m, int g, int k) {
    const int last = g + TOGETHER;
    return last <= HALF_ROWS ? 32 * last > k + 1 : m.n1 + 32 * (last - HALF_ROWS) > k + 1;
  }

  /* The reflector of column k, in shared memory, applied to columns of the last merge. */
  __device__ void reflect(const merge &m, tile &Z, const T *v, int k) const {
    T sum[COLUMNS] = {}, by[COLUMNS];
#pragma unroll
    for (int g = 0; g < ROWS; g += TOGETHER) {
      if (!has_rows(m, g, k)) continue;
#pragma unroll
      for (int i = 0; i < TOGETHER; i++) {
        const T x = conjugate(v[tile::row(m, g + i)]);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sum[c] = multiply_add(x, Z.q[c][g + i], sum[c]);
      }
    }
    const T mine = multiply(of.tau[k], scattered_sum<COLUMNS, 16>(sum));
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) by[c] = shuffle(mine, first_lane() + c * (32 / COLUMNS));
#pragma unroll
    for (int g = 0; g < ROWS; g += TOGETHER) {
      if (!has_rows(m, g, k)) continue;
#pragma unroll
      for (int i = 0; i < TOGETHER; i++) {
        const T x = v[tile::row(m, g + i)];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) Z.q[c][g + i] = subtract_product(Z.q[c][g + i], x, by[c]);
      }
    }
  }

  /* Begins to copy the reflectors last, last - 1, ... to a stage: zeros up to the reflector's column, and in row n. */
  __device__ void load_stage(int stage, int last) const {
    for (int r = 0; r < STAGED && last - r >= 0; r++)
      for (int i = static_cast<int>(threadIdx.x); i <= n; i += THREADS) {
        const bool valid = i > last - r && i < n;
        tg_copy_async_one(&of.staged[stage][r][i], valid ? reflector_of(last - r) + i : reflectors_at(), valid);
      }
    tg_commit_copies();
  }
  /* All reflectors, from the last one on. While warps apply those of one stage, the next ones come to the other. */
  __device__ void reflect_all(const merge &m, tile &Z) const {
    int stage = 0;
    load_stage(stage, n - 2);
#pragma unroll 1
    for (int last = n - 2; last >= 0; last -= STAGED, stage ^= 1) {
      tg_await_copies<0>();
      __syncthreads();
      load_stage(stage ^ 1, last - STAGED);
#pragma unroll 1
      for (int k = last; k > last - STAGED && k >= 0; k--) reflect(m, Z, of.staged[stage][last - k], k);
    }
    __syncthreads(); /* before the next copies */
  }

  /* The last merge, times the reflectors, in the matrix's place. */
  __device__ void multiply_whole(const merge &m, int most_rows) const {
    for (int k = warp(); k + 1 < n; k += WARPS)
      for (int i = k + 1 + lane(); i < n; i += 32) reflector_of(k)[i] = A.reflector(i, k);
    __syncthreads();
#pragma unroll 1
    for (int base = 0; base < n; base += WARPS * COLUMNS) {
      const int first = base + warp() * COLUMNS;
      tile Z;
      Z.multiply(m, buffer(0), first, most_rows);
      reflect_all(m, Z);
      Z.each(m, first, [&](T x, int i, int j) { A.A[i + j * A.ld] = x; });
    }
  }

  /* ----------------------------------------------------------------------------------------------------- solver -- */

  /* Returns the power by which the matrix was multiplied. */
  __device__ R load(const R *w) const {
    for (int k = static_cast<int>(threadIdx.x); k < n; k += THREADS) {
      of.d[k] = w[k], of.e[k] = k + 1 < n ? real(A.e(k)) : R(0), of.tau[k] = k + 1 < n ? A.tau(k) : T{};
    }
    return real(A.e(n - 1));
  }

  /* Returns how many values were not found. */
  __device__ int solve(R *w) const {
    const R power = load(w);
    __syncthreads();
    const divided_leaves<R, THREADS> leaves = {of.d, of.e, n};
    int level = level_of_leaves(n, DIVIDED_LEAF_ROWS), at = (level - 1) % 2;
    const R cut = leaves.cut(level, block_largest<THREADS>(leaves.largest(), of.largest));
    const int failed = leaves.solve(buffer(at), level);
    while (level-- > 0) {
      merge m(of.merges, of.d, of.e, n, level);
      m.prepare(buffer(at), of.e[m.first + m.n1 - 1]);
      const int most_rows = ((n - 1) >> (level + 1)) + 1;
      if (level == 0)
        multiply_whole(m, most_rows);
      else
        multiply_halves(m, level, most_rows, buffer(at), buffer(1 - at));
      at = 1 - at;
    }
    for (int i = static_cast<int>(threadIdx.x); i < n; i += THREADS) w[i] = of.d[i] / cut / power;
    return static_cast<int>(block_largest<THREADS>(R(failed), of.largest));
  }
};

#endif
