/* batch_panels.h - POTRF of a double matrix of any order by one block with matrix units (tg_mma), left-looking.
 *
 * A panel has 64 columns. Its rows come in chunks: the first one has the diagonal tile and the rows below it, the next
 * ones have rows below. A chunk is first A minus the products of the panels before (unit_products.h). Then each thread
 * has a row, and finishes a strip of 8 columns at a time. In the first chunk the thread factors the strip's diagonal
 * block, too. In the next ones it solves with that block. What the strips before subtract is a product, too. */
#ifndef TRIGON_BATCH_PANELS_H
#define TRIGON_BATCH_PANELS_H

#include "factor_units.h"
#include "unit_products.h"

/* shared.own[column][row] is the chunk. Its first rows are those of the diagonal tile, in all chunks. */
struct panel_units : unit_geometry<128, 64, 4, 2, 4> {
  static constexpr int PANEL = COLS, ORDER = PANEL + ROWS, LD = ORDER + 4, STRIPS = PANEL / 8;
  static_assert(ORDER <= THREADS, "each row has a thread");
  struct workspace {
    ring stages;
    alignas(16) double own[PANEL][LD];
    double reciprocal[PANEL];
    unsigned long long vote;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER, "a block fits");
};

/* Rows first .. end - 1 of shared.own are those of A from row i on. `tile`: the chunk has the diagonal tile. Then
 * `first` is 0. */
struct panel_chunk {
  int64_t i, j; /* its first row, and the panel's first column */
  int first, end;

  __device__ panel_chunk(int64_t n, int64_t row, int64_t col, bool tile)
      : i(row), j(col), first(tile ? 0 : panel_units::PANEL),
        end(first + static_cast<int>(least(n - row, panel_units::ORDER - first))) {}
  __device__ bool has_tile() const { return first == 0; }
};

/* Begins to copy the chunk. Above the diagonal the tile gets zeros, and behind the end of A the identity. */
__device__ inline void begin_chunk(panel_units::workspace &shared, const matrix<double> &A, const panel_chunk &chunk,
                                   int columns) {
  using G = panel_units;
  const int high = (chunk.end - chunk.first + 7) / 8 * 8, wide = (columns + 7) / 8 * 8;
  const bool fast = along_rows(A); /* neighbouring threads have neighbours in memory */
  const int neighbours = fast ? high : wide;
  for (int at = static_cast<int>(threadIdx.x); at < high * wide; at += G::THREADS) {
    const int quick = at % neighbours, slow = at / neighbours, r = fast ? quick : slow, c = fast ? slow : quick;
    const bool exists = chunk.first + r < chunk.end && c < columns, stored = exists && (!chunk.has_tile() || c <= r);
    double *to = &shared.own[c][chunk.first + r];
    if (chunk.has_tile() && r == c && !exists)
      *to = 1;
    else
      tg_copy_async(to, stored ? A.at(chunk.i + r, chunk.j + c) : A.data, stored);
  }
  tg_commit_copies();
}

/* Subtracts the products of the panels before, L(i.., 0..j-1)·L(j.., 0..j-1)ᵀ. Ends with a barrier. */
template <class Layouts>
__device__ inline void subtract_panels(panel_units::workspace &shared, const matrix<double> &A, int64_t n,
                                       const panel_chunk &chunk) {
  using G = panel_units;
  const int64_t stages = chunk.j / G::TERMS;
  for (int at = chunk.first; stages > 0 && at < chunk.end; at += G::ROWS) {
    G::sums sum = {};
    add_streams<G, Layouts>(sum, shared.stages, {A, chunk.i + (at - chunk.first), n, 0, chunk.j},
                            {A, chunk.j, n, 0, chunk.j}, stages, [&](int, int) { return stages; });
    each_unit_sum<G>(sum, [&](int r, int c, double s) {
      if (at + r < G::ORDER) shared.own[c][at + r] -= s;
    });
  }
  tg_await_copies<0>();
  __syncthreads();
}

/* Subtracts the products of the strips before from a strip, for the chunk's rows. Ends with a barrier. */
__device__ inline void subtract_strips(panel_units::workspace &shared, const panel_chunk &chunk, int strip) {
  using G = panel_units;
  const int g = unit_lane() / 4, t = unit_lane() % 4;
  for (int row = chunk.first + 16 * unit_warp(); strip > 0 && row < chunk.end; row += 16 * (G::THREADS / 32)) {
    double sum[4], a[4], b[2];
    each_of_fragment(sum, [&](int i, int j, double &s) { s = -shared.own[8 * strip + j][row + i]; });
#pragma unroll 2
    for (int k = 0; k < strip; k++) {
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const double *column = shared.own[8 * k + t + 4 * e];
        b[e] = column[8 * strip + g];
        a[2 * e] = column[row + g], a[2 * e + 1] = column[row + g + 8];
      }
      tg_mma(sum, a, b);
    }
    each_of_fragment(sum, [&](int i, int j, double s) { shared.own[8 * strip + j][row + i] = -s; });
  }
  __syncthreads();
}

/* The thread's row of a strip of a chunk without the tile: solves with the diagonal block of the strip. */
__device__ inline void solve_strip(const panel_units::workspace &shared, eight_columns &e, int c0) {
#pragma unroll
  for (int j = 0; j < 8; j++) {
    e.x[j] *= shared.reciprocal[c0 + j];
#pragma unroll
    for (int k = j + 1; k < 8; k++) e.x[k] -= e.x[j] * shared.own[c0 + j][c0 + k];
  }
}

/* Finishes the chunk, strip by strip, and stores it. Returns the first column of the panel whose pivot is not positive,
 * or -1, to the first thread. Begins and ends with a barrier. */
__device__ inline int finish_chunk(panel_units::workspace &shared, const matrix<double> &A, const panel_chunk &chunk,
                                   int columns) {
  using G = panel_units;
  const int row = static_cast<int>(threadIdx.x);
  const bool takes_part = row >= chunk.first && row < G::ORDER, exists = takes_part && row < chunk.end;
  int failed = -1;
  for (int strip = 0; 8 * strip < columns; strip++) {
    const int c0 = 8 * strip;
    subtract_strips(shared, chunk, strip);
    eight_columns e;
    bool plain = true;
    if (takes_part && chunk.has_tile()) {
      e.load(shared.own, c0, row);
      plain = factor_plain(e, c0, row);
    } else if (takes_part) {
      e.take(shared.own, c0, row);
      solve_strip(shared, e, c0);
    }
    if (tg_any(!plain, &shared.vote)) {
      failed = factor_any<G>(shared, c0, failed);
      if (takes_part) e.take(shared.own, c0, row);
    } else if (takes_part) {
      e.store(shared.own, c0, row);
    }
    e.put(A.at(chunk.i + (row - chunk.first), chunk.j + c0), A.col, c0,
          !exists            ? -1
          : chunk.has_tile() ? row
                             : G::ORDER);
    __syncthreads();
    if (chunk.has_tile() && row < 8) {
      const double root = shared.own[c0 + row][c0 + row];
      shared.reciprocal[c0 + row] = root > 0 ? 1 / root : 0;
    }
  }
  __syncthreads();
  return failed;
}

/* Factors the lower triangle A of order n. Returns LAPACK's info to the first thread. Ends with a barrier. */
template <class Layouts>
__device__ inline int64_t factor_panels(panel_units::workspace &shared, const matrix<double> &A, int64_t n) {
  using G = panel_units;
  int64_t info = 0;
  for (int64_t j = 0; j < n; j += G::PANEL) {
    const int columns = static_cast<int>(least(n - j, G::PANEL));
    for (int64_t i = j; i < n; i += i == j ? G::ORDER : G::ROWS) {
      const panel_chunk chunk(n, i, j, i == j);
      begin_chunk(shared, A, chunk, columns);
      subtract_panels<Layouts>(shared, A, n, chunk);
      const int failed = finish_chunk(shared, A, chunk, columns);
      if (info == 0 && failed >= 0) info = j + failed + 1;
    }
  }
  return info;
}

#endif
