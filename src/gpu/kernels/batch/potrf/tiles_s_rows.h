/* tiles_s_rows.h - a tile of a large float matrix of a batch on matrix units: how it is cut, and its copies. */
#ifndef TRIGON_TILES_S_ROWS_H
#define TRIGON_TILES_S_ROWS_H

#include "gpu/kernels/products/stage_ring.h"
#include "gpu/kernels/products/tf32x3.h"
#include "tiles_real.h"

/* A tile of 64 × 64, of which each warp has 16 rows. Four blocks share a multiprocessor, so that some of them multiply
 * while others factor, load or store. */
struct tf32_tile {
  using T = float;
  static constexpr int ORDER = 64, HEIGHT = 16, THREADS = ORDER / HEIGHT * 32, RUN = 4, PAD = RUN, LD = ORDER + PAD;
  static constexpr int DEPTH = 16, STAGES = 3, RESIDENT = 4;
  using strips = packed_strips<T, ORDER, true, THREADS>;
  static constexpr int STRIPS = ORDER / strips::WIDTH;
  struct stage {
    alignas(16) T a[DEPTH][LD], b[DEPTH][LD]; /* [term][row] */
  };
  struct tile_copies {
    stage ring[STAGES];
    alignas(16) T own[ORDER][LD]; /* [column][row]: the tile of A, and then that of L below the diagonal tile */
  };
  using workspace = tile_workspace<tile_copies, strips>;
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
  /* Of a warp: 16 rows and 8 fragments of 8 columns. */
  struct sums {
    float of[STRIPS][4];
  };

  __device__ static workspace &shared() { return *tg_shared<workspace>(); }
  __device__ static int first_row() { return mma_warp() * HEIGHT; }
};

/* ---------------------------------------------------------------------------------------------------- copies -- */

/* Calls visit(row, column, is a run) for the elements, or the runs of rows, of the warp's rows of a tile, of which the
 * lane takes a share. Neighbouring lanes take neighbours in memory. */
template <bool BY_COLUMNS, class Visit> __device__ inline void each_of_rows(bool runs, Visit visit) {
  using G = tf32_tile;
  const int lane = mma_lane(), first = G::first_row();
  if (BY_COLUMNS && runs) {
#pragma unroll
    for (int c = 0; c < G::ORDER; c += 8) visit(first + lane % 4 * G::RUN, c + lane / 4, true);
  } else if (BY_COLUMNS) {
#pragma unroll 8
    for (int e = 0; e < G::ORDER / 2; e++) /* columns at a distance of 4, so that lanes meet in no bank */
      visit(first + lane % 16, e / 4 * 8 + e % 4 + lane / 16 * 4, false);
  } else {
#pragma unroll 8
    for (int r = 0; r < 2 * G::HEIGHT; r++) visit(first + r / 2, lane + r % 2 * 32, false);
  }
}

/* Begins to copy a tile of A to copies.own. What is above the diagonal, or behind the end, becomes zero. The diagonal
 * passes column `down` in the first row. */
template <bool BY_COLUMNS> __device__ inline void begin_tile(const matrix<float> &A, int rows, int down, bool runs) {
  using G = tf32_tile;
  G::workspace &shared = G::shared();
  each_of_rows<BY_COLUMNS>(runs, [&](int r, int c, bool run) {
    const float *from = A.at(r, c);
    if (run)
      tg_copy_async_run(&shared.copies.own[c][r], from, rows < r ? 0 : static_cast<int>(least(rows - r, G::RUN)));
    else
      tg_copy_async_one(&shared.copies.own[c][r], from, r < rows && c <= r + down);
  });
  tg_commit_copies();
}

/* A = copies.own, for rows before `rows`. */
template <bool BY_COLUMNS> __device__ inline void store_own(const matrix<float> &A, int rows, bool runs) {
  using G = tf32_tile;
  const G::workspace &shared = G::shared();
  each_of_rows<BY_COLUMNS>(runs, [&](int r, int c, bool run) {
    float *const to = A.at(r, c);
    if (run && r + G::RUN <= rows)
      *reinterpret_cast<run_of<float> *>(to) = *reinterpret_cast<const run_of<float> *>(&shared.copies.own[c][r]);
    else
      for (int e = 0; e < (run ? G::RUN : 1); e++)
        if (r + e < rows) to[e] = shared.copies.own[c][r + e];
  });
}

/* The rows of both factors on their way to shared memory, DEPTH columns at a time. Rows that do not exist are copies of
 * others, or zero. */
template <bool BY_COLUMNS> struct row_copies {
  using G = tf32_tile;
  static constexpr int PACE = G::THREADS / (BY_COLUMNS ? G::ORDER : G::DEPTH), COUNT = G::ORDER * G::DEPTH / G::THREADS;
  static constexpr int RUN_PACE = G::THREADS / (G::ORDER / G::RUN), RUNS = COUNT / G::RUN;
  const float *from[2];
  int64_t step, next; /* to the thread's next element, and to the next stage */
  int line, term;     /* of the first element */
  unsigned left[2];   /* rows from the thread's first one on */
  bool runs;

  __device__ row_copies(const matrix<float> &A, bool by_runs, const int64_t (&row)[2], const int (&rows)[2])
      : runs(by_runs) {
    const int thread = static_cast<int>(threadIdx.x);
    line = BY_COLUMNS ? (runs ? thread % (G::ORDER / G::RUN) * G::RUN : thread % G::ORDER) : thread / G::DEPTH;
    term = BY_COLUMNS ? (runs ? thread / (G::ORDER / G::RUN) : thread / G::ORDER) : thread % G::DEPTH;
    step = BY_COLUMNS ? (runs ? RUN_PACE : PACE) * A.col : PACE * A.row;
    next = G::DEPTH * A.col;
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int last = rows[e] - 1;
      const int at = line <= last ? line : BY_COLUMNS && runs ? 0 : last;
      left[e] = line <= last ? static_cast<unsigned>(rows[e] - line) : 0;
      from[e] = A.at(row[e] + at, term);
    }
  }

  /* Begins to copy the next stage of a factor. */
  __device__ void begin(float (&to)[G::DEPTH][G::LD], int number) {
    const float *p = from[number];
    unsigned valid = left[number];
    tg_forget(valid); /* comparisons shall take no registers */
    if (BY_COLUMNS && runs) {
#pragma unroll
      for (int e = 0; e < RUNS; e++, p += step)
        tg_copy_async_run(&to[term + e * RUN_PACE][line], p, valid < G::RUN ? static_cast<int>(valid) : G::RUN);
    } else if (BY_COLUMNS) {
#pragma unroll
      for (int e = 0; e < COUNT; e++, p += step) tg_copy_async_one(&to[term + e * PACE][line], p, true);
    } else {
#pragma unroll
      for (int e = 0; e < COUNT; e++, p += step)
        tg_copy_async_one(&to[term][line + e * PACE], p, static_cast<unsigned>(e * PACE) < valid);
    }
    from[number] += next;
  }
};

#endif
