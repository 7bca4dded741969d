/* trmm_mma.h - the tiles of the dataflow TRMM for doubles, on matrix units (mma_products.h).
 *
 * L and B are streamed through shared memory. The host chooses the kernel by the layouts of both. */
#ifndef TRIGON_TRMM_MMA_H
#define TRIGON_TRMM_MMA_H

#include "gpu/kernels/products/mma_products.h"

/* The kernel of G, of which so many blocks are on a multiprocessor at once. */
template <class G_, int RESIDENT_> struct mma_product {
  using T = double;
  using G = G_;
  using sums = typename G::sums;
  static constexpr int ROWS = G::ROWS, COLS = G::COLS, THREADS = G::THREADS;
  static constexpr int ITEMS = 4 * G::HEIGHT * G::WIDTH / G::DEEP;
  static constexpr int RESIDENT = RESIDENT_;
  static constexpr unsigned STRIDE = TG_TILE(1, COLS < 64 ? 64 : 256 / COLS * 64 / ROWS);
  struct workspace {
    typename G::ring ring;
    unsigned word;
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");

  template <class Visit> __device__ static void items(sums &sum, Visit visit) {
#pragma unroll
    for (int i = 0; i < kept_height<G>(); i++)
#pragma unroll
      for (int j = 0; j < G::WIDTH; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) visit((i * G::WIDTH + j) * 4 + e, sum.of[i][j][e]);
  }

  /* sum += L(i0.., first..)·B(first.., j0..) for the tiles first .. end - 1 of L, which is lower. Calls release(t) now
   * and then, when the rows of B before tile t have been read. */
  template <class Layouts, class Release>
  __device__ static void add(sums &sum, workspace &shared, const matrix<double> &L, const matrix<double> &B, int64_t i0,
                             unsigned first, unsigned end, int64_t j0, int64_t n, int64_t width, Release release) {
    constexpr unsigned TURN = STRIDE * (ROWS / G::TERMS); /* stages between two calls of release */
    const int64_t k0 = first * int64_t{ROWS}, k1 = least(end * int64_t{ROWS}, n);
    const int64_t stages = (k1 - k0 + G::TERMS - 1) / G::TERMS;
    const auto landed = [&](int stage) {
      const unsigned done = static_cast<unsigned>(stage) + 1;
      if (done % TURN == 0 && done < stages) release(first + done / (ROWS / G::TERMS));
    };
    add_streams<G, Layouts>(
        sum, shared.ring, {L, i0, n, k0, k1, mask_of_lines<ROWS>(L)}, {B.transposed(), j0, width, k0, k1}, stages,
        [&](int, int) { return stages; }, landed);
  }

  __device__ static void finish(sums &sum, workspace &shared) { fold_layers<G>(sum, shared.ring); }

  /* B(i0.., j0..) = alpha·sum, which are products with L. */
  __device__ static void store(sums &sum, workspace &, double alpha, const matrix<double> &L, const matrix<double> &B,
                               int64_t i0, int64_t j0, int64_t n, int64_t width) {
    each_mma_sum<G>(sum, [&](int, int, double &s) { s *= alpha; });
    store_tile_of_sums<G>(sum, B, i0, j0, n, width, mask_of_lines<ROWS>(L));
  }
};

/* The kernels by their tiles. On the simulated GPU a tile has half of the rows. Thin tiles are bound by memory, so that
 * many copies are under way. The others are bound by the matrix units, and blocks differ by the length of their sums:
 * if a multiprocessor has only one block at a time, the next ticket goes to the multiprocessor that is ready first. */
template <int ROWS, int COLS> struct mma_product_of;
template <> struct mma_product_of<64, 8> {
  using type = mma_product<mma_geometry<TG_TILE(32, 64), 8, TG_TILE(1, 2), 1, 4, 2>, 2>;
};
template <> struct mma_product_of<64, 16> {
  using type = mma_product<mma_geometry<TG_TILE(32, 64), 16, TG_TILE(2, 4), 1, 6>, 3>;
};
template <> struct mma_product_of<64, 32> { using type = mma_product<mma_geometry<TG_TILE(32, 64), 32, 2, 2, 5>, 3>; };
template <> struct mma_product_of<64, 64> {
  using type = mma_product<mma_geometry<TG_TILE(32, 64), 64, TG_TILE(1, 2), 2, 5, 2>, 1>;
};
template <> struct mma_product_of<128, 64> {
  using type = mma_product<mma_geometry<TG_TILE(64, 128), 64, 4, 2, 7>, 1>;
};
template <> struct mma_product_of<128, 128> {
  using type = mma_product<mma_geometry<TG_TILE(64, 128), 128, 4, 2, 6>, 1>;
};

#endif
