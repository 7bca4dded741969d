/* double_float_tile.h - tiles of products of double-float numbers (pairs of floats): their shape, copies to shared
 * memory, sums in registers.
 *
 * The shape, as the paper derives it. A multiply-add of pairs is 15 instructions for floats
 * (fp64/double_float/double_float.h). An H200 issues 132·128 of them in a cycle, at 1.98 GHz: 2.2·10^12 multiply-adds
 * each second. A tile of b × b elements reads 2b pairs, 16·b bytes, for b² multiply-adds. So the products need 35.7/b
 * TB/s. Memory gives 4.8 TB/s: b must be 8 or more. A card with FP64 at 1:64 has less memory bandwidth, but as many
 * floats: 1 TB/s and 82 Tflop/s need b = 44. Tiles of 64 × 64 suffice for both, and the L2 cache serves most reads.
 *
 * A multiprocessor of Hopper issues as many instructions as it has units for floats. So every other instruction takes
 * time, and what counts is their number. A thread with 8 × 4 elements has 6 reads of 16 bytes from shared memory for
 * 480 instructions for floats, and the loop over terms adds 6 more. So 97.6 % are for floats, and 96.2 % with the
 * copies of the next terms. The loop is not unrolled, so that its 8 KB fit the smallest instruction cache. The sums of
 * a thread take 64 registers. With 168 registers, for three blocks on a multiprocessor, the compiler finds operands in
 * different banks, and so many independent multiply-adds that a warp alone waits 3 % of its time. Of 352 additions, 5
 * read two registers of one bank. With 128 registers 24 do. */
#ifndef TRIGON_DOUBLE_FLOAT_TILE_H
#define TRIGON_DOUBLE_FLOAT_TILE_H

#include "double_float_launchers.h"

/* Element l of line i is at data + i·line + l·term. There are `lines` lines. */
struct double_float_lines {
  const double_float *data;
  int64_t line, term, lines;
};

namespace double_float_tile {
enum {
  ROWS = TG_TILE(16, 64),
  COLS = TG_TILE(8, 64),
  DEPTH = TG_TILE(4, 16), /* terms in shared memory at once */
  ITEM_ROWS = TG_TILE(4, 8),
  ITEM_COLS = TG_TILE(2, 4),
  ITEMS = ITEM_ROWS * ITEM_COLS,
  THREAD_ROWS = ROWS / ITEM_ROWS,
  THREAD_COLS = COLS / ITEM_COLS,
  THREADS = THREAD_ROWS * THREAD_COLS,
  RESIDENT = 3, /* blocks of a multiprocessor */
  RUN = 2,      /* pairs that one access reads: neighbours in the tile. Neighbouring threads have neighbouring runs */
  PAD = RUN     /* keeps runs aligned, and avoids bank conflicts when neighbouring threads copy neighbouring terms */
};
static_assert(ITEMS <= 32, "a word marks the elements of a thread");

struct alignas(16) run {
  double_float of[RUN];
};

/* Two buffers: the block computes with one while it fills the other. Afterwards the sums. */
struct alignas(16) memory {
  union {
    struct {
      double_float a[2][DEPTH][ROWS + PAD], b[2][DEPTH][COLS + PAD];
    };
    double_float sums[COLS][ROWS + PAD];
  };
  unsigned long long vote;
};
static_assert(sizeof(memory) <= TG_SHARED_BYTES, "launched without asking for more");

struct sums {
  double_float of[ITEM_ROWS][ITEM_COLS];
};

/* The index in the tile of a thread's item, along one direction with this many threads. */
template <int ACROSS> __device__ inline int index_of(int thread, int item) {
  return item / RUN * (RUN * ACROSS) + thread * RUN + item % RUN;
}
__device__ inline int row(int thread, int item) { return index_of<THREAD_ROWS>(thread % THREAD_ROWS, item); }
__device__ inline int col(int thread, int item) { return index_of<THREAD_COLS>(thread / THREAD_ROWS, item); }

/* Copies the terms of LINES lines to shared memory, DEPTH terms at a time. Neighbouring threads copy neighbours in
 * memory, along lines or across them. */
template <int LINES> struct stream {
  static constexpr int SHARE = LINES * DEPTH / THREADS;
  static_assert(THREADS % LINES == 0 && THREADS % DEPTH == 0 && SHARE * THREADS == LINES * DEPTH, "equal shares");
  const double_float_lines &x; /* in the kernel's arguments, and so in no register */
  const double_float *from;
  int line, term, lines;

  __device__ bool across() const { return x.line == 1; }

  __device__ stream(const double_float_lines &of, int64_t first, int thread) : x(of) {
    line = across() ? thread % LINES : thread / DEPTH, term = across() ? thread / LINES : thread % DEPTH;
    lines = x.lines - first < LINES ? static_cast<int>(x.lines - first) : LINES;
    from = x.data + (first + line) * x.line + term * x.term;
  }

  /* Begins to copy the next terms. Lines behind the last one become zeros. A whole tile needs no comparisons. */
  template <bool ACROSS> __device__ void fetch_in_order(double_float (&to)[DEPTH][LINES + PAD], int terms) {
    constexpr int line_step = ACROSS ? 0 : THREADS / DEPTH, term_step = ACROSS ? THREADS / LINES : 0;
    const double_float *at = from;
    const int64_t step = ACROSS ? term_step * x.term : line_step * x.line;
    if (lines == LINES && terms == DEPTH) {
#pragma unroll
      for (int e = 0; e < SHARE; e++, at += step)
        tg_copy_async_one(&to[term + e * term_step][line + e * line_step], at, true);
    } else {
#pragma unroll 1
      for (int e = 0; e < SHARE; e++, at += step) {
        const int i = line + e * line_step, l = term + e * term_step;
        tg_copy_async_one(&to[l][i], at, i < lines && l < terms);
      }
    }
  }

  __device__ void fetch(double_float (&to)[DEPTH][LINES + PAD], int terms) {
    if (across())
      fetch_in_order<true>(to, terms);
    else
      fetch_in_order<false>(to, terms);
    from += DEPTH * x.term;
  }
};

template <int ITEM_COUNT, int ACROSS>
__device__ inline void read_runs(double_float (&to)[ITEM_COUNT], const double_float *from, int thread) {
#pragma unroll
  for (int i = 0; i < ITEM_COUNT; i += RUN) {
    const run r = *reinterpret_cast<const run *>(from + index_of<ACROSS>(thread, i));
    to[i] = r.of[0], to[i + 1] = r.of[1];
  }
}

/* Calls add(sum, a, b, item) for every term and each of the thread's elements. */
template <class Add>
__device__ inline void over_terms(sums &sum, memory &shared, int thread, int turn, int terms, Add add) {
#pragma unroll 1
  for (int l = 0; l < terms; l++) {
    double_float a[ITEM_ROWS], b[ITEM_COLS];
    read_runs<ITEM_ROWS, THREAD_ROWS>(a, shared.a[turn][l], thread % THREAD_ROWS);
    read_runs<ITEM_COLS, THREAD_COLS>(b, shared.b[turn][l], thread / THREAD_ROWS);
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++)
#pragma unroll
      for (int j = 0; j < ITEM_COLS; j++) add(sum.of[i][j], a[i], b[j], i * ITEM_COLS + j);
  }
}

/* Copies k terms of the tile at (i0, j0) to shared memory, piece by piece, and calls add(sum, a, b, item) for every
 * term and each of the thread's elements. Ends with a barrier. */
template <class Add>
__device__ inline void over_product(sums &sum, memory &shared, int thread, const double_float_lines &A,
                                    const double_float_lines &B, int64_t i0, int64_t j0, int64_t k, Add add) {
  stream<ROWS> a(A, i0, thread);
  stream<COLS> b(B, j0, thread);
  const auto fetch = [&](int buffer, int64_t left) {
    const int terms = left < DEPTH ? static_cast<int>(left) : DEPTH;
    a.fetch(shared.a[buffer], terms);
    b.fetch(shared.b[buffer], terms);
    tg_commit_copies();
  };
  if (k > 0) fetch(0, k);
  int turn = 0;
  for (int64_t left = k; left > 0; left -= DEPTH, turn ^= 1) {
    tg_await_copies<0>();
    __syncthreads(); /* the buffer of this turn is full, and the other one may be overwritten */
    if (left > DEPTH) fetch(turn ^ 1, left - DEPTH);
    over_terms(sum, shared, thread, turn, left < DEPTH ? static_cast<int>(left) : DEPTH, add);
  }
  __syncthreads();
}

} // namespace double_float_tile

#endif
