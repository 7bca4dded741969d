/* posv_registers.h - POSV of a small real matrix, whose lower triangle is in registers (small_registers.h). The
 * factorization solves forward for the first right-hand sides. Then the warp solves backward with the factor in shared
 * memory. */
#ifndef TRIGON_POSV_REGISTERS_H
#define TRIGON_POSV_REGISTERS_H

#include "gpu/kernels/batch/potrf/small_registers.h"

/* What a lane has of a solve: in part h the column 32·h + lane of L, and that row of Yᴴ. The rows count from the
 * grid's first one. All lanes solve with a block on the diagonal, so that four numbers are broadcast at once. */
template <class G, int COLS> struct grid_columns {
  using T = typename G::T;
  static constexpr int PARTS = (G::ORDER + 31) / 32;
  const panel_row<T> *own;
  const T *flat, *rate; /* the same, element by element */
  const grid_rows<G> rows;
  int lane, column[PARTS]; /* the index of row 0 of the column */
  T y[COLS][PARTS];

  __device__ TG_INLINE grid_columns(const typename G::workspace &shared, int n)
      : own(shared.of), flat(shared.of[0].of), rate(shared.rate), rows(n), lane(G::thread() % 32) {
#pragma unroll
    for (int h = 0; h < PARTS; h++) column[h] = 4 * G::at(row(h) / 4) + row(h) % 4;
  }

  __device__ bool exists(int h) const { return rows.has(32 * h + lane); }
  /* The last row stands in for rows behind the end. */
  __device__ int row(int h) const {
    return 32 * (h + 1) <= G::ORDER || 32 * h + lane < G::ORDER ? 32 * h + lane : G::ORDER - 1;
  }

  /* x = the four numbers of panel p, before their solve, in all lanes. */
  __device__ TG_INLINE void broadcast(panel_row<T> &x, int q, int p) const {
#pragma unroll
    for (int j = 0; j < 4; j++)
      x.of[j] = shuffle(y[q][p / 8], static_cast<int>(threadIdx.x) % tg_warp() / 32 * 32 + 4 * p % 32 + j);
  }
  /* The lane's number of these, if it has one. */
  __device__ TG_INLINE void keep(const panel_row<T> &x, int q, int p) {
    const T low = lane % 2 ? x.of[1] : x.of[0], high = lane % 2 ? x.of[3] : x.of[2];
    const T mine = lane / 2 % 2 ? high : low;
    y[q][p / 8] = 8 * (p / 8) + lane / 4 == p ? mine : y[q][p / 8];
  }

  /* Yᴴ = Bᴴ·L⁻ᴴ, from panel to panel. */
  __device__ TG_INLINE void solve_forward() {
#pragma unroll
    for (int p = 0; p < G::PANELS; p++)
      if (4 * p >= rows.behind) {
        const panel_row<T> *from = own + G::at(p), by = *reinterpret_cast<const panel_row<T> *>(rate + 4 * p);
        panel_row<T> l[PARTS];
#pragma unroll
        for (int h = p / 8; h < PARTS; h++) l[h] = from[row(h) / 4 < p ? 4 * p : row(h)];
#pragma unroll
        for (int q = 0; q < COLS; q++) {
          panel_row<T> x;
          broadcast(x, q, p);
#pragma unroll
          for (int j = 0; j < 4; j++) {
            x.of[j] = scale(x.of[j], by.of[j]);
#pragma unroll
            for (int k = 0; k < 4; k++)
              if (k > j) x.of[k] = subtract_product(x.of[k], x.of[j], from[4 * p + k].of[j]);
          }
#pragma unroll
          for (int h = p / 8; h < PARTS; h++)
#pragma unroll
            for (int j = 0; j < 4; j++)
              if (row(h) / 4 > p) y[q][h] = subtract_product(y[q][h], x.of[j], l[h].of[j]);
          keep(x, q, p);
        }
      }
  }

  /* Xᴴ = Yᴴ·L⁻¹, from the last panel of rows on. */
  __device__ TG_INLINE void solve_backward() {
#pragma unroll
    for (int p = G::PANELS - 1; p >= 0; p--)
      if (4 * p >= rows.behind) {
        const panel_row<T> *from = own + G::at(p), by = *reinterpret_cast<const panel_row<T> *>(rate + 4 * p);
        panel_row<T> block[4], l[PARTS];
        const bool before = 8 * (p / 8) + lane / 4 < p; /* the lane's column of this part */
#pragma unroll
        for (int i = 1; i < 4; i++) block[i] = from[4 * p + i];
#pragma unroll
        for (int h = 0; h <= p / 8; h++)
#pragma unroll
          for (int i = 0; i < 4; i++)
            if (h < p / 8 || before) l[h].of[i] = flat[column[h] + 4 * (4 * p + i)];
#pragma unroll
        for (int q = 0; q < COLS; q++) {
          panel_row<T> x;
          broadcast(x, q, p);
#pragma unroll
          for (int i = 3; i >= 0; i--) {
            x.of[i] = scale(x.of[i], by.of[i]);
#pragma unroll
            for (int j = 0; j < 4; j++)
              if (j < i) x.of[j] = subtract_product(x.of[j], x.of[i], block[i].of[j]);
          }
#pragma unroll
          for (int h = 0; h <= p / 8; h++)
#pragma unroll
            for (int i = 3; i >= 0; i--)
              if (h < p / 8 || before) y[q][h] = subtract_product(y[q][h], x.of[i], l[h].of[i]);
          keep(x, q, p);
        }
      }
  }
};

/* Solves for all columns of B, COLS at a time. The first ones are solved forward already. */
template <class G, int COLS>
__device__ TG_INLINE void solve_with_grid(typename G::workspace &shared, const matrix<typename G::T> &B, int n,
                                          int nrhs) {
  using T = typename G::T;
  static_assert(COLS == 1 || G::FUSED % COLS == 0, "all columns of a turn are fused, or none of them is");
  grid_columns<G, COLS> lanes(shared, n);
  const grid_rows<G> rows(n);
#pragma unroll 1
  for (int begin = 0; begin < nrhs; begin += COLS) {
    const auto each = [&](auto visit) {
#pragma unroll
      for (int h = 0; h < lanes.PARTS; h++)
#pragma unroll
        for (int q = 0; q < COLS; q++)
          visit(lanes.y[q][h], lanes.row(h), begin + q, lanes.exists(h) && begin + q < nrhs);
    };
    each([&](T &y, int row, int q, bool exists) {
      y = T{};
      if (exists) y = begin < G::FUSED ? shared.solved[q][row] : B.load(row - rows.behind, q);
    });
    if (COLS > 1 && begin >= G::FUSED) lanes.solve_forward(); /* a single column is fused */
    lanes.solve_backward();
    each([&](T y, int row, int q, bool exists) {
      if (exists) *B.at(row - rows.behind, q) = y;
    });
  }
}

/* POSV of one matrix after the other. The elements of a matrix, and its first right-hand side, are on their way to
 * registers while the warp solves for the matrix before. */
template <class G> struct grid_posv {
  using T = typename G::T;
  static constexpr int ROWS = (G::ORDER + G::THREADS - 1) / G::THREADS;
  typename G::workspace &shared;
  grid_thread<G> mine;
  T y[ROWS]; /* of the first right-hand side */

  __device__ explicit grid_posv(typename G::workspace &memory) : shared(memory), mine(memory) {}

  /* Begins to read a member: the matrix A of order n <= ORDER, and nrhs right-hand sides B. */
  template <class Member> __device__ TG_INLINE void load(const Member &m) {
    mine.load(m.A, m.n);
    read(m.B, 0, m.nrhs > 0);
  }

  /* Factors the matrix, and solves forward for the first right-hand sides. Returns LAPACK's info. Ends with a
   * barrier. */
  template <class Member, class Meanwhile> __device__ TG_INLINE int factor(const Member &m, Meanwhile &meanwhile) {
    const int fused = m.nrhs < G::FUSED ? m.nrhs : G::FUSED;
    if (fused > 0) keep(0);
#pragma unroll 1
    for (int q = 1; q < fused; q++) read(m.B, q, true), keep(q);
    return mine.factor(fused, meanwhile);
  }

  /* X = L⁻ᴴ·Y, in place of B. */
  template <class Member> __device__ TG_INLINE void solve(const Member &m) {
    if (m.nrhs == 1)
      solve_with_grid<G, 1>(shared, m.B, m.n, m.nrhs);
    else
      solve_with_grid<G, 2>(shared, m.B, m.n, m.nrhs);
  }

private:
  __device__ static int row(int s) { return s * G::THREADS + G::thread(); }

  /* y = column q of B. */
  __device__ TG_INLINE void read(const matrix<T> &B, int q, bool exists) {
#pragma unroll
    for (int s = 0; s < ROWS; s++) {
      y[s] = T{};
      if (exists && mine.rows.has(row(s))) y[s] = B.load(row(s) - mine.rows.behind, q);
    }
  }
  __device__ TG_INLINE void keep(int q) {
#pragma unroll
    for (int s = 0; s < ROWS; s++)
      if ((s + 1) * G::THREADS <= G::ORDER || row(s) < G::ORDER) shared.y[q][row(s)] = y[s];
  }
};

#endif
