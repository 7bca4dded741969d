/* inverse_rows.h - TRTRI and POTRI of a matrix of any type in shared memory, by one block of threads, without
 * matrix units.
 *
 * Each thread has a row. The columns are taken COLS at a time, so that a thread has its row's part in registers. The
 * inverse X comes from the last columns to the first: a thread subtracts the products of its row of X, as far as that
 * is known, with the rows of L below the columns, and then solves with the diagonal block of L. All lanes read the same
 * elements of L. When all threads have read L there, the columns of X take its place.
 *
 * Then POTRI computes Xᴴ·X from the first columns to the last, in the same way: later columns do not need the ones
 * before. */
#ifndef TRIGON_INVERSE_ROWS_H
#define TRIGON_INVERSE_ROWS_H

#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/diagonal/strip_columns.h"
#include "gpu/kernels/products/tile_gemm.h"

/* HOPPER: for GPUs with its shared memory. */
template <class T_, int ORDER_, int COLS_, int RESIDENT_, bool HOPPER> struct inverse_rows {
  using T = T_;
  using R = real_of<T>;
  static constexpr int ORDER = ORDER_, COLS = COLS_, THREADS = ORDER_, WARPS = THREADS / 32, RESIDENT = RESIDENT_,
                       RUN = 16 / static_cast<int>(sizeof(T));
  static constexpr bool MMA = HOPPER;
  static_assert(COLS % RUN == 0 && ORDER % COLS == 0, "columns are whole runs");

  /* Where row r begins. Rows have whole runs. */
  __device__ static constexpr int row(int r) {
    return RUN * (RUN * (r / RUN * (r / RUN + 1) / 2) + r % RUN * (r / RUN + 1));
  }
  static constexpr int SIZE = RUN * RUN * (ORDER / RUN * (ORDER / RUN + 1) / 2);

  struct workspace {
    alignas(16) T own[SIZE];
    T rates[ORDER]; /* 1 / L(c, c) is rates[c]·scales[c] */
    R scales[ORDER];
    unsigned long long vote;
  };
  static_assert((sizeof(workspace) + 1024 + 16) * RESIDENT <= TG_SHARED_HOPPER, "so many blocks of threads fit");
  static_assert(HOPPER || sizeof(workspace) + 16 <= TG_SHARED_MOST, "every GPU has this much");
};

/* 1 / d = rate·scale. A scale that is not 1 keeps the rate in the range of normal numbers. */
template <class R> __device__ inline R scale_of(R d) { return scale_of(complex<R>{d, 0}); }
template <class R> __device__ inline R scale_of(complex<R> d) { return centering(d); }

template <class G> struct row_inverse {
  using T = typename G::T;
  using R = typename G::R;
  typename G::workspace &shared;
  const matrix<T> A;
  const int n;

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int lane() { return thread() % 32; }
  __device__ static int warp() { return thread() / 32; }

  /* Calls visit(address in shared memory, address in A, row, column) for the elements of the lower triangle. Lanes have
   * neighbours in memory. */
  template <class Visit> __device__ void each(Visit visit) const {
    if (along_rows(A)) {
#pragma unroll 1
      for (int r0 = 0; r0 < n; r0 += 32) {
        const int r = r0 + lane(), end = r0 + 32 < n ? r0 + 32 : n;
        T *const to = shared.own + G::row(r);
        T *from = A.at(r, warp());
#pragma unroll 4
        for (int c = warp(); c < end; c += G::WARPS, from += G::WARPS * A.col)
          if (r < n && c <= r) visit(to + c, from, r, c);
      }
    } else {
#pragma unroll 1
      for (int r = warp(); r < n; r += G::WARPS) {
        T *const to = shared.own + G::row(r);
        T *const from = A.at(r, 0);
#pragma unroll 4
        for (int c = lane(); c <= r; c += 32) visit(to + c, from + c, r, c);
      }
    }
  }

  __device__ void load() const {
    each([&](T *to, const T *from, int r, int c) { tg_copy_async_one(to, from, r != c || !A.unit); });
    tg_commit_copies();
  }
  __device__ void store(bool both) const {
    each([&](const T *from, T *to, int r, int c) {
      if (r != c || !A.unit) *to = *from;
    });
    const row_inverse mirror = {shared, A.transposed(), n};
    if (both)
      mirror.each([&](const T *from, T *to, int r, int c) {
        if (r != c) *to = conjugate(*from);
      });
  }

  __device__ void find_rates() const {
    if (thread() >= n) return;
    const T d = A.unit ? one<T>() : shared.own[G::row(thread()) + thread()];
    const R scale_by = scale_of(d);
    shared.rates[thread()] = divide(one<T>(), scale(d, scale_by)), shared.scales[thread()] = scale_by;
  }

  /* sum += a·(the columns of a row). */
  __device__ static void add_row(T (&sum)[G::COLS], T a, const T *row) {
    const run_of<T> *runs = reinterpret_cast<const run_of<T> *>(row);
#pragma unroll
    for (int i = 0; i < G::COLS / G::RUN; i++) {
      const run_of<T> run = runs[i];
#pragma unroll
      for (int e = 0; e < G::RUN; e++) sum[i * G::RUN + e] = multiply_add(a, run.of[e], sum[i * G::RUN + e]);
    }
  }

  /* Stores the columns from c0 on when all threads have read what was there. */
  __device__ void replace(const T (&x)[G::COLS], int c0) const {
    const int r = thread();
    __syncthreads();
    if (r < n && r >= c0)
#pragma unroll
      for (int j = 0; j < G::COLS; j++)
        if (c0 + j <= r) shared.own[G::row(r) + c0 + j] = x[j];
    __syncthreads();
  }

  __device__ void invert() const {
    const int r = thread(), first = r - lane(), end = first + 32 < n ? first + 32 : n; /* the rows of the warp */
#pragma unroll 1
    for (int c0 = (n - 1) / G::COLS * G::COLS; c0 >= 0; c0 -= G::COLS) {
      T x[G::COLS];
#pragma unroll
      for (int j = 0; j < G::COLS; j++) x[j] = c0 + j == r ? one<T>() : T{};
      if (end > c0 && first < n) {
        const T *const mine = shared.own + G::row(r < n ? r : n - 1);
#pragma unroll 1
        for (int k = c0 + G::COLS; k < end; k++)
          if (k <= r && r < n) add_row(x, subtract(T{}, mine[k]), shared.own + G::row(k) + c0);
#pragma unroll
        for (int j = G::COLS - 1; j >= 0; j--) {
          if (c0 + j >= end) continue;
          x[j] = scale(multiply(x[j], shared.rates[c0 + j]), shared.scales[c0 + j]);
          const T by = subtract(T{}, x[j]);
          const run_of<T> *runs = reinterpret_cast<const run_of<T> *>(shared.own + G::row(c0 + j) + c0);
#pragma unroll
          for (int i = 0; i * G::RUN < j; i++) {
            const run_of<T> run = runs[i];
#pragma unroll
            for (int e = 0; e < G::RUN && i * G::RUN + e < j; e++)
              x[i * G::RUN + e] = multiply_add(by, run.of[e], x[i * G::RUN + e]);
          }
        }
      }
      replace(x, c0);
    }
  }

  __device__ void multiply_adjoint() const {
    const int r = thread(), first = r - lane();
#pragma unroll 1
    for (int c0 = 0; c0 < n; c0 += G::COLS) {
      T sum[G::COLS] = {};
      if (first + 32 > c0)
#pragma unroll 1
        for (int k = first > c0 ? first : c0; k < n; k++) {
          const T *const row = shared.own + G::row(k);
          if (k >= r) add_row(sum, conjugate(row[r]), row + c0); /* lanes of later rows would read behind the row */
        }
#pragma unroll
      for (int j = 0; j < G::COLS; j++)
        if (c0 + j == r) sum[j] = only_real(sum[j]);
      replace(sum, c0);
    }
  }

  /* Returns LAPACK's info. Ends with a barrier. */
  __device__ int64_t run(const batch_task &t) const {
    load();
    const bool zero = !A.unit && thread() < n && is_zero(*A.at(thread(), thread()));
    tg_await_copies<0>();
    if (tg_any(zero, &shared.vote)) return first_zero(&shared.vote, A, n) + 1;
    find_rates();
    __syncthreads();
    invert();
    if (t.product) multiply_adjoint();
    store(t.product && t.both);
    __syncthreads();
    return 0;
  }
};

/* Matrices up to ORDER, for batch_classes.h. */
template <class T, int ORDER, int COLS, int RESIDENT, bool HOPPER>
struct inverse_rows_class : inverse_rows<T, ORDER, COLS, RESIDENT, HOPPER> {
  using base = inverse_rows<T, ORDER, COLS, RESIDENT, HOPPER>;
  __device__ static int64_t run(typename base::workspace &shared, const batch_task &t, int64_t, const matrix<T> &A,
                                int n) {
    return row_inverse<base>{shared, A.as(LOWER, t.diag == TRIGON_UNIT), n}.run(t);
  }
};

#endif
