/* complex_mma.h - products of complex doubles on matrix units (tg_mma): four real products for a complex one. It
 * replaces the geometry of tile_gemm.h and row_stream.h. */
#ifndef TRIGON_COMPLEX_MMA_H
#define TRIGON_COMPLEX_MMA_H

#include "row_stream.h"

/* Each warp computes 16 rows of the tile, and COLS / ACROSS columns. */
template <int ROWS_, int COLS_, int ACROSS_ = 1> struct complex_mma {
  using T = complex<double>;
  static constexpr int ROWS = ROWS_, COLS = COLS_, ACROSS = ACROSS_, DEPTH = 16, DOWN = ROWS / 16;
  static constexpr int THREADS = 32 * DOWN * ACROSS, RUN = 1;
  static constexpr int FRAGMENTS = COLS / ACROSS / 8, ITEM_ROWS = 2, ITEM_COLS = 2 * FRAGMENTS;
  static constexpr int PAD = 2; /* lets the lanes of a fragment read from different banks */
  static_assert(ROWS % 16 == 0 && COLS % (8 * ACROSS) == 0, "warps have whole fragments");

  struct stage {
    alignas(16) T a[2][DEPTH][ROWS + PAD];
    alignas(16) T b[2][DEPTH][COLS + PAD];
  };
  struct sums {
    T of[ITEM_ROWS][ITEM_COLS];
  };
  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / 4; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 4; }
  __device__ static int top() { return static_cast<int>(threadIdx.x) / 32 % DOWN * 16; }
  __device__ static int left() { return static_cast<int>(threadIdx.x) / 32 / DOWN * (8 * FRAGMENTS); }
  __device__ static int row(int item) { return top() + group() + 8 * item; }
  __device__ static int col(int item) { return left() + item / 2 * 8 + 2 * lane() + item % 2; }
};

/* sum += a·b, or with CONJUGATED a·conj(b), for 16 terms, stored as [term][row] and [term][column]: four products of
 * real fragments. */
template <bool CONJUGATED, class G, int A_STRIDE, int B_STRIDE>
__device__ inline void multiply_double_float(typename G::sums &sum, const complex<double> (*a)[A_STRIDE],
                                             const complex<double> (*b)[B_STRIDE]) {
  const int g = G::group(), t = G::lane();
  double a_re[8], a_im[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const complex<double> x = a[t + i / 2 * 4][G::top() + g + i % 2 * 8];
    a_re[i] = x.re, a_im[i] = x.im;
  }
#pragma unroll
  for (int f = 0; f < G::FRAGMENTS; f++) {
    double b_re[4], b_im[4], minus_im[4], re[4], im[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const complex<double> x = b[t + 4 * i][G::left() + 8 * f + g];
      b_re[i] = x.re, b_im[i] = CONJUGATED ? -x.im : x.im, minus_im[i] = -b_im[i];
      re[i] = sum.of[i / 2][2 * f + i % 2].re, im[i] = sum.of[i / 2][2 * f + i % 2].im;
    }
    tg_mma(re, a_re, b_re);
    tg_mma(im, a_im, b_re);
    tg_mma(re, a_im, minus_im);
    tg_mma(im, a_re, b_im);
#pragma unroll
    for (int i = 0; i < 4; i++) sum.of[i / 2][2 * f + i % 2] = {re[i], im[i]};
  }
}

/* sum += a·bᴴ for the staged terms. */
template <int ROWS, int COLS, int ACROSS, class Stage>
__device__ inline void multiply_staged_rows(complex_mma<ROWS, COLS, ACROSS>,
                                            typename complex_mma<ROWS, COLS, ACROSS>::sums &sum, const Stage &stage) {
  multiply_double_float<true, complex_mma<ROWS, COLS, ACROSS>>(sum, stage.a, stage.b);
}

/* sum += a·b for the staged terms. */
template <int ROWS, int COLS, int ACROSS, int TERMS, int A_STRIDE, int B_STRIDE>
__device__ inline void
multiply_terms(complex_mma<ROWS, COLS, ACROSS>, typename complex_mma<ROWS, COLS, ACROSS>::sums &sum,
               const complex<double> (&a)[TERMS][A_STRIDE], const complex<double> (&b)[TERMS][B_STRIDE], int) {
  static_assert(TERMS % 16 == 0, "whole fragments");
#pragma unroll
  for (int k = 0; k < TERMS; k += 16) multiply_double_float<false, complex_mma<ROWS, COLS, ACROSS>>(sum, a + k, b + k);
}

#endif
