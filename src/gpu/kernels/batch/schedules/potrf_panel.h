/* potrf_panel.h - one panel of the Cholesky factor of one matrix, by one block of threads: the building block of the
 * paper's schedules (common/panel_schedule.h; the paper's V.A).
 *
 *   [ L11         ]        L11, L21 and L31 are done
 *   [ L21 A22     ]        A22 = A22 - L21·L21ᴴ = L22·L22ᴴ: the panel's diagonal block
 *   [ L31 A32 A33 ]        A32 = (A32 - L31·L21ᴴ)·L22⁻ᴴ: the rows below it
 *
 * Each thread has a row of the panel. It goes through its row of L21 or L31 in pieces, and loads the next piece while
 * it multiplies with the present one. The other factor of the products is L21, whose rows belong to the first threads,
 * so these threads put what they have loaded into shared memory. The panel then lies in shared memory, and is factored
 * there strip by strip. */
#ifndef TRIGON_POTRF_PANEL_H
#define TRIGON_POTRF_PANEL_H

#include "gpu/kernels/diagonal/strip_columns.h"
#include "gpu/kernels/operand.h"

/* NB: the columns of a panel. The paper has 8. Elements of 16 bytes have 4, so that 1024 rows fit into the 64 KiB of
 * shared memory that every GPU has. PIECE: the terms that a thread holds at once, and the columns of a strip. Pieces of
 * NB would not fit into the 64 registers that a block of 1024 threads leaves to a thread. */
template <class T> struct panel_shape {
  static constexpr int NB = sizeof(T) == 16 ? 4 : 8, PIECE = NB / 2;

  /* The threads for a panel of so many rows. Blocks consist of whole warps in any case. */
  __host__ __device__ static constexpr int threads(int64_t rows) {
    return static_cast<int>((rows + TG_LEAST_WARP - 1) / TG_LEAST_WARP * TG_LEAST_WARP);
  }
  /* The shared memory of a block: the panel. While products are subtracted, two pieces of L21 lie there. */
  __host__ __device__ static constexpr size_t shared(int threads) { return threads * NB * sizeof(T); }
  static_assert(2 * PIECE <= TG_LEAST_WARP && NB <= TG_LEAST_WARP,
                "two pieces fit; each row of the diagonal block has a thread");
};

/* The thread's row of a panel. Rows behind the end of the matrix complete the diagonal block. */
template <class T> struct thread_row {
  using G = panel_shape<T>;
  T *panel; /* in shared memory, column by column */
  int ld;
  matrix<T> A; /* from the panel's first row on, with all columns */
  int first;   /* the panel's first column */
  int row;     /* counts from the panel's first one */
  bool exists;

  /* x = minus the products of the columns before the panel. Ends with a barrier. */
  __device__ void subtract_before(T (&x)[1][G::NB]) const {
    T mine[G::PIECE], next[G::PIECE] = {};
    const T *from = A.at(row, 0);
    const auto fetch = [&](int column) {
      if (!exists || column >= first) return;
#pragma unroll
      for (int i = 0; i < G::PIECE; i++) next[i] = from[i * A.col];
      from += G::PIECE * A.col;
    };
    fetch(0);
#pragma unroll 1
    for (int column = 0; column < first; column += G::PIECE) {
      T *const stage = panel + column % (2 * G::PIECE) * G::NB; /* two stages in turn, so that one barrier is enough */
#pragma unroll
      for (int i = 0; i < G::PIECE; i++) {
        mine[i] = next[i];
        if (row < G::NB) stage[i * G::NB + row] = mine[i];
      }
      fetch(column + G::PIECE);
      __syncthreads();
#pragma unroll
      for (int i = 0; i < G::PIECE; i++) subtract_products(x, {mine[i]}, stage + i * G::NB);
    }
    __syncthreads();
  }

  /* The row of the panel = A + x, with zeros above the diagonal. Below the end of the matrix come rows of the identity.
   * */
  __device__ void put(const T (&x)[G::NB]) const {
#pragma unroll
    for (int j = 0; j < G::NB; j++)
      panel[j * ld + row] = exists && j <= row ? add(*A.at(row, first + j), x[j]) : j == row ? one<T>() : T{};
  }

  /* Factors the panel in shared memory. Returns the first of its columns whose pivot is not positive, or -1. In a row
   * above a strip's diagonal block, the strip's columns lie above the diagonal: nobody reads what they become. */
  __device__ int factor() const {
    int failed = -1;
#pragma unroll 1
    for (int c0 = 0; c0 < G::NB; c0 += G::PIECE) {
      strip_columns<T, G::PIECE> e;
      T *const strip = panel + c0 * ld;
      __syncthreads();
      e.load_row(strip, ld, row);
#pragma unroll 1
      for (int k = 0; k < c0; k++) subtract_products(e.x, {panel[k * ld + row]}, panel + k * ld + c0);
      if (row < c0 + G::PIECE) e.store_row(strip, ld, row);
      __syncthreads();
      e.load_diagonal(strip + c0, ld);
      __syncthreads();
      const int bad = e.factor_any(row - c0);
      e.store_row(strip, ld, row);
      if (failed < 0 && bad >= 0) failed = c0 + bad;
    }
    return failed;
  }

  /* A = the row of the panel. */
  __device__ void store() const {
#pragma unroll
    for (int j = 0; j < G::NB; j++)
      if (exists && j <= row) *A.at(row, first + j) = panel[j * ld + row];
  }
};

/* Whether the thread has a row in a panel of `rows` rows. If not, it ends at once, and no barrier waits for it. */
template <class T> __device__ inline bool has_row(int rows) {
  const int row = static_cast<int>(threadIdx.x);
  return row < rows || row < panel_shape<T>::NB;
}

/* Factors the panel of the lower triangle A, of order n, that begins in column `first`. The columns before are done.
 * All threads that have a row call this. Returns the first column of A whose pivot is not positive, or -1, to each of
 * them. */
template <class T> __device__ inline int factor_rows(const matrix<T> &A, int n, int first) {
  using G = panel_shape<T>;
  const int row = static_cast<int>(threadIdx.x);
  const thread_row<T> mine = {tg_shared<T>(), static_cast<int>(blockDim.x), A.from(first, 0), first, row,
                              row < n - first};
  T x[1][G::NB] = {};
  mine.subtract_before(x);
  mine.put(x[0]);
  const int failed = mine.factor();
  mine.store();
  return failed < 0 ? -1 : first + failed;
}

#endif
