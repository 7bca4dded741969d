/* gemm.cu - the kernel of all matrix products: GEMM, SYRK and SYR2K (with a mask on C), SYMM. */
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/products/tile_gemm.h"
#if TG_HAS_MMA
#include "gemm_mma.h"
#endif

template <class T>
using product_tile =
    geometry<T, TG_TILE(16, 64), TG_TILE(8, 64), TG_TILE(4, sizeof(T) == 16 ? 8 : 16), TG_TILE(2, 4), TG_TILE(1, 4)>;

/* The thread's index in the tile. If C is stored by rows, neighbouring threads get neighbouring columns, which are
 * neighbours in memory. */
template <class T> __device__ inline int index_in(const operand &C) {
  using G = product_tile<T>;
  static_assert(G::THREAD_ROWS == G::THREAD_COLS, "the threads are a square");
  const unsigned thread = threadIdx.x, side = G::THREAD_ROWS;
  return static_cast<int>(C.row == 1 ? thread : thread % side * side + thread / side);
}

/* Computes one tile of C, at (i0, j0) of matrix b. TWO products need two sets of sums, because each has its own
 * alpha. */
template <class T, bool TWO>
__device__ void compute_tile(const product &p, typename product_tile<T>::stage &shared, int64_t b, int64_t i0,
                             int64_t j0) {
  using G = product_tile<T>;
  typename G::sums sum = {}, sum2 = {};
  const int index = index_in<T>(p.C);
  const shape stored = p.A_is == STRUCTURE_GENERAL ? FULL : p.A_is == STRUCTURE_SYMMETRIC ? SYMMETRIC : HERMITIAN;
  accumulate<G>(sum, shared, matrix_of<T>(p.A, b).as(stored), matrix_of<T>(p.B, b), i0, p.m, j0, p.n, 0, p.k, index);
  if (TWO) accumulate<G>(sum2, shared, matrix_of<T>(p.A2, b), matrix_of<T>(p.B2, b), i0, p.m, j0, p.n, 0, p.k, index);

  const matrix<T> C = matrix_of<T>(p.C, b);
  const T alpha = element_of<T>(p.alpha), alpha2 = element_of<T>(p.alpha2), beta = element_of<T>(p.beta);
  const bool reads = !is_zero(beta), adds = p.k > 0;
#pragma unroll
  for (int item = 0; item < G::ITEM_ROWS * G::ITEM_COLS; item++) {
    const int row = item / G::ITEM_COLS, col = item % G::ITEM_COLS;
    const int64_t i = i0 + G::row(row, index), j = j0 + G::col(col, index);
    if (i >= p.m || j >= p.n || (p.computed != REGION_ALL && i < j)) continue;
    const bool on_real_diagonal = p.computed == REGION_LOWER_HERMITIAN && i == j;
    T *c = C.at(i, j), before = reads ? *c : T{}, result = T{};
    if (on_real_diagonal) before = only_real(before);
    if (reads) result = scalar_times(beta, before);
    if (adds) result = add(result, scalar_times(alpha, sum.of[row][col]));
    if (TWO && adds) result = add(result, scalar_times(alpha2, sum2.of[row][col]));
    *c = on_real_diagonal ? only_real(result) : result;
  }
}

/* With two blocks for each multiprocessor, one block computes while the other waits. */
template <class T, bool TWO>
__global__ void __launch_bounds__(product_tile<T>::THREADS, sizeof(T) == 16 ? 1 : 2) product_kernel(product p) {
  using G = product_tile<T>;
  typename G::stage &shared = *tg_shared<typename G::stage>();
  if (computes_nothing(p)) return;
  const int64_t rows = (p.m + G::ROWS - 1) / G::ROWS, cols = (p.n + G::COLS - 1) / G::COLS;
  for (int64_t at = blockIdx.x; at < rows * cols * p.count; at += gridDim.x) {
    const int64_t i0 = at % rows * G::ROWS, j0 = at / rows % cols * G::COLS;
    if (is_computed(p, i0 + G::ROWS, i0, j0)) compute_tile<T, TWO>(p, shared, at / (rows * cols), i0, j0);
  }
}

template <class T>
__global__ void __launch_bounds__(product_tile<T>::THREADS, sizeof(T) == 16 ? 1 : 2)
    product_batch_kernel(member_task t) {
  using G = product_tile<T>;
  typename G::stage &shared = *tg_shared<typename G::stage>();
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const product p = product_of(t.batch, i);
    const int64_t rows = (p.m + G::ROWS - 1) / G::ROWS, cols = (p.n + G::COLS - 1) / G::COLS;
    for (int64_t at = first; at < rows * cols; at += step) {
      const int64_t i0 = at % rows * G::ROWS, j0 = at / rows * G::COLS;
      if (is_computed(p, i0 + G::ROWS, i0, j0)) compute_tile<T, false>(p, shared, 0, i0, j0);
    }
  });
}

template <class T, bool TWO> static cudaError_t launch(queue q, const product *p) {
  using G = product_tile<T>;
  const int64_t rows = (p->m + G::ROWS - 1) / G::ROWS, cols = (p->n + G::COLS - 1) / G::COLS;
  if (rows * cols * p->count == 0) return cudaSuccess;
  return launch_kernel(q, registered<product_kernel<T, TWO>, sizeof(typename G::stage)>(),
                       blocks_for(rows * cols * p->count, G::THREADS), G::THREADS, *p);
}

cudaError_t launch_gemm(queue q, trigon_type type, const product *p) {
#if TG_HAS_MMA
  if (type == TRIGON_D && takes_mma(q, p)) return launch_product_mma(q, p);
#endif
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return p->A2.data ? launch<T, true>(q, p) : launch<T, false>(q, p);
  });
}

cudaError_t launch_product_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using G = product_tile<T>;
    return launch_members<G, product_batch_kernel<T>, sizeof(typename G::stage)>(q, t, true);
  });
}
