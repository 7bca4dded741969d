/* posv_smem.h - POSV of a small matrix of any type in shared memory, by one block of threads.
 *
 * The adjoints of the right-hand sides are stored as more rows of the strips, behind the matrix. So the factorization
 * turns Bᴴ into Yᴴ = (L⁻¹·B)ᴴ. A right-hand side that finds no room there is solved forward by a warp. Then warps solve
 * backward with the L that is in shared memory.
 *
 * A warp that solves has a column of L, and so a row of X, in each lane. The lane of a row broadcasts its number, and
 * the others subtract its products. No element waits for a sum over lanes. */
#ifndef TRIGON_POSV_SMEM_H
#define TRIGON_POSV_SMEM_H

#include "gpu/kernels/batch/potrf/small_smem.h"

/* Few threads for each matrix: a thread has several rows, so that fewer warps repeat the factor of a diagonal block,
 * and an element that all rows need is read for several rows at once. The padding has room for right-hand sides. */
template <class T_, int ORDER_, int THREADS_> struct posv_strips : packed_strips<T_, ORDER_, false, THREADS_> {
  using base = packed_strips<T_, ORDER_, false, THREADS_>;
  static constexpr int MOST_ROWS = ORDER_ + base::PAD, ROWS = (MOST_ROWS + THREADS_ - 1) / THREADS_;
  static constexpr int PARTS = (ORDER_ + 31) / 32;                     /* of 32 columns */
  static constexpr int TOGETHER = sizeof(T_) > 4 || PARTS > 4 ? 2 : 4; /* right-hand sides that a warp solves at once */
  static constexpr int MOST_WARPS = sizeof(T_) == 4 && THREADS_ == 32 ? 24 : 16; /* registers are enough for these */
  static constexpr int RESIDENT = blocks_that_fit(base::WARPS, MOST_WARPS, base::ROOM);
};

/* Rows of `own` from `first` on = the adjoints of the first `count` columns of B, with zeros behind order n. */
template <class G>
__device__ inline void load_adjoints(typename G::T *own, const matrix<typename G::T> &B, int n, int first, int count) {
  using T = typename G::T;
  const int end = (n + G::WIDTH - 1) / G::WIDTH * G::WIDTH;
#pragma unroll 1
  for (int q = 0; q < count; q++)
    for (int c = G::thread(); c < end; c += G::THREADS)
      own[G::column(c) + first + q] = c < n ? conjugate(B.load(c, q)) : T{};
}

/* What a lane has of a solve with COLS right-hand sides: in part h the column 32·h + lane of L, and that row of Yᴴ. */
template <class G, int COLS> struct lane_columns {
  using T = typename G::T;
  using R = real_of<T>;
  using run = run_of<T>;
  static constexpr int RUN = 16 / sizeof(T), STRIPS = 32 / G::WIDTH; /* of a part */
  const T *own;
  int n, lane, column[G::PARTS]; /* the index of row 0 of the column */
  R rate[G::PARTS];              /* 1 / the diagonal element, which is the root of a number, and so in the safe range */
  T y[COLS][G::PARTS];

  __device__ lane_columns(const T *strips, int order) : own(strips), n(order), lane(G::thread() % 32) {
#pragma unroll
    for (int h = 0; h < G::PARTS; h++) {
      column[h] = G::column(row(h));
      rate[h] = 1 / real(own[column[h] + row(h)]);
    }
  }

  __device__ bool exists(int h) const { return 32 * h + lane < n; }
  /* The last row stands in for rows behind the end. */
  __device__ int row(int h) const { return exists(h) ? 32 * h + lane : n - 1; }

  /* y of the row 32·h + at, times the row's rate, in all lanes. */
  __device__ T broadcast(int q, int h, int at) const {
    return shuffle(scale(y[q][h], rate[h]), static_cast<int>(threadIdx.x) % tg_warp() / 32 * 32 + at);
  }

  __device__ void finish() {
#pragma unroll
    for (int h = 0; h < G::PARTS; h++)
#pragma unroll
      for (int q = 0; q < COLS; q++) y[q][h] = scale(y[q][h], rate[h]);
  }

  /* Yᴴ = Bᴴ·L⁻ᴴ, from row to row. */
  __device__ void solve_forward() {
#pragma unroll
    for (int h = 0; h < G::PARTS; h++)
#pragma unroll 1
      for (int r = 32 * h; r < n && r < 32 * (h + 1); r++) {
        const T *from = own + G::column(r);
        T x[COLS];
#pragma unroll
        for (int q = 0; q < COLS; q++) x[q] = broadcast(q, h, r % 32);
#pragma unroll
        for (int g = h; g < G::PARTS; g++) {
          const T by = conjugate(from[row(g)]);
          if (exists(g) && 32 * g + lane > r)
#pragma unroll
            for (int q = 0; q < COLS; q++) y[q][g] = subtract_product(y[q][g], x[q], by);
        }
      }
    finish();
  }

  /* Xᴴ = Yᴴ·L⁻¹, from the last row on. */
  __device__ void solve_backward() {
    const int strips = (n + G::WIDTH - 1) / G::WIDTH;
#pragma unroll
    for (int h = G::PARTS - 1; h >= 0; h--)
#pragma unroll 1
      for (int strip = (strips < STRIPS * (h + 1) ? strips : STRIPS * (h + 1)) - 1; strip >= STRIPS * h; strip--)
        subtract_strip(h, strip);
    finish();
  }

private:
  /* Subtracts the products of the rows of a strip, in part h, from the rows before. Rows behind the end hold zeros. */
  __device__ void subtract_strip(int h, int strip) {
#pragma unroll
    for (int i = G::WIDTH / RUN - 1; i >= 0; i--) {
      const int r0 = strip * G::WIDTH + i * RUN;
      run l[G::PARTS];
#pragma unroll
      for (int g = 0; g <= h; g++) l[g] = *reinterpret_cast<const run *>(own + column[g] + r0);
#pragma unroll
      for (int j = RUN - 1; j >= 0; j--) {
        const bool before = 32 * h + lane < r0 + j;
#pragma unroll
        for (int q = 0; q < COLS; q++) {
          const T x = broadcast(q, h, (r0 + j) % 32);
#pragma unroll
          for (int g = 0; g < h; g++) y[q][g] = subtract_product(y[q][g], x, l[g].of[j]);
          if (before) y[q][h] = subtract_product(y[q][h], x, l[h].of[j]);
        }
      }
    }
  }
};

/* Solves for all columns of B. The rows from `first` on hold Yᴴ of the first `fused` columns, which were solved
 * forward with the factorization. */
template <class G, int COLS>
__device__ inline void solve_with_strips(const typename G::T *own, const matrix<typename G::T> &B, int n, int first,
                                         int fused, int nrhs) {
  using T = typename G::T;
  lane_columns<G, COLS> lanes(own, n);
  /* Lanes of a warp stay together: all warps take the same number of turns, and a warp's turn is of one kind. */
  const auto turns = [&](int begin, int end, bool forward) {
#pragma unroll 1
    for (; begin < end; begin += COLS * G::WARPS) {
      const int mine = begin + G::thread() / 32 * COLS;
      const auto each = [&](auto visit) {
#pragma unroll
        for (int h = 0; h < G::PARTS; h++)
#pragma unroll
          for (int q = 0; q < COLS; q++)
            visit(lanes.y[q][h], lanes.row(h), mine + q, lanes.exists(h) && mine + q < end);
      };
      each([&](T &y, int row, int q, bool exists) {
        y = T{};
        if (!exists) return;
        y = forward ? conjugate(B.load(row, q)) : own[G::column(row) + first + q];
      });
      if (forward) lanes.solve_forward();
      lanes.solve_backward();
      each([&](T y, int row, int q, bool exists) {
        if (exists) *B.at(row, q) = B.conjugated ? y : conjugate(y);
      });
    }
  };
#pragma unroll 1
  for (int turn = 0; turn < 2; turn++) /* one copy of the code for both */
    turns(turn == 0 ? 0 : fused, turn == 0 ? fused : nrhs, turn != 0);
}

/* Factors the lower triangle A of order n <= ORDER, and solves A·X = B for nrhs columns. Returns LAPACK's info. If info
 * is not 0, B is not touched. Ends with a barrier. */
template <class G>
__device__ inline int posv_resident(typename G::workspace &shared, const matrix<typename G::T> &A,
                                    const matrix<typename G::T> &B, int n, int nrhs) {
  const int strips = (n + G::WIDTH - 1) / G::WIDTH, first = strips * G::WIDTH;
  const int room = G::MOST_ROWS - first, fused = nrhs < room ? nrhs : room;
  load_strips<G>(shared.own, A, n, [&] { load_adjoints<G>(shared.own, B, n, first, fused); });
  factor_strips<G>(shared, first + fused, strips);
  n = anew(n);
  store_strips<G>(anew(A), shared.own, n);
  const int failed = shared.failed;
  if (failed < 0 && nrhs == 1)
    solve_with_strips<G, 1>(shared.own, anew(B), n, first, fused, nrhs);
  else if (failed < 0)
    solve_with_strips<G, G::TOGETHER>(shared.own, anew(B), n, first, fused, nrhs);
  sync_strips<G>();
  return failed + 1;
}

#endif
