/* lauum_step.cu - the leaf kernel of LAUUM: one block of threads takes a matrix, tile by tile, in place. */
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/diagonal/triangular_step.h"

/* Tile row i0 of AᴴA needs only the rows of A from i0 on. So tile rows from first to last read each element before it
 * is overwritten. */
template <class T> __device__ inline void lauum(typename leaf<T>::workspace &shared, const factor &p, int64_t b) {
  using G = leaf<T>;
  static_assert(G::WIDTH % G::ORDER == 0,
                "a slab that ended in a diagonal tile would overwrite columns that the next slab reads");
  const matrix<T> A = matrix_of<T>(p.A, b).as(LOWER);
  for (int64_t i0 = 0; i0 < p.n; i0 += G::ORDER) {
    const int64_t i_end = least(i0 + G::ORDER, p.n);
    for (int64_t j0 = 0; j0 < i_end; j0 += G::WIDTH) {
      typename G::sums sum = {};
      accumulate<typename G::base>(sum, shared.stage, A.adjoint(), A, i0, i_end, j0, i_end, i0, p.n);
      each_sum<typename G::base>(
          sum, [&](int row, int col, T s) { shared.tile[row][col] = i0 + row == j0 + col ? only_real(s) : s; });
      __syncthreads();
      store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.transposed(), j0, i0, i_end, i_end);
      __syncthreads();
    }
  }
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) lauum_kernel(factor p) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  for (int64_t b = blockIdx.x; b < p.count; b += gridDim.x) lauum<T>(shared, p, b);
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) lauum_batch_kernel(member_task t) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  t.each([&](int64_t i, int64_t, int64_t) {
    const factor p = factor_of(t.batch, i);
    if (p.n > t.batch.done) lauum<T>(shared, p, 0);
  });
}

cudaError_t launch_lauum(queue q, trigon_type type, const factor *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_matrices<leaf<T>, lauum_kernel<T>>(q, p);
  });
}

cudaError_t launch_lauum_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_members<leaf<T>, lauum_batch_kernel<T>>(q, t, false);
  });
}
