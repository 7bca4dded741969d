/* lauum_mma.h - a tile of the dataflow LAUUM for doubles, on matrix units (tg_mma). See lauum_dataflow.cu. */
#ifndef TRIGON_LAUUM_MMA_H
#define TRIGON_LAUUM_MMA_H

#include "gpu/kernels/dataflow/dataflow_triangles.h"
#include "gpu/kernels/products/mma_products.h"

template <int ROWS, int DOWN, int ACROSS, int DEEP>
struct lauum_mma : mma_geometry<ROWS, ROWS, DOWN, ACROSS, TG_TILE(4, 6), DEEP> {
  using base = mma_geometry<ROWS, ROWS, DOWN, ACROSS, TG_TILE(4, 6), DEEP>;
  static constexpr bool FLAG_FOR_TILE = true;
  static constexpr int WIDE = 1, RESIDENT = base::THREADS > 128 ? 1 : 2;
  struct workspace {
    typename base::ring ring;
    unsigned word;
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};
using lauum_small = lauum_mma<TG_TILE(32, 64), TG_TILE(1, 2), TG_TILE(1, 2), 2>;
using lauum_large = lauum_mma<TG_TILE(32, 128), TG_TILE(2, 4), 2, 1>;

__device__ inline unsigned tile_number(unsigned row, unsigned col) { return row * (row + 1) / 2 + col; }

/* Waits until the other blocks that read the tile have read it. */
__device__ inline void await_readers_of(const unsigned *flags, triangle_coord at) {
  const auto reader = [&](unsigned i) {
    return flags + (i < at.col ? tile_number(at.col, i) : tile_number(i, at.col));
  };
  tg_await_all(reader, at.row, [&](unsigned) { return at.row + 1; });
}

/* The sums begin with the tile row's own rows, where the left factor is a triangle. A block that has the matrix alone
 * needs no flags. */
template <class G, class Layouts>
__device__ inline void multiply_mma(typename G::workspace &shared, const factor &p, int64_t b, triangle_coord at,
                                    unsigned *flags) {
  const matrix<double> A = matrix_of<double>(p.A, b), U = A.as(LOWER).transposed();
  int64_t i0 = static_cast<int64_t>(at.row) * G::ROWS, j0 = static_cast<int64_t>(at.col) * G::COLS;
  constexpr int PACE = 128 / G::TERMS; /* stages from word to word: each costs time */
  typename G::sums sum = {};
  unsigned *const own = flags ? flags + tile_number(at.row, at.col) : NULL;
  const unsigned all = static_cast<unsigned>((p.n + G::ROWS - 1) / G::ROWS);
  const int64_t stages = (p.n - i0 + G::TERMS - 1) / G::TERMS;
  add_streams<G, Layouts>(
      sum, shared.ring, {U, i0, least(i0 + G::ROWS, p.n), i0, p.n}, {U, j0, least(j0 + G::COLS, p.n), i0, p.n}, stages,
      [&](int, int) { return stages; },
      [&](int stage) {
        const int done = stage + 1;
        const unsigned read = at.row + static_cast<unsigned>(done) / (G::ROWS / G::TERMS);
        if (flags && done % PACE == 0 && read < all) tg_publish(own, read);
      });
  fold_layers<G>(sum, shared.ring);
  if (flags) {
    tg_publish(own, all);
    await_readers_of(flags, at);
  }
  tg_forget(i0), tg_forget(j0); /* else the addresses of A would take registers from the sums */
  if (j0 + G::COLS <= i0 + 1) return store_tile_of_sums<G>(sum, A, i0, j0, p.n, p.n, 0);
  each_mma_sum<G>(sum, [&](int r, int c, double s) {
    const int64_t i = i0 + r, j = j0 + c;
    if (i < p.n && j <= i) *A.at(i, j) = s;
  });
}

/* All tiles of a matrix by one block, in an order in which no tile waits. */
template <class G, class Layouts>
__device__ inline void multiply_matrix(typename G::workspace &shared, const factor &p) {
  const unsigned tasks = tiles_of_triangle<G::WIDE>(static_cast<unsigned>((p.n + G::ROWS - 1) / G::ROWS));
#pragma unroll 1
  for (unsigned task = 0; task < tasks; task++) {
    multiply_mma<G, Layouts>(shared, p, 0, triangle_coord_of<G::WIDE>(task), NULL);
    __syncthreads();
  }
}

#endif
