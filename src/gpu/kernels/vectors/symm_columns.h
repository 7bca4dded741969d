/* symm_columns.h - products of a symmetric or Hermitian matrix and a few columns: SYMM and HEMM with up to
 * symm_most_columns columns.
 *
 *     C = alpha·A·B + beta·C      one triangle of A is stored, the lower one after folding
 *
 * A band is ROWS rows of C. A block of threads computes a piece of a band: a part of the terms of its sums. The matrix
 * has bands × bands tiles. Each stored tile off the diagonal is read twice: as it is stored, by the band of its rows,
 * and transposed, by the band of its columns. At step s band i has the tile column
 *
 *     j = (s - i) mod bands      so i = (s - j) mod bands
 *
 * and bands i and j meet the same stored tile at the same step. So the second read finds the tile in the L2 cache, also
 * if the matrix is much larger than the cache.
 *
 * A stage is DEPTH columns of a tile. The pieces of a band leave their sums in device memory, and the last block that
 * arrives at the band's counter adds them in their order. So the order of the blocks changes no bit of the result. No
 * block waits. */
#ifndef TRIGON_SYMM_COLUMNS_H
#define TRIGON_SYMM_COLUMNS_H

#include "vector_launch.h"

/* A launch. A slab is COLS columns of C. */
struct symm_task {
  product p;
  unsigned bands, slabs, pieces;
  int stages;        /* of a piece; the last piece may have fewer */
  unsigned *arrived; /* a counter for each band of each slab; only if there are several pieces */
  void *parts;
};

/* Where a block works. Blocks of the same piece are neighbours, so that they run at the same time. */
template <class G> struct symm_place {
  static constexpr int STAGES_OF_TILE = G::ROWS / G::DEPTH;
  static_assert(G::ROWS % G::DEPTH == 0, "a tile has whole stages");
  unsigned bands, band, line, piece; /* line: the number of the band among the bands of all slabs */
  int64_t i0, j0;                    /* of C: the first row and column */
  int first, end;                    /* the stages */

  __device__ explicit symm_place(const symm_task &f) : bands(f.bands) {
    const unsigned lines = f.bands * f.slabs;
    line = blockIdx.x % lines, piece = blockIdx.x / lines, band = line % f.bands;
    i0 = int64_t{band} * G::ROWS, j0 = int64_t{line / f.bands} * G::COLS;
    const int all = static_cast<int>(f.bands) * STAGES_OF_TILE;
    first = static_cast<int>(piece) * f.stages, end = first + f.stages < all ? first + f.stages : all;
  }
  /* The tile column of a stage. */
  __device__ unsigned tile(int stage) const {
    const unsigned step = static_cast<unsigned>(stage / STAGES_OF_TILE);
    return step < band ? step + bands - band : step - band;
  }
  /* The first column of A that belongs to the stage. */
  __device__ int64_t column(int stage) const {
    return int64_t{tile(stage)} * G::ROWS + stage % STAGES_OF_TILE * G::DEPTH;
  }
};

/* C(i, j) = alpha·sum + beta·C(i, j), for an element of the block's band. */
template <class G>
__device__ inline void store_symm(const symm_task &f, const symm_place<G> &at, int row, int col, typename G::T sum) {
  using T = typename G::T;
  const int64_t i = at.i0 + row, j = at.j0 + col;
  if (i >= f.p.m || j >= f.p.n) return;
  const T beta = element_of<T>(f.p.beta);
  T *const c = matrix_of<T>(f.p.C, 0).at(i, j);
  const T result = scalar_times(element_of<T>(f.p.alpha), sum);
  *c = is_zero(beta) ? result : add(scalar_times(beta, *c), result);
}

/* Adds the sums of a band's pieces. Loads of several elements and pieces are under way at once. */
template <class G> __device__ inline void add_pieces(const symm_task &f, const symm_place<G> &at) {
  using T = typename G::T;
  constexpr int AREA = G::ROWS * G::COLS, BESIDE = TG_TILE(1, 32 / sizeof(T)), AHEAD = 4;
  static_assert(AREA % (BESIDE * G::THREADS) == 0, "threads have equal shares");
  const T *const parts = static_cast<const T *>(f.parts);
  const int64_t step = int64_t{f.bands} * f.slabs * AREA; /* from piece to piece */
#pragma unroll 1
  for (int e = static_cast<int>(threadIdx.x); e < AREA; e += BESIDE * G::THREADS) {
    const T *const from = parts + int64_t{at.line} * AREA + e;
    T sum[BESIDE] = {};
#pragma unroll 1
    for (unsigned piece = 0; piece < f.pieces; piece += AHEAD) {
      T x[AHEAD][BESIDE];
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
#pragma unroll
        for (int b = 0; b < BESIDE; b++)
          x[a][b] = piece + a < f.pieces ? tg_load_fresh(from + (piece + a) * step + b * G::THREADS) : T{};
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
#pragma unroll
        for (int b = 0; b < BESIDE; b++) sum[b] = add(sum[b], x[a][b]);
    }
#pragma unroll
    for (int b = 0; b < BESIDE; b++)
      store_symm(f, at, (e + b * G::THREADS) % G::ROWS, (e + b * G::THREADS) / G::ROWS, sum[b]);
  }
}

/* Stores the block's sums, or leaves them as a part. each(visit) calls visit(row, col, sum) for those of the thread;
 * `last` is a word of shared memory. All threads call this. */
template <class G, class Each>
__device__ inline void finish_symm(const symm_task &f, const symm_place<G> &at, unsigned *last, Each each) {
  using T = typename G::T;
  if (f.pieces == 1) return each([&](int row, int col, T sum) { store_symm(f, at, row, col, sum); });
  T *const part = static_cast<T *>(f.parts) + int64_t{blockIdx.x} * (G::ROWS * G::COLS);
  each([&](int row, int col, T sum) { part[col * G::ROWS + row] = sum; });
  tg_last_blocks(
      1, [&](unsigned) { return f.arrived + at.line; }, [&](unsigned) { return f.pieces; }, last);
  if (*last) add_pieces(f, at);
}

/* --------------------------------------------------------------------------------------------------- launches -- */

/* What a piece costs beside its stages, in stages, as estimated for an H200 (docs/notebook/eigen.md): to begin and end
 * a block, and to write and read the part. */
enum { PIECE_STARTS = 3, PIECE_ADDS = 1, MOST_PIECES = 64 };

/* The time of so many blocks that run at once, with so many stages each, times limits.enough. A few multiprocessors
 * compute as fast as they can, and more of them share what the L2 cache gives. */
inline int64_t symm_wave(const symm_limits &limits, int64_t blocks, int64_t stages) {
  if (blocks == 0) return 0;
  return stages * (blocks < limits.enough ? limits.enough : blocks) + PIECE_STARTS * limits.enough;
}

/* How many pieces a band is cut into: as many as let the multiprocessors end first. A multiprocessor has so many
 * residents. */
inline int64_t symm_pieces(queue q, int64_t lines, int64_t stages, int64_t fit, int64_t residents) {
  symm_limits limits = q.arch->limits->symm;
  limits.blocks *= residents, limits.enough *= residents;
  int64_t best = 1, best_cost = INT64_MAX;
  for (int64_t pieces = 1; pieces <= least(least(fit, stages), MOST_PIECES); pieces++) {
    const int64_t blocks = lines * pieces, each = tiles_in(stages, pieces);
    const int64_t cost = blocks / limits.blocks * symm_wave(limits, limits.blocks, each) +
                         symm_wave(limits, blocks % limits.blocks, each) +
                         (pieces > 1 ? pieces * PIECE_ADDS * limits.enough : 0);
    if (cost < best_cost) best = pieces, best_cost = cost;
  }
  return best;
}

/* Launches a kernel of this geometry, of which a multiprocessor has so many blocks at once. The pieces depend on sizes,
 * the space and the kind of GPU alone. */
template <class G>
inline cudaError_t launch_symm(queue q, const kernel_of<symm_task> &k, const product *p, const dataflow_setup *s,
                               int64_t residents = 1) {
  const int64_t bands = tiles_in(p->m, G::ROWS), slabs = tiles_in(p->n, G::COLS), lines = bands * slabs;
  const int64_t stages = bands * symm_place<G>::STAGES_OF_TILE;
  const int64_t fit = lines > dataflow_flags
                          ? 1
                          : s->space_bytes / static_cast<int64_t>(lines * G::ROWS * G::COLS * sizeof(typename G::T));
  symm_task f = {};
  f.p = *p, f.arrived = s->words.flags, f.parts = s->space;
  f.stages = static_cast<int>(tiles_in(stages, symm_pieces(q, lines, stages, fit, residents)));
  f.bands = static_cast<unsigned>(bands), f.slabs = static_cast<unsigned>(slabs);
  f.pieces = static_cast<unsigned>(tiles_in(stages, f.stages));
  return launch_kernel(q, k, lines * f.pieces, G::THREADS, f);
}

#endif
