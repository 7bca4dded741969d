/* small_smem.h - POTRF of a small matrix of any type in shared memory, by one block of threads.
 *
 * The factor is found strip by strip, left-looking. All that the strips before subtract from a strip comes first. Then
 * each thread with rows of the strip factors its rows, and the diagonal block with them, or the lanes of the diagonal
 * block broadcast its elements (strip_columns.h). A strip takes two barriers, and few registers, because the
 * other matrices of a multiprocessor use the time in which this one waits.
 *
 * Small matrices have one warp each, whose lanes have one or more rows. Larger ones have several warps. In batches of
 * doubles on matrix units each thread has two rows then, because every warp repeats the factor of the diagonal block.
 *
 * Without matrix units a thread subtracts the products for its rows. With matrix units (tg_mma) a warp has fragments of
 * 16 rows. The matrices are small, so the instructions that copy them count as much as those that factor. */
#ifndef TRIGON_SMALL_SMEM_H
#define TRIGON_SMALL_SMEM_H

#include "packed_strips.h"
#if TG_HAS_MMA
#include "gpu/kernels/diagonal/factor_mma.h"
#include "gpu/kernels/products/tf32x3.h"
#endif

/* e.x = the thread's rows of the strip: the thread's row of the diagonal block, if it has one, and every THREADS-th one
 * from there on. Rows that do not exist are zero: other threads write to whatever would stand in for them. */
template <class G, int LIVE>
__device__ inline void load_rows(typename G::template columns<LIVE> &e, const typename G::T *own, int strip, int rows) {
  const int first = strip * G::WIDTH + G::thread();
#pragma unroll
  for (int h = 0; h < LIVE; h++)
    if (first + h * G::THREADS < rows)
      e.load_row(own + G::at(strip), G::ld(strip), first + h * G::THREADS, h);
    else
      e.clear_row(h);
}
template <class G, int LIVE>
__device__ inline void store_rows(const typename G::template columns<LIVE> &e, typename G::T *own, int strip,
                                  int rows) {
  const int first = strip * G::WIDTH + G::thread();
#pragma unroll
  for (int h = 0; h < LIVE; h++)
    if (first + h * G::THREADS < rows) e.store_row(own + G::at(strip), G::ld(strip), first + h * G::THREADS, h);
}

/* e.x = the thread's rows of the strip, less the products of the strips before. */
template <class G, int LIVE>
__device__ inline void subtract_by_row(typename G::template columns<LIVE> &e, const typename G::T *own, int strip,
                                       int rows) {
  using T = typename G::T;
  const int c0 = strip * G::WIDTH;
  if (c0 + G::thread() < rows) {
    load_rows<G, LIVE>(e, own, strip, rows);
#pragma unroll 1
    for (int k = 0; k < strip; k++) {
      const T *right = own + G::at(k) + c0, *left = right + G::thread();
#pragma unroll
      for (int j = 0; j < G::WIDTH; j++, right += G::ld(k), left += G::ld(k)) {
        T mine[LIVE];
#pragma unroll
        for (int h = 0; h < LIVE; h++) mine[h] = left[h * G::THREADS]; /* behind the end there are other elements */
        subtract_products(e.x, mine, right);
      }
    }
  }
}

/* `diagonal` = the thread's row of the diagonal block, if it has one. */
template <class G, int LIVE>
__device__ inline void put_diagonal(const typename G::template columns<LIVE> &e, typename G::T *diagonal, int c0,
                                    int rows) {
  if (c0 + G::thread() < rows && G::thread() < G::WIDTH)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++) diagonal[j * G::WIDTH + G::thread()] = e.x[0][j];
}

template <class G, int MOST>
__device__ void subtract_by_mma(typename G::T *own, typename G::T *diagonal, int strip, int rows);
#if TG_HAS_MMA
/* sum[e] -= the products of STRIPS strips for fragment e. Its halves have the rows row[e] and row[e] + below[e] on.
 * Terms 2t and 2t + 1 of 8 are the terms t and t + 4 of a fragment, in both factors: so no lanes meet in a bank. */
template <class G, int STRIPS, int TOGETHER>
__device__ inline void add_fragments(double (&sum)[TOGETHER][4], const double *own, int strip, int right,
                                     const int (&row)[TOGETHER], const int (&below)[TOGETHER]) {
  double a[TOGETHER][4 * STRIPS], b[2 * STRIPS];
#pragma unroll
  for (int h = 0; h < 2 * STRIPS; h++) {
    const int k = strip + h / 2;
    const double *column = own + G::at(k) + (mma_lane() % 4 * 2 + h % 2) * G::ld(k);
    b[h] = column[right];
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) a[e][2 * h] = column[row[e]], a[e][2 * h + 1] = column[row[e] + below[e]];
  }
#pragma unroll
  for (int e = 0; e < TOGETHER; e++) tg_mma(sum[e], a[e], b);
}

template <class G, int STRIPS, int TOGETHER>
__device__ inline void add_fragments(float (&sum)[TOGETHER][4], const float *own, int strip, int right,
                                     const int (&row)[TOGETHER], const int (&below)[TOGETHER]) {
  left_fragment a[TOGETHER][STRIPS];
  right_fragment b[STRIPS];
  float c[TOGETHER][4] = {};
#pragma unroll
  for (int h = 0; h < 2 * STRIPS; h++) {
    const int k = strip + h / 2;
    const float *column = own + G::at(k) + (mma_lane() % 4 * 2 + h % 2) * G::ld(k);
    b[h / 2].set(h % 2, column[right]);
#pragma unroll
    for (int e = 0; e < TOGETHER; e++)
      a[e][h / 2].set(h % 2 * 2, column[row[e]]), a[e][h / 2].set(h % 2 * 2 + 1, column[row[e] + below[e]]);
  }
  multiply_apart<STRIPS>(
      c, [&](int e, int k) -> const left_fragment & { return a[e][k]; },
      [&](int, int k) -> const right_fragment & { return b[k]; });
#pragma unroll
  for (int e = 0; e < TOGETHER; e++)
#pragma unroll
    for (int h = 0; h < 4; h++) sum[e][h] += c[e][h];
}

/* Subtracts the products of the strips before from all rows of a strip in shared memory, on matrix units. A warp has up
 * to MOST fragments of 16 rows. */
template <class G, int MOST>
__device__ inline void subtract_by_mma(typename G::T *own, typename G::T *diagonal, int strip, int rows) {
  using T = typename G::T;
  constexpr int APART = 16 * G::WARPS;
  const int g = mma_lane() / 4, t = mma_lane() % 4, c0 = 8 * strip, ld = G::ld(strip), first = c0 + 16 * mma_warp();
  if constexpr (MOST % 2 == 0)
    if (rows - c0 <= (MOST - 1) * APART) return subtract_by_mma<G, MOST - 1>(own, diagonal, strip, rows);
  if (first >= rows) return;
  T sum[MOST][4];
  int row[MOST], below[MOST]; /* of a fragment's first half, and from there to the second, if it exists */
  T *const to = own + G::at(strip) + 2 * t * ld;
#pragma unroll
  for (int e = 0; e < MOST; e++) {
    const int at = first + APART * e < rows ? first + APART * e : first;
    row[e] = at + g, below[e] = at + 8 < rows ? 8 : 0;
    const T *from = to + row[e];
    sum[e][0] = -from[0], sum[e][1] = -from[ld], sum[e][2] = -from[below[e]], sum[e][3] = -from[ld + below[e]];
  }
  int k = 0;
#pragma unroll 1
  for (; k + 1 < strip; k += 2) add_fragments<G, 2>(sum, own, k, c0 + g, row, below);
  if (k < strip) add_fragments<G, 1>(sum, own, k, c0 + g, row, below);
#pragma unroll
  for (int e = 0; e < MOST; e++) {
    if (first + APART * e >= rows) break;
    T *at = to + row[e];
    at[0] = -sum[e][0], at[ld] = -sum[e][1];
    if (below[e] > 0) at[8] = -sum[e][2], at[ld + 8] = -sum[e][3];
    if (!G::BROADCAST && e == 0 && first == c0)
      diagonal[16 * t + g] = -sum[e][0], diagonal[16 * t + 8 + g] = -sum[e][1];
  }
}
#endif

/* Factors the thread's rows, which are in e.x, and the strip's diagonal block, which is in shared.diagonal unless lanes
 * broadcast it. again() brings the rows to e.x again. Returns the first column whose pivot is not positive, or -1. */
template <class G, int LIVE, class Again>
__device__ inline int factor_columns(typename G::template columns<LIVE> &e, const typename G::workspace &shared,
                                     Again again) {
  if constexpr (!G::BROADCAST) e.load_diagonal(shared.diagonal, G::WIDTH);
  if constexpr (G::MMA) {
    if (factor_plain(e, G::thread())) return -1;
    again();
    if constexpr (!G::BROADCAST) e.load_diagonal(shared.diagonal, G::WIDTH);
  }
  return e.factor_any(G::thread());
}

/* Factors a strip, of which the thread has up to LIVE rows. Ends with a barrier. */
template <class G, int LIVE> __device__ inline void factor_strip(typename G::workspace &shared, int strip, int rows) {
  const int c0 = strip * G::WIDTH;
  const bool exists = c0 + G::thread() < rows;
  typename G::template columns<LIVE> e;
  const auto bring = [&] {
    if constexpr (G::BY_ROW)
      subtract_by_row<G, LIVE>(e, shared.own, strip, rows);
    else
      load_rows<G, LIVE>(e, shared.own, strip, rows);
  };
  if constexpr (G::BY_ROW)
    bring();
  else
    subtract_by_mma<G, G::fragments(LIVE)>(shared.own, shared.diagonal, strip, rows);
  if constexpr (G::BY_ROW && !G::BROADCAST) put_diagonal<G, LIVE>(e, shared.diagonal, c0, rows);
  sync_strips<G>(); /* lanes read rows of others, too */
  if (G::BROADCAST || exists) {
    if (!G::BY_ROW) bring();
    const int bad = factor_columns<G, LIVE>(e, shared, bring);
    store_rows<G, LIVE>(e, shared.own, strip, rows);
    if (exists && G::thread() == 0 && bad >= 0 && shared.failed < 0) shared.failed = c0 + bad;
  }
  sync_strips<G>();
}

/* Factors a strip, of which the thread has `live` rows, at most MOST. Ends with a barrier. */
template <class G, int MOST>
__device__ inline void factor_live(typename G::workspace &shared, int strip, int live, int rows) {
  if constexpr (MOST > 1)
    if (live < MOST) return factor_live<G, MOST - 1>(shared, strip, live, rows);
  factor_strip<G, MOST>(shared, strip, rows);
}

/* Factors the first `strips` strips, of `rows` rows, in `own`. `rows` is a multiple of WIDTH, unless there are rows
 * behind the matrix. All threads call this. Begins and ends with a barrier. */
template <class G> __device__ inline void factor_strips(typename G::workspace &shared, int rows, int strips) {
  if (G::thread() == 0) shared.failed = -1;
  sync_strips<G>();
#pragma unroll 1
  for (int strip = 0; strip < strips; strip++) {
    const int live = G::ROWS == 1 ? 1 : (rows - 1 - strip * G::WIDTH) / G::THREADS + 1;
    factor_live<G, G::ROWS>(shared, strip, live, rows);
  }
}

/* Factors the lower triangle A of order n <= ORDER. Returns LAPACK's info. Ends with a barrier. */
template <class G>
__device__ inline int factor_resident(typename G::workspace &shared, const matrix<typename G::T> &A, int n) {
  load_strips<G>(shared.own, A, n);
  const int strips = (n + G::WIDTH - 1) / G::WIDTH;
  factor_strips<G>(shared, strips * G::WIDTH, strips);
  store_strips<G>(anew(A), shared.own, anew(n));
  const int failed = shared.failed;
  sync_strips<G>();
  return failed + 1;
}

#endif
