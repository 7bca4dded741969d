/* mma.h - doubles on matrix units (tg_mma of doubles): fragments of tiles in shared memory.
 *
 * A warp multiplies a fragment of 16 × 16 by one of 16 × 8. Leading dimensions that are 4 modulo 16 let the lanes of a
 * fragment read from different banks. */
#ifndef TRIGON_MMA_H
#define TRIGON_MMA_H

#include "tile_gemm.h"

__device__ inline int mma_lane() { return static_cast<int>(threadIdx.x) % 32; }
__device__ inline int mma_warp() { return static_cast<int>(threadIdx.x) / 32; }

/* Two neighbours, for an access of 16 bytes. */
struct alignas(16) two_doubles {
  double first, second;
};

/* The fragment of the 16 × 16 matrix that begins at `from`, stored as [column][row]. */
template <int LD> __device__ inline void load_left(double (&a)[8], const double *from) {
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int i = 0; i < 8; i++) a[i] = from[(t + i / 2 * 4) * LD + g + i % 2 * 8];
}

/* The fragment of the 16 × 8 matrix that begins at `from`, stored as [column][row]. */
template <int LD> __device__ inline void load_right(double (&b)[4], const double *from) {
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) b[i] = from[g * LD + t + 4 * i];
}

/* The fragment of the 16 × 8 matrix that begins at `from`, stored as [row][column]. */
template <int LD> __device__ inline void load_right_by_rows(double (&b)[4], const double *from) {
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) b[i] = from[(t + 4 * i) * LD + g];
}

/* Calls visit(row, column, element) for the lane's elements of a 16 × 8 fragment of sums. */
template <class Visit> __device__ inline void each_of_fragment(double (&c)[4], Visit visit) {
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) visit(g + i / 2 * 8, 2 * t + i % 2, c[i]);
}

/* Calls visit(address, a, b, e) for the lane's part of a tile of 16·HEIGHT × 8·WIDTH fragments of sums: element e of
 * fragment (a, b) has this address. `to` is the address of the lane's first element; rows are `down` apart, and columns
 * `right`. The function does not compare with the end of the matrix: comparisons take longer than the stores. */
template <int HEIGHT, int WIDTH, class Visit>
__device__ inline void each_address(double *to, int64_t down, int64_t right, Visit visit) {
#pragma unroll
  for (int c = 0; c < 2 * WIDTH; c++, to += c % 2 ? right : 7 * right) {
    double *address = to;
#pragma unroll
    for (int r = 0; r < 2 * HEIGHT; r++, address += 8 * down) visit(address, r / 2, c / 2, r % 2 * 2 + c % 2);
  }
}

/* Stores the lane's part of such a tile, of which x(a, b) is fragment (a, b). */
template <int HEIGHT, int WIDTH, class Fragment>
__device__ inline void store_fragments(double *to, int64_t down, int64_t right, Fragment x) {
  each_address<HEIGHT, WIDTH>(to, down, right, [&](double *address, int a, int b, int e) { *address = x(a, b)[e]; });
}

#endif
