/* tridiagonal.cu - kernels for a real tridiagonal matrix: its eigenvalues by bisection, and the leaves of divide and
 * conquer by QL iterations. */
#include "block_sum.h"
#include "common/eigen/divide.h"
#include "common/eigen/scale_rule.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "secular_functions.h"
#include "sturm_rows.h"

enum {
  NORM_THREADS = TG_TILE(32, 256), /* of the block that looks at all of T */
  MOST_LANES = 8,                  /* threads of an eigenvalue: they look at so many points at once */
  VALUE_THREADS = 64,              /* few in a block, so that small matrices have many blocks */
  VALUE_ROWS = TG_TILE(24, 2048),  /* of a piece of T in shared memory: smaller matrices are loaded once */
  BUSY_THREADS =
      TG_TILE(256, 132 * 4 * 64) /* two warps for each scheduler: with more of them fewer points are faster */
};
static_assert(VALUE_ROWS % COUNTED_TOGETHER == 0, "pieces are whole groups of rows");

/* After the rounds an interval is as short as after those of sturm_count.h. Each divides it by LANES + 1. */
template <int LANES> struct value_rounds;
template <> struct value_rounds<1> {
  enum { OF_FLOAT = 29, OF_DOUBLE = 54 };
};
template <> struct value_rounds<2> {
  enum { OF_FLOAT = 18, OF_DOUBLE = 34 };
};
template <> struct value_rounds<4> {
  enum { OF_FLOAT = 13, OF_DOUBLE = 24 };
};
template <> struct value_rounds<8> {
  enum { OF_FLOAT = 9, OF_DOUBLE = 17 };
};
template <class R, int LANES>
constexpr int rounds_of = sizeof(R) == sizeof(float) ? int{value_rounds<LANES>::OF_FLOAT}
                                                     : int{value_rounds<LANES>::OF_DOUBLE};

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

/* A block's rows of T. All threads call `load` together. */
struct value_rows {
  sturm_row of[VALUE_ROWS];

  template <class R> __device__ void load(const tridiagonal &p, int64_t first, int rows) {
    const R *const d = static_cast<const R *>(p.d), *const e = static_cast<const R *>(p.e);
    __syncthreads(); /* nobody reads the rows before any more */
    for (int i = static_cast<int>(threadIdx.x); i < rows; i += VALUE_THREADS) {
      const double off = first + i > 0 ? static_cast<double>(e[first + i - 1]) : 0;
      of[i] = {static_cast<double>(d[first + i]), off * off};
    }
    __syncthreads();
  }
};

/* How many eigenvalues are below the thread's point. If T is one piece, it is loaded already. */
template <class R> __device__ static int64_t count_below_point(const tridiagonal &p, value_rows &shared, double x) {
  sturm_minors minors;
  for (int64_t first = 0; first < p.n; first += VALUE_ROWS) {
    const int rows = static_cast<int>(p.n - first < VALUE_ROWS ? p.n - first : int64_t{VALUE_ROWS});
    if (p.n > VALUE_ROWS) shared.load<R>(p, first, rows);
    minors.count(shared.of, rows, x);
  }
  return minors.changes;
}

/* The lanes of an eigenvalue look at points that divide its interval evenly. The number of eigenvalues below a point
 * ascends with the point, so that the first lane whose point has more than `number` below it ends the new interval. All
 * threads of a block go through equally many rounds. */
template <class R, int LANES> __global__ void __launch_bounds__(VALUE_THREADS) values_kernel(tridiagonal p) {
  value_rows &shared = *tg_shared<value_rows>();
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int first = static_cast<int>(threadIdx.x) % tg_warp() - lane;
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * VALUE_THREADS + threadIdx.x;
  const int64_t number = p.first + (thread / LANES < p.count ? thread / LANES : p.count - 1);
  double low = -values_end, high = values_end;
  if (p.n <= VALUE_ROWS) shared.load<R>(p, 0, static_cast<int>(p.n));
  for (int round = 0; round < rounds_of<R, LANES>; round++) {
    const double step = (high - low) / (LANES + 1);
    const int above = count_below_point<R>(p, shared, low + step * (lane + 1)) > number;
    int ends = LANES; /* the first lane whose point is above the eigenvalue */
    for (int i = LANES - 1; i >= 0; i--)
      if (tg_shuffle(above, first + i)) ends = i;
    high = ends < LANES ? low + step * (ends + 1) : high;
    low = ends > 0 ? low + step * ends : low;
  }
  const bool is_zero = static_cast<const R *>(p.scale)[2] == 0; /* of the zero matrix no value is a roundoff */
  if (lane == 0 && thread / LANES < p.count)
    static_cast<R *>(p.values)[number] = is_zero ? 0 : static_cast<R>(low + (high - low) / 2);
}

/* With as many lanes as keep the GPU busy, and no more. */
template <class R, int LANES> static cudaError_t launch_values(queue q, const tridiagonal &p) {
  if constexpr (LANES > 1)
    if (p.count * LANES > BUSY_THREADS) return launch_values<R, LANES / 2>(q, p);
  const int64_t blocks = (p.count * LANES + VALUE_THREADS - 1) / VALUE_THREADS;
  return launch_kernel(q, registered<values_kernel<R, LANES>, sizeof(value_rows)>(), blocks, VALUE_THREADS, p);
}

cudaError_t launch_tridiagonal_values(queue q, trigon_type type, const tridiagonal *p) {
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    const cudaError_t error =
        launch_kernel(q, registered<scale_kernel<R>, NORM_THREADS * sizeof(R)>(), 1, NORM_THREADS, *p);
    return error == cudaSuccess ? launch_values<R, MOST_LANES>(q, *p) : error;
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
