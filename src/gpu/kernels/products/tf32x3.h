/* tf32x3.h - products of floats on matrix units (tg_mma). Each float is the sum of two numbers of 11 binary
 * digits, high and low, and of a small rest. Three products, low·high, high·low and high·high, replace one.
 *
 * Matrix units cut sums off instead of rounding them. So they add only 16 products of each element, and the sums are
 * added by usual additions. Then residuals are as small as those of usual arithmetic (docs/performance.md). */
#ifndef TRIGON_TF32X3_H
#define TRIGON_TF32X3_H

#include <string.h>

#include "mma.h"

/* x = high + low, but for the last digits of low, which matrix units do not read. */
__device__ inline void split(float x, float &high, float &low) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x1000u) & 0xffffe000u;
  memcpy(&high, &bits, sizeof high);
  low = x - high;
}
template <int COUNT> struct split_fragment {
  float high[COUNT], low[COUNT];
  __device__ void set(int i, float x) { split(x, high[i], low[i]); }
};
using left_fragment = split_fragment<4>;
using right_fragment = split_fragment<2>;

/* c[f] += the products of left(f, k) and right(f, k), k < STEPS, three products of parts for each. The products of one
 * f wait for each other, so several f take turns. */
template <int STEPS = 1, int COUNT, class Left, class Right>
__device__ inline void multiply_split(float (&c)[COUNT][4], Left left, Right right) {
#pragma unroll
  for (int part = 0; part < 3; part++)
#pragma unroll
    for (int k = 0; k < STEPS; k++)
#pragma unroll
      for (int f = 0; f < COUNT; f++)
        tg_mma(c[f], part == 0 ? left(f, k).low : left(f, k).high, part == 1 ? right(f, k).low : right(f, k).high);
}

/* c[f] += the products of left(f, k) and right(f, k), k < STEPS, for one f or a few: the three products of parts have
 * sums of their own, so that they do not wait for each other. */
template <int STEPS = 1, int COUNT, class Left, class Right>
__device__ inline void multiply_apart(float (&c)[COUNT][4], Left left, Right right) {
  float part[2][COUNT][4] = {};
#pragma unroll
  for (int k = 0; k < STEPS; k++)
#pragma unroll
    for (int f = 0; f < COUNT; f++) {
      tg_mma(part[0][f], left(f, k).low, right(f, k).high);
      tg_mma(part[1][f], left(f, k).high, right(f, k).low);
      tg_mma(c[f], left(f, k).high, right(f, k).high);
    }
#pragma unroll
  for (int f = 0; f < COUNT; f++)
#pragma unroll
    for (int e = 0; e < 4; e++) c[f][e] += part[0][f][e] + part[1][f][e];
}

#endif
