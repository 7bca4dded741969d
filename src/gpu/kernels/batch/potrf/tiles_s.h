/* tiles_s.h - the tiles of POTRF of a large float matrix of a batch, with matrix units (tf32x3.h): see tiles_real.h. */
#ifndef TRIGON_TILES_S_H
#define TRIGON_TILES_S_H

#include "tiles_s_rows.h"

/* ------------------------------------------------------------------------------------------------------ sums -- */

/* Calls visit(strip, element, row, column) for the lane's elements of the warp's rows. */
template <class Visit> __device__ inline void each_element(Visit visit) {
  const int g = tf32_tile::first_row() + mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int strip = 0; strip < tf32_tile::STRIPS; strip++)
#pragma unroll
    for (int e = 0; e < 4; e++) visit(strip, e, g + e / 2 * 8, 8 * strip + 2 * t + e % 2);
}

/* sum += x·yᵀ for the terms of a stage and the first strips of columns. x and y are the lane's first elements. */
template <int STRIPS> __device__ inline void add_stage(tf32_tile::sums &sum, const float *x, const float *y) {
  using G = tf32_tile;
  constexpr int STEPS = G::DEPTH / 8, TOGETHER = 2; /* products that do not wait for each other */
  left_fragment a[STEPS];
#pragma unroll
  for (int k = 0; k < STEPS; k++)
#pragma unroll
    for (int e = 0; e < 4; e++) a[k].set(e, x[(8 * k + e / 2) * G::LD + e % 2 * 8]);
#pragma unroll
  for (int first = 0; first < STRIPS; first += TOGETHER) {
    right_fragment b[TOGETHER][STEPS];
    float c[TOGETHER][4] = {};
#pragma unroll
    for (int f = 0; f < TOGETHER; f++)
#pragma unroll
      for (int k = 0; k < STEPS; k++)
#pragma unroll
        for (int e = 0; e < 2; e++) b[f][k].set(e, y[(8 * k + e) * G::LD + 8 * (first + f)]);
    multiply_split<STEPS>(
        c, [&](int, int k) -> const left_fragment & { return a[k]; },
        [&](int f, int k) -> const right_fragment & { return b[f][k]; });
#pragma unroll
    for (int f = 0; f < TOGETHER; f++)
#pragma unroll
      for (int e = 0; e < 4; e++) sum.of[first + f][e] += c[f][e];
  }
}

/* The sums of the products L(i.., 0..j-1)·L(j.., 0..j-1)ᵀ, as soon as these columns are final: ready is that of
 * through_ring. Ends with a barrier. */
template <bool BY_COLUMNS, class Ready>
__device__ inline void sum_rows(tf32_tile::sums &sum, const matrix<float> &A, bool runs, int rows, int64_t i, int64_t j,
                                Ready ready) {
  using G = tf32_tile;
  G::workspace &shared = G::shared();
  const bool same = i == j; /* both factors are the same rows, and what is above the diagonal is not needed */
  const bool live = G::first_row() < rows, wide = !same || G::first_row() >= G::ORDER / 2;
  const int at = 2 * (mma_lane() % 4) * G::LD + mma_lane() / 4;
  row_copies<BY_COLUMNS> copies(A, runs, {i, j}, {rows, same ? rows : G::ORDER});
  through_ring<G::STAGES>(
      static_cast<int>(j / G::DEPTH), ready,
      [&](int slot) {
        if (!same) copies.begin(shared.copies.ring[slot].a, 0);
        copies.begin(shared.copies.ring[slot].b, 1);
      },
      [&](int slot) {
        const G::stage &s = shared.copies.ring[slot];
        const float *x = (same ? s.b[0] : s.a[0]) + G::first_row() + at, *y = s.b[0] + at;
        if (live && wide)
          add_stage<G::STRIPS>(sum, x, y);
        else if (live)
          add_stage<G::STRIPS / 2>(sum, x, y);
      });
}

/* Stores A less the sums where the diagonal tile is factored. */
__device__ inline void keep_diagonal(const tf32_tile::sums &sum) {
  using strips = tf32_tile::strips;
  tf32_tile::workspace &shared = tf32_tile::shared();
  each_element([&](int strip, int e, int r, int c) {
    if (8 * strip <= r)
      shared.diagonal.own[strips::at(strip) + c % 8 * strips::ld(strip) + r] =
          shared.copies.own[c][r] - sum.of[strip][e];
  });
}

/* sum = A less the sums. Returns whether the lane has a NaN, or an element whose parts may be none. */
__device__ inline bool finish_sums(tf32_tile::sums &sum) {
  float test = 0;
  each_element([&](int strip, int e, int r, int c) {
    float &s = sum.of[strip][e];
    s = tf32_tile::shared().copies.own[c][r] - s;
    test += 0 * (s * 2);
  });
  return !(test == 0);
}

/* A fragment of sums as the left factor of tg_mma. */
__device__ inline left_fragment as_left(const float (&s)[4]) {
  left_fragment x;
#pragma unroll
  for (int e = 0; e < 4; e++) x.set(e, s[e % 2 * 2 + e / 2]);
  return x;
}
/* The block of 8 × 8 whose first element for the lane is *from; its columns are ld apart. */
__device__ inline right_fragment right_block(const float *from, int ld) {
  right_fragment b;
  b.set(0, from[0]), b.set(1, from[ld]);
  return b;
}

/* c = a·b. URGENT: others wait for the result, and not for the matrix units. */
template <bool URGENT>
__device__ inline void multiply_pair(float (&c)[1][4], const left_fragment &a, const right_fragment &b) {
  const auto left = [&](int, int) -> const left_fragment & { return a; };
  const auto right = [&](int, int) -> const right_fragment & { return b; };
  c[0][0] = c[0][1] = c[0][2] = c[0][3] = 0;
  if (URGENT)
    multiply_apart(c, left, right);
  else
    multiply_split(c, left, right);
}

/* sum = sum·L⁻ᵀ for the diagonal tile L, for the warp's rows. */
__device__ inline void solve_rows(tf32_tile::sums &sum) {
  using G = tf32_tile;
  using strips = G::strips;
  const G::workspace &shared = G::shared();
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++) {
    auto &s = sum.of[strip];
    const int ld = strips::ld(strip);
    const float *L = shared.diagonal.own + strips::at(strip) + 8 * strip + 2 * t * ld + g;
    const float *X = shared.inverse + (8 * strip + 2 * t) * shared.INVERSE_LD + g;
    float c[1][4];
    multiply_pair<true>(c, as_left(s), right_block(X, shared.INVERSE_LD));
#pragma unroll
    for (int e = 0; e < 4; e++) s[e] = c[0][e];
    const left_fragment x = as_left(s);
#pragma unroll
    for (int next = strip + 1; next < G::STRIPS; next++) {
      if (next == strip + 1)
        multiply_pair<true>(c, x, right_block(L + 8 * (next - strip), ld));
      else
        multiply_pair<false>(c, x, right_block(L + 8 * (next - strip), ld));
#pragma unroll
      for (int e = 0; e < 4; e++) sum.of[next][e] -= c[0][e];
    }
  }
}

/* shared.copies.own = shared.copies.own·L⁻ᵀ for the diagonal tile L, by substitution. This is the rare case. */
__device__ inline void solve_by_substitution() {
  using G = tf32_tile;
  G::workspace &shared = G::shared();
  const int row = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (row < G::ORDER)
#pragma unroll 1
    for (int k = 0; k < G::ORDER; k++) {
      const float x = shared.copies.own[k][row] * shared.reciprocal[k], *L = shared.diagonal.own + G::strips::column(k);
      shared.copies.own[k][row] = x;
#pragma unroll 1
      for (int c = k + 1; c < G::ORDER; c++) shared.copies.own[c][row] -= x * L[c];
    }
  __syncthreads();
}

/* A tile, for real_tiles. BY_COLUMNS: neighbours in memory are in a column of the lower triangle, not in a row. */
template <bool BY_COLUMNS> struct float_tile : tf32_tile {
  using tile = tile_of_triangle<float>;

  __device__ static matrix<float> stored(const matrix<float> &A) {
    return {A.data, BY_COLUMNS ? 1 : A.row, BY_COLUMNS ? A.col : 1, false, LOWER, false};
  }
  __device__ static bool has_runs(const tile &at) {
    return BY_COLUMNS && at.A.col % RUN == 0 && reinterpret_cast<uintptr_t>(at.A.data) % 16 == 0;
  }

  template <class Share> __device__ static void add(sums &sum, const tile &at, Share &share) {
    const int rows = at.rows<ORDER>(), down = static_cast<int>(least(at.i - at.j, ORDER));
    const bool runs = has_runs(at);
    begin_tile<BY_COLUMNS>(at.A.from(at.i, at.j), rows, down, runs && at.i > at.j);
    sum = {};
    sum_rows<BY_COLUMNS>(sum, at.A, runs, rows, at.i, at.j, [&](int stage) {
      const unsigned due = static_cast<unsigned>(stage) * DEPTH / ORDER + 1, known = share.await_columns(due);
      return static_cast<int>(least(known, share.col())) * (ORDER / DEPTH);
    });
  }
  __device__ static void keep(const sums &sum) { keep_diagonal(sum); }
  __device__ static void solve(sums &sum, const tile &at, bool exact) {
    const bool by_rows = tg_any(finish_sums(sum), &shared().vote) || exact;
    if (!by_rows && first_row() < at.rows<ORDER>()) solve_rows(sum);
    each_element([&](int strip, int e, int r, int c) { shared().copies.own[c][r] = sum.of[strip][e]; });
    if (by_rows) solve_by_substitution();
    tg_sync_warp();
    store_own<BY_COLUMNS>(at.A.from(at.i, at.j), at.rows<ORDER>(), has_runs(at));
  }
};
template <bool BY_COLUMNS> using float_tiles = real_tiles<float_tile<BY_COLUMNS>>;

#endif
