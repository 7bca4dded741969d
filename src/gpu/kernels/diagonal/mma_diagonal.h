/* mma_diagonal.h - the diagonal tile of a dataflow leaf on matrix units: its inverse, and substitution.
 *
 * G is the kernel's geometry: blocks of THREADS = 32·WARPS threads, tiles of ORDER = 16·WARPS rows. G::workspace is its
 * shared memory, with the members
 *
 *   diagonal, inverse       packed_triangle<WARPS>
 *   reciprocal[ORDER], sums[2][ORDER], vote
 *   tile[..][LD]            what is solved, line by line: [line][unknown]
 *
 * A kernel needs only the members of the functions that it calls. */
#ifndef TRIGON_MMA_DIAGONAL_H
#define TRIGON_MMA_DIAGONAL_H

#include "gpu/kernels/products/mma.h"
#include "inverse_rule.h"

/* Whether 2^-1000 <= x < 2^1000. A comparison of integers does not wait for the pipe of doubles. */
__device__ inline bool is_plain(double x) { return high_word(x) - 0x01700000u < 0x7d000000u; }

/* 1 / x, or 0 if x is not far from the ends of the range. The caller must divide if the result is 0. */
__device__ inline double plain_reciprocal(double x) {
  if (!is_plain(magnitude(x))) return 0;
  double y = tg_reciprocal_seed(x);
  y = fma(y, fma(-x, y, 1.), y);
  return fma(y, fma(-x, y, 1.), y);
}

/* The lower triangle of a tile as blocks of 16 × 16, [column][row]. */
enum { BLOCK_LD = 20 };
template <int BLOCKS> struct packed_triangle {
  alignas(16) double block[BLOCKS * (BLOCKS + 1) / 2][16][BLOCK_LD];

  __device__ double (&at(int r, int c))[16][BLOCK_LD] { return block[r * (r + 1) / 2 + c]; }
  /* Elements of a row have equal distances. */
  __device__ double &element(int i, int j) {
    double *row = at(i / 16, 0)[0] + i % 16;
    return row[BLOCK_LD * j];
  }
};

/* Begins to copy the tile to `diagonal`. A thread has two neighbouring rows, if rows are neighbours in memory, and
 * every ACROSS-th column of them. Blocks left of the diagonal one are copied without conditions, because a chain of
 * tiles waits for these instructions. */
template <class G>
__device__ inline void copy_neighbours(packed_triangle<G::WARPS> &diagonal, const matrix<double> &tile, int rows) {
  constexpr int ACROSS = G::THREADS / (G::ORDER / 2);
  static_assert(16 % ACROSS == 0, "threads have equal shares of a block");
  const int r = static_cast<int>(threadIdx.x) % (G::ORDER / 2) * 2,
            first = static_cast<int>(threadIdx.x) / (G::ORDER / 2);
  const int exist = r >= rows ? 0 : r + 1 < rows ? 2 : 1;
  const double *from = tile.at(r, first);
  double *to = &diagonal.element(r, first);
  const int64_t step = ACROSS * tile.col;
  int c = first;
#pragma unroll 4
  for (; c < r / 16 * 16; c += ACROSS, from += step, to += ACROSS * BLOCK_LD) tg_copy_async_pair(to, from, exist);
#pragma unroll 1
  for (; c < r / 16 * 16 + 16; c += ACROSS, from += step, to += ACROSS * BLOCK_LD) {
    const int below = r - c - (tile.unit ? 1 : 0); /* how far below the diagonal, or below its neighbour */
    if (below == -1) tg_copy_async(to, from, false), tg_copy_async(to + 1, from + 1, exist > 1);
    if (below != -1) tg_copy_async_pair(to, from, below < 0 ? 0 : exist);
  }
}

/* Begins to copy the tile to `diagonal`, however the tile lies in memory. A thread has a line of the tile, a row if
 * ROWS, and every second element of the line. */
template <class G, bool ROWS>
__device__ inline void copy_lines(packed_triangle<G::WARPS> &diagonal, const matrix<double> &tile, int rows) {
  static_assert(G::THREADS == 2 * G::ORDER, "two threads have a line");
  const int line = static_cast<int>(threadIdx.x) % G::ORDER, odd = static_cast<int>(threadIdx.x) / G::ORDER;
  const int begin = ROWS ? 0 : line / 16 * 16, end = ROWS ? line / 16 * 16 + 16 : G::ORDER; /* in whole blocks */
  const double *from = ROWS ? tile.at(line, odd) : tile.at(begin + odd, line);
  const int64_t step = 2 * (ROWS ? tile.col : tile.row);
#pragma unroll 1
  for (int b = begin; b < end; b += 16) {
    double *to = ROWS ? &diagonal.element(line, b + odd) : &diagonal.element(b + odd, line);
#pragma unroll
    for (int e = 0; e < 16; e += 2, from += step) {
      const int other = b + odd + e, r = ROWS ? line : other, c = ROWS ? other : line;
      const bool stored = r < rows && (r > c || (r == c && !tile.unit));
      tg_copy_async(to + e * (ROWS ? BLOCK_LD : 1), stored ? from : tile.data, stored);
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
  if (L.row == 1 && L.col % 2 == 0 && reinterpret_cast<uintptr_t>(tile.data) % 16 == 0)
    copy_neighbours<G>(diagonal, tile, rows);
  else if (along_rows(L))
    copy_lines<G, true>(diagonal, tile, rows);
  else
    copy_lines<G, false>(diagonal, tile, rows);
  tg_commit_copies();
  tg_await_copies<0>();
  __syncthreads();
  if (i < G::ORDER) {
    if (i >= rows || L.unit) diagonal.element(i, i) = 1;
    shared.reciprocal[i] = plain_reciprocal(diagonal.element(i, i));
  }
  __syncthreads();
}
template <class G>
__device__ inline void stage_diagonal(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n) {
  stage_diagonal<G>(shared, shared.diagonal, L, i0, n);
}

/* Each warp inverts a diagonal block of 16 rows, one lane for each column, by substitution in registers. */
template <class G> __device__ inline void invert_blocks(typename G::workspace &shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32, c = mma_lane();
  if (c >= 16) return;
  const double(&L)[16][BLOCK_LD] = shared.diagonal.at(warp, warp);
  double x[16];
  find_inverse_column(
      x, c, [&](int i, int j) { return L[j][i]; }, [&](int j) { return shared.reciprocal[16 * warp + j]; });
#pragma unroll
  for (int i = 0; i < 16; i++) shared.inverse.at(warp, warp)[c][i] = x[i];
}

/* The blocks of L21 that a warp has in invert_pairs_of: S / 2 whole ones of a column, or half of one if S is 1. The
 * columns and rows are dealt out so that the matrix units have equal work if S is 4. */
template <int S> struct pair_share {
  static constexpr int ROWS = S > 1 ? S / 2 : 1, SIDES = S > 1 ? 2 : 1;
  static_assert(S <= 4, "two rows of blocks are the most");
  int first, col, side; /* the triangle's first block; the column of blocks, and of a block if S is 1 */

  __device__ pair_share() {
    const int warp = mma_warp(), at = warp % (2 * S);
    first = warp - at;
    col = at < S ? at : 2 * S - 1 - at;
    side = 0;
    if (S == 1) col = 0, side = 8 * at;
  }
  /* The row of blocks, counted from L21's first one. */
  __device__ int row(int m) const {
    const int half = S > 1 ? mma_warp() % (2 * S) / S : 0;
    return m == 0 ? half : S - 1 - half;
  }
};

/* The inverse of a triangle of 2·S blocks from the inverses V1 and V2 of its halves: V21 = -V2·(L21·V1), for all such
 * triangles on the diagonal. L21·V1 is stored in the place of V21, because the second product reads it in other
 * fragments. Ends with a barrier. */
template <class G, int S> __device__ inline void invert_pairs_of(typename G::workspace &shared) {
  using share = pair_share<S>;
  const share my;
  auto &L = shared.diagonal;
  auto &V = shared.inverse;
  double sum[share::ROWS][share::SIDES][4] = {}, a[8], b[share::SIDES][4];
  const auto load_b = [&](int k) {
#pragma unroll
    for (int h = 0; h < share::SIDES; h++)
      load_right<BLOCK_LD>(b[h], V.at(my.first + k, my.first + my.col)[my.side + 8 * h]);
  };
  const auto add = [&](int m, const double(&block)[16][BLOCK_LD]) {
    load_left<BLOCK_LD>(a, block[0]);
#pragma unroll
    for (int h = 0; h < share::SIDES; h++) tg_mma(sum[m][h], a, b[h]);
  };
  const auto store = [&](double sign) {
#pragma unroll
    for (int m = 0; m < share::ROWS; m++)
#pragma unroll
      for (int h = 0; h < share::SIDES; h++)
        each_of_fragment(sum[m][h], [&](int i, int j, double &s) {
          V.at(my.first + S + my.row(m), my.first + my.col)[my.side + 8 * h + j][i] = sign * s, s = 0;
        });
    __syncthreads();
  };
#pragma unroll 1
  for (int k = my.col; k < S; k++) {
    load_b(k);
#pragma unroll
    for (int m = 0; m < share::ROWS; m++) add(m, L.at(my.first + S + my.row(m), my.first + k));
  }
  store(1);
#pragma unroll 1
  for (int k = 0; k < S; k++) {
    load_b(S + k);
#pragma unroll
    for (int m = 0; m < share::ROWS; m++)
      if (k <= my.row(m)) add(m, V.at(my.first + S + my.row(m), my.first + S + k));
  }
  __syncthreads();
  store(-1);
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

/* shared.tile = L⁻¹·shared.tile by substitution, for the first `columns` columns. A warp has several columns at once,
 * and its lanes have their rows in registers. The lane of row j finishes x(j), which the others read from the tile.
 * What they subtract from rows that are finished is not used any more. The diagonal tile goes to memory of the
 * caller. This is the rare case. Begins and ends with a barrier. */
template <class G>
__device__ TG_NOINLINE void substitute_mma(typename G::workspace &shared, packed_triangle<G::WARPS> &diagonal,
                                           int columns, const matrix<double> &L, int64_t i0, int64_t n) {
  constexpr int ROWS = G::ORDER / 32, COLS = 4;
  static_assert(G::ORDER % 32 == 0, "lanes have equally many rows");
  const int lane = mma_lane();
  __syncthreads();
  stage_diagonal<G>(shared, diagonal, L, i0, n);
#pragma unroll 1
  for (int first = mma_warp() * COLS; first - mma_warp() * COLS < columns; first += G::WARPS * COLS) {
    double x[ROWS][COLS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int c = 0; c < COLS; c++) x[r][c] = first + c < columns ? shared.tile[first + c][32 * r + lane] : 0;
#pragma unroll
    for (int part = 0; part < ROWS; part++)
#pragma unroll 1
      for (int at = 0; at < 32; at++) {
        const int j = 32 * part + at;
        const double reciprocal = shared.reciprocal[j];
#pragma unroll
        for (int c = 0; c < COLS; c++)
          if (lane == at && first + c < columns)
            shared.tile[first + c][j] =
                is_zero(reciprocal) ? x[part][c] / diagonal.element(j, j) : x[part][c] * reciprocal;
        tg_sync_warp();
#pragma unroll
        for (int c = 0; c < COLS; c++) {
          const double solved = first + c < columns ? shared.tile[first + c][j] : 0;
#pragma unroll
          for (int r = part; r < ROWS; r++) x[r][c] -= diagonal.element(32 * r + lane, j) * solved;
        }
      }
  }
  __syncthreads();
}

#endif
