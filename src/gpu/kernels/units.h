/* units.h - doubles on matrix units (tg_mma): fragments, and sums of products whose factors are streamed through shared
 * memory.
 *
 * A warp multiplies a fragment of 16 × 16 by one of 16 × 8. Leading dimensions that are 4 modulo 16 let the lanes of a
 * fragment read from different banks. */
#ifndef TRIGON_UNITS_H
#define TRIGON_UNITS_H

#include "tile_gemm.h"

__device__ inline int unit_lane() { return static_cast<int>(threadIdx.x) % 32; }
__device__ inline int unit_warp() { return static_cast<int>(threadIdx.x) / 32; }

/* The fragment of the 16 × 16 matrix that begins at `from`, stored as [column][row]. */
template <int LD> __device__ inline void load_left(double (&a)[8], const double *from) {
  const int g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
  for (int i = 0; i < 8; i++) a[i] = from[(t + i / 2 * 4) * LD + g + i % 2 * 8];
}

/* The fragment of the 16 × 8 matrix that begins at `from`, stored as [column][row]. */
template <int LD> __device__ inline void load_right(double (&b)[4], const double *from) {
  const int g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) b[i] = from[g * LD + t + 4 * i];
}

/* The fragment of the 16 × 8 matrix that begins at `from`, stored as [row][column]. */
template <int LD> __device__ inline void load_right_by_rows(double (&b)[4], const double *from) {
  const int g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) b[i] = from[(t + 4 * i) * LD + g];
}

/* Calls visit(row, column, element) for the lane's elements of a 16 × 8 fragment of sums. */
template <class Visit> __device__ inline void each_of_fragment(double (&c)[4], Visit visit) {
  const int g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
  for (int i = 0; i < 4; i++) visit(g + i / 2 * 8, 2 * t + i % 2, c[i]);
}

/* -------------------------------------------------------------------------------------- products of streams -- */

/* A block of threads computes a tile of ROWS × COLS sums, TERMS terms at a time. Its warps form a grid of DOWN ×
 * ACROSS × DEEP: each of the DEEP layers takes 16 of the terms, and fold_layers adds the sums of two layers. STAGES
 * pieces of the factors are in shared memory at once. */
template <int ROWS_, int COLS_, int DOWN_, int ACROSS_, int STAGES_, int DEEP_ = 1> struct unit_geometry {
  static constexpr int ROWS = ROWS_, COLS = COLS_, DOWN = DOWN_, ACROSS = ACROSS_, STAGES = STAGES_, DEEP = DEEP_;
  static constexpr int TERMS = 16 * DEEP, LAYER = 32 * DOWN * ACROSS, THREADS = LAYER * DEEP;
  /* Of each warp, in fragments. */
  static constexpr int HEIGHT = ROWS / DOWN / 16, WIDTH = COLS / ACROSS / 8;
  static_assert(ROWS % (16 * DOWN) == 0 && COLS % (8 * ACROSS) == 0, "warps have whole fragments");
  static_assert(DEEP == 1 || (DEEP == 2 && HEIGHT % 2 == 0),
                "a layer keeps half of the fragments, one above the other");

  struct stage {
    alignas(16) double a[TERMS][ROWS + 4], b[TERMS][COLS + 4];
  };
  struct ring {
    stage of[STAGES];
  };
  struct sums {
    double of[HEIGHT][WIDTH][4];
  };
};

/* LINES rows of a matrix on their way to shared memory, TERMS columns at a time, as [column][row]. Elements that lie
 * outside of the matrix or are not stored become zero. Rows that are neighbours in memory are copied in pairs if their
 * addresses allow it. A thread's elements have equal distances, so that few instructions find them: the matrix units
 * wait for these instructions. */
template <class G, int LINES> struct unit_stream {
  static constexpr int SHARE = LINES * G::TERMS / G::THREADS, RUN = G::TERMS / 2;
  static_assert(G::THREADS % LINES == 0 && SHARE % 2 == 0 && G::THREADS % RUN == 0, "threads have equal shares");

  matrix<double> M;
  const double *from;            /* the thread's first element of the next stage */
  int64_t f, s;                  /* in the matrix: its row and its column */
  int64_t rows, cols;            /* the ends */
  int64_t whole_from, whole_end; /* the stages between these columns have only elements that are stored */
  int line, term;                /* in the stage */
  int step;                      /* from stage to stage */
  bool fast, pairs, tall;

  /* Rows f0 .. f_end - 1, from column s0 on, before column s_end. The stages go towards higher columns, or
   * (to_next = -TERMS) lower ones. */
  __device__ unit_stream(const matrix<double> &of, int64_t f0, int64_t f_end, int64_t s0, int64_t s_end,
                         int to_next = G::TERMS)
      : M(of), rows(f_end), cols(s_end), whole_from(of.stored == UPPER ? f_end : 0),
        whole_end(of.stored == FULL || of.stored == UPPER ? s_end : least(s_end, f0)), step(to_next),
        tall(f0 + LINES <= f_end) {
    const int thread = static_cast<int>(threadIdx.x);
    fast = along_rows(of);
    pairs = of.row == 1 && of.col % 2 == 0 && reinterpret_cast<uintptr_t>(of.at(f0, s0)) % 16 == 0;
    const int across = pairs ? LINES / 2 : LINES;
    line = fast ? thread % across * (pairs ? 2 : 1) : thread / RUN;
    term = fast ? thread / across : thread % RUN;
    f = f0 + line, s = s0 + term;
    from = of.at(f, s);
  }

  /* Begins to copy the next stage. */
  __device__ void begin(double (&to)[G::TERMS][LINES + 4]) {
    const int64_t first = s - term;
    if (first < whole_from || first + G::TERMS > whole_end || !(fast || tall))
      begin_edge(to);
    else
      begin_whole(to);
    s += step, from += step * M.col;
  }

private:
  static constexpr int FAST_STEP = G::THREADS / LINES, PAIR_STEP = 2 * FAST_STEP, LINE_STEP = G::THREADS / RUN;

  /* If the thread goes along a row of the stage, its elements are inside of the matrix, or none is. */
  __device__ void begin_whole(double (&to)[G::TERMS][LINES + 4]) const {
    const int left = static_cast<int>(least(rows - f, 2));
    const double *p = from;
    if (pairs) {
#pragma unroll
      for (int e = 0; e < SHARE / 2; e++, p += PAIR_STEP * M.col)
        tg_copy_async_pair(&to[term + e * PAIR_STEP][line], p, left > 0 ? left : 0);
    } else if (fast) {
#pragma unroll
      for (int e = 0; e < SHARE; e++, p += FAST_STEP * M.col)
        tg_copy_async(&to[term + e * FAST_STEP][line], p, left > 0);
    } else {
#pragma unroll
      for (int e = 0; e < SHARE / 2; e++, p += LINE_STEP * M.row) {
        tg_copy_async(&to[term][line + e * LINE_STEP], p, true);
        tg_copy_async(&to[term + RUN][line + e * LINE_STEP], p + RUN * M.col, true);
      }
    }
  }

  /* The same with a look at each element. Short code leaves the registers to the sums. */
  __device__ void begin_edge(double (&to)[G::TERMS][LINES + 4]) const {
#pragma unroll 1
    for (int e = 0; e < SHARE; e++) {
      const int lines = pairs ? e % 2 : fast ? 0 : e / 2 * LINE_STEP;
      const int terms = pairs ? e / 2 * PAIR_STEP : fast ? e * FAST_STEP : e % 2 * RUN;
      copy(to[term + terms][line + lines], f + lines, s + terms);
    }
  }

  __device__ void copy(double &to, int64_t i, int64_t j) const {
    const bool exists = i < rows && j < cols, mirrored = M.stored == SYMMETRIC && i < j;
    const bool stored = exists && (M.stored == LOWER ? i >= j : M.stored == UPPER ? i <= j : true);
    if (exists && M.unit && i == j)
      to = 1;
    else
      tg_copy_async(&to, !stored ? M.data : mirrored ? M.at(j, i) : M.at(i, j), stored);
  }
};

/* The first row and column of a warp's sums, and the warp's layer. */
template <class G> __device__ inline int unit_row() { return unit_warp() % G::DOWN * (16 * G::HEIGHT); }
template <class G> __device__ inline int unit_col() { return unit_warp() / G::DOWN % G::ACROSS * (8 * G::WIDTH); }
template <class G> __device__ inline int unit_layer() { return unit_warp() / (G::DOWN * G::ACROSS); }

/* sum += a·bᵀ for the TERMS terms in shared memory, of which each layer takes its own. Term t of row r is
 * a[t·A_LD + r]; so it is for b. Each thread calls between() once, while the matrix units are busy. Two warps share a
 * matrix unit; one of them calls it later, so that the other one keeps the unit busy meanwhile. */
template <class G, int A_LD, int B_LD, class Between>
__device__ inline void multiply_terms(typename G::sums &sum, const double *a_of, const double *b_of, Between between) {
  const int row = unit_row<G>(), col = unit_col<G>(), term = 16 * unit_layer<G>();
  const bool early = unit_warp() / 4 % 2 == 0;
  double a[G::HEIGHT][8], b[4];
#pragma unroll
  for (int i = 0; i < G::HEIGHT; i++) load_left<A_LD>(a[i], a_of + term * A_LD + row + 16 * i);
#pragma unroll
  for (int j = 0; j < G::WIDTH; j++) {
    load_right_by_rows<B_LD>(b, b_of + term * B_LD + col + 8 * j);
#pragma unroll
    for (int i = 0; i < G::HEIGHT; i++) tg_mma(sum.of[i][j], a[i], b);
    if ((j == 0 && early) || (j == G::WIDTH / 2 && !early)) between();
  }
}
template <class G, int A_LD, int B_LD>
__device__ inline void multiply_terms(typename G::sums &sum, const double *a_of, const double *b_of) {
  multiply_terms<G, A_LD, B_LD>(sum, a_of, b_of, [] {});
}

/* sum += a·bᵀ for the staged terms. */
template <class G, class Between>
__device__ inline void multiply_stage(typename G::sums &sum, const typename G::stage &stage, Between between) {
  multiply_terms<G, G::ROWS + 4, G::COLS + 4>(sum, stage.a[0], stage.b[0], between);
}

template <class G> __device__ inline void multiply_stage(typename G::sums &sum, const typename G::stage &stage) {
  multiply_stage<G>(sum, stage, [] {});
}

/* sum += A·Bᵀ over `stages` stages of the streams. ready(s) waits until stage s may be read, and returns how many
 * stages may be read; all threads call ready, and only when all begun stages are multiplied. All threads call landed(s)
 * when all copies up to stage s are in shared memory. Begins and ends with a barrier. */
template <class G, class Ready, class Landed>
__device__ inline void add_streams(typename G::sums &sum, typename G::ring &ring, unit_stream<G, G::ROWS> a,
                                   unit_stream<G, G::COLS> b, int64_t stages, Ready ready, Landed landed) {
  const int last = static_cast<int>(stages); /* short counters leave registers to the sums */
  int begun = 0, known = 0, slot = 0, free_slot = 0;
  const auto begin = [&] {
    if (begun < known) {
      a.begin(ring.of[free_slot].a);
      b.begin(ring.of[free_slot].b);
      free_slot = free_slot + 1 < G::STAGES ? free_slot + 1 : 0;
      begun++;
    }
    tg_commit_copies(); /* also without copies: the groups are counted */
  };
  for (int at = 0; at < last; at++) {
    if (at == begun) {
      __syncthreads();
      known = static_cast<int>(least(ready(at), last));
      for (int i = 1; i < G::STAGES; i++) begin();
    }
    tg_await_copies<G::STAGES - 2>();
    __syncthreads(); /* all have the stage, and nobody reads the stage before it any more */
    landed(at);
    multiply_stage<G>(sum, ring.of[slot], begin);
    slot = slot + 1 < G::STAGES ? slot + 1 : 0;
  }
  tg_await_copies<0>();
  __syncthreads();
}

template <class G, class Ready>
__device__ inline void add_streams(typename G::sums &sum, typename G::ring &ring, const unit_stream<G, G::ROWS> &a,
                                   const unit_stream<G, G::COLS> &b, int64_t stages, Ready ready) {
  add_streams<G>(sum, ring, a, b, stages, ready, [](int64_t) {});
}

/* The fragments that a thread has after fold_layers: the first ones of sum.of. */
template <class G> __device__ constexpr int kept_height() { return G::HEIGHT / G::DEEP; }

/* Adds the sums of two layers: each layer gives one half of its fragments to the other. Begins with shared memory free;
 * ends with a barrier. */
template <class G> __device__ inline void fold_layers(typename G::sums &sum, typename G::ring &ring) {
  if (G::DEEP == 1) return;
  constexpr int HALF = kept_height<G>();
  const bool second = unit_layer<G>() > 0;
  double *given = reinterpret_cast<double *>(&ring) + threadIdx.x;
  static_assert(sizeof(ring) >= sizeof(double) * 4 * HALF * G::WIDTH * G::THREADS, "the ring holds what is given");
#pragma unroll
  for (int i = 0; i < HALF; i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        double &low = sum.of[i][j][e], &high = sum.of[(HALF + i) % G::HEIGHT][j][e];
        given[((i * G::WIDTH + j) * 4 + e) * G::THREADS] = second ? low : high;
        if (second) low = high;
      }
  __syncthreads();
  const double *taken = given + (second ? -G::LAYER : G::LAYER);
#pragma unroll
  for (int i = 0; i < HALF; i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) sum.of[i][j][e] += taken[((i * G::WIDTH + j) * 4 + e) * G::THREADS];
  __syncthreads();
}

/* Calls visit(row, column, sum) for the thread's elements of the tile, after fold_layers if there are two layers. */
template <class G, class Visit> __device__ inline void each_unit_sum(typename G::sums &sum, Visit visit) {
  const int row = unit_row<G>() + 16 * kept_height<G>() * unit_layer<G>(), col = unit_col<G>();
#pragma unroll
  for (int i = 0; i < kept_height<G>(); i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++)
      each_of_fragment(sum.of[i][j], [&](int r, int c, double &x) { visit(row + 16 * i + r, col + 8 * j + c, x); });
}

#endif
