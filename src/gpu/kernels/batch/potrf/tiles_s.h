/* tiles_s.h - the tiles of POTRF of a large float matrix of a batch, with matrix units (tf32x3.h), left-looking.
 *
 * The matrix consists of tiles of 64 × 64, which blocks take column by column, from the diagonal one down
 * (batch_share.h). The products of the columns before are added as soon as these columns are done. The diagonal tile is
 * then factored in shared memory (small_smem.h). In the others a warp solves with it for 16 rows, in registers. */
#ifndef TRIGON_TILES_S_H
#define TRIGON_TILES_S_H

#include "gpu/kernels/batch/batch_share.h"
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

/* Takes `stages` stages through the ring, as add_row_products: begin(slot) begins to copy the next stage, and
 * multiply(slot) uses the stage that is there. ready(s) waits until stage s may be read, and returns how many stages
 * may be read; all threads call ready, and only when all begun stages are multiplied. Ends with a barrier.
 * (add_row_products does not call this function: with it, nvcc 13.0 spills more registers for C.) */
template <class Ready, class Begin, class Multiply>
__device__ inline void through_ring(int stages, Ready ready, Begin begin, Multiply multiply) {
  constexpr int STAGES = tf32_tile::STAGES;
  int begun = 0, known = 0, slot = 0, free_slot = 0;
  const auto go_on = [&] {
    if (begun < known) {
      begin(free_slot);
      free_slot = free_slot + 1 < STAGES ? free_slot + 1 : 0;
      begun++;
    }
    tg_commit_copies(); /* also without copies: the groups are counted */
  };
  for (int at = 0; at < stages; at++) {
    if (at == begun) {
      __syncthreads();
      known = ready(at);
      for (int i = 1; i < STAGES; i++) go_on();
    }
    tg_await_copies<STAGES - 2>();
    __syncthreads(); /* all have the stage, and nobody reads the stage before it any more */
    go_on();
    multiply(slot);
    slot = slot + 1 < STAGES ? slot + 1 : 0;
  }
  tg_await_copies<0>();
  __syncthreads();
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
  through_ring(
      static_cast<int>(j / G::DEPTH), ready,
      [&](int slot) {
        if (!same) copies.begin(shared.ring[slot].a, 0);
        copies.begin(shared.ring[slot].b, 1);
      },
      [&](int slot) {
        const G::stage &s = shared.ring[slot];
        const float *x = (same ? s.b[0] : s.a[0]) + G::first_row() + at, *y = s.b[0] + at;
        if (live && wide)
          add_stage<G::STRIPS>(sum, x, y);
        else if (live)
          add_stage<G::STRIPS / 2>(sum, x, y);
      });
}

/* Factors the diagonal tile of n rows and columns. Returns the first column whose pivot is not positive, or -1. Ends
 * with a barrier. */
__device__ inline int factor_diagonal(const tf32_tile::sums &sum, int n) {
  using G = tf32_tile;
  using tile = G::tile;
  G::workspace &shared = G::shared();
  const int strips = (n + tile::WIDTH - 1) / tile::WIDTH;
  each_element([&](int strip, int e, int r, int c) {
    if (8 * strip <= r)
      shared.diagonal.own[tile::at(strip) + c % 8 * tile::ld(strip) + r] = shared.own[c][r] - sum.of[strip][e];
  });
  if (n % tile::WIDTH != 0) {
    __syncthreads();
    fill_behind<tile>(shared.diagonal.own, n);
  }
  factor_strips<tile>(shared.diagonal, tile::WIDTH * strips, strips);
  return shared.diagonal.failed;
}

/* sum = A less the sums. Returns whether the lane has a NaN, or an element whose parts may be none. */
__device__ inline bool finish_sums(tf32_tile::sums &sum) {
  float test = 0;
  each_element([&](int strip, int e, int r, int c) {
    float &s = sum.of[strip][e];
    s = tf32_tile::shared().own[c][r] - s;
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
  using tile = G::tile;
  const G::workspace &shared = G::shared();
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++) {
    auto &s = sum.of[strip];
    const int ld = tile::ld(strip);
    const float *L = shared.diagonal.own + tile::at(strip) + 8 * strip + 2 * t * ld + g;
    const float *X = shared.inverse + (8 * strip + 2 * t) * G::INVERSE_LD + g;
    float c[1][4];
    multiply_pair<true>(c, as_left(s), right_block(X, G::INVERSE_LD));
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

/* shared.own = shared.own·L⁻ᵀ for the diagonal tile L, by substitution. This is the rare case. */
__device__ inline void solve_by_substitution() {
  using G = tf32_tile;
  G::workspace &shared = G::shared();
  const int row = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (row < G::ORDER)
#pragma unroll 1
    for (int k = 0; k < G::ORDER; k++) {
      const float x = shared.own[k][row] * shared.reciprocal[k], *L = shared.diagonal.own + G::tile::column(k);
      shared.own[k][row] = x;
#pragma unroll 1
      for (int c = k + 1; c < G::ORDER; c++) shared.own[c][row] -= x * L[c];
    }
  __syncthreads();
}

/* The tiles of a matrix, for tile_share. BY_COLUMNS: neighbours in memory are in a column of the lower triangle, not in
 * a row. The members hold what a block knows of a diagonal tile. */
template <bool BY_COLUMNS> struct float_tiles {
  using G = tf32_tile;
  using T = float;
  using order = tile_order<1, 0>;
  using workspace = G::workspace;
  static constexpr bool MMA = true;
  static constexpr int ORDER = G::ORDER, THREADS = G::THREADS, RESIDENT = G::RESIDENT;

  int present = -1, inverted = -1; /* the column whose diagonal tile is here, and whose inverses are */
  bool ill_conditioned = false;

  __device__ static workspace &shared() { return G::shared(); }
  __device__ static unsigned *word() { return &shared().word; }

  /* The tile of an item of the lower triangle of order n. One thread calls record(column) for the first column whose
   * pivot is not positive. */
  template <class Record>
  __device__ void take(const matrix<float> &triangle, int64_t n, tile_share<order> &share, Record record) {
    const int64_t ld = BY_COLUMNS ? triangle.col : triangle.row;
    const matrix<float> A = {triangle.data, BY_COLUMNS ? 1 : ld, BY_COLUMNS ? ld : 1, false, LOWER, false};
    const int col = static_cast<int>(share.col());
    const int64_t i = int64_t{share.row()} * ORDER, j = int64_t{col} * ORDER;
    const int rows = static_cast<int>(least(n - i, ORDER));
    const bool runs = BY_COLUMNS && ld % G::RUN == 0 && reinterpret_cast<uintptr_t>(A.data) % 16 == 0;
    begin_tile<BY_COLUMNS>(A.from(i, j), rows, static_cast<int>(least(i - j, ORDER)), runs && i > j);
    G::sums sum = {};
    sum_rows<BY_COLUMNS>(sum, A, runs, rows, i, j, [&](int stage) {
      const unsigned due = static_cast<unsigned>(stage) * G::DEPTH / ORDER + 1, known = share.await_columns(due);
      return static_cast<int>(least(known, col)) * (ORDER / G::DEPTH);
    });
    if (i == j) {
      const int failed = factor_diagonal(sum, rows);
      if (threadIdx.x == 0 && failed >= 0) record(j + failed);
      store_strips<G::tile>(A.from(j, j), shared().diagonal.own, rows);
    } else {
      share.await_diagonal();
      if (present != col) {
        __syncthreads();
        load_strips<G::tile>(shared().diagonal.own, A.from(j, j), ORDER);
      }
      if (inverted != col) ill_conditioned = invert_small_blocks<G>(shared());
      inverted = col;
      const bool by_rows = tg_any(finish_sums(sum), &shared().vote) || ill_conditioned;
      if (!by_rows && G::first_row() < rows) solve_rows(sum);
      each_element([&](int strip, int e, int r, int c) { shared().own[c][r] = sum.of[strip][e]; });
      if (by_rows) solve_by_substitution();
      tg_sync_warp();
      store_own<BY_COLUMNS>(A.from(i, j), rows, runs);
    }
    present = col;
  }
};

#endif
