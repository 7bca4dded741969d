/* tridiagonal.cu - kernels for a real tridiagonal matrix: its eigenvalues by bisection, and the leaves of divide and
 * conquer by QL iterations.
 *
 * Bisection: the number of eigenvalues below x is the number of negative pivots of T - x·I. A thread takes one
 * eigenvalue. Source: LAPACK xSTEBZ, xLAEBZ. */
#include "block_sum.h"
#include "common/eigen/divide.h"
#include "common/eigen/scale_rule.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "secular_functions.h"

enum {
  VALUE_THREADS = TG_TILE(32, 64), /* few, so that all multiprocessors have eigenvalues from order 8448 on */
  MOST_HALVINGS = 96               /* from the norm down to the roundoff there are 53 */
};

template <class R> struct halving;
template <> struct halving<float> { static constexpr float epsilon = 0x1p-24f, least = 0x1p-120f; };
template <> struct halving<double> { static constexpr double epsilon = 0x1p-53, least = 0x1p-1000; };

/* How many eigenvalues are below x. A pivot that is almost zero is moved away from it. */
template <class R> __device__ static int64_t count_below(const tridiagonal &p, R x, R least) {
  const R *d = static_cast<const R *>(p.d), *e = static_cast<const R *>(p.e);
  int64_t count = 0;
  R pivot = d[0] - x;
  for (int64_t i = 1;; i++) {
    if (magnitude(pivot) < least) pivot = -least;
    count += pivot < 0;
    if (i == p.n) return count;
    pivot = d[i] - x - e[i - 1] * e[i - 1] / pivot;
  }
}

/* At least the absolute value of each eigenvalue, and the largest square of e. */
template <class R> __device__ static R bound(const tridiagonal &p, R *shared, R *square) {
  const R *d = static_cast<const R *>(p.d), *e = static_cast<const R *>(p.e);
  R most = 0, off = 0;
  for (int64_t i = threadIdx.x; i < p.n; i += VALUE_THREADS) {
    const R before = i > 0 ? magnitude(e[i - 1]) : 0, behind = i + 1 < p.n ? magnitude(e[i]) : 0;
    const R size = magnitude(d[i]) + before + behind;
    if (!(size <= most)) most = size;
    if (behind > off) off = behind;
  }
  off = block_largest<VALUE_THREADS>(off, shared);
  *square = off * off;
  return block_largest<VALUE_THREADS>(most, shared);
}

template <class R> __global__ void __launch_bounds__(VALUE_THREADS) values_kernel(tridiagonal p) {
  R square;
  const R norm = bound(p, tg_shared<R>(), &square);
  const R least = halving<R>::least * (square > 1 ? square : 1), precision = 2 * halving<R>::epsilon;
  const int64_t number = static_cast<int64_t>(blockIdx.x) * VALUE_THREADS + threadIdx.x;
  if (number >= p.n) return;
  R low = -norm * (1 + 4 * precision), high = norm * (1 + 4 * precision);
  for (int i = 0; i < MOST_HALVINGS && high - low > precision * norm / 2; i++) {
    const R middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    if (count_below(p, middle, least) > number)
      high = middle;
    else
      low = middle;
  }
  static_cast<R *>(p.values)[number] = low + (high - low) / 2;
}

cudaError_t launch_tridiagonal_values(queue q, trigon_type type, const tridiagonal *p) {
  const int64_t blocks = (p->n + VALUE_THREADS - 1) / VALUE_THREADS;
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    return launch_kernel(q, registered<values_kernel<R>, VALUE_THREADS * sizeof(R)>(), blocks, VALUE_THREADS, *p);
  });
}

/* --------------------------------------------------------------------------------------------------- leaves -- */

enum { NORM_THREADS = TG_TILE(32, 256), LEAF_THREADS = 32 };

/* Scales T to a norm near 1, then cuts it into the leaves: one block. */
template <class R> __global__ void __launch_bounds__(NORM_THREADS) cut_kernel(leaf_problems p) {
  R *d = static_cast<R *>(p.d), *e = static_cast<R *>(p.e), most = 0;
  for (int64_t i = threadIdx.x; i < p.n; i += NORM_THREADS) {
    if (magnitude(d[i]) > most) most = magnitude(d[i]);
    if (i + 1 < p.n && magnitude(e[i]) > most) most = magnitude(e[i]);
  }
  most = block_largest<NORM_THREADS>(most, tg_shared<R>());
  const R power = static_cast<R>(power_for(static_cast<double>(most), sizeof(R) == sizeof(float)));
  for (int64_t i = threadIdx.x; i < p.n; i += NORM_THREADS) {
    d[i] *= power;
    if (i + 1 < p.n) e[i] *= power;
  }
  if (threadIdx.x == 0) *static_cast<R *>(p.scale) *= power;
  __syncthreads();
  for (int64_t i = 1 + threadIdx.x; i < INT64_C(1) << p.level; i += NORM_THREADS) {
    const int64_t row = block_begin(p.n, p.level, i);
    const R off = magnitude(e[row - 1]);
    d[row - 1] -= off, d[row] -= off; /* a leaf has two rows or more, so that no two cuts meet */
  }
}

/* A thread has a row of the leaf's vectors in shared memory. All threads compute the same rotations. */
template <class R> __global__ void __launch_bounds__(LEAF_THREADS) leaves_kernel(leaf_problems p) {
  enum { stride = LEAF_THREADS + 1 };
  R *row = tg_shared<R>() + threadIdx.x, d[most_leaf_rows], e[most_leaf_rows];
  const int64_t first = block_begin(p.n, p.level, blockIdx.x), n = block_begin(p.n, p.level, blockIdx.x + 1) - first;
  const int t = static_cast<int>(threadIdx.x);
  for (int64_t i = 0; i < n; i++) {
    d[i] = static_cast<const R *>(p.d)[first + i], e[i] = static_cast<const R *>(p.e)[first + i];
    row[i * stride] = i == t ? 1 : 0;
  }
  const int64_t failed = secular<R>::solve(n, d, e, row, stride);
  __syncthreads(); /* all have read */
  if (t == 0 && failed > 0) tg_atomic_min(p.failure, static_cast<unsigned long long>(failed));
  if (t >= n) return;
  static_cast<R *>(p.d)[first + t] = d[t];
  p.order[first + t] = t;
  for (int64_t j = 0; j < n; j++) static_cast<R *>(p.Z)[first + t + (first + j) * p.ldz] = row[j * stride];
}

cudaError_t launch_tridiagonal_leaves(queue q, trigon_type type, const leaf_problems *p) {
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    cudaError_t error = launch_kernel(q, registered<cut_kernel<R>, NORM_THREADS * sizeof(R)>(), 1, NORM_THREADS, *p);
    if (error != cudaSuccess) return error;
    return launch_kernel(q, registered<leaves_kernel<R>, most_leaf_rows *(LEAF_THREADS + 1) * sizeof(R)>(),
                         INT64_C(1) << p->level, LEAF_THREADS, *p);
  });
}
