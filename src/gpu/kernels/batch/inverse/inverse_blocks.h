/* inverse_blocks.h - a double matrix in shared memory as blocks of 8 × 8 that lie one behind the other (the layout of
 * inverse_mma.h), and the copies to there. */
#ifndef TRIGON_INVERSE_BLOCKS_H
#define TRIGON_INVERSE_BLOCKS_H

#include "gpu/kernels/products/mma.h"

/* HALF: blocks of 8 columns in a half. ROOM: blocks in shared memory. BY_COLUMNS: the matrix lies in memory column by
 * column, otherwise row by row. */
template <int HALF_, int ROOM_, int RESIDENT_, bool BY_COLUMNS_> struct inverse_mma {
  using T = double;
  static constexpr int HALF = HALF_, ORDER = 16 * HALF, THREADS = ORDER, WARPS = THREADS / 32, ROOM = ROOM_,
                       RESIDENT = RESIDENT_, BLOCK = 64;
  static constexpr bool MMA = true, BY_COLUMNS = BY_COLUMNS_;
  static_assert(ROOM >= HALF * (HALF + 2) / 2 + HALF * HALF, "a half and L21 fit");
  struct workspace {
    alignas(16) double blocks[ROOM * BLOCK];
    unsigned long long vote;
  };
  static_assert((sizeof(workspace) + 1024 + 16) * RESIDENT <= TG_SHARED_HOPPER, "so many blocks of threads fit");

  using rows = double[HALF][4]; /* of a warp: fragments of 16 × 8 */
};

/* Where column c of a block begins, and where element (r, c) is. Neighbours in a column are pairs. The order of the
 * columns, and of their halves, lets the lanes of a fragment read pairs, and store sums, in different banks. */
__device__ constexpr int column_in_block(int c) { return (c ^ (c >> 1 & 1)) * 8; }
__device__ constexpr int index_in_block(int r, int c) { return column_in_block(c) + (r ^ (c & 4)); }

/* The first block of row b of blocks in a lower triangle. Its rows have whole squares of two blocks. */
__device__ constexpr int triangle_row(int b) { return 2 * (b / 2 + 1) * (b / 2 + b % 2); }

/* Rows of blocks: of a triangle, or, if `width` is not 0, of a rectangle with so many blocks in a row. */
struct block_rows {
  double *of;
  int width;
  __device__ double *row(int b) const { return of + 64 * (width > 0 ? b * width : triangle_row(b)); }
};

/* The numbers of the thread's lane, computed anew in each step: else the compiler would keep all that depends on them
 * in registers for the whole kernel. */
struct lane_numbers {
  int thread, lane, warp, g, t;
  __device__ lane_numbers() {
    unsigned number = threadIdx.x;
    tg_forget(number);
    thread = static_cast<int>(number), lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  }
};

/* A part of the matrix and its blocks: its elements in memory; `rows` rows, with zeros behind them up to `row_end`; the
 * columns before col_end, all of which exist in a rectangle. A triangle has only the blocks from the diagonal down.
 * Both ends are multiples of 16. */
struct matrix_part {
  block_rows to;
  double *from;
  int rows, row_end, col_end;
  bool triangle;
};

/* Begins to copy a part of a matrix that lies in memory column by column. A warp has 32 rows of 8 columns, which are
 * `step` apart. */
template <class G> __device__ inline void copy_columns(const matrix_part &p, int64_t step, bool unit) {
  const lane_numbers at;
#pragma unroll 1
  for (int r0 = 0; r0 < p.row_end; r0 += 32) {
    const int r = r0 + at.lane, end = p.triangle && r0 + 32 < p.col_end ? r0 + 32 : p.col_end;
    const int last = r >= p.rows ? -1 : p.triangle ? r - (unit ? 1 : 0) : p.col_end; /* the last column that exists */
    const int flip = r % 8 < 4 ? 4 : -4;
    double *to = p.to.row(r / 8) + r % 8 + 64 * at.warp;
    const double *from = p.from + r + 8 * at.warp * step;
#pragma unroll 1
    for (int c0 = 8 * at.warp; c0 < end; c0 += 8 * G::WARPS, to += 64 * G::WARPS, from += 8 * G::WARPS * step) {
      const bool wanted = r < p.row_end && (!p.triangle || r >= c0);
      const double *column = from;
#pragma unroll
      for (int c = 0; c < 8; c++, column += step)
        tg_copy_async_if(wanted, to + column_in_block(c) + (c < 4 ? 0 : flip), column, c0 + c <= last);
    }
  }
}

/* Begins to copy a part of a matrix that lies in memory row by row. A warp has 32 columns of 8 rows, which are `step`
 * apart. */
template <class G> __device__ inline void copy_rows(const matrix_part &p, int64_t step, bool unit) {
  const lane_numbers at;
#pragma unroll 1
  for (int c0 = 0; c0 < p.col_end; c0 += 32) {
    const int c = c0 + at.lane, flip = c & 4, index = c / 8 * 64 + column_in_block(c % 8);
    const int first = p.triangle ? c + (unit ? 1 : 0) : 0; /* the first row that exists */
    int r0 = (p.triangle ? c0 : 0) + 8 * at.warp;
    const double *from = p.from + c + r0 * step;
#pragma unroll 1
    for (; r0 < p.row_end; r0 += 8 * G::WARPS, from += 8 * G::WARPS * step) {
      const bool wanted = c < p.col_end && (!p.triangle || c < r0 + 8);
      double *const line = p.to.row(r0 / 8) + index;
      const double *row = from;
#pragma unroll
      for (int r = 0; r < 8; r++, row += step)
        tg_copy_async_if(wanted, line + (r ^ flip), row, r0 + r < p.rows && r0 + r >= first);
    }
  }
}

#endif
