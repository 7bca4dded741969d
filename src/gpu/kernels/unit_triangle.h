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
  __device__ double &element(int i, int j) { return at(i / 16, j / 16)[j % 16][i % 16]; }
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

/* The blocks below the diagonal of V = L⁻¹: V(r, c) = -V(r, r)·(Σ L(r, k)·V(k, c), c <= k < r). A warp takes a column
 * of blocks. The sum is stored in the place of the block, because the second product reads it in other fragments. */
template <class G> __device__ inline void invert_below(typename G::workspace &shared) {
  const int c = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int r = c + 1; r < c + G::WARPS; r++) {
    const bool exists = r < G::WARPS;
    double sum[2][4] = {}, x[2][4] = {}, a[8], b[4];
    for (int k = c; exists && k < r; k++) {
      load_left<BLOCK_LD>(a, shared.diagonal.at(r, k)[0]);
      for (int h = 0; h < 2; h++) {
        load_right<BLOCK_LD>(b, shared.inverse.at(k, c)[8 * h]);
        tg_mma(sum[h], a, b);
      }
    }
    for (int h = 0; exists && h < 2; h++)
      each_of_fragment(sum[h], [&](int row, int col, double s) { shared.inverse.at(r, c)[8 * h + col][row] = s; });
    tg_sync_warp();
    for (int h = 0; exists && h < 2; h++) {
      load_left<BLOCK_LD>(a, shared.inverse.at(r, r)[0]);
      load_right<BLOCK_LD>(b, shared.inverse.at(r, c)[8 * h]);
      tg_mma(x[h], a, b);
    }
    tg_sync_warp();
    for (int h = 0; exists && h < 2; h++)
      each_of_fragment(x[h], [&](int row, int col, double v) { shared.inverse.at(r, c)[8 * h + col][row] = -v; });
    tg_sync_warp();
  }
}

/* Makes shared.inverse. Returns what it may be used for. Begins with shared memory free; ends with a barrier. */
template <class G>
__device__ TG_NOINLINE inverse_use invert_diagonal(typename G::workspace &shared, const matrix<double> &L, int64_t i0,
                                                   int64_t n) {
  stage_diagonal<G>(shared, L, i0, n);
  invert_blocks<G>(shared);
  __syncthreads();
  invert_below<G>(shared);
  __syncthreads();
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
