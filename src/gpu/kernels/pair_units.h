/* pair_units.h - products of pairs of doubles on matrix units (tg_mma), in the place of a geometry (tile_gemm.h). */
#ifndef TRIGON_PAIR_UNITS_H
#define TRIGON_PAIR_UNITS_H

#include "row_stream.h"

/* Each warp computes 16 rows of the tile, and all columns. */
template <int ROWS_, int COLS_> struct pair_units {
  using T = pair<double>;
  static constexpr int ROWS = ROWS_, COLS = COLS_, DEPTH = 16, THREADS = 32 * (ROWS / 16), RUN = 1;
  static constexpr int FRAGMENTS = COLS / 8, ITEM_ROWS = 2, ITEM_COLS = 2 * FRAGMENTS;
  static constexpr int PAD = 2; /* lets the lanes of a fragment read from different banks */
  static_assert(ROWS % 16 == 0 && COLS % 8 == 0, "warps have whole fragments");

  struct sums {
    T of[ITEM_ROWS][ITEM_COLS];
  };
  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / 4; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 4; }
  __device__ static int top() { return static_cast<int>(threadIdx.x) / 32 * 16; }
  __device__ static int row(int item) { return top() + group() + 8 * item; }
  __device__ static int col(int item) { return item / 2 * 8 + 2 * lane() + item % 2; }
};

/* sum += a·bᴴ for the staged terms: four products of real fragments. */
template <int ROWS, int COLS, class Stage>
__device__ inline void multiply_staged_rows(pair_units<ROWS, COLS>, typename pair_units<ROWS, COLS>::sums &sum,
                                            const Stage &stage) {
  using G = pair_units<ROWS, COLS>;
  const int g = G::group(), t = G::lane();
  double a_re[8], a_im[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const pair<double> x = stage.a[t + i / 2 * 4][G::top() + g + i % 2 * 8];
    a_re[i] = x.re, a_im[i] = x.im;
  }
#pragma unroll
  for (int f = 0; f < G::FRAGMENTS; f++) {
    double b_re[4], b_im[4], minus_im[4], re[4], im[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const pair<double> x = stage.b[t + 4 * i][8 * f + g];
      b_re[i] = x.re, b_im[i] = x.im, minus_im[i] = -x.im;
      re[i] = sum.of[i / 2][2 * f + i % 2].re, im[i] = sum.of[i / 2][2 * f + i % 2].im;
    }
    tg_mma(re, a_re, b_re);
    tg_mma(im, a_im, b_re);
    tg_mma(re, a_im, b_im);
    tg_mma(im, a_re, minus_im);
#pragma unroll
    for (int i = 0; i < 4; i++) sum.of[i / 2][2 * f + i % 2] = {re[i], im[i]};
  }
}

#endif
