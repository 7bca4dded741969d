/* row_stream.h - sums of products of the rows of two matrices, which stream through shared memory by asynchronous
 * copies; for every type on every GPU. */
#ifndef TRIGON_ROW_STREAM_H
#define TRIGON_ROW_STREAM_H

#include "stage_ring.h"
#include "tile_gemm.h"

/* STAGES pieces of DEPTH columns are in shared memory at once. */
template <class Base, int STAGES_> struct row_ring {
  using T = typename Base::T;
  static constexpr int STAGES = STAGES_;
  struct stage {
    alignas(16) T a[Base::DEPTH][Base::ROWS + Base::PAD];
    alignas(16) T b[Base::DEPTH][Base::COLS + Base::PAD];
  } of[STAGES];
};

/* LINES rows of a matrix on their way to shared memory, DEPTH columns at a time, as [column][row]. Elements behind the
 * last row become zero. Neighbours are copied together if memory has them side by side at a good address. A thread's
 * elements have equal distances. */
template <class Base, int LINES> struct row_stream {
  using T = typename Base::T;
  static constexpr int THREADS = Base::THREADS, DEPTH = Base::DEPTH, SHARE = LINES * DEPTH / THREADS;
  static constexpr int RUN = SHARE % Base::RUN == 0 ? Base::RUN : 1, RUNS = SHARE / RUN; /* copied together */
  static constexpr int FAST_STEP = THREADS / LINES, SLOW_STEP = THREADS / DEPTH, RUN_STEP = THREADS / (LINES / RUN);
  static_assert(THREADS % LINES == 0 && THREADS % DEPTH == 0 && LINES % RUN == 0 && SHARE > 0,
                "threads have equal shares");

  const T *from;      /* the thread's first element of the next stage */
  int64_t next, step; /* to the next stage, and to the thread's next element */
  int line, term;     /* in the stage */
  int left;           /* rows from the thread's first one on */
  bool fast, runs;

  __device__ row_stream(const matrix<T> &M, int64_t f0, int64_t f_end, int64_t s0) {
    const int thread = static_cast<int>(threadIdx.x);
    fast = along_rows(M);
    runs = RUN > 1 && M.row == 1 && M.col % RUN == 0 && reinterpret_cast<uintptr_t>(M.at(f0, s0)) % 16 == 0;
    line = runs ? thread % (LINES / RUN) * RUN : fast ? thread % LINES : thread / DEPTH;
    term = runs ? thread / (LINES / RUN) : fast ? thread / LINES : thread % DEPTH;
    step = runs ? RUN_STEP * M.col : fast ? FAST_STEP * M.col : SLOW_STEP * M.row;
    next = DEPTH * M.col;
    from = M.at(f0 + line, s0 + term);
    left = static_cast<int>(least(f_end - f0, LINES)) - line;
  }

  /* Begins to copy the next stage. */
  __device__ void begin(T (&to)[DEPTH][LINES + Base::PAD]) {
    const T *p = from;
    if (runs) {
      const int valid = left < 0 ? 0 : left < RUN ? left : RUN;
#pragma unroll
      for (int e = 0; e < RUNS; e++, p += step) tg_copy_async_run(&to[term + e * RUN_STEP][line], p, valid);
    } else if (fast) {
#pragma unroll
      for (int e = 0; e < SHARE; e++, p += step) tg_copy_async_one(&to[term + e * FAST_STEP][line], p, left > 0);
    } else {
#pragma unroll
      for (int e = 0; e < SHARE; e++, p += step)
        tg_copy_async_one(&to[term][line + e * SLOW_STEP], p, e * SLOW_STEP < left);
    }
    from += next;
  }
};

/* sum += a·bᴴ for the staged terms. The first argument chooses the function. */
template <class Base, class Stage>
__device__ inline void multiply_staged_rows(Base, typename Base::sums &sum, const Stage &stage) {
  using T = typename Base::T;
#pragma unroll
  for (int d = 0; d < Base::DEPTH; d++) {
    T a[Base::ITEM_ROWS], b[Base::ITEM_COLS];
#pragma unroll
    for (int i = 0; i < Base::ITEM_ROWS; i++) a[i] = stage.a[d][Base::row(i)];
#pragma unroll
    for (int j = 0; j < Base::ITEM_COLS; j++) b[j] = conjugate(stage.b[d][Base::col(j)]);
#pragma unroll
    for (int i = 0; i < Base::ITEM_ROWS; i++)
#pragma unroll
      for (int j = 0; j < Base::ITEM_COLS; j++) sum.of[i][j] = multiply_add(a[i], b[j], sum.of[i][j]);
  }
}

/* sum += A·Bᴴ over `stages` stages of the streams. ready(s) waits until stage s may be read, and returns how many
 * stages may be read; all threads call ready, and only when all begun stages are multiplied. Ends with a barrier. */
template <class Base, class Ring, class Ready>
__device__ inline void add_row_products(typename Base::sums &sum, Ring &ring, row_stream<Base, Base::ROWS> a,
                                        row_stream<Base, Base::COLS> b, int stages, Ready ready) {
  through_ring<Ring::STAGES>(
      stages, ready,
      [a, b, &ring](int slot) mutable {
        a.begin(ring.of[slot].a);
        b.begin(ring.of[slot].b);
      },
      [&](int slot) { multiply_staged_rows(Base(), sum, ring.of[slot]); });
}

#endif
