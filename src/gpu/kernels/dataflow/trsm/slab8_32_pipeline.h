/* slab8_32_pipeline.h - copies of L and X to shared memory for the dataflow TRSM in slabs of 8 to 32 columns
 * (trsm_slab8_32.h), and fragments of both.
 *
 * A fragment of 16 terms takes them in the order of mma_term: a lane's terms are pairs of neighbours, and the sums of
 * a product are the left fragments of another one. */
#ifndef TRIGON_SLAB8_32_PIPELINE_H
#define TRIGON_SLAB8_32_PIPELINE_H

#include "gpu/kernels/products/mma.h"

/* ---------------------------------------------------------------------------------------------- fragments -- */

/* The lane's term number i of a fragment. */
__device__ inline int mma_term(int i) { return 8 * (i / 2) + 2 * (mma_lane() % 4) + i % 2; }

/* The fragment of 16 rows × 8 columns whose first element is to[column][row]. */
template <int LD> __device__ inline void load_terms_of(double (&b)[4], const double *from) {
  const double *p = from + mma_lane() / 4 * LD + 2 * (mma_lane() % 4);
#pragma unroll
  for (int h = 0; h < 2; h++) {
    const two_doubles v = *reinterpret_cast<const two_doubles *>(p + 8 * h);
    b[2 * h] = v.first, b[2 * h + 1] = v.second;
  }
}

/* Where a stage of L has the elements of its 16 lines (rows) and 16 terms (columns): [line][term] or [term][line].
 * Pairs of neighbours stay together. The elements are permuted so that lanes read from different banks. */
template <bool BY_TERMS> __device__ inline int stage_at(int line, int term) {
  return BY_TERMS ? line * 16 + (term ^ (line % 2 * 8)) : term * 16 + (line ^ (term / 2 % 4 * 4));
}

/* The left fragment of a stage. */
template <bool BY_TERMS> __device__ inline void load_stage(double (&a)[8], const double *stage) {
  const int g = mma_lane() / 4;
#pragma unroll
  for (int h = 0; h < 2; h++)
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const double *p = stage + stage_at<BY_TERMS>(g + 8 * h, mma_term(i));
      if (BY_TERMS) {
        const two_doubles v = *reinterpret_cast<const two_doubles *>(p);
        a[2 * i + h] = v.first, a[2 * i + 2 + h] = v.second;
      } else {
        a[2 * i + h] = *p, a[2 * i + 2 + h] = p[16];
      }
    }
}

/* ------------------------------------------------------------------------------------------------- streams -- */

/* A warp's 16 rows of L, 16 columns at a time, on their way through the warp's ring. */
template <class G, bool BY_TERMS> struct left_stream {
  double (*ring)[G::STAGE];
  const double *from;  /* the lane's first element of the next stage */
  int64_t step, other; /* from pair to pair, and in a pair */
  int left, slot;      /* stages that are not begun yet; the ring's slot for the next one */
  int rows;            /* rows of L from the warp's first one on */
  bool plain;          /* whether all rows exist, and copies may take pairs */
  static constexpr int CAREFUL = BY_TERMS ? 1 : 4;

  __device__ left_stream(double (*to)[G::STAGE], const matrix<double> &L, int64_t row, int64_t n, int64_t col,
                         int stages)
      : ring(to), left(stages), slot(0) {
    const int64_t along = BY_TERMS ? L.col : L.row, across = BY_TERMS ? L.row : L.col;
    rows = static_cast<int>(least(n - row, 16));
    go_to(L, row, col);
    step = 4 * across, other = along;
    plain = rows >= 16 && along == 1 && across % 2 == 0 && reinterpret_cast<uintptr_t>(L.at(row, col)) % 16 == 0;
  }

  /* The next stage begins at this column. */
  __device__ void go_to(const matrix<double> &L, int64_t row, int64_t col) {
    from = L.at(row + line(0), col + term(0));
  }

  /* Begins to copy the next stage. Behind the last stage this is an empty group of copies. When STAGES - 1 stages are
   * under way, and one more begins, slot becomes that of the first of them. */
  __device__ void begin() {
    if (left > 0) {
      double *const to = ring[slot];
      if (plain) {
#pragma unroll
        for (int e = 0; e < 4; e++) tg_copy_async_pair(to + stage_at<BY_TERMS>(line(e), term(e)), from + e * step, 2);
      } else {
#pragma unroll CAREFUL
        for (int e = 0; e < 4; e++) {
          double *const p = to + stage_at<BY_TERMS>(line(e), term(e));
          tg_copy_async(p, from + e * step, line(e) < rows);
          tg_copy_async(p + 1, from + e * step + other, line(e) + (BY_TERMS ? 0 : 1) < rows);
        }
      }
      left--;
      from += BY_TERMS ? 16 * other : 4 * step;
    }
    slot = slot + 1 < G::STAGES ? slot + 1 : 0;
    tg_commit_copies();
  }

private:
  __device__ static int line(int e) { return BY_TERMS ? mma_lane() / 8 + 4 * e : mma_lane() % 8 * 2; }
  __device__ static int term(int e) { return BY_TERMS ? mma_lane() % 8 * 2 : mma_lane() / 8 + 4 * e; }
};

/* Copies tiles of X, which are whole but for columns behind the end. A thread has COUNT pairs of elements, of
 * neighbours in a column if the rows of X are neighbours in memory. */
template <class G> struct right_stream {
  static constexpr int COUNT = G::ORDER * G::COLS / 2 / G::THREADS;
  const double *first;      /* the thread's first element of the first tile */
  int64_t next, step, pace; /* from tile to tile, in a pair, and from pair to pair */
  int to, to_step, to_pace; /* the same in the tile */
  int exist;                /* so many pairs of the thread exist */
  bool pairs;

  __device__ right_stream(const matrix<double> &X, int64_t j0, int64_t width) {
    constexpr int PAIRS = G::ORDER / 2, COLS = G::THREADS / PAIRS, ROWS = G::THREADS / G::COLS;
    static_assert(G::THREADS % PAIRS == 0 && G::THREADS % G::COLS == 0, "threads have equal shares");
    const bool fast = along_rows(X);
    int64_t number = threadIdx.x;
    tg_forget(number); /* else what follows would take registers from W between two streams */
    const int thread = static_cast<int>(number), cols = static_cast<int>(least(width - j0, G::COLS));
    const int r = fast ? thread % PAIRS * 2 : thread / G::COLS, c = fast ? thread / PAIRS : thread % G::COLS;
    first = X.at(r, j0 + c), next = G::ORDER * X.row;
    to = c * G::LD + r;
    step = X.row, pace = COLS * X.col, to_step = 1, to_pace = COLS * G::LD;
    exist = c >= cols ? 0 : (cols - c + COLS - 1) / COLS;
    pairs = X.row == 1 && X.col % 2 == 0 && reinterpret_cast<uintptr_t>(X.at(0, j0)) % 16 == 0;
    if (!fast) {
      step = ROWS * X.row, pace = 2 * step, to_step = ROWS, to_pace = 2 * ROWS;
      exist = c < cols ? COUNT : 0;
    }
  }

  /* The stream at tile row j. The address is computed now, so that a caller can compute it ahead of a wait. */
  __device__ right_stream at(int64_t j) const {
    right_stream s = *this;
    s.first += j * next;
    tg_forget(s.first);
    return s;
  }

  /* Begins to copy the tile. */
  __device__ void begin(double (&tile)[G::COLS][G::LD]) const {
    const double *from = first;
    double *p = tile[0] + to;
    if (pairs) {
#pragma unroll
      for (int e = 0; e < COUNT; e++) tg_copy_async_pair(p + e * to_pace, from + e * pace, e < exist ? 2 : 0);
    } else {
#pragma unroll 1
      for (int e = 0; e < COUNT; e++) {
        tg_copy_async(p + e * to_pace, from + e * pace, e < exist);
        tg_copy_async(p + e * to_pace + to_step, from + e * pace + step, e < exist);
      }
    }
  }
};

#endif
