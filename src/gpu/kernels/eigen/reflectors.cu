/* reflectors.cu - kernels of the reduction to tridiagonal form: a column becomes a reflector, its w is completed. One
 * block of threads takes a column, which lies in the caches. */
#include "block_sum.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "householder.h"

enum { REFLECT_THREADS = TG_TILE(32, 512) };

template <class R> struct precision;
template <> struct precision<float> { static constexpr float epsilon = 0x1p-23f; };
template <> struct precision<double> { static constexpr double epsilon = 0x1p-52; };

template <class R> __device__ static R largest_part(R x) { return x < 0 ? -x : x; }
template <class R> __device__ static R largest_part(complex<R> x) { return larger_component(x); }

/* The length of x(first ...), by elements that are divided by the largest of them. */
template <class T, class R> __device__ static R scaled_length(const reflected &p, int64_t first, R *shared) {
  const T *x = static_cast<const T *>(p.x);
  R most = 0, sum = 0;
  for (int64_t i = first + threadIdx.x; i < p.n; i += REFLECT_THREADS) {
    const R size = largest_part(x[i * p.inc]);
    if (!(size <= most)) most = size;
  }
  most = block_largest<REFLECT_THREADS>(most, shared);
  if (most == 0 || !is_finite(most)) return most;
  for (int64_t i = first + threadIdx.x; i < p.n; i += REFLECT_THREADS) sum += square(divide(x[i * p.inc], most));
  return most * root_of(block_sum<REFLECT_THREADS>(sum, shared));
}

/* The same by plain squares, if their sum shows that none of weight has left the range. */
template <class T, class R> __device__ static R length(const reflected &p, int64_t first, R *shared) {
  constexpr R epsilon = precision<R>::epsilon, least = element<R>::least;
  const T *x = static_cast<const T *>(p.x);
  R sum = 0;
  for (int64_t i = first + threadIdx.x; i < p.n; i += REFLECT_THREADS) sum += square(x[i * p.inc]);
  sum = block_sum<REFLECT_THREADS>(sum, shared);
  if (sum > least / epsilon / epsilon && sum < epsilon / least) return root_of(sum);
  return scaled_length<T>(p, first, shared);
}

/* x = (alpha, rest) becomes v, or zero if there is nothing to reflect. */
template <class T, class R> __device__ static void store_reflector(const reflected &p, T alpha, R rest, R size) {
  T *x = static_cast<T *>(p.x);
  const bool skips = rest == 0 && imaginary(alpha) == 0;
  const R whole = static_cast<R>(hypot(static_cast<double>(size), static_cast<double>(rest)));
  const R end = real(alpha) < 0 ? whole : -whole;
  const T pivot = subtract(alpha, make(T{}, end, R(0)));
  for (int64_t i = 1 + threadIdx.x; i < p.n; i += REFLECT_THREADS)
    x[i * p.inc] = skips ? T{} : i == 1 ? one<T>() : divide(x[i * p.inc], pivot);
  if (threadIdx.x != 0) return;
  *static_cast<R *>(p.e) = skips ? real(alpha) : end;
  *static_cast<T *>(p.tau) = skips ? one<T>() : divide(pivot, -end);
  *static_cast<T *>(p.inverse) = skips ? one<T>() : divide(make(T{}, -end, R(0)), pivot);
}

template <class T> __global__ void __launch_bounds__(REFLECT_THREADS) reflect_kernel(reflected p) {
  using R = real_of<T>;
  R *shared = tg_shared<R>();
  const T *x = static_cast<const T *>(p.x);
  if (threadIdx.x == 0) *static_cast<R *>(p.d) = real(x[0]);
  if (p.n == 1) return;
  const T alpha = x[p.inc];
  const R rest = length<T>(p, 2, shared);
  const R size = static_cast<R>(hypot(static_cast<double>(real(alpha)), static_cast<double>(imaginary(alpha))));
  store_reflector(p, alpha, rest, size);
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
