/* posv_warp_tf32_solve.h - POSV of a small float matrix by one warp with matrix units (posv_warp_tf32.h): the solves
 * with the factor in shared memory. A lane has a row of X for each 32 rows, and broadcasts its number to the others. */
#ifndef TRIGON_POSV_WARP_TF32_SOLVE_H
#define TRIGON_POSV_WARP_TF32_SOLVE_H

#include "posv_warp_tf32.h"
#if TG_HAS_MMA

/* What a lane has of a solve with COLS right-hand sides: the rows 32·h + lane of Yᵀ. Each strip has code of its own, so
 * that each address is one address of the lane plus a constant. Rows behind the end, and columns behind a row, have no
 * effect: their addresses are those of other elements of the factor. */
template <class G, int COLS> struct rows_solve {
  static constexpr int PARTS = G::PARTS;
  const float *const own;
  const int strips, lane;
  float rate[PARTS]; /* 1 / the diagonal element, which is the root of a number, and so in the safe range */
  float y[COLS][PARTS];

  __device__ TG_INLINE rows_solve(const float *strips_of, int n)
      : own(strips_of), strips((n + 7) / 8), lane(G::thread()) {
#pragma unroll
    for (int h = 0; h < PARTS; h++) {
      const int strip = 4 * h + lane / 8;
      rate[h] = 1;
      if (strip < strips) rate[h] = 1 / own[G::at(strip) + G::in_strip(strip, 32 * h + lane, lane % 8)];
    }
  }

  /* y of a row of part h, times the row's rate, in all lanes. */
  __device__ float broadcast(int q, int h, int at) const {
    return shuffle(y[q][h] * rate[h], static_cast<int>(threadIdx.x) % tg_warp() / 32 * 32 + at);
  }

  /* L·Y = B, strip by strip. */
  __device__ TG_INLINE void solve_forward() {
    const float *from[4][2]; /* the lane's halves of row `lane`, in four neighbouring strips, if they were at 0 */
#pragma unroll
    for (int s = 0; s < 4; s++)
#pragma unroll
      for (int e = 0; e < 2; e++) from[s][e] = own + G::in_strip(s, lane, 4 * e);
#pragma unroll
    for (int strip = 0; strip < G::STRIPS; strip++)
      if (strip < strips) {
        const int h = strip / 4;
        row_half l[PARTS][2];
#pragma unroll
        for (int g = h; g < PARTS; g++)
#pragma unroll
          for (int e = 0; e < 2; e++)
            l[g][e] = *reinterpret_cast<const row_half *>(from[strip % 4][e] + G::at(strip) + 256 * g);
#pragma unroll
        for (int j = 0; j < 8; j++) {
          const int at = 8 * (strip % 4) + j;
          const float mine = lane > at ? l[h][j / 4].of[j % 4] : 0;
#pragma unroll
          for (int q = 0; q < COLS; q++) {
            const float x = broadcast(q, h, at);
            y[q][h] -= x * mine;
#pragma unroll
            for (int g = h + 1; g < PARTS; g++) y[q][g] -= x * l[g][j / 4].of[j % 4];
          }
        }
      }
    finish();
  }

  /* Lᵀ·X = Y, from the last strip on. */
  __device__ TG_INLINE void solve_backward() {
    const float *from[PARTS][8]; /* the lane's columns, in eight rows from 0 on */
#pragma unroll
    for (int g = 0; g < PARTS; g++)
#pragma unroll
      for (int j = 0; j < 8; j++) {
        const int mine = 4 * g + lane / 8; /* the strip of the lane's column */
        unsigned index = static_cast<unsigned>(G::at(mine) + G::in_strip(lane / 8, j, lane % 8));
        tg_forget(index); /* shall be computed once */
        from[g][j] = own + index;
      }
#pragma unroll
    for (int strip = G::STRIPS - 1; strip >= 0; strip--)
      if (strip < strips) {
        const int h = strip / 4;
        float l[PARTS][8];
#pragma unroll
        for (int g = 0; g <= h; g++)
#pragma unroll
          for (int j = 0; j < 8; j++) l[g][j] = from[g][j][64 * strip];
#pragma unroll
        for (int j = 7; j >= 0; j--) {
          const int at = 8 * (strip % 4) + j;
          const float mine = lane < at ? l[h][j] : 0;
#pragma unroll
          for (int q = 0; q < COLS; q++) {
            const float x = broadcast(q, h, at);
            y[q][h] -= x * mine;
#pragma unroll
            for (int g = 0; g < h; g++) y[q][g] -= x * l[g][j];
          }
        }
      }
    finish();
  }

private:
  __device__ void finish() {
#pragma unroll
    for (int h = 0; h < PARTS; h++)
#pragma unroll
      for (int q = 0; q < COLS; q++) y[q][h] *= rate[h];
  }
};

template <class G, int COLS>
__device__ TG_INLINE void solve_with_rows(const float *own, const matrix<float> &B, int n, int nrhs) {
  rows_solve<G, COLS> solve(own, n);
#pragma unroll 1
  for (int begin = 0; begin < nrhs; begin += COLS) {
    const auto each = [&](auto visit) {
#pragma unroll
      for (int h = 0; h < G::PARTS; h++)
#pragma unroll
        for (int q = 0; q < COLS; q++) {
          const int row = 32 * h + G::thread();
          visit(solve.y[q][h], row, begin + q, row < n && begin + q < nrhs);
        }
    };
    each([&](float &y, int row, int q, bool exists) {
      y = 0;
      if (exists) y = *B.at(row, q);
    });
    solve.solve_forward();
    solve.solve_backward();
    each([&](float y, int row, int q, bool exists) {
      if (exists) *B.at(row, q) = y;
    });
  }
}

/* Factors the lower triangle A of order n <= ORDER, and solves A·X = B for nrhs columns. Returns LAPACK's info. If info
 * is not 0, B is not touched. Ends with a barrier. */
template <class G>
__device__ TG_INLINE int posv_in_rows(typename G::workspace &shared, const matrix<float> &A, const matrix<float> &B,
                                      int n, int nrhs) {
  rows_thread<G> mine(kept(shared), A, n);
  const int info = mine.factor();
  if (info == 0 && nrhs == 1)
    solve_with_rows<G, 1>(shared.own, B, anew(n), nrhs);
  else if (info == 0)
    solve_with_rows<G, 2>(shared.own, B, anew(n), nrhs);
  tg_sync_warp();
  return info;
}
#endif

#endif
