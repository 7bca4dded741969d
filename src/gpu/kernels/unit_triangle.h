/* unit_triangle.h - the diagonal tile of a dataflow leaf on matrix units: its inverse, and substitution.
 *
 * G is the kernel's geometry: blocks of THREADS = 32·WARPS threads, tiles of ORDER = 16·WARPS rows. G::workspace is its
 * shared memory, with the members
 *
 *   diagonal, inverse       packed_triangle<WARPS>
 *   reciprocal[ORDER], sums[2][ORDER], vote
 *   tile[..][LD]            what is solved, line by line: [line][unknown]
 *
 * A kernel needs only the members of the functions that it calls. */
#ifndef TRIGON_UNIT_TRIANGLE_H
#define TRIGON_UNIT_TRIANGLE_H

#include "flow.h"
#include "units.h"

/* The lower triangle of a tile as blocks of 16 × 16, [column][row]. */
enum { BLOCK_LD = 20 };
template <int BLOCKS> struct packed_triangle {
  double block[BLOCKS * (BLOCKS + 1) / 2][16][BLOCK_LD];

  __device__ double (&at(int r, int c))[16][BLOCK_LD] { return block[r * (r + 1) / 2 + c]; }
  /* Elements of a row have equal distances. */
  __device__ double &element(int i, int j) {
    double *row = at(i / 16, 0)[0] + i % 16;
    return row[BLOCK_LD * j];
  }
};

/* Begins to copy the tile to `diagonal`. A thread has a line of the tile, a row if ROWS, and every second element
 * of the line. So the addresses need few instructions, and blocks may wait for this copy. */
template <class G, bool ROWS>
__device__ inline void copy_diagonal(packed_triangle<G::WARPS> &diagonal, const matrix<double> &tile, int rows) {
  static_assert(G::THREADS == 2 * G::ORDER, "two threads have a line");
  const int line = static_cast<int>(threadIdx.x) % G::ORDER, odd = static_cast<int>(threadIdx.x) / G::ORDER;
  const double *from = ROWS ? tile.at(line, odd) : tile.at(odd, line);
  const int64_t step = 2 * (ROWS ? tile.col : tile.row);
#pragma unroll
  for (int b = 0; b < G::WARPS; b++) {
    const int row_block = ROWS ? line / 16 : b, col_block = ROWS ? b : line / 16;
    if (row_block < col_block) {
      from += 8 * step;
      continue;
    }
    double(*to)[BLOCK_LD] = diagonal.at(row_block, col_block);
#pragma unroll
    for (int e = 0; e < 8; e++, from += step) {
      const int other = 16 * b + 2 * e + odd, r = ROWS ? line : other, c = ROWS ? other : line;
      const bool stored = r < rows && (r > c || (r == c && !tile.unit));
      tg_copy_async(&to[c % 16][r % 16], stored ? from : tile.data, stored);
    }
  }
}

/* diagonal = the tile at (i0, i0), with zeros above the diagonal and the identity behind the end of L. All copies are
 * under way at once, because the first tile row waits for them. */
template <class G>
__device__ inline void stage_diagonal(typename G::workspace &shared, packed_triangle<G::WARPS> &diagonal,
                                      const matrix<double> &L, int64_t i0, int64_t n) {
  const int rows = static_cast<int>(least(n - i0, G::ORDER)), i = static_cast<int>(threadIdx.x);
  const matrix<double> tile = L.from(i0, i0);
  if (along_rows(L))
    copy_diagonal<G, true>(diagonal, tile, rows);
  else
    copy_diagonal<G, false>(diagonal, tile, rows);
  tg_commit_copies();
  tg_await_copies<0>();
  __syncthreads();
  if (i < G::ORDER) {
    if (i >= rows || L.unit) diagonal.element(i, i) = 1;
    shared.reciprocal[i] = reciprocal(diagonal.element(i, i));
  }
  __syncthreads();
}
template <class G>
__device__ inline void stage_diagonal(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n) {
  stage_diagonal<G>(shared, shared.diagonal, L, i0, n);
}

/* Each warp inverts a diagonal block of 16 rows, one lane for each column, by substitution in registers. */
template <class G> __device__ inline void invert_blocks(typename G::workspace &shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32, c = unit_lane();
  if (c >= 16) return;
  const double(&L)[16][BLOCK_LD] = shared.diagonal.at(warp, warp);
  double x[16];
#pragma unroll
  for (int i = 0; i < 16; i++) x[i] = i == c ? 1 : 0;
#pragma unroll
  for (int j = 0; j < 16; j++) {
    x[j] *= shared.reciprocal[16 * warp + j];
#pragma unroll
    for (int i = j + 1; i < 16; i++) x[i] -= L[j][i] * x[j];
  }
#pragma unroll
  for (int i = 0; i < 16; i++) shared.inverse.at(warp, warp)[c][i] = x[i];
}

/* The inverse of a triangle of 2·S blocks from the inverses V1 and V2 of its halves: V21 = -V2·(L21·V1), for all such
 * triangles on the diagonal. Each warp computes S halves of blocks. L21·V1 is stored in the place of V21, because the
 * second product reads it in other fragments. Ends with a barrier. */
template <class G, int S> __device__ inline void invert_pairs_of(typename G::workspace &shared) {
  auto &L = shared.diagonal;
  auto &V = shared.inverse;
  const auto each_half = [&](auto visit) {
#pragma unroll
    for (int m = 0; m < S; m++) {
      const int half = unit_warp() + m * G::WARPS, first = half / (2 * S * S) * (2 * S), at = half % (2 * S * S);
      visit(m, first, first + S + at / 2 / S, first + at / 2 % S, 8 * (at % 2));
    }
  };
  double x[S][4];
  each_half([&](int, int first, int r, int c, int side) {
    double sum[4] = {}, a[8], b[4];
    for (int k = c; k < first + S; k++) {
      load_left<BLOCK_LD>(a, L.at(r, k)[0]);
      load_right<BLOCK_LD>(b, V.at(k, c)[side]);
      tg_mma(sum, a, b);
    }
    each_of_fragment(sum, [&](int row, int col, double s) { V.at(r, c)[side + col][row] = s; });
  });
  __syncthreads();
  each_half([&](int m, int first, int r, int c, int side) {
    double a[8], b[4];
    for (int i = 0; i < 4; i++) x[m][i] = 0;
    for (int k = first + S; k <= r; k++) {
      load_left<BLOCK_LD>(a, V.at(r, k)[0]);
      load_right<BLOCK_LD>(b, V.at(k, c)[side]);
      tg_mma(x[m], a, b);
    }
  });
  __syncthreads();
  each_half([&](int m, int, int r, int c, int side) {
    each_of_fragment(x[m], [&](int row, int col, double v) { V.at(r, c)[side + col][row] = -v; });
  });
  __syncthreads();
}

/* The blocks below the diagonal of V = L⁻¹. Begins and ends with a barrier. */
template <class G, int S = 1> __device__ inline void invert_below(typename G::workspace &shared) {
  static_assert((G::WARPS & (G::WARPS - 1)) == 0, "the number of blocks is a power of two");
  if constexpr (S == 1) __syncthreads();
  if constexpr (S < G::WARPS) {
    invert_pairs_of<G, S>(shared);
    invert_below<G, 2 * S>(shared);
  }
}

/* Makes shared.inverse. Returns what it may be used for. Begins with shared memory free; ends with a barrier. */
template <class G>
__device__ TG_NOINLINE inverse_use invert_diagonal(typename G::workspace &shared, const matrix<double> &L, int64_t i0,
                                                   int64_t n) {
  stage_diagonal<G>(shared, L, i0, n);
  invert_blocks<G>(shared);
  invert_below<G>(shared);
  const bool usable = !is_zero(shared.reciprocal[threadIdx.x % G::ORDER]);
  return use_of_inverse<G::ORDER>(
      shared.sums, &shared.vote, n, usable, [&](int i, int j) { return shared.diagonal.element(i, j); },
      [&](int i, int j) { return shared.inverse.element(i, j); });
}

/* shared.tile = L⁻¹·shared.tile by substitution, one thread for each of `columns` columns. The diagonal tile goes to a
 * place of the caller. This is the rare case. Begins and ends with a barrier. */
template <class G>
__device__ TG_NOINLINE void substitute_units(typename G::workspace &shared, packed_triangle<G::WARPS> &diagonal,
                                             int columns, const matrix<double> &L, int64_t i0, int64_t n) {
  const int column = static_cast<int>(threadIdx.x);
  __syncthreads();
  stage_diagonal<G>(shared, diagonal, L, i0, n);
#pragma unroll 1
  for (int j = 0; column < columns && j < G::ORDER; j++) {
    double *x = shared.tile[column];
    const bool safe = !is_zero(shared.reciprocal[j]);
    x[j] = safe ? x[j] * shared.reciprocal[j] : x[j] / diagonal.element(j, j);
#pragma unroll 4
    for (int i = j + 1; i < G::ORDER; i++) x[i] -= diagonal.element(i, j) * x[j];
  }
  __syncthreads();
}
template <class G>
__device__ inline void substitute_units(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n) {
  substitute_units<G>(shared, shared.diagonal, G::COLS, L, i0, n);
}

#endif
