/* trmm_step.cu - the leaf kernel of TRMM: a block of threads takes a slab of B's columns through all of L. */
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/diagonal/triangular_step.h"

/* Multiplies one slab of matrix b. */
template <class T>
__device__ inline void multiply_slab(typename multiplier<T>::workspace &shared, const triangular &t, int64_t b,
                                     int64_t slab) {
  using G = typename multiplier<T>::base;
  const matrix<T> L = matrix_of<T>(t.L, b), B = matrix_of<T>(t.B, b);
  const T alpha = element_of<T>(t.alpha);
  for (int64_t i = (t.n - 1) / G::ROWS * G::ROWS; i >= 0; i -= G::ROWS)
    multiply_step<G>(shared.stage, shared.tile, L, B, t.unit, alpha, i, least(i + G::ROWS, t.n), slab * G::COLS,
                     t.width);
}

template <class T> __device__ inline int64_t slabs_of(const triangular &t) {
  return t.n > 0 ? (t.width + multiplier<T>::COLS - 1) / multiplier<T>::COLS : 0;
}

template <class T> __global__ void __launch_bounds__(multiplier<T>::THREADS) trmm_kernel(triangular t) {
  typename multiplier<T>::workspace &shared = *tg_shared<typename multiplier<T>::workspace>();
  const int64_t slabs = slabs_of<T>(t);
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x)
    multiply_slab<T>(shared, t, at / slabs, at % slabs);
}

template <class T> __global__ void __launch_bounds__(multiplier<T>::THREADS) trmm_batch_kernel(member_task t) {
  typename multiplier<T>::workspace &shared = *tg_shared<typename multiplier<T>::workspace>();
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const triangular p = triangular_of<T>(t.batch, t.batch.op, i);
    for (int64_t slab = first; slab < slabs_of<T>(p); slab += step) multiply_slab<T>(shared, p, 0, slab);
  });
}

cudaError_t launch_trmm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<multiplier<T>, trmm_kernel<T>>(q, t);
  });
}

cudaError_t launch_trmm_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_members<multiplier<T>, trmm_batch_kernel<T>>(q, t, true);
  });
}
