/* symm_columns_mma.h - products of a symmetric matrix of doubles and a few columns, on matrix units (symm_columns.h).
 *
 * The stages of A and B go through a ring in shared memory. The warps of a block form a grid of DOWN × DEEP: a warp has
 * ROWS / DOWN rows and all columns, and 8 terms of each stage, so that it reads the fewest factors for its products. At
 * the end the sums of the DEEP layers are added.
 *
 * A stage of A is [term][line] or [line][term], as the elements are neighbours in memory. A lane reads two neighbours
 * at once. So fragments have their lines and terms in another order: lines g and g + 8 of a fragment of 16 lines are
 * the lines 2·g and 2·g + 1 of the tile, and terms t and t + 4 of 8 terms are the terms 2·t and 2·t + 1. */
#ifndef TRIGON_SYMM_COLUMNS_MMA_H
#define TRIGON_SYMM_COLUMNS_MMA_H

#include "gpu/kernels/products/mma.h"
#include "symm_columns.h"

template <int ROWS_, int COLS_, int DOWN_, int DEEP_, int STAGES_> struct symm_mma {
  using T = double;
  static constexpr int ROWS = ROWS_, COLS = COLS_, DOWN = DOWN_, DEEP = DEEP_, STAGES = STAGES_;
  static constexpr int DEPTH = 8 * DEEP, THREADS = 32 * DOWN * DEEP;
  static constexpr int HEIGHT = ROWS / DOWN / 16, WIDTH = COLS / 8; /* of a warp, in fragments of sums */
  static_assert(ROWS % (16 * DOWN) == 0 && COLS % 8 == 0, "warps have whole fragments");
  /* Leading dimensions that let the lanes of a fragment read pairs from different banks. */
  static constexpr int LINES_LD = ROWS + 2, TERMS_LD = DEPTH + 4, B_LD = DEPTH + 8;
  static constexpr int LINES_SIZE = LINES_LD * DEPTH, TERMS_SIZE = TERMS_LD * ROWS;
  static constexpr int A_SIZE = LINES_SIZE > TERMS_SIZE ? LINES_SIZE : TERMS_SIZE;
  static constexpr int STAGE = A_SIZE + B_LD * COLS, LAYER = LINES_LD * COLS;

  union workspace {
    alignas(16) double ring[STAGES * STAGE];
    alignas(16) double layers[DEEP * LAYER]; /* sums as [column][line] */
  };
  struct shared {
    workspace of;
    unsigned last;
  };
};

/* A block of a matrix that is copied to shared memory. Elements of rows from `rows` on, or of columns from `cols` on,
 * become zero. Neighbours go to neighbours. */
struct symm_block {
  const double *from;
  int64_t row, col; /* strides */
  int rows, cols;   /* that exist; may be negative, or more than the block has */
};

/* The pairs of a thread in a block of FAST × SLOW elements, FAST being contiguous: the first one is (f(), s()), and the
 * others follow PACE lines apart. */
template <int FAST, int SLOW, int LD, int THREADS> struct symm_pairs {
  static constexpr int ACROSS = FAST / 2, PACE = THREADS / ACROSS;
  static_assert(THREADS % ACROSS == 0, "a thread's pairs are below each other");
  __device__ static int f() { return static_cast<int>(threadIdx.x) % ACROSS * 2; }
  __device__ static int s() { return static_cast<int>(threadIdx.x) / ACROSS; }

  /* to[s·LD + f] = the element (f, s). `from` is the thread's first pair, and its lines are `step` apart. */
  __device__ static TG_INLINE void copy(double *to, const double *from, int64_t step, int rows, int cols) {
    const int left = rows - f(), valid = left < 0 ? 0 : left < 2 ? left : 2;
    to += s() * LD + f();
#pragma unroll
    for (int e = 0; e < SLOW; e += PACE, from += PACE * step)
      if (SLOW % PACE == 0 || s() + e < SLOW) tg_copy_async_pair(to + e * LD, from, s() + e < cols ? valid : 0);
  }
};

/* to[s·LD + f] = the element (f, s). FAST and SLOW are even. `pairs`: f is contiguous, and pairs may be copied. */
template <int FAST, int SLOW, int LD, int THREADS>
__device__ TG_INLINE void copy_symm_block(double *to, const symm_block &b, bool pairs) {
  using own = symm_pairs<FAST, SLOW, LD, THREADS>;
  const int thread = static_cast<int>(threadIdx.x);
  if (pairs) return own::copy(to, b.from + own::f() + own::s() * b.col, b.col, b.rows, b.cols);
  const bool along_fast = b.row == 1;
#pragma unroll 2
  for (int at = thread; at < FAST * SLOW; at += THREADS) {
    const int f = along_fast ? at % FAST : at / SLOW, s = along_fast ? at / FAST : at % SLOW;
    tg_copy_async(to + s * LD + f, b.from + f * b.row + s * b.col, f < b.rows && s < b.cols);
  }
}

/* to[term·TERM + line·LINE] = the columns from k0 on of a tile on the diagonal: the stored triangle, and its mirror
 * image. */
template <class G, int LINE, int TERM>
__device__ inline void copy_symm_diagonal(double *to, const product &p, int64_t i0, int64_t k0) {
  const matrix<double> A = matrix_of<double>(p.A, 0);
#pragma unroll 1
  for (int e = static_cast<int>(threadIdx.x); e < G::ROWS * G::DEPTH; e += G::THREADS) {
    const int line = e % G::ROWS, term = e / G::ROWS;
    const int64_t i = i0 + line, j = k0 + term;
    tg_copy_async(to + term * TERM + line * LINE, i > j ? A.at(i, j) : A.at(j, i), i < p.m && j < p.m);
  }
}

/* Whether pairs of neighbours may be copied: lines of neighbours are `step` apart. */
__host__ __device__ inline bool has_pairs(const operand &o, int64_t step) {
  return step % 2 == 0 && reinterpret_cast<uintptr_t>(o.data) % 16 == 0;
}

/* The streams of a block: which stage is where, and how it is copied. Addresses of pairs are found once a tile, because
 * the matrix units wait for the instructions that find them. */
template <class G> struct symm_stream {
  using lines_first = symm_pairs<G::ROWS, G::DEPTH, G::LINES_LD, G::THREADS>;
  using terms_first = symm_pairs<G::DEPTH, G::ROWS, G::TERMS_LD, G::THREADS>;
  using b_terms = symm_pairs<G::DEPTH, G::COLS, G::B_LD, G::THREADS>;
  const symm_task &f;
  const symm_place<G> &at;
  bool lines_near, a_pairs, b_pairs; /* stored rows are neighbours; copies may take pairs */
  const double *a, *b;               /* the thread's first pairs of the next stage */
  int64_t next;                      /* from a to that of the stage behind */

  __device__ symm_stream(const symm_task &task, const symm_place<G> &place) : f(task), at(place) {
    const operand &A = f.p.A, &B = f.p.B;
    lines_near = A.row == 1;
    a_pairs = has_pairs(A, lines_near ? A.col : A.row) && (lines_near || A.col == 1);
    b_pairs = has_pairs(B, B.col) && B.row == 1;
    open(at.first);
  }
  /* Whether the stage is [term][line]. A mirrored tile has its terms where a stored tile has its lines. */
  __device__ bool by_lines(int stage) const {
    const unsigned tile = at.tile(stage);
    return tile == at.band || (tile < at.band) == lines_near;
  }
  /* The distance of lines or terms that are not neighbours. */
  __device__ int64_t apart() const { return lines_near ? f.p.A.col : f.p.A.row; }

  /* Finds the addresses of a stage's pairs. */
  __device__ void open(int stage) {
    const int64_t k0 = at.column(stage);
    const bool lines = by_lines(stage);
    const int64_t near = lines ? at.i0 + lines_first::f() : k0 + terms_first::f();
    const int64_t far = lines ? k0 + lines_first::s() : at.i0 + terms_first::s();
    a = static_cast<const double *>(f.p.A.data) + near + far * apart();
    next = lines ? G::DEPTH * apart() : G::DEPTH;
    b = static_cast<const double *>(f.p.B.data) + k0 + b_terms::f() + (at.j0 + b_terms::s()) * f.p.B.col;
  }
  __device__ void copy_a(double *to, int stage, int lines, int terms) const {
    const operand &A = f.p.A;
    const unsigned tile = at.tile(stage);
    const int64_t k0 = at.column(stage), row = tile < at.band ? A.row : A.col, col = tile < at.band ? A.col : A.row;
    const double *const from = static_cast<const double *>(A.data) + at.i0 * row + k0 * col;
    if (tile == at.band)
      copy_symm_diagonal<G, 1, G::LINES_LD>(to, f.p, at.i0, k0);
    else if (by_lines(stage))
      copy_symm_block<G::ROWS, G::DEPTH, G::LINES_LD, G::THREADS>(to, {from, row, col, lines, terms}, false);
    else
      copy_symm_block<G::DEPTH, G::ROWS, G::TERMS_LD, G::THREADS>(to, {from, col, row, terms, lines}, false);
  }
  /* Begins to copy a stage, if the piece has it. */
  __device__ TG_INLINE void copy(double *to, int stage) {
    if (stage < at.end) {
      const int k0 = static_cast<int>(at.column(stage)), terms = static_cast<int>(f.p.m) - k0;
      const int lines = static_cast<int>(f.p.m - at.i0), cols = static_cast<int>(f.p.n - at.j0);
      if (stage % at.STAGES_OF_TILE == 0) open(stage);
      if (!a_pairs || at.tile(stage) == at.band)
        copy_a(to, stage, lines, terms);
      else if (by_lines(stage))
        lines_first::copy(to, a, apart(), lines, terms);
      else
        terms_first::copy(to, a, apart(), terms, lines);
      if (b_pairs)
        b_terms::copy(to + G::A_SIZE, b, f.p.B.col, terms, cols);
      else
        copy_symm_block<G::DEPTH, G::COLS, G::B_LD, G::THREADS>(
            to + G::A_SIZE,
            {static_cast<const double *>(f.p.B.data) + k0 * f.p.B.row + at.j0 * f.p.B.col, f.p.B.row, f.p.B.col, terms,
             cols},
            false);
      a += next, b += G::DEPTH;
    }
    tg_commit_copies();
  }
};

template <class G> struct symm_warp {
  double sum[G::HEIGHT][G::WIDTH][4];
  double left[G::HEIGHT][4]; /* factors */

  __device__ static int layer() { return mma_warp() / G::DOWN; }
  __device__ static int top() { return mma_warp() % G::DOWN * (16 * G::HEIGHT); }
  __device__ static int term() { return 8 * layer() + mma_lane() % 4 * 2; }
  __device__ static TG_INLINE two_doubles pair(const double *p) { return *reinterpret_cast<const two_doubles *>(p); }

  template <bool BY_LINES> __device__ TG_INLINE void load_left(const double *stage) {
    const int line = top() + mma_lane() / 4 * 2;
    const double *const from = stage + (BY_LINES ? term() * G::LINES_LD + line : line * G::TERMS_LD + term());
#pragma unroll
    for (int h = 0; h < G::HEIGHT; h++) {
      const double *const p = from + 16 * h * (BY_LINES ? 1 : G::TERMS_LD);
      const two_doubles x = pair(p), y = pair(p + (BY_LINES ? G::LINES_LD : G::TERMS_LD));
      left[h][0] = x.first, left[h][3] = y.second;
      left[h][1] = BY_LINES ? x.second : y.first, left[h][2] = BY_LINES ? y.first : x.second;
    }
  }
  /* Adds the products with the columns of the fragments FIRST .. END - 1. */
  template <int FIRST, int END> __device__ TG_INLINE void multiply(const double *stage) {
    const double *const from = stage + G::A_SIZE + mma_lane() / 4 * G::B_LD + term();
#pragma unroll
    for (int w = FIRST; w < END; w++) {
      const two_doubles x = pair(from + 8 * w * G::B_LD);
#pragma unroll
      for (int h = 0; h < G::HEIGHT; h++) tg_mma(sum[h][w], left[h], {x.first, x.second});
    }
  }
  /* Leaves the sums of the warp's layer in shared memory. */
  __device__ void put(double *layers) const {
    double *const to = layers + layer() * G::LAYER + top() + mma_lane() / 4 * 2;
#pragma unroll
    for (int h = 0; h < G::HEIGHT; h++)
#pragma unroll
      for (int w = 0; w < G::WIDTH; w++)
#pragma unroll
        for (int e = 0; e < 2; e++)
          *reinterpret_cast<two_doubles *>(to + (8 * w + mma_lane() % 4 * 2 + e) * G::LINES_LD +
                                           16 * h) = {sum[h][w][e], sum[h][w][2 + e]};
  }
};

template <class G> __global__ void __launch_bounds__(G::THREADS, 1) symm_mma_kernel(symm_task f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::shared &shared = *tg_shared<typename G::shared>();
  const symm_place<G> at(f);
  symm_stream<G> stream(f, at);
  double *const ring = shared.of.ring;
  symm_warp<G> warp = {};
  for (int s = 0; s < G::STAGES - 1; s++) stream.copy(ring + s * G::STAGE, at.first + s);
  /* Of two warps that share matrix units, one multiplies while the other begins copies. */
  const bool early = mma_warp() < G::THREADS / 64;
  int slot = 0;
#pragma unroll 1
  for (int stage = at.first; stage < at.end; stage++) {
    const double *const now = ring + slot * G::STAGE;
    double *const left = ring + (slot > 0 ? slot - 1 : G::STAGES - 1) * G::STAGE;
    tg_await_copies<G::STAGES - 2>();
    __syncthreads(); /* all threads have left the stage before */
    stream.by_lines(stage) ? warp.template load_left<true>(now) : warp.template load_left<false>(now);
    if (early) stream.copy(left, stage + G::STAGES - 1);
    warp.template multiply<0, G::WIDTH / 2>(now);
    if (!early) stream.copy(left, stage + G::STAGES - 1);
    warp.template multiply<G::WIDTH / 2, G::WIDTH>(now);
    slot = slot + 1 < G::STAGES ? slot + 1 : 0;
  }
  tg_await_copies<0>();
  __syncthreads();
  warp.put(shared.of.layers);
  __syncthreads();
  finish_symm(f, at, &shared.last, [&](auto visit) {
#pragma unroll 4
    for (int e = static_cast<int>(threadIdx.x); e < G::ROWS * G::COLS; e += G::THREADS) {
      const int row = e % G::ROWS, col = e / G::ROWS;
      double sum = 0;
#pragma unroll
      for (int layer = 0; layer < G::DEEP; layer++) sum += shared.of.layers[layer * G::LAYER + col * G::LINES_LD + row];
      visit(row, col, sum);
    }
  });
#endif
}

/* High tiles read B less often, and low ones make more blocks of small matrices. So many stages fill the shared memory
 * of a multiprocessor, or hide the way to memory. */
template <int COLS> using tall_symm = symm_mma<TG_TILE(64, 256), COLS, TG_TILE(2, 4), 2, 4>;
template <int COLS> using high_symm = symm_mma<TG_TILE(32, 128), COLS, TG_TILE(1, 2), TG_TILE(2, 4), 4>;
template <int COLS> using low_symm = symm_mma<TG_TILE(16, 64), COLS, TG_TILE(1, 2), TG_TILE(2, 4), TG_TILE(3, 5)>;

template <int COLS> static cudaError_t launch_symm_mma(queue q, const product *p, const dataflow_setup *s) {
  const symm_limits &limits = q.arch->limits->symm;
  const auto takes = [&](auto tile) {
    constexpr int ROWS = decltype(tile)::ROWS;
    return ROWS == low_symm<COLS>::ROWS ||
           p->m >= (ROWS == high_symm<COLS>::ROWS ? limits.high_order : limits.tall_order);
  };
  return tile_list<tall_symm<COLS>, high_symm<COLS>, low_symm<COLS>>::launch(s->shape.rows, takes, [&](auto tile) {
    using G = decltype(tile);
    return launch_symm<G>(q, registered<symm_mma_kernel<G>, sizeof(typename G::shared), NEEDS_MMA>(), p, s);
  });
}

#endif
