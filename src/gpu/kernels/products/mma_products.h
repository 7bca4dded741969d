/* mma_products.h - sums of products of doubles on matrix units. The factors are streams (mma_pipeline.h).
 *
 * Terms 2t and 2t + 1 of 8 terms are the terms t and t + 4 of a fragment of tg_mma, in both factors. So a lane reads
 * neighbours, by one access if the stage has them as neighbours. */
#ifndef TRIGON_MMA_PRODUCTS_H
#define TRIGON_MMA_PRODUCTS_H

#include "mma_pipeline.h"

/* The first row and column of a warp's sums, and the warp's layer. */
template <class G> __device__ inline int mma_row() { return mma_warp() % G::DOWN * (16 * G::HEIGHT); }
template <class G> __device__ inline int mma_col() { return mma_warp() / G::DOWN % G::ACROSS * (8 * G::WIDTH); }
template <class G> __device__ inline int mma_layer() { return mma_warp() / (G::DOWN * G::ACROSS); }

/* x[m] = the element of a line and of term 2t + m. `from` is that of term 2t. */
template <class Layout> __device__ inline void load_terms(double (&x)[2], const double *from) {
  if (Layout::at(0, 1) == 1) {
    const two_doubles v = *reinterpret_cast<const two_doubles *>(from);
    x[0] = v.first, x[1] = v.second;
  } else {
    x[0] = *from, x[1] = from[Layout::at(0, 1)];
  }
}

/* A warp's way through the stages: sums of products of 8 terms. The fragments of the next 8 terms are loaded meanwhile,
 * those of the next stage, too, so that the matrix units have work right behind a barrier. */
template <class G, bool A_TERMS, bool B_TERMS> struct mma_multiplier {
  using A = typename G::template a_layout<A_TERMS>;
  using B = typename G::template b_layout<B_TERMS>;
  static constexpr bool BY_TERMS_A = A_TERMS, BY_TERMS_B = B_TERMS;
  static constexpr int STAGE = A::SIZE + B::SIZE;

  double left[2][G::HEIGHT][4], right[2];
  const double *a, *b; /* the lane's first elements of the stage */

  __device__ void set(const double *stage) {
    const int g = mma_lane() / 4, term = 16 * mma_layer<G>() + 2 * (mma_lane() % 4);
    a = stage + A::at(mma_row<G>() + g, term);
    b = stage + A::SIZE + B::at(mma_col<G>() + g, term);
  }

  __device__ void load_left(int i, int to, const double *from) {
    double x[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      load_terms<A>(x, from + A::at(16 * i + 8 * h, 0));
      left[to][i][h] = x[0], left[to][i][2 + h] = x[1];
    }
  }

  /* How far the stage's second 8 terms are from the first. */
  template <class Layout> __device__ static int next_terms() { return Layout::next_terms(mma_lane() / 4); }

  /* The first fragments of a stage. */
  __device__ void load_first(const double *stage) {
    set(stage);
#pragma unroll
    for (int i = 0; i < G::HEIGHT; i++) load_left(i, 0, a);
    load_terms<B>(right, b);
  }

  /* sum += a·bᵀ for the terms of the stage. Calls between(part) for both parts, while the matrix units are busy. */
  template <class Between> __device__ void multiply(typename G::sums &sum, const double *next_stage, Between between) {
    const double *second_a = a + next_terms<A>(), *first_b = b, *second_b = b + next_terms<B>();
    set(next_stage);
#pragma unroll
    for (int part = 0; part < 2; part++)
#pragma unroll
      for (int j = 0; j < G::WIDTH; j++) {
        const double now[2] = {right[0], right[1]};
        if (j + 1 < G::WIDTH)
          load_terms<B>(right, (part == 0 ? first_b : second_b) + B::at(8 * (j + 1), 0));
        else
          load_terms<B>(right, part == 0 ? second_b : b);
#pragma unroll
        for (int i = 0; i < G::HEIGHT; i++)
          if (i * G::WIDTH / G::HEIGHT == j) load_left(i, 1 - part, part == 0 ? second_a : a);
#pragma unroll
        for (int i = 0; i < G::HEIGHT; i++) tg_mma(sum.of[i][j], left[part][i], now);
        if (j == 0) between(part);
      }
  }
};

/* How the factors are copied. AHEAD: B may be read at once, and only A has to become ready. MIRRORS: one of them may be
 * a symmetric matrix. WHOLE: all stages have only elements that are stored, and no lines are reversed; this code takes
 * fewer registers. */
template <bool AHEAD_, bool BACKWARD_, bool MIRRORS_ = false, bool WHOLE_ = false> struct mma_order {
  static constexpr bool AHEAD = AHEAD_, BACKWARD = BACKWARD_, MIRRORS = MIRRORS_, WHOLE = WHOLE_;
};

/* The ring's slots, and how far the copies are. */
template <class G, class M, class Order> struct mma_copies {
  typename G::ring &ring;
  mma_stream<G, Order, G::ROWS, M::BY_TERMS_A> a;
  mma_stream<G, Order, G::COLS, M::BY_TERMS_B> b;
  int first_whole, end_whole;            /* of both factors */
  int begun = 0, b_begun = 0, known = 0; /* stages; of b, stages before `begun` count as begun */
  int free_slot = 0;

  __device__ mma_copies(typename G::ring &r, const mma_lines &A, const mma_lines &B) : ring(r), a(r.a, A), b(r.b, B) {
    if (Order::WHOLE) return;
    const int a_first = a.first_whole(A), b_first = b.first_whole(B), a_end = a.end_whole(A), b_end = b.end_whole(B);
    first_whole = a_first > b_first ? a_first : b_first;
    end_whole = a_end < b_end ? a_end : b_end;
  }

  __device__ static int after(int slot) { return slot + 1 < G::STAGES ? slot + 1 : 0; }
  __device__ double *stage(int slot) const { return ring.of + slot * M::STAGE; }
  __device__ bool is_whole(int number) const { return Order::WHOLE || (number >= first_whole && number < end_whole); }

  /* Begins to copy the next stage, if it is known to be ready: one of the two factors in each part. */
  __device__ void begin(int part) {
    if (begun < known && part == 0) a.begin(stage(free_slot), begun, is_whole(begun));
    if (part == 0) return;
    if (begun < known) {
      if (!Order::AHEAD || b_begun <= begun) b.begin(stage(free_slot) + M::A::SIZE, begun, is_whole(begun));
      free_slot = after(free_slot);
      begun++;
    }
    tg_commit_copies(); /* also without copies: the groups are counted */
  }

  /* Whether begin_plain may take the place of begin. */
  __device__ bool is_plain() const {
    return !Order::WHOLE && a.plain && b.plain && begun < known && is_whole(begun) &&
           (!Order::AHEAD || b_begun <= begun);
  }

  /* begin for a plain stage. */
  __device__ void begin_plain(int part) {
    if (part == 0) {
      a.begin_plain(stage(free_slot));
    } else {
      b.begin_plain(stage(free_slot) + M::A::SIZE);
      free_slot = after(free_slot);
      begun++;
      tg_commit_copies();
    }
  }

  /* Begins to copy the part of b for which the ring has slots. All begun stages are multiplied. */
  __device__ void begin_ahead(int stages) {
    if (b_begun < begun) b_begun = begun;
    for (; b_begun < stages && b_begun < begun + G::STAGES - 1; b_begun++)
      b.begin(stage((free_slot + b_begun - begun) % G::STAGES) + M::A::SIZE, b_begun, is_whole(b_begun));
    tg_commit_copies();
  }
};

/* The layouts of both factors. Each is right for every matrix; the one that follows the memory is fast. */
template <bool A_TERMS_, bool B_TERMS_> struct mma_layouts {
  static constexpr bool A_TERMS = A_TERMS_, B_TERMS = B_TERMS_;
};

/* Whether the layout by terms is fast for a factor with these strides. */
inline __host__ __device__ bool is_by_terms(int64_t row) { return row != 1 && row != -1; }

/* Returns body(mma_layouts), with the layouts that are fast for the factors. ALIKE: they are rows of the same matrix.
 * CROSSED: they are rows and columns of the same matrix. Where registers are short the host chooses: the code of
 * several layouts in one kernel competes for them. */
enum mma_factors { MMA_ANY, MMA_ALIKE, MMA_CROSSED };
#pragma nv_exec_check_disable /* the body is code of the host, or of the device */
template <mma_factors FACTORS, class Body>
inline __host__ __device__ auto with_layouts(bool a_terms, bool b_terms, Body body) {
  if constexpr (FACTORS == MMA_ALIKE)
    return a_terms ? body(mma_layouts<true, true>()) : body(mma_layouts<false, false>());
  else if constexpr (FACTORS == MMA_CROSSED)
    return a_terms ? body(mma_layouts<true, false>()) : body(mma_layouts<false, true>());
  else if (a_terms)
    return b_terms ? body(mma_layouts<true, true>()) : body(mma_layouts<true, false>());
  else
    return b_terms ? body(mma_layouts<false, true>()) : body(mma_layouts<false, false>());
}

/* sum += A·Bᵀ over `all` stages. ready(s, t) waits until stage s may be read, and returns how many stages may be read;
 * meanwhile the stages of B before t are under way. All threads call ready, and only when all begun stages are
 * multiplied. All threads call landed(s) when all copies up to stage s are in shared memory. Begins and ends with a
 * barrier. */
template <class G, class Layouts, class Order = mma_order<false, false>, class Ready, class Landed>
__device__ inline void add_streams(typename G::sums &sum, typename G::ring &ring, const mma_lines &A,
                                   const mma_lines &B, int64_t all, Ready ready, Landed landed) {
  using M = mma_multiplier<G, Layouts::A_TERMS, Layouts::B_TERMS>;
  const int stages = static_cast<int>(all); /* short counters leave registers to the sums */
  const bool reversed = (M::BY_TERMS_A && A.of.col == -1) || (M::BY_TERMS_B && B.of.col == -1);
  const int mask = reversed ? G::TERMS - 1 : 0;
  mma_copies<G, M, Order> copies(ring, {A.of, A.f0, A.f_end, A.s0, A.s_end, A.line_mask, mask},
                                 {B.of, B.f0, B.f_end, B.s0, B.s_end, B.line_mask, mask});
  M multiplier = {};
  for (int at = 0, slot = 0; at < stages; at++) {
    if (at == copies.begun) {
      __syncthreads();
      if (Order::AHEAD) copies.begin_ahead(stages);
      const int64_t known = ready(at, copies.b_begun);
      copies.known = static_cast<int>(least(known, stages));
      for (int i = 1; i < G::STAGES; i++) copies.begin(0), copies.begin(1);
      tg_await_copies<G::STAGES - 2>();
      __syncthreads();
      multiplier.load_first(copies.stage(slot));
    }
    tg_await_copies<G::STAGES - 3>(); /* the next stage, too: its first fragments are loaded in this one */
    __syncthreads();                  /* all have these stages, and nobody reads the stage before any more */
    landed(at);
    slot = copies.after(slot);
    if (copies.is_plain())
      multiplier.multiply(sum, copies.stage(slot), [&](int part) { copies.begin_plain(part); });
    else
      multiplier.multiply(sum, copies.stage(slot), [&](int part) { copies.begin(part); });
  }
  tg_await_copies<0>();
  __syncthreads();
}

template <class G, class Layouts, class Order = mma_order<false, false>, class Ready>
__device__ inline void add_streams(typename G::sums &sum, typename G::ring &ring, const mma_lines &A,
                                   const mma_lines &B, int64_t all, Ready ready) {
  add_streams<G, Layouts, Order>(sum, ring, A, B, all, ready, [](int) {});
}

/* The fragments that a thread has after fold_layers: the first ones of sum.of. */
template <class G> __device__ constexpr int kept_height() { return G::HEIGHT / G::DEEP; }

/* Adds the sums of two layers: each layer gives one half of its fragments to the other. Begins with shared memory free;
 * ends with a barrier. */
template <class G> __device__ inline void fold_layers(typename G::sums &sum, typename G::ring &ring) {
  if (G::DEEP == 1) return;
  constexpr int HALF = kept_height<G>();
  const bool second = mma_layer<G>() > 0;
  double *given = ring.of + threadIdx.x;
  static_assert(sizeof(ring.of) >= sizeof(double) * 4 * HALF * G::WIDTH * G::THREADS, "the ring holds what is given");
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
template <class G, class Visit> __device__ inline void each_mma_sum(typename G::sums &sum, Visit visit) {
  const int row = mma_row<G>() + 16 * kept_height<G>() * mma_layer<G>(), col = mma_col<G>();
#pragma unroll
  for (int i = 0; i < kept_height<G>(); i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++)
      each_of_fragment(sum.of[i][j], [&](int r, int c, double &x) { visit(row + 16 * i + r, col + 8 * j + c, x); });
}

/* M(i0 + r, j0 + c) = sum(r, c) for the elements of the tile before row `rows` and column `cols` of M. The tile has its
 * rows in the order r ^ mask. */
template <class G>
__device__ inline void store_tile_of_sums(typename G::sums &sum, const matrix<double> &M, int64_t i0, int64_t j0,
                                          int64_t rows, int64_t cols, int mask) {
  if (i0 + G::ROWS <= rows && j0 + G::COLS <= cols) {
    const int row = mma_row<G>() + 16 * kept_height<G>() * mma_layer<G>() + mma_lane() / 4;
    double *to = M.at(i0 + (row ^ mask), j0 + mma_col<G>() + mma_lane() % 4 * 2);
    store_fragments<kept_height<G>(), G::WIDTH>(to, mask ? -M.row : M.row, M.col,
                                                [&](int a, int b) { return sum.of[a][b]; });
  } else {
    each_mma_sum<G>(sum, [&](int row, int c, double s) {
      const int r = row ^ mask;
      if (i0 + r < rows && j0 + c < cols) *M.at(i0 + r, j0 + c) = s;
    });
  }
}

#endif
