/* gemm_mma.h - tiles of matrix products of doubles, on matrix units (mma_products.h).
 *
 * Large tiles read less from the L2 cache: a tile of 64 × 64 at full speed asks for more than the cache can give to all
 * multiprocessors. Small tiles give every multiprocessor work if C is small. */
#ifndef TRIGON_GEMM_MMA_H
#define TRIGON_GEMM_MMA_H

#include "gpu/kernels/products/mma_products.h"

using large_product = mma_geometry<TG_TILE(32, 128), TG_TILE(32, 128), TG_TILE(2, 4), TG_TILE(2, 2), TG_TILE(4, 5)>;
using small_product = mma_geometry<TG_TILE(16, 64), TG_TILE(16, 64), TG_TILE(1, 2), TG_TILE(1, 2), TG_TILE(4, 6)>;

/* Tile number `at` of a matrix. BAND tile rows are neighbours in this order, so that blocks that run at the same time
 * read the same rows and columns. */
struct mma_coord {
  int64_t row, col;

  __device__ mma_coord(int64_t at, int64_t rows, int64_t cols) {
    enum { BAND = 8 };
    const int64_t first = at / (BAND * cols) * BAND, height = least(rows - first, BAND), in_band = at % (BAND * cols);
    row = first + in_band % height, col = in_band / height;
  }
};

/* Stores a tile that is computed as a whole. Its elements of C are read before the first one is written: otherwise each
 * write may wait for its own read. On an H200 this takes 3 % less time for m = n = k = 4096 (docs/performance.md). */
template <class G>
__device__ inline void store_whole_tile(const product &p, typename G::sums &sum, const matrix<double> &C, int64_t i0,
                                        int64_t j0) {
  double *const first =
      C.at(i0 + mma_row<G>() + mma_lane() / 4, j0 + mma_col<G>() + mma_lane() % 4 * 2); /* there is one layer */
  const double alpha = p.alpha.re, beta = p.beta.re;
  const auto each = [&](auto visit) {
    each_address<G::HEIGHT, G::WIDTH>(first, C.row, C.col,
                                      [&](double *address, int a, int b, int e) { visit(address, sum.of[a][b][e]); });
  };
  if (beta != 0)
    each([&](const double *address, double &x) { x = fma(alpha, x, beta * *address); });
  else
    each([&](const double *, double &x) { x *= alpha; });
  each([&](double *address, double x) { *address = x; });
}

template <class G>
__device__ inline void store_product_mma(const product &p, typename G::sums &sum, const matrix<double> &C, int64_t i0,
                                         int64_t j0) {
  static_assert(G::DEEP == 1, "a tile has one layer of sums");
  if (p.computed == REGION_ALL && p.k > 0 && i0 + G::ROWS <= p.m && j0 + G::COLS <= p.n)
    return store_whole_tile<G>(p, sum, C, i0, j0);
  const double alpha = p.alpha.re, beta = p.beta.re;
  each_mma_sum<G>(sum, [&](int row, int col, double x) {
    const int64_t i = i0 + row, j = j0 + col;
    if (i >= p.m || j >= p.n || (p.computed != REGION_ALL && i < j)) return;
    double *c = C.at(i, j);
    const double before = beta != 0 ? beta * *c : 0;
    *c = p.k > 0 ? fma(alpha, x, before) : before;
  });
}

/* The tile at (i0, j0). Both products of SYR2K have the same alpha, so they share the sums. So a sum may overflow where
 * each product, times alpha, would not. */
template <class G, class Layouts>
__device__ inline void compute_mma(const product &p, typename G::ring &ring, int64_t b, int64_t i0, int64_t j0) {
  const int64_t stages = (p.k + G::TERMS - 1) / G::TERMS;
  typename G::sums sum = {};
#pragma unroll 1
  for (int turn = 0; turn < (p.A2.data ? 2 : 1); turn++) {
    const matrix<double> A = matrix_of<double>(turn ? p.A2 : p.A, b), B = matrix_of<double>(turn ? p.B2 : p.B, b);
    add_streams<G, Layouts, mma_order<false, false, true>>(
        sum, ring, {A.as(p.A_is == STRUCTURE_GENERAL ? FULL : SYMMETRIC), i0, p.m, 0, p.k},
        {B.transposed(), j0, p.n, 0, p.k}, stages, [&](int, int) { return stages; });
  }
  store_product_mma<G>(p, sum, matrix_of<double>(p.C, b), i0, j0);
}

template <class G, class Layouts>
__global__ void __launch_bounds__(G::THREADS, G::THREADS > 128 ? 1 : 2) product_mma(product p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::ring &ring = *tg_shared<typename G::ring>();
  if (computes_nothing(p)) return;
  const int64_t rows = (p.m + G::ROWS - 1) / G::ROWS, cols = (p.n + G::COLS - 1) / G::COLS, tiles = rows * cols;
  for (int64_t at = blockIdx.x; at < tiles * p.count; at += gridDim.x) {
    const mma_coord coord(at % tiles, rows, cols);
    const int64_t i0 = coord.row * G::ROWS, j0 = coord.col * G::COLS;
    if (is_computed(p, i0 + G::ROWS, i0, j0)) compute_mma<G, Layouts>(p, ring, at / tiles, i0, j0);
  }
#endif
}

template <class G> static int64_t mma_tiles(const product *p) {
  return (p->m + G::ROWS - 1) / G::ROWS * ((p->n + G::COLS - 1) / G::COLS) * p->count;
}

/* With a mask, most often nothing is computed, and each block costs time. So there are few. */
template <class G> static cudaError_t launch_mma(queue q, const product *p) {
  const int64_t tiles = mma_tiles<G>(p);
  if (tiles == 0) return cudaSuccess;
  const int64_t blocks =
      p->mask.headroom_bits ? least(tiles, q.arch->limits->masked_blocks) : blocks_for(tiles, G::THREADS);
  return with_layouts<MMA_ANY>(is_by_terms(p->A.row), is_by_terms(p->B.col), [&](auto layouts) {
    const auto &k = registered<product_mma<G, decltype(layouts)>, sizeof(typename G::ring), NEEDS_MMA>();
    return launch_kernel(q, k, blocks, G::THREADS, *p);
  });
}

static bool takes_mma(queue q, const product *p) {
  return q.has.fp64_mma && (!p->A2.data || p->alpha.re == p->alpha2.re);
}

static cudaError_t launch_product_mma(queue q, const product *p) {
  const int64_t halves = p->computed == REGION_ALL ? 2 : 1;
  return mma_tiles<large_product>(p) * halves / 2 >= q.arch->limits->gemm_large_tiles ? launch_mma<large_product>(q, p)
                                                                                      : launch_mma<small_product>(q, p);
}

#endif
