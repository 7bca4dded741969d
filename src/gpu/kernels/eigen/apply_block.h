/* apply_block.h - the product of a warp's tiles of Zᵀ with one block of reflectors (chase_blocks.h), in fragments of
 * tg_mma.
 *
 *     W = Zᵀ·V̄,  Zᵀ = Zᵀ - W·Yᵀ
 *
 * With the rows of a tile numbered as the fragments of sums have them, a sum is at once a left factor, but for the
 * order of its registers. So nothing but V and Y is loaded. A complex product is four real ones. */
#ifndef TRIGON_APPLY_BLOCK_H
#define TRIGON_APPLY_BLOCK_H

#include "chase_blocks.h"

/* A tile of Zᵀ, or W, or a part of one: the sums of a product. */
typedef double tile_part[4];
template <class F> struct z_tile { tile_part of[F::PARTS]; };

/* The sums as a left factor. */
__device__ static TG_INLINE void as_factor(const tile_part &x, double (&a)[4]) {
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) a[2 * i + h] = x[2 * h + i];
}

/* The lane's numbers of a fragment of V or Y: `own` is the lane's first number of the block. */
__device__ static TG_INLINE void load_pair(double (&b)[2], const double *own, int pair) {
#pragma unroll
  for (int e = 0; e < 2; e++) b[e] = own[pair * PAIR_ELEMENTS + e];
}

/* Two sums, so that not each product waits for the one before. */
template <class T> __device__ TG_INLINE void apply_real_block(const double *own, z_tile<block_form<T>> *z) {
  tile_part w[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  double a[4], b[2];
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    load_pair(b, own, 2 * i);
    as_factor(z[i].of[0], a);
    tg_mma(w[i % 2], a, b);
  }
#pragma unroll
  for (int x = 0; x < 4; x++) w[0][x] = -(w[0][x] + w[1][x]);
  as_factor(w[0], a);
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    load_pair(b, own, 2 * i + 1);
    tg_mma(z[i].of[0], a, b);
  }
}

/* Four sums, one for each pair of parts, which do not wait for each other. */
template <class T> __device__ TG_INLINE void apply_complex_block(const double *own, z_tile<block_form<T>> *z) {
  tile_part w[2][2] = {}; /* of the part of Z, and of V */
  double re[4], im[4], b_re[2], b_im[2];
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    load_pair(b_re, own, 4 * i), load_pair(b_im, own, 4 * i + 1);
    as_factor(z[i].of[0], re), as_factor(z[i].of[1], im);
    tg_mma(w[0][0], re, b_re);
    tg_mma(w[1][1], im, b_im);
    tg_mma(w[1][0], im, b_re);
    tg_mma(w[0][1], re, b_im);
  }
  double minus_re[4], minus_im[4];
#pragma unroll
  for (int x = 0; x < 4; x++) {
    w[0][0][x] = -(w[0][0][x] + w[1][1][x]);
    w[1][0][x] = w[1][0][x] - w[0][1][x];
  }
  as_factor(w[0][0], minus_re), as_factor(w[1][0], im);
#pragma unroll
  for (int x = 0; x < 4; x++) minus_im[x] = -im[x];
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    load_pair(b_re, own, 4 * i + 2), load_pair(b_im, own, 4 * i + 3);
    tg_mma(z[i].of[0], minus_re, b_re);
    tg_mma(z[i].of[1], minus_re, b_im);
    tg_mma(z[i].of[0], im, b_im);
    tg_mma(z[i].of[1], minus_im, b_re);
  }
}

/* For the tiles of a block. */
template <class T> __device__ TG_INLINE void apply_block(const double *factors, z_tile<block_form<T>> *z) {
  const double *const own = factors + static_cast<int>(threadIdx.x) % 32 * 2;
  if constexpr (block_form<T>::is_complex)
    apply_complex_block<T>(own, z);
  else
    apply_real_block<T>(own, z);
}

#endif
