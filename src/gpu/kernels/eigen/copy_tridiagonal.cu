/* copy_tridiagonal.cu - the kernel that copies a tridiagonal matrix, which the caller gives, and scales it. */
#include "block_sum.h"
#include "common/eigen/scale_rule.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"

enum { COPY_THREADS = TG_TILE(32, 512) };

/* One block: every element is scaled by the largest one. */
template <class R> __global__ void __launch_bounds__(COPY_THREADS) copy_tridiagonal_kernel(copied_tridiagonal p) {
  const R *d = static_cast<const R *>(p.d), *e = static_cast<const R *>(p.e);
  R *to_d = static_cast<R *>(p.to_d), *to_e = static_cast<R *>(p.to_e), *scale = static_cast<R *>(p.scale), most = 0;
  for (int64_t i = threadIdx.x; i < p.n; i += COPY_THREADS) {
    const R beside = i + 1 < p.n ? e[i] : 0;
    if (!is_finite(d[i]) || !is_finite(beside)) tg_atomic_min(p.failure, static_cast<unsigned long long>(i + 1));
    if (magnitude(d[i]) > most) most = magnitude(d[i]);
    if (magnitude(beside) > most) most = magnitude(beside);
  }
  const double largest = static_cast<double>(block_largest<COPY_THREADS>(most, tg_shared<R>()));
  const bool single = sizeof(R) == sizeof(float);
  const R power = has_safe_squares(largest, single) ? 1 : static_cast<R>(power_for(largest, single));
  for (int64_t i = threadIdx.x; i < p.n; i += COPY_THREADS) {
    to_d[i] = d[i] * power;
    to_e[i] = i + 1 < p.n ? e[i] * power : 0;
  }
  if (threadIdx.x == 0) scale[0] = power, scale[1] = 1;
}

cudaError_t launch_copy_tridiagonal(queue q, trigon_type type, const copied_tridiagonal *p) {
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    return launch_kernel(q, registered<copy_tridiagonal_kernel<R>, COPY_THREADS * sizeof(R)>(), 1, COPY_THREADS, *p);
  });
}
