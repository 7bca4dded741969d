/* trmm.cu - the leaf kernel of TRMM: a block of threads takes a slab of B's columns through all of L. */
#include "launch.h"
#include "triangular_step.h"

template <class T> __global__ void __launch_bounds__(multiplier<T>::THREADS) trmm_kernel(triangular t) {
  using G = typename multiplier<T>::base;
  typename multiplier<T>::workspace &shared = *tg_shared<typename multiplier<T>::workspace>();
  const T alpha = element_of<T>(t.alpha);
  const int64_t slabs = (t.width + G::COLS - 1) / G::COLS;
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x) {
    const matrix<T> L = matrix_of<T>(t.L, at / slabs), B = matrix_of<T>(t.B, at / slabs);
    for (int64_t i = (t.n - 1) / G::ROWS * G::ROWS; i >= 0; i -= G::ROWS)
      multiply_step<G>(shared.stage, shared.tile, L, B, t.unit, alpha, i, least(i + G::ROWS, t.n), at % slabs * G::COLS,
                       t.width);
  }
}

cudaError_t launch_trmm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<multiplier<T>>(q, trmm_kernel<T>, t);
  });
}
