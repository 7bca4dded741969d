/* trsm.cu - the leaf kernel of TRSM: a block of threads takes a slab of B's columns through all of L. */
#include "launch.h"
#include "triangular_step.h"

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trsm_kernel(triangular t) {
  using G = leaf<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  const T alpha = element_of<T>(t.alpha);
  const int64_t slabs = (t.width + G::WIDTH - 1) / G::WIDTH;
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x) {
    const matrix<T> L = matrix_of<T>(t.L, at / slabs), B = matrix_of<T>(t.B, at / slabs);
    for (int64_t i = 0; i < t.n; i += G::ORDER)
      solve_step<T>(shared, L, B, t.unit, alpha, i, least(i + G::ORDER, t.n), at % slabs * G::WIDTH, t.width);
  }
}

cudaError_t launch_trsm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<leaf<T>>(q, trsm_kernel<T>, t);
  });
}
