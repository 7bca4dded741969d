/* trsm_step.cu - the leaf kernel of TRSM: a block of threads takes a slab of B's columns through all of L. */
#include "gpu/kernels/launch.h"
#include "trsm_slab.h"

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trsm_kernel(triangular t) {
  using G = leaf<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  const int64_t slabs = slabs_of<G>(t);
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x) solve_slab<G>(shared, t, at / slabs, at % slabs);
}

cudaError_t launch_trsm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<leaf<T>, trsm_kernel<T>>(q, t);
  });
}
