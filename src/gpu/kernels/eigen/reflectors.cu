/* reflectors.cu - kernels of the reduction to tridiagonal form: a column becomes a reflector, its w is completed. One
 * block of threads takes a column, which lies in the caches. */
#include "block_sum.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "householder.h"

enum { REFLECT_THREADS = TG_TILE(32, 512) };

/* The sum of the squares of x(2 ...). */
template <class T, class R> __device__ static R rest_of(const reflected &p, R *shared) {
  const T *x = static_cast<const T *>(p.x);
  R sum = 0;
  for (int64_t i = 2 + threadIdx.x; i < p.n; i += REFLECT_THREADS) sum += square(x[i * p.inc]);
  return block_sum<REFLECT_THREADS>(sum, shared);
}

/* x = (alpha, rest) becomes v, or zero if there is nothing to reflect. */
template <class T, class R> __device__ static void store_reflector(const reflected &p, T alpha, R rest) {
  T *x = static_cast<T *>(p.x);
  const householder<T> h(alpha, rest);
  const bool skips = h.is_zero || (rest == 0 && imaginary(alpha) == 0);
  const T factor_of_rest = h.factor_of_rest();
  for (int64_t i = 1 + threadIdx.x; i < p.n; i += REFLECT_THREADS)
    x[i * p.inc] = skips ? T{} : i == 1 ? one<T>() : multiply(x[i * p.inc], factor_of_rest);
  if (threadIdx.x != 0) return;
  *static_cast<R *>(p.e) = skips ? real(alpha) : h.end;
  *static_cast<T *>(p.tau) = skips ? one<T>() : h.tau;
  *static_cast<T *>(p.inverse) = skips ? one<T>() : h.inverse();
}

template <class T> __global__ void __launch_bounds__(REFLECT_THREADS) reflect_kernel(reflected p) {
  using R = real_of<T>;
  R *shared = tg_shared<R>();
  const T *x = static_cast<const T *>(p.x);
  if (threadIdx.x == 0) *static_cast<R *>(p.d) = real(x[0]);
  if (p.n == 1) return;
  const T alpha = x[p.inc];
  store_reflector(p, alpha, rest_of<T>(p, shared));
}

cudaError_t launch_reflect(queue q, trigon_type type, const reflected *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<reflect_kernel<T>, REFLECT_THREADS * sizeof(real_of<T>)>(), 1, REFLECT_THREADS,
                         *p);
  });
}

template <class T> __global__ void __launch_bounds__(REFLECT_THREADS) complete_kernel(completed o) {
  using R = real_of<T>;
  const T *v = static_cast<const T *>(o.v), *p = static_cast<const T *>(o.p), tau = *static_cast<const T *>(o.tau);
  T *w = static_cast<T *>(o.w);
  R sum = 0;
  for (int64_t i = threadIdx.x; i < o.n; i += REFLECT_THREADS) sum += real(multiply(conjugate(p[i]), v[i]));
  const R half = R(-0.5) * square(tau) * block_sum<REFLECT_THREADS>(sum, tg_shared<R>());
  for (int64_t i = threadIdx.x; i < o.n; i += REFLECT_THREADS) w[i] = add(multiply(tau, p[i]), scale(v[i], half));
}

cudaError_t launch_complete(queue q, trigon_type type, const completed *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<complete_kernel<T>, REFLECT_THREADS * sizeof(real_of<T>)>(), 1, REFLECT_THREADS,
                         *p);
  });
}
