/* potrf_step.cu - the leaf kernel of POTRF: one block of threads takes a matrix. */
#include "gpu/kernels/diagonal/factor_step.h"
#include "gpu/kernels/launch.h"

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) potrf_kernel(factor p) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  for (int64_t b = blockIdx.x; b < p.count; b += gridDim.x)
    factor_matrix<T>(shared, matrix_of<T>(p.A, b), p.n, [&](int64_t column) { record_failure(p, b, column); });
}

cudaError_t launch_potrf(queue q, trigon_type type, const factor *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_matrices<leaf<T>, potrf_kernel<T>>(q, p);
  });
}
