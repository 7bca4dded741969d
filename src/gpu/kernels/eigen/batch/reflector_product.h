/* reflector_product.h - the reflectors of a reduction times the vectors of the tridiagonal matrix, which the threads of
 * a block hold in registers (merge_product.h). Two reflectors go together:
 *
 *     (I - tau_1·v_1·v_1ᵀ)·(I - tau_2·v_2·v_2ᵀ)·z = z - b_2·v_2 - b_1·v_1
 *     b_2 = tau_2·v_2ᵀ·z,  b_1 = tau_1·(v_1ᵀ·z - b_2·v_1ᵀ·v_2)
 *
 * The eight lanes that have a column add up its products by shuffles. There is no barrier. */
#ifndef TRIGON_REFLECTOR_PRODUCT_H
#define TRIGON_REFLECTOR_PRODUCT_H

#include "merge_product.h"

template <class R, int GROUPS> struct reflector_product {
  using tile = product_tile<R, GROUPS>;
  static constexpr int COLUMNS = tile::COLUMNS, ACROSS = tile::ACROSS, ROWS = 2 * GROUPS;
  static constexpr int TOGETHER = 4; /* rows of a thread that are skipped together */
  static_assert(2 * COLUMNS == ACROSS, "each lane gets one sum");
  const half_vectors<R> &halves;
  const R *tau, *dots; /* of each reflector; v_kᵀ·v_(k+1) */

  __device__ int row(int g) const {
    const int i = tile::row(g < GROUPS ? g : g - GROUPS);
    return g < GROUPS ? (i < halves.middle() ? i : halves.n) : halves.middle() + i;
  }
  __device__ R element(int i, int k) const { return i > k && i < halves.n ? halves.reflector(i, k) : R(0); }
  /* Whether any lane's row of groups g .. g + TOGETHER - 1 lies behind row k. */
  __device__ bool has_rows(int g, int k) const {
    const int last = g + TOGETHER < ROWS ? g + TOGETHER : ROWS;
    return last <= GROUPS ? ACROSS * last > k + 1 : halves.middle() + ACROSS * (last - GROUPS) > k + 1;
  }

  /* Adds the lanes' sums: a lane gets the sum of its own number. */
  template <int COUNT> __device__ static R add_lanes(R (&x)[COUNT]) {
    if constexpr (COUNT == 1) {
      return x[0];
    } else {
      const bool keeps_last = (tile::across() & (COUNT / 2)) != 0;
      R kept[COUNT / 2];
#pragma unroll
      for (int i = 0; i < COUNT / 2; i++)
        kept[i] =
            (keeps_last ? x[i + COUNT / 2] : x[i]) +
            tg_shuffle(keeps_last ? x[i] : x[i + COUNT / 2], (static_cast<int>(threadIdx.x) % tg_warp()) ^ (COUNT / 2));
      return add_lanes<COUNT / 2>(kept);
    }
  }

  /* visit(row group, v_k, v_(k+1)) of the thread's rows behind row k. */
  template <int FIRST, class Visit> __device__ TG_INLINE void each_row(int k, Visit visit) const {
    if (has_rows(FIRST, k)) {
      R v[TOGETHER], next[TOGETHER];
#pragma unroll
      for (int i = 0; i < TOGETHER; i++)
        v[i] = FIRST + i < ROWS ? element(row(FIRST + i), k) : R(0),
        next[i] = FIRST + i < ROWS ? element(row(FIRST + i), k + 1) : R(0);
#pragma unroll
      for (int i = 0; i < TOGETHER; i++)
        if (FIRST + i < ROWS) visit(FIRST + i, v[i], next[i]);
    }
    if constexpr (FIRST + TOGETHER < ROWS) each_row<FIRST + TOGETHER>(k, visit);
  }

  /* The reflectors k and k + 1. */
  __device__ TG_INLINE void apply(R (&q)[COLUMNS][ROWS], int k) const {
    R sum[2 * COLUMNS] = {};
    each_row<0>(k, [&](int g, R v, R next) {
#pragma unroll
      for (int r = 0; r < COLUMNS; r++) sum[r] += v * q[r][g], sum[COLUMNS + r] += next * q[r][g];
    });
    const R mine = add_lanes<2 * COLUMNS>(sum), tau_2 = tau[k + 1], tau_1 = tau[k], dot = dots[k];
#pragma unroll
    for (int r = 0; r < COLUMNS; r++) {
      sum[COLUMNS + r] = tau_2 * tg_shuffle(mine, tile::first_lane() + COLUMNS + r);
      sum[r] = tau_1 * (tg_shuffle(mine, tile::first_lane() + r) - dot * sum[COLUMNS + r]);
    }
    each_row<0>(k, [&](int g, R v, R next) {
#pragma unroll
      for (int r = 0; r < COLUMNS; r++) q[r][g] = (q[r][g] - v * sum[r]) - next * sum[COLUMNS + r];
    });
  }

  /* H_0·H_1·...·q; the last reflectors come first. tau[n - 1] is 0. */
  __device__ TG_INLINE void apply_all(tile &vectors) const {
#pragma unroll 1
    for (int k = (halves.n - 2) & ~1; k >= 0; k -= 2) apply(vectors.q, k);
  }

  /* By threads of the block, one for each k. */
  __device__ R dot_of(int k) const {
    R sum = 0;
#pragma unroll 4
    for (int i = k + 2; i < halves.n; i++) sum += halves.reflector(i, k) * halves.reflector(i, k + 1);
    return sum;
  }
};

#endif
