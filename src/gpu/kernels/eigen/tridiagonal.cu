/* tridiagonal.cu - kernels for a real tridiagonal matrix: its eigenvalues by bisection, and the leaves of divide and
 * conquer by QL iterations. */
#include "block_sum.h"
#include "common/eigen/divide.h"
#include "common/eigen/scale_rule.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "secular_functions.h"
#include "sturm_count.h"

enum {
  NORM_THREADS = TG_TILE(32, 256), /* of the block that looks at all of T */
  VALUE_LANES = 8,                 /* threads of an eigenvalue: they look at so many points at once */
  VALUE_THREADS = TG_TILE(64, 64)  /* few in a block, so that small matrices have many blocks */
};

template <class R>
constexpr int rounds_of = sizeof(R) == sizeof(float) ? 9 : 17; /* as rounds_alone, with more points */

/* Scales T to a norm of at most 1. The last element of e becomes zero. One block. */
template <class R> __global__ void __launch_bounds__(NORM_THREADS) scale_kernel(tridiagonal p) {
  R *d = static_cast<R *>(p.d), *e = static_cast<R *>(p.e), *scale = static_cast<R *>(p.scale), most = 0;
  for (int64_t i = threadIdx.x; i < p.n; i += NORM_THREADS) {
    const R before = i > 0 ? magnitude(e[i - 1]) : 0, behind = i + 1 < p.n ? magnitude(e[i]) : 0;
    const R size = magnitude(d[i]) + before + behind;
    if (!(size <= most)) most = size;
  }
  most = block_largest<NORM_THREADS>(most, tg_shared<R>());
  const R power = static_cast<R>(power_for(static_cast<double>(most), sizeof(R) == sizeof(float)));
  for (int64_t i = threadIdx.x; i < p.n; i += NORM_THREADS) {
    d[i] *= power;
    e[i] = i + 1 < p.n ? e[i] * power : 0;
  }
  if (threadIdx.x == 0) scale[1] = power, scale[2] = most;
}

/* The lanes of an eigenvalue look at points that divide its interval evenly. The number of eigenvalues below a point
 * ascends with the point, so that the first lane whose point has more than `number` below it ends the new interval. All
 * lanes of a warp go through equally many rounds. */
template <class R> __global__ void __launch_bounds__(VALUE_THREADS) values_kernel(tridiagonal p) {
  const int lane = static_cast<int>(threadIdx.x) % VALUE_LANES;
  const int first = static_cast<int>(threadIdx.x) % tg_warp() - lane;
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * VALUE_THREADS + threadIdx.x;
  const int64_t number = p.first + (thread / VALUE_LANES < p.count ? thread / VALUE_LANES : p.count - 1);
  double low = -values_end, high = values_end;
  for (int round = 0; round < rounds_of<R>; round++) {
    const double step = (high - low) / (VALUE_LANES + 1), point[1] = {low + step * (lane + 1)};
    int64_t below[1];
    count_below<1, R>(static_cast<const R *>(p.d), static_cast<const R *>(p.e), p.n, point, below);
    const int above = below[0] > number;
    int ends = VALUE_LANES; /* the first lane whose point is above the eigenvalue */
    for (int i = VALUE_LANES - 1; i >= 0; i--)
      if (tg_shuffle(above, first + i)) ends = i;
    high = ends < VALUE_LANES ? low + step * (ends + 1) : high;
    low = ends > 0 ? low + step * ends : low;
  }
  const bool is_zero = static_cast<const R *>(p.scale)[2] == 0; /* of the zero matrix no value is a roundoff */
  if (lane == 0 && thread / VALUE_LANES < p.count)
    static_cast<R *>(p.values)[number] = is_zero ? 0 : static_cast<R>(low + (high - low) / 2);
}

cudaError_t launch_tridiagonal_values(queue q, trigon_type type, const tridiagonal *p) {
  const int64_t blocks = (p->count * VALUE_LANES + VALUE_THREADS - 1) / VALUE_THREADS;
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    const cudaError_t error =
        launch_kernel(q, registered<scale_kernel<R>, NORM_THREADS * sizeof(R)>(), 1, NORM_THREADS, *p);
    if (error != cudaSuccess) return error;
    return launch_kernel(q, registered<values_kernel<R>>(), blocks, VALUE_THREADS, *p);
  });
}

/* --------------------------------------------------------------------------------------------------- leaves -- */

enum { LEAF_THREADS = 32 };

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
  if (threadIdx.x == 0) static_cast<R *>(p.scale)[1] = power;
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
  __syncthreads();                                                    /* all have read */
  if (t == 0 && failed > 0 && tg_load_fresh(p.failure) == no_failure) /* a NaN in A comes first */
    tg_atomic_min(p.failure, static_cast<unsigned long long>(failed));
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
