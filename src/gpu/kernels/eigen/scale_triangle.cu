/* scale_triangle.cu - kernels that scale a triangle by a power of two, so that its norm is near 1; and the
 * kernel that makes an element real. */
#include "block_sum.h"
#include "common/eigen/scale_rule.h"
#include "core/sizes.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"

enum { SCALE_THREADS = TG_TILE(32, 256), SCALE_BLOCKS = TG_TILE(3, 528) };

/* The bits of a double >= 0 are in its order. */
template <class R> __device__ static unsigned long long *word_of(const scaled_triangle &p) {
  return reinterpret_cast<unsigned long long *>(static_cast<R *>(p.scale) + 2);
}

/* Calls each(i, element) for the rows of column j that belong to the triangle. */
template <class T, class Each> __device__ static void each_of_column(const scaled_triangle &p, int64_t j, Each each) {
  const int64_t first = p.lower ? j : 0, end = p.lower ? p.n : j + 1;
  for (int64_t i = first + threadIdx.x; i < end; i += SCALE_THREADS) each(static_cast<T *>(p.A) + i + j * p.ld, i == j);
}

/* Records a column that is not finite. A failure that was there before, of the factorization of another matrix, has a
 * number above n, and comes first. */
__device__ static void record_column(const scaled_triangle &p, int64_t j) {
  const unsigned long long before = tg_load_fresh(p.failure);
  if (before == no_failure || before <= static_cast<unsigned long long>(p.n))
    tg_atomic_min(p.failure, static_cast<unsigned long long>(j + 1));
}

/* An element that is not finite is a failure. The imaginary part of the diagonal does not count. */
template <class T> __global__ void __launch_bounds__(SCALE_THREADS) largest_kernel(scaled_triangle p) {
  using R = real_of<T>;
  double most = 0;
  for (int64_t j = blockIdx.x; j < p.n; j += gridDim.x)
    each_of_column<T>(p, j, [&](T *x, bool is_diagonal) {
      const T value = is_diagonal ? only_real(*x) : *x;
      const double size = static_cast<double>(magnitude(value));
      if (!is_finite(value)) record_column(p, j);
      if (size > most) most = size;
    });
  most = block_largest<SCALE_THREADS>(most, tg_shared<double>());
  unsigned long long bits;
  memcpy(&bits, &most, sizeof bits);
  if (threadIdx.x == 0) tg_atomic_max(word_of<R>(p), bits);
}

template <class R> __global__ void scale_rule_kernel(scaled_triangle p) {
  double largest;
  memcpy(&largest, word_of<R>(p), sizeof largest);
  const double far = 256; /* from here on columns that do not count (householder.h) are not told from others */
  const bool stays = largest == 0 || (largest < far && largest > 1 / far);
  R *const scale = static_cast<R *>(p.scale);
  scale[0] = static_cast<R>(stays ? 1 : power_for(largest, sizeof(R) == sizeof(float)));
  scale[1] = 1;
}

template <class T> __global__ void __launch_bounds__(SCALE_THREADS) multiply_triangle_kernel(scaled_triangle p) {
  const real_of<T> power = *static_cast<const real_of<T> *>(p.scale);
  if (power == 1) return;
  for (int64_t j = blockIdx.x; j < p.n; j += gridDim.x)
    each_of_column<T>(p, j, [&](T *x, bool) { *x = scale(*x, power); });
}

cudaError_t launch_scale_triangle(queue q, trigon_type type, const scaled_triangle *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using R = real_of<T>;
    const int64_t blocks = least(p->n, SCALE_BLOCKS);
    cudaError_t error = cudaMemsetAsync(p->scale, 0, 4 * sizeof(R), q.stream);
    if (error == cudaSuccess)
      error =
          launch_kernel(q, registered<largest_kernel<T>, SCALE_THREADS * sizeof(double)>(), blocks, SCALE_THREADS, *p);
    if (error == cudaSuccess) error = launch_kernel(q, registered<scale_rule_kernel<R>>(), 1, 1, *p);
    if (error != cudaSuccess) return error;
    return launch_kernel(q, registered<multiply_triangle_kernel<T>>(), blocks, SCALE_THREADS, *p);
  });
}

struct real_element {
  void *at;
};

template <class T> __global__ void make_real_kernel(real_element p) {
  T *const x = static_cast<T *>(p.at);
  *x = only_real(*x);
}

cudaError_t launch_make_real(queue q, trigon_type type, void *at) {
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<make_real_kernel<decltype(zero)>>(), 1, 1, real_element{at});
  });
}
