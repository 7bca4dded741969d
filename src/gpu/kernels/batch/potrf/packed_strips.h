/* packed_strips.h - the lower triangle of a small matrix in shared memory, strip by strip of columns; its copies from
 * memory and back. */
#ifndef TRIGON_PACKED_STRIPS_H
#define TRIGON_PACKED_STRIPS_H

#include <type_traits>

#include "gpu/kernels/diagonal/strip_columns.h"
#include "gpu/kernels/products/tile_gemm.h"

/* How many blocks of some warps share a multiprocessor, if registers are enough for `most` warps and shared memory for
 * `room` blocks. The four schedulers have equal shares of the registers: a few warps more or less than a multiple of
 * four would leave each warp fewer of them. */
constexpr int blocks_that_fit(int warps, int most, int room) {
  const int fit = room * warps < most ? room * warps : most;
  return (fit > 12 || (fit > 4 && fit % 4 == 1) ? fit / 4 * 4 : fit) / warps;
}

/* Where the elements are: strip by strip, in a strip column by column, and, if PACKED, only from the strip's first row
 * on. Lanes that read at the same time read from different banks. THREADS is the number of a matrix's threads. */
template <class T_, int ORDER_, bool MMA_, int THREADS_ = ORDER_> struct packed_strips {
  using T = T_;
  static constexpr int ORDER = ORDER_, THREADS = THREADS_;
  static constexpr int WARPS = THREADS / 32;
  static constexpr bool MMA = MMA_, BY_ROW = !MMA || ORDER <= 32; /* products of rows, by threads */
  static constexpr bool BROADCAST = THREADS == 32;                /* lanes broadcast the elements of a diagonal block */
  static constexpr int WIDTH = sizeof(T) == 16 || (BROADCAST && BY_ROW) ? 4 : 8;
  static constexpr int ROWS = (ORDER + THREADS - 1) / THREADS, PAD = BY_ROW || sizeof(T) == 4 ? 4 : 2;
  static_assert(ORDER % WIDTH == 0 && THREADS % 32 == 0, "strips and warps are whole");

  /* The thread's number. What follows from it shall not be kept in registers from matrix to matrix. */
  __device__ static int thread() {
    unsigned number = threadIdx.x;
    tg_forget(number);
    return static_cast<int>(number);
  }

  /* The fragments of 16 rows that a warp may have if a thread has so many rows. */
  __device__ static constexpr int fragments(int live) {
    return ORDER > 32 * live * WARPS ? 2 * live : ORDER / 16 / WARPS;
  }

  /* Small matrices have room for whole columns, and then addresses take fewer instructions. */
  static constexpr bool PACKED = ORDER * (ORDER + PAD) * static_cast<int>(sizeof(T)) > 10 << 10;
  static constexpr int LESS = PACKED ? WIDTH : 0; /* rows of a strip than of the strip before */

  __device__ static constexpr int ld(int strip) { return ORDER + PAD - LESS * strip; }
  static constexpr int size(int strips) { return WIDTH * (strips * (ORDER + PAD) - strips * (strips - 1) / 2 * LESS); }

  /* The index of the strip's first column, in row 0. If PACKED, only rows of the strip exist. */
  __device__ static constexpr int at(int strip) {
    return WIDTH * (strip * (ORDER + PAD) - strip * (strip - 1) / 2 * LESS) - LESS * strip;
  }
  /* The index of row 0 of a column. */
  __device__ static constexpr int column(int c) { return at(c / WIDTH) + c % WIDTH * ld(c / WIDTH); }

  struct workspace {
    alignas(16) T own[size(ORDER / WIDTH)];
    T diagonal[BROADCAST ? 1 : WIDTH * WIDTH];
    int failed; /* the first column whose pivot is not positive, or -1 */
  };
  template <int LIVE>
  using columns =
      typename std::conditional<BROADCAST, broadcast_columns<T, WIDTH, LIVE>, strip_columns<T, WIDTH, LIVE>>::type;

  /* On a multiprocessor: registers are enough for so many warps. */
  static constexpr int MOST_WARPS = sizeof(T) == 4                          ? (BROADCAST ? 32
                                                                               : MMA     ? 20
                                                                                         : 24)
                                    : BROADCAST && BY_ROW && sizeof(T) == 8 ? 24
                                                                            : 12;
  static constexpr int ROOM = TG_SHARED_HOPPER / (static_cast<int>(sizeof(workspace)) + 1040); /* with a word */
  static constexpr int RESIDENT = blocks_that_fit(WARPS, MOST_WARPS, ROOM);
};

/* A barrier of the block, which may be one warp. */
template <class G> __device__ inline void sync_strips() {
  if (G::WARPS == 1)
    tg_sync_warp();
  else
    __syncthreads();
}

/* The elements of a strip that a thread copies. Neighbouring threads take neighbours in memory: the strip has columns
 * of the lower triangle A if BY_COLUMNS, otherwise rows. RUN neighbours of a column are copied at once, if n is a
 * multiple of RUN. */
template <class G, bool BY_COLUMNS, int RUN> struct strip_copies {
  using T = typename G::T;
  using run = typename std::conditional<RUN == 1, T, run_of<T>>::type;
  static constexpr int NEEDED = (G::ORDER + RUN - 1) / RUN; /* lanes for a line */
  static constexpr int LANES = NEEDED <= 8 ? 8 : NEEDED <= 16 ? 16 : 32;
  static constexpr int LINES = G::THREADS / LANES; /* at the same time */
  static constexpr int WIDE = (NEEDED + LANES - 1) / LANES, ACROSS = G::WIDTH / LINES, COUNT = ACROSS * WIDE;
  static_assert(G::WIDTH % LINES == 0, "all threads take the same number of lines");
  static_assert(RUN == 1 || BY_COLUMNS, "runs are in columns");
  T *from; /* of the next strip */
  const int64_t step;
  const int n;
  int last[WIDE], end[WIDE]; /* BY_COLUMNS: the last column that exists in the thread's rows, and that strips have */

  __device__ strip_copies(const matrix<T> &A, int order)
      : from(A.data + line() * (BY_COLUMNS ? A.col : A.row) + RUN * lane()), step(BY_COLUMNS ? A.col : A.row),
        n(order) {
    const int rows = (n + G::WIDTH - 1) / G::WIDTH * G::WIDTH;
#pragma unroll
    for (int h = 0; h < WIDE; h++) {
      const int at = RUN * (LANES * h + lane());
      last[h] = at < n ? (RUN == 1 ? at : n - 1) : -1, end[h] = at < rows ? at : -1;
    }
  }

  /* Calls visit(number, address in `own`, address in A, is in the strip, exists): numbers are 0 .. COUNT - 1. In a run,
   * elements above the diagonal exist, too. BELOW: the block on the diagonal does not count as in the strip. */
  template <bool BELOW = false, class Visit> __device__ void each(T *own, int strip, Visit visit) const {
    const int c0 = strip * G::WIDTH, ld = G::ld(strip);
    T *line_from = from, *line_to = own + (BY_COLUMNS ? G::at(strip) + line() * ld + RUN * lane() : c0 + line());
    int64_t apart = LINES * step; /* its multiples shall take no registers */
    tg_forget(apart);
#pragma unroll
    for (int j = 0; j < ACROSS; j++, line_from += apart, line_to += LINES * (BY_COLUMNS ? ld : 1)) {
      const int number = c0 + j * LINES + line(), past = number < n ? number : -1;
#pragma unroll
      for (int h = 0; h < WIDE; h++) {
        const int at = LANES * h + lane();
        T *to = line_to + (BY_COLUMNS ? RUN * LANES * h : G::column(at));
        visit(j * WIDE + h, to, line_from + RUN * LANES * h,
              BY_COLUMNS ? end[h] >= c0 + (BELOW ? G::WIDTH : 0) : at < c0 + G::WIDTH,
              BY_COLUMNS ? number <= last[h] : at <= past);
      }
    }
  }
  __device__ void go_on() { from += G::WIDTH * step; }

private:
  __device__ static int lane() { return G::thread() % LANES; }
  __device__ static int line() { return G::thread() / LANES; }
};

/* Whether columns of A can be copied by runs. */
template <class T> __device__ inline bool has_runs(const matrix<T> &A, int n) {
  constexpr int RUN = 16 / sizeof(T);
  return RUN > 1 && n % RUN == 0 && A.col % RUN == 0 && reinterpret_cast<uintptr_t>(A.data) % 16 == 0;
}

/* A thread's elements of the strip's block on the diagonal. Calls visit(address in `own`, address in A, is in the
 * strip, exists). A has columns. Runs do not serve here: they would reach above the diagonal. */
template <class G, class Visit>
__device__ inline void each_of_block(typename G::T *own, const matrix<typename G::T> &A, int strip, int n,
                                     Visit visit) {
  constexpr int ACROSS = G::THREADS / G::WIDTH;
  const int c0 = strip * G::WIDTH, r = G::thread() % G::WIDTH, c = G::thread() / G::WIDTH, ld = G::ld(strip);
  typename G::T *in_A = A.data + c0 + r + (c0 + c) * A.col;
  own += G::at(strip) + c0 + r + c * ld;
#pragma unroll
  for (int e = 0; e < G::WIDTH; e += ACROSS)
    visit(own + e * ld, in_A + e * A.col, c + e < G::WIDTH, c + e <= r && c0 + r < n);
}

template <class G, bool BY_COLUMNS, int RUN = 1>
__device__ inline void begin_strips(typename G::T *own, const matrix<typename G::T> &A, int n) {
  using T = typename G::T;
  using copies_of = strip_copies<G, BY_COLUMNS, RUN>;
  using run = typename copies_of::run;
  copies_of copies(A, n);
#pragma unroll 1
  for (int strip = 0; G::WIDTH * strip < n; strip++, copies.go_on()) {
    copies.template each<RUN != 1>(own, strip, [](int, T *to, const T *from, bool inside, bool exists) {
      tg_copy_async_if(inside, reinterpret_cast<run *>(to), reinterpret_cast<const run *>(from), exists);
    });
    if (RUN != 1)
      each_of_block<G>(own, A, strip, n, [](T *to, const T *from, bool inside, bool exists) {
        tg_copy_async_if(inside, to, from, exists);
      });
  }
}

/* own = the lower triangle A of order n, with the identity behind its end. What lies above the diagonal is never used.
 * All copies are under way at once, and meanwhile() is called. The elements are there behind the caller's next
 * barrier. */
template <class G, class Meanwhile>
__device__ inline void load_strips(typename G::T *own, const matrix<typename G::T> &A, int n, Meanwhile meanwhile) {
  if (!along_rows(A))
    begin_strips<G, false>(own, A, n);
  else if (has_runs(A, n))
    begin_strips<G, true, 16 / sizeof(typename G::T)>(own, A, n);
  else
    begin_strips<G, true>(own, A, n);
  tg_commit_copies();
  meanwhile();
  tg_await_copies<0>();
  sync_strips<G>();
  const int last = (n - 1) / G::WIDTH, c = n + G::thread();
  if (c < G::WIDTH * (last + 1)) own[G::column(c) + c] = one<typename G::T>();
}
template <class G> __device__ inline void load_strips(typename G::T *own, const matrix<typename G::T> &A, int n) {
  load_strips<G>(own, A, n, [] {});
}

template <class G, bool BY_COLUMNS, int RUN = 1>
__device__ inline void put_strips(const matrix<typename G::T> &A, typename G::T *own, int n) {
  using T = typename G::T;
  using copies_of = strip_copies<G, BY_COLUMNS, RUN>;
  using run = typename copies_of::run;
  copies_of copies(A, n);
#pragma unroll 1
  for (int strip = 0; G::WIDTH * strip < n; strip++, copies.go_on()) {
    run x[copies_of::COUNT];
    copies.template each<RUN != 1>(own, strip, [&](int e, const T *from, T *, bool inside, bool exists) {
      if (inside && exists) x[e] = *reinterpret_cast<const run *>(from);
    });
    copies.template each<RUN != 1>(own, strip, [&](int e, const T *, T *to, bool inside, bool exists) {
      if (inside && exists) *reinterpret_cast<run *>(to) = x[e];
    });
    if (RUN != 1)
      each_of_block<G>(own, A, strip, n, [](const T *from, T *to, bool, bool exists) {
        if (exists) *to = *from;
      });
  }
}

/* Returns its argument, a matrix or an order, as a value that the compiler does not know. So what the copies to shared
 * memory have computed is not kept in registers until the copies back. */
template <class T> __device__ inline matrix<T> anew(matrix<T> A) {
  int64_t address = reinterpret_cast<int64_t>(A.data);
  tg_forget(address), tg_forget(A.row), tg_forget(A.col);
  A.data = reinterpret_cast<T *>(address);
  return A;
}
__device__ inline int anew(int n) {
  unsigned order = static_cast<unsigned>(n);
  tg_forget(order);
  return static_cast<int>(order);
}

/* Returns the workspace, and keeps its address in a register: otherwise the compiler would compute the
 * address again and again, from a special register that is slow to read. */
template <class Workspace> __device__ inline Workspace &kept(Workspace &shared) {
  unsigned none = 0;
  tg_forget(none);
  return (&shared)[none];
}

/* A = the lower triangle of order n. */
template <class G> __device__ inline void store_strips(const matrix<typename G::T> &A, typename G::T *own, int n) {
  if (!along_rows(A))
    put_strips<G, false>(A, own, n);
  else if (has_runs(A, n))
    put_strips<G, true, 16 / sizeof(typename G::T)>(A, own, n);
  else
    put_strips<G, true>(A, own, n);
}

/* The identity in the rows behind the end of a matrix of order n, as far as strips go. */
template <class G> __device__ inline void fill_behind(typename G::T *own, int n) {
  using T = typename G::T;
  const int rows = (n + G::WIDTH - 1) / G::WIDTH * G::WIDTH;
  for (int r = n; r < rows; r++)
    for (int c = G::thread(); c <= r; c += G::THREADS) own[G::column(c) + r] = r == c ? one<T>() : T{};
}

#endif
