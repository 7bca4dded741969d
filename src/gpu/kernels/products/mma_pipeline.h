/* mma_pipeline.h - copies of the factors of products of doubles on matrix units to shared memory, in stages.
 *
 * A block of threads computes a tile of ROWS × COLS sums (mma_products.h), TERMS terms at a time. STAGES pieces of the
 * factors are in shared memory at once. Neighbours in memory are neighbours in a stage, too, so that a copy takes two
 * of them. */
#ifndef TRIGON_MMA_PIPELINE_H
#define TRIGON_MMA_PIPELINE_H

#include "mma.h"
#include "tile_gemm.h"

/* Which elements a factor reads: the rows f0 .. f_end - 1 of a matrix, TERMS columns in a stage, from column s0 on,
 * before column s_end. The next stage has higher columns, or lower ones if the streams go backward. Elements that lie
 * outside or are not stored count as zero.
 *
 * A matrix may have its rows or columns in reverse order. Then a stage has them in reverse order, too, so that it has
 * neighbours of memory as neighbours: position p has the term p ^ term_mask, and the line p ^ line_mask. The sums have
 * the lines in the same order. So lines are only reversed if the caller expects that. */
struct mma_lines {
  matrix<double> of;
  int64_t f0, f_end, s0, s_end;
  int line_mask = 0, term_mask = 0;
  /* The stream sets these: the stages that have only elements that are stored; the row of the diagonal's element in
   * column s0, counted from f0; the last column at which a whole stage begins, counted from s0; and which triangle is
   * stored, 1 the lower, -1 the upper. */
  int first_whole = 0, end_whole = 0, down = 0, room = 0, triangle = 0;
};

/* The line_mask of a factor that is read by lines, for a caller that expects reversed lines. */
template <int LINES> __device__ inline int mask_of_lines(const matrix<double> &of) {
  return of.row == -1 ? LINES - 1 : 0;
}

/* Where the elements of a stage are: as [line][term], or as [term][line]. Lanes that read at the same time read from
 * different banks: [term][line] has a leading dimension for that, and in [line][term] the odd lines have the first 8 of
 * 16 terms behind the others. */
template <int LINES, int TERMS, bool BY_TERMS> struct mma_layout {
  static constexpr int LD = BY_TERMS ? TERMS : LINES + 2, SIZE = LD * (BY_TERMS ? LINES : TERMS);
  __device__ static constexpr int at(int line, int term) {
    return BY_TERMS ? line * LD + (term ^ line % 2 * 8) : term * LD + line;
  }
  /* From an element of this line and one of the first 8 terms to the same one of the next 8 terms. */
  __device__ static constexpr int next_terms(int line) { return at(line, 8) - at(line, 0); }
};

/* The warps of a block form a grid of DOWN × ACROSS × DEEP: each of the DEEP layers takes 16 of the terms, and
 * fold_layers adds the sums of two layers. */
template <int ROWS_, int COLS_, int DOWN_, int ACROSS_, int STAGES_, int DEEP_ = 1> struct mma_geometry {
  static constexpr int ROWS = ROWS_, COLS = COLS_, DOWN = DOWN_, ACROSS = ACROSS_, STAGES = STAGES_, DEEP = DEEP_;
  static constexpr int TERMS = 16 * DEEP, LAYER = 32 * DOWN * ACROSS, THREADS = LAYER * DEEP;
  /* Of each warp, in fragments of sums. */
  static constexpr int HEIGHT = ROWS / DOWN / 16, WIDTH = COLS / ACROSS / 8;
  static_assert(ROWS % (16 * DOWN) == 0 && COLS % (8 * ACROSS) == 0, "warps have whole fragments");
  static_assert(DEEP == 1 || (DEEP == 2 && HEIGHT % 2 == 0),
                "a layer keeps half of the fragments, one above the other");

  template <bool BY_TERMS> using a_layout = mma_layout<ROWS, TERMS, BY_TERMS>;
  template <bool BY_TERMS> using b_layout = mma_layout<COLS, TERMS, BY_TERMS>;
  static_assert(STAGES >= 3, "a stage is copied while two are read");
  struct ring {
    alignas(16) double of[STAGES * (a_layout<false>::SIZE + b_layout<false>::SIZE)]; /* the larger layout */
    mma_lines a, b; /* for the edges: here they take no registers from the sums */
  };
  struct sums {
    double of[HEIGHT][WIDTH][4];
  };
};

/* -------------------------------------------------------------------------------------------------- copies -- */

/* Copies a factor's stages, one after the other. Each thread copies pairs of neighbours, at equal distances, so that
 * few instructions find them: the matrix units wait for these instructions. */
template <class G, class Order, int LINES, bool BY_TERMS> struct mma_stream {
  static constexpr bool BACKWARD = Order::BACKWARD;
  using layout = mma_layout<LINES, G::TERMS, BY_TERMS>;
  static constexpr int ACROSS = (BY_TERMS ? G::TERMS : LINES) / 2, PACE = G::THREADS / ACROSS;
  static constexpr int COUNT = LINES * G::TERMS / 2 / G::THREADS, PITCH = PACE * layout::LD;
  static_assert(G::THREADS % ACROSS == 0 && COUNT * ACROSS * PACE * 2 == LINES * G::TERMS, "threads have equal shares");
  static_assert(!BY_TERMS || PACE % 2 == 0, "a thread's lines are all odd, or all even");

  const mma_lines &lines; /* in shared memory */
  const double *from;     /* the thread's first element of the next stage */
  int64_t step;           /* to the thread's next element */
  int way;                /* 1 or -1: where the next stage is, seen along `step` or along neighbours */
  int exist;              /* BY_TERMS: how many of the thread's lines exist; else: how many of its two lines, or -1
                              if reversed lines are cut */
  bool pairs;             /* whether copies may take two elements; then the lines or the terms are neighbours */
  bool plain;             /* pairs, and all lines exist */

  __device__ static int line() { return BY_TERMS ? slow() : quick(); }
  __device__ static int term() { return BY_TERMS ? quick() : slow(); }

  /* All threads call this. shared is complete behind the next barrier. */
  __device__ mma_stream(mma_lines &shared, const mma_lines &l) : lines(shared) {
    const bool cut = l.f0 + LINES > l.f_end;
    const int64_t left = l.f_end - l.f0 - line();
    from = l.of.at(l.f0 + (line() ^ l.line_mask), l.s0 + (term() ^ l.term_mask));
    step = PACE * (BY_TERMS ? l.of.row : term_step(l));
    way = (l.term_mask != 0) != BACKWARD ? -1 : 1;
    exist = static_cast<int>(left <= 0 ? 0 : BY_TERMS ? least((left + PACE - 1) / PACE, COUNT) : least(left, 2));
    if (l.line_mask != 0) exist = cut ? -1 : 2;
    const double *first = l.of.at(l.f0 + l.line_mask, l.s0 + l.term_mask); /* all threads decide alike */
    pairs = beside(l) == 1 && (BY_TERMS ? l.of.row : l.of.col) % 2 == 0 && reinterpret_cast<uintptr_t>(first) % 16 == 0;
    plain = pairs && !cut;
    if (threadIdx.x != 0) return;
    shared = l;
    if (Order::WHOLE) return;
    shared.first_whole = first_whole(l), shared.end_whole = end_whole(l);
    shared.triangle = l.of.stored == LOWER ? 1 : l.of.stored == UPPER ? -1 : 0;
    if (shared.triangle == 0) return; /* its columns may be more than short numbers count; a triangle's are not */
    shared.down = static_cast<int>(l.s0 - l.f0), shared.room = static_cast<int>(l.s_end - l.s0) - G::TERMS;
  }

  /* Begins to copy the next stage, which is whole, if the stream is plain. This code has no branches, so that it mixes
   * with the products. */
  __device__ void begin_plain(double *stage) {
    double *to = stage + layout::at(line(), term());
    const double *p = from;
#pragma unroll
    for (int e = 0; e < COUNT; e++, p += step) tg_copy_async_pair(to + e * PITCH, p, 2);
    from += way * (BY_TERMS ? G::TERMS : COUNT * step);
  }

  /* Begins to copy the next stage, stage number `number`. `whole`: the caller knows that it is whole. */
  __device__ void begin(double *stage, int number, bool whole) {
    if (!Order::WHOLE && !whole) whole = number >= lines.first_whole && number < lines.end_whole;
    if (Order::WHOLE || (whole && exist >= 0))
      begin_whole(stage);
    else if (plain && lines.triangle != 0 && shift_of(number) <= lines.room)
      begin_triangle(stage, lines.down + shift_of(number));
    else
      begin_edge(stage, number);
    go_on();
  }

  /* The first stage that has only elements that are stored, and the end of these stages. */
  __device__ static int first_whole(const mma_lines &l) {
    return stages_in((BACKWARD ? l.s0 + G::TERMS - stored_end(l) : stored_from(l) - l.s0) + G::TERMS - 1);
  }
  __device__ static int end_whole(const mma_lines &l) {
    return stages_in(BACKWARD ? l.s0 - stored_from(l) + G::TERMS : stored_end(l) - l.s0);
  }

private:
  /* From the first column of the first stage to that of another one, in a triangle. */
  __device__ static int shift_of(int number) { return (BACKWARD ? -number : number) * G::TERMS; }

  __device__ void begin_whole(double *stage) {
    double *to = stage + layout::at(line(), term());
    const double *p = from;
    if (pairs) {
#pragma unroll
      for (int e = 0; e < COUNT; e++, p += step) tg_copy_async_pair(to + e * PITCH, p, valid(e));
    } else {
      const int64_t other = beside(lines);
#pragma unroll 2
      for (int e = 0; e < COUNT; e++, p += step) {
        tg_copy_async(to + e * PITCH, p, valid(e) > 0);
        tg_copy_async(to + e * PITCH + 1, p + other, valid(e) > 1);
      }
    }
  }

  /* Copies a stage across the diagonal, which passes row `down` of it in its first column. A pair is stored as a
   * whole, or not at all, unless the diagonal cuts it. `inside`: how far inside the triangle its outer element is. */
  __device__ void begin_triangle(double *stage, int down) {
    const int way_in = lines.triangle, lm = lines.line_mask, tm = lines.term_mask;
    const int next = (BY_TERMS ? tm != 0 : lm == 0) ? way_in : -way_in; /* from the first of a pair to the second */
    const int pace = (BY_TERMS ? lm != 0 : tm == 0) ? -PACE * way_in : PACE * way_in;
    const int inside = way_in * ((line() ^ lm) - (term() ^ tm) - down) + (next < 0 ? -1 : 0);
    double *to = stage + layout::at(line(), term());
    const double *p = from;
#pragma unroll
    for (int e = 0; e < COUNT; e++, p += step) {
      const int here = inside + e * pace;
      if (here == -1 || (here == 0 && lines.of.unit))
        copy_cut(to + e * PITCH, p, here == -1, next > 0);
      else
        tg_copy_async_pair(to + e * PITCH, p, here >= 0 ? 2 : 0);
    }
  }

  /* Copies a pair of which one element is on the diagonal: the inner one if `cut`, and then the other is not stored.
   * `rising`: the inner one is the second. */
  __device__ void copy_cut(double *to, const double *p, bool cut, bool rising) {
    const int diagonal = cut == rising, other = 1 - diagonal;
    if (lines.of.unit)
      to[diagonal] = 1;
    else
      tg_copy_async(to + diagonal, p + diagonal, true);
    tg_copy_async(to + other, p + other, !cut);
  }

  /* Copies with a look at each element, by short numbers that count from the first element of the stage. */
  __device__ void begin_edge(double *stage, int number) {
    const int64_t s0 = s_of(number), other = beside(lines);
    const int height = within(lines.f_end - lines.f0), width = within(lines.s_end - s0), down = within(lines.f0 - s0);
    const shape stored = lines.of.stored;
    double *to = stage + layout::at(line(), term());
    const double *p = from;
#pragma unroll 1
    for (int e = 0; e < COUNT; e++, p += step)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int f = (line() + (BY_TERMS ? e * PACE : h)) ^ lines.line_mask,
                  s = (term() + (BY_TERMS ? h : e * PACE)) ^ lines.term_mask;
        const int below = f + down - s; /* the diagonal */
        const bool exists = f < height && s < width;
        const double *source = p + h * other;
        if (Order::MIRRORS && stored == SYMMETRIC && below < 0) source = lines.of.at(s0 + s, lines.f0 + f);
        if (exists && lines.of.unit && below == 0)
          to[e * PITCH + h] = 1;
        else
          tg_copy_async(to + e * PITCH + h, source, exists && is_stored(stored, below));
      }
  }

  /* The first column of a stage. */
  __device__ int64_t s_of(int number) const { return lines.s0 + (BACKWARD ? -number : number) * int64_t{G::TERMS}; }

  __device__ static bool is_stored(shape stored, int below) {
    return stored == LOWER ? below >= 0 : stored == UPPER ? below <= 0 : true;
  }

  /* x as a short number, if it is within reach of a stage; otherwise some number beyond. */
  __device__ static int within(int64_t x) {
    constexpr int64_t far = 4 * (LINES + G::TERMS);
    return static_cast<int>(x < -far ? -far : least(x, far));
  }

  __device__ static int quick() { return static_cast<int>(threadIdx.x) % ACROSS * 2; }
  __device__ static int slow() { return static_cast<int>(threadIdx.x) / ACROSS; }

  __device__ static int stages_in(int64_t columns) { return static_cast<int>(columns > 0 ? columns / G::TERMS : 0); }
  __device__ static int64_t stored_from(const mma_lines &l) { return l.of.stored == UPPER ? l.f_end : 0; }
  __device__ static int64_t stored_end(const mma_lines &l) {
    return l.of.stored == FULL || l.of.stored == UPPER ? l.s_end : least(l.s_end, l.f0);
  }

  /* How many of the two elements of the thread's pair number e exist. */
  __device__ int valid(int e) const { return !BY_TERMS ? exist : e < exist ? 2 : 0; }

  /* To the next stage. Without pairs, its distance takes no register. */
  __device__ void go_on() {
    if (!BY_TERMS)
      from += way * (COUNT * step);
    else
      from += pairs ? way * G::TERMS : (BACKWARD ? -G::TERMS : G::TERMS) * lines.of.col;
  }

  /* From an element to that of the next term, and to the thread's neighbour, in memory. */
  __device__ static int64_t term_step(const mma_lines &l) { return l.term_mask ? -l.of.col : l.of.col; }
  __device__ static int64_t beside(const mma_lines &l) {
    return BY_TERMS ? term_step(l) : l.line_mask ? -l.of.row : l.of.row;
  }
};

#endif
