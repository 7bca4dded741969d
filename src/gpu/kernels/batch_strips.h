/* batch_strips.h - POTRF of a matrix in shared memory, by one block of threads.
 *
 * The factor is found strip by strip, left-looking. All that the strips before subtract from a strip comes first. Then
 * each thread with a row of the strip factors the diagonal block, and its row with it. A strip takes two barriers, and
 * few registers, because the matrices of other blocks use the time in which this one waits.
 *
 * Without matrix units a thread subtracts the products for its row. With matrix units (tg_mma) a warp has 16 rows. The
 * matrices are small, so the instructions that copy them count as much as those that factor. */
#ifndef TRIGON_BATCH_STRIPS_H
#define TRIGON_BATCH_STRIPS_H

#include "strip_columns.h"
#include "tile_gemm.h"
#if TG_MATRIX_UNITS
#include "factor_units.h"
#endif

/* Where the elements are: strip by strip, in a strip column by column, and only from the strip's first row on. Lanes
 * that read at the same time read from different banks. */
template <class T_, int ORDER_, bool UNITS_, int THREADS_ = ORDER_> struct packed_strips {
  using T = T_;
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, WARPS = THREADS / 32, WIDTH = sizeof(T) == 16 ? 4 : 8;
  static constexpr bool UNITS = UNITS_, BY_ROW = !UNITS || ORDER <= 32; /* one warp subtracts by rows */
  static constexpr bool EXTRA = false;                                  /* whether there are rows behind the matrix */
  static constexpr int ROWS = (ORDER + THREADS - 1) / THREADS, PAD = BY_ROW ? 4 : 2;
  static_assert(ORDER % WIDTH == 0 && THREADS % 32 == 0 && (BY_ROW || ROWS == 1), "strips and warps are whole");

  __device__ static constexpr int ld(int strip) { return ORDER + PAD - WIDTH * strip; }
  static constexpr int size(int strips) { return WIDTH * (strips * (ORDER + PAD) - strips * (strips - 1) / 2 * WIDTH); }

  static constexpr int BYTES = size(ORDER / WIDTH) * static_cast<int>(sizeof(T));
  static constexpr int RESIDENT = BYTES > 100 << 10 ? 1
                                  : ORDER > 64      ? 3
                                  : ORDER > 32      ? 6
                                                    : 12; /* on a multiprocessor */

  /* The place of the strip's first column, in row 0. Only rows of the strip exist. */
  __device__ static constexpr int at(int strip) {
    return WIDTH * (strip * (ORDER + PAD) - strip * (strip - 1) / 2 * WIDTH - strip);
  }

  struct place {
    alignas(16) T own[size(ORDER / WIDTH)];
    T diagonal[WIDTH * WIDTH];
    int failed; /* the first column whose pivot is not positive, or -1 */
  };
  template <int LIVE> using columns = strip_columns<T, WIDTH, LIVE, (LIVE > 1 ? THREADS : 0)>;
};

/* The elements of a strip that a thread copies. Neighbouring threads take neighbours in memory: the strip has columns
 * of the lower triangle A if BY_COLUMNS, otherwise rows. */
template <class G, bool BY_COLUMNS> struct strip_copies {
  using T = typename G::T;
  static constexpr int WARPS = G::WARPS;
  static constexpr int WIDE = (G::ORDER + 31) / 32, ACROSS = G::WIDTH / WARPS, COUNT = ACROSS * WIDE;
  static_assert(G::WIDTH % WARPS == 0, "all warps take the same number of lines");
  T *from; /* of the next strip */
  const int64_t step;
  const int n;
  int last[WIDE]; /* BY_COLUMNS: the last column that exists in the thread's rows */

  __device__ strip_copies(const matrix<T> &A, int order)
      : from(A.data + warp() * (BY_COLUMNS ? A.col : A.row) + lane()), step(BY_COLUMNS ? A.col : A.row), n(order) {
#pragma unroll
    for (int h = 0; h < WIDE; h++) last[h] = 32 * h + lane() < n ? 32 * h + lane() : -1;
  }

  /* Calls visit(number, place, place in A, is in the strip, exists): numbers are 0 .. COUNT - 1. */
  template <class Visit> __device__ void each(T *own, int strip, Visit visit) const {
    const int c0 = strip * G::WIDTH, ld = G::ld(strip), rows = (n + G::WIDTH - 1) / G::WIDTH * G::WIDTH;
    T *line_from = from, *line_to = own + (BY_COLUMNS ? G::at(strip) + warp() * ld + lane() : c0 + warp());
    int64_t apart = WARPS * step; /* its multiples shall take no registers */
    tg_forget(apart);
#pragma unroll
    for (int j = 0; j < ACROSS; j++, line_from += apart, line_to += WARPS * (BY_COLUMNS ? ld : 1)) {
      const int line = c0 + j * WARPS + warp(), end = line < n ? line : -1;
#pragma unroll
      for (int h = 0; h < WIDE; h++) {
        const int at = 32 * h + lane();
        T *to = line_to + (BY_COLUMNS ? 32 * h : G::at(at / G::WIDTH) + at % G::WIDTH * G::ld(at / G::WIDTH));
        const bool within = !G::EXTRA || at < rows;
        visit(j * WIDE + h, to, line_from + 32 * h, BY_COLUMNS ? at >= c0 && within : at < c0 + G::WIDTH,
              BY_COLUMNS ? line <= last[h] : at <= end);
      }
    }
  }
  __device__ void go_on() { from += G::WIDTH * step; }

private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
};

template <class G, bool BY_COLUMNS>
__device__ inline void begin_strips(typename G::T *own, const matrix<typename G::T> &A, int n) {
  using T = typename G::T;
  strip_copies<G, BY_COLUMNS> copies(A, n);
#pragma unroll 1
  for (int strip = 0; G::WIDTH * strip < n; strip++, copies.go_on())
    copies.each(own, strip, [](int, T *to, const T *from, bool inside, bool exists) {
      tg_copy_async_if(inside, to, from, exists);
    });
}

/* own = the lower triangle A of order n, with the identity behind its end. What lies above the diagonal is never used.
 * All copies are under way at once, and meanwhile() is called. Ends with a barrier. */
template <class G, class Meanwhile>
__device__ inline void load_strips(typename G::T *own, const matrix<typename G::T> &A, int n, Meanwhile meanwhile) {
  if (along_rows(A))
    begin_strips<G, true>(own, A, n);
  else
    begin_strips<G, false>(own, A, n);
  tg_commit_copies();
  meanwhile();
  tg_await_copies<0>();
  __syncthreads();
  const int last = (n - 1) / G::WIDTH, c = n + static_cast<int>(threadIdx.x);
  if (c < G::WIDTH * (last + 1)) own[G::at(last) + c % G::WIDTH * G::ld(last) + c] = one<typename G::T>();
}
template <class G> __device__ inline void load_strips(typename G::T *own, const matrix<typename G::T> &A, int n) {
  load_strips<G>(own, A, n, [] {});
}

template <class G, bool BY_COLUMNS>
__device__ inline void put_strips(const matrix<typename G::T> &A, typename G::T *own, int n) {
  using T = typename G::T;
  using copies_of = strip_copies<G, BY_COLUMNS>;
  copies_of copies(A, n);
#pragma unroll 1
  for (int strip = 0; G::WIDTH * strip < n; strip++, copies.go_on()) {
    T x[copies_of::COUNT];
    copies.each(own, strip, [&](int e, const T *from, T *, bool, bool exists) {
      if (exists) x[e] = *from;
    });
    copies.each(own, strip, [&](int e, const T *, T *to, bool, bool exists) {
      if (exists) *to = x[e];
    });
  }
}

/* A = the lower triangle of order n. */
template <class G> __device__ inline void store_strips(const matrix<typename G::T> &A, typename G::T *own, int n) {
  if (along_rows(A))
    put_strips<G, true>(A, own, n);
  else
    put_strips<G, false>(A, own, n);
}

/* The identity in the rows behind the end of a matrix of order n, as far as strips go. */
template <class G> __device__ inline void fill_behind(typename G::T *own, int n) {
  using T = typename G::T;
  const int rows = (n + G::WIDTH - 1) / G::WIDTH * G::WIDTH;
  for (int r = n; r < rows; r++)
    for (int c = static_cast<int>(threadIdx.x); c <= r; c += G::THREADS)
      own[G::at(c / G::WIDTH) + c % G::WIDTH * G::ld(c / G::WIDTH) + r] = r == c ? one<T>() : T{};
}

/* e.x = the thread's rows of the strip, less the products of the strips before. Rows of the diagonal block go to
 * `diagonal`, too. The thread has LIVE rows, THREADS rows apart; `last` is the last one. If only the first one lies
 * before the strip, the strip's first row stands in for it. */
template <class G, int LIVE>
__device__ inline void subtract_by_row(typename G::template columns<LIVE> &e, typename G::T *own,
                                       typename G::T *diagonal, int strip, int last, int rows) {
  using T = typename G::T;
  constexpr int BELOW = (LIVE - 1) * G::THREADS;
  const int c0 = strip * G::WIDTH, first = last - BELOW;
  if (last < c0 || last >= rows) return;
  int row[LIVE];
#pragma unroll
  for (int h = 0; h < LIVE; h++) {
    row[h] = h == 0 && LIVE > 1 && first < c0 ? c0 : first + h * G::THREADS;
    e.load_row(own + G::at(strip), G::ld(strip), row[h], h);
  }
  const T *before = own;
#pragma unroll 1
  for (int k = 0; k < strip; k++) {
    before = own + G::at(k);
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++, before += G::ld(k)) {
      T mine[LIVE];
#pragma unroll
      for (int h = 0; h < LIVE; h++) mine[h] = before[row[h]];
      subtract_products(e.x, mine, before + c0);
    }
  }
#pragma unroll
  for (int h = 0; h < LIVE; h++) {
    const int at = first + h * G::THREADS - c0;                             /* in the strip */
    if (G::UNITS) e.store_row(own + G::at(strip), G::ld(strip), row[h], h); /* for pivots that are not plain */
    if (at < 0 || at >= G::WIDTH) continue;
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++) diagonal[j * G::WIDTH + at] = e.x[h][j];
  }
}

template <class G> __device__ void subtract_by_units(double *own, double *diagonal, int strip, int rows);
#if TG_MATRIX_UNITS
/* The same for all rows, in shared memory. Terms 2t and 2t + 1 of 8 are the terms t and t + 4 of a fragment, in both
 * factors: so no lanes meet in a bank. */
template <class G> __device__ void subtract_by_units(double *own, double *diagonal, int strip, int rows) {
  constexpr int TOGETHER = G::ORDER / 16 / G::WARPS;
  const int g = unit_lane() / 4, t = unit_lane() % 4, c0 = 8 * strip, ld = G::ld(strip), first = c0 + 16 * unit_warp();
  if (first >= rows) return;
  double sum[TOGETHER][4];
  int row[TOGETHER], below[TOGETHER]; /* of a fragment's first half, and from there to the second, if it exists */
  double *const to = own + G::at(strip) + 2 * t * ld;
#pragma unroll
  for (int e = 0; e < TOGETHER; e++) {
    const int at = first + 16 * G::WARPS * e < rows ? first + 16 * G::WARPS * e : first;
    row[e] = at + g, below[e] = at + 8 < rows ? 8 : 0;
    const double *from = to + row[e];
    sum[e][0] = -from[0], sum[e][1] = -from[ld], sum[e][2] = -from[below[e]], sum[e][3] = -from[ld + below[e]];
  }
  int k = 0;
#pragma unroll 1
  for (; k + 1 < strip; k += 2) {
    double a[TOGETHER][8], b[4];
#pragma unroll
    for (int h = 0; h < 4; h++) {
      const double *column = own + G::at(k + h / 2) + (2 * t + h % 2) * G::ld(k + h / 2);
      b[h] = column[c0 + g];
#pragma unroll
      for (int e = 0; e < TOGETHER; e++) a[e][2 * h] = column[row[e]], a[e][2 * h + 1] = column[row[e] + below[e]];
    }
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) tg_mma(sum[e], a[e], b);
  }
  if (k < strip) {
    double a[TOGETHER][4], b[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const double *column = own + G::at(k) + (2 * t + h) * G::ld(k);
      b[h] = column[c0 + g];
#pragma unroll
      for (int e = 0; e < TOGETHER; e++) a[e][2 * h] = column[row[e]], a[e][2 * h + 1] = column[row[e] + below[e]];
    }
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) tg_mma(sum[e], a[e], b);
  }
#pragma unroll
  for (int e = 0; e < TOGETHER; e++) {
    if (first + 16 * G::WARPS * e >= rows) break;
    double *at = to + row[e];
    at[0] = -sum[e][0], at[ld] = -sum[e][1];
    if (below[e] > 0) at[8] = -sum[e][2], at[ld + 8] = -sum[e][3];
    if (e == 0 && first == c0) diagonal[16 * t + g] = -sum[e][0], diagonal[16 * t + 8 + g] = -sum[e][1];
  }
}
#endif

/* Factors the strip's diagonal block, from shared.diagonal, and the thread's rows, which are in e.x; again() brings the
 * rows there again. `row` is the first of the rows, counted from the strip's first one. Returns the first column whose
 * pivot is not positive, or -1. */
template <class G, int LIVE, class Again>
__device__ inline int factor_columns(typename G::template columns<LIVE> &e, const typename G::place &shared, int row,
                                     Again again) {
  e.load_diagonal(shared.diagonal, G::WIDTH);
  if constexpr (G::UNITS) {
    if (factor_plain(e, row)) return -1;
    again();
    e.load_diagonal(shared.diagonal, G::WIDTH);
  }
  return e.factor_any(row);
}

/* Factors a strip, of which the thread has LIVE rows or none. Ends with a barrier. */
template <class G, int LIVE>
__device__ inline void factor_strip(typename G::place &shared, int strip, int last, int rows) {
  const int c0 = strip * G::WIDTH, first = last - (LIVE - 1) * G::THREADS;
  typename G::template columns<LIVE> e;
  if constexpr (G::BY_ROW)
    subtract_by_row<G, LIVE>(e, shared.own, shared.diagonal, strip, last, rows);
  else
    subtract_by_units<G>(shared.own, shared.diagonal, strip, rows);
  __syncthreads();
  if (last >= c0 && last < rows) {
    typename G::T *own = shared.own + G::at(strip);
    const auto each_row = [&](auto visit) {
#pragma unroll
      for (int h = 0; h < LIVE; h++)
        if (h > 0 || LIVE == 1 || first >= c0) visit(first + h * G::THREADS, h);
    };
    const auto bring = [&] { each_row([&](int row, int h) { e.load_row(own, G::ld(strip), row, h); }); };
    if (!G::BY_ROW) bring();
    const int bad = factor_columns<G, LIVE>(e, shared, first - c0, bring);
    each_row([&](int row, int h) {
      e.store_row(own, G::ld(strip), row, h);
      if (row == c0 && bad >= 0 && shared.failed < 0) shared.failed = c0 + bad;
    });
  }
  __syncthreads();
}

/* The same for `live` rows, at most MOST. */
template <class G, int MOST>
__device__ inline void factor_live(typename G::place &shared, int strip, int live, int last, int rows) {
  if constexpr (MOST > 1)
    if (live < MOST) return factor_live<G, MOST - 1>(shared, strip, live, last, rows);
  factor_strip<G, MOST>(shared, strip, last, rows);
}

/* Factors the first `strips` strips, of `rows` rows, in `own`. `rows` is a multiple of WIDTH, unless there are rows
 * behind the matrix. All threads call this. Begins and ends with a barrier. If threads have several rows, the last ones
 * end with the matrix: then whole warps have no rows any more as soon as possible. */
template <class G> __device__ inline void factor_strips(typename G::place &shared, int rows, int strips) {
  const int thread = static_cast<int>(threadIdx.x), last = G::ROWS == 1 ? thread : rows - G::THREADS + thread;
  if (thread == 0) shared.failed = -1;
  __syncthreads();
#pragma unroll 1
  for (int strip = 0; strip < strips; strip++) {
    const int live = G::ROWS == 1 ? 1 : (rows - 1 - strip * G::WIDTH) / G::THREADS + 1;
    factor_live<G, G::ROWS>(shared, strip, live, last, rows);
  }
}

/* Factors the lower triangle A of order n <= ORDER. Returns LAPACK's info. Ends with a barrier. */
template <class G>
__device__ inline int factor_resident(typename G::place &shared, const matrix<typename G::T> &A, int n) {
  load_strips<G>(shared.own, A, n);
  const int strips = (n + G::WIDTH - 1) / G::WIDTH;
  factor_strips<G>(shared, strips * G::WIDTH, strips);
  store_strips<G>(A, shared.own, n);
  const int failed = shared.failed;
  __syncthreads();
  return failed + 1;
}

#endif
