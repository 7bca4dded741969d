/* copy_columns.cu - kernels that copy columns, in an order or with zeros in place of a triangle, and values; and the
 * order in which the values of an interval come first. */
#include "block_sum.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"

enum { COPY_COLUMN_THREADS = TG_TILE(32, 256), INTERVAL_THREADS = TG_TILE(32, 512) };

template <class T> __device__ static T loaded(const copied_columns &p, int64_t at) {
  using R = real_of<T>;
  if (p.from_real) return make(T{}, static_cast<const R *>(p.from)[at], R(0));
  return static_cast<const T *>(p.from)[at];
}

/* A block takes a part of a column. */
template <class T> __global__ void __launch_bounds__(COPY_COLUMN_THREADS) copy_columns_kernel(copied_columns p) {
  const int64_t parts = (p.rows + COPY_COLUMN_THREADS - 1) / COPY_COLUMN_THREADS;
  for (int64_t at = blockIdx.x; at < parts * p.cols; at += gridDim.x) {
    const int64_t i = at % parts * COPY_COLUMN_THREADS + threadIdx.x, j = at / parts;
    const int64_t source = p.order ? p.order[p.first + j] : p.first + j;
    if (i >= p.rows) continue;
    const bool is_zero = i < j - p.above || i > j + p.below;
    static_cast<T *>(p.to)[i + j * p.ld_to] = is_zero ? T{} : loaded<T>(p, i + source * p.ld_from);
  }
}

cudaError_t launch_copy_columns(queue q, trigon_type type, const copied_columns *p) {
  const int64_t blocks = (p->rows + COPY_COLUMN_THREADS - 1) / COPY_COLUMN_THREADS * p->cols;
  if (blocks == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<copy_columns_kernel<decltype(zero)>>(), blocks_for(blocks, COPY_COLUMN_THREADS),
                         COPY_COLUMN_THREADS, *p);
  });
}

/* Value i of the matrix, without its scale. */
template <class R> __device__ static R value_at(const void *d, const void *scale, int64_t i) {
  return static_cast<const R *>(d)[i] / static_cast<const R *>(scale)[1] / static_cast<const R *>(scale)[0];
}

template <class R> __global__ void __launch_bounds__(COPY_COLUMN_THREADS) store_values_kernel(stored_values p) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * COPY_COLUMN_THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * COPY_COLUMN_THREADS + threadIdx.x; i < p.n; i += threads)
    static_cast<R *>(p.to)[i] = value_at<R>(p.d, p.scale, p.order ? p.order[p.first + i] : p.first + i);
}

cudaError_t launch_store_values(queue q, trigon_type type, const stored_values *p) {
  const int64_t blocks = (p->n + COPY_COLUMN_THREADS - 1) / COPY_COLUMN_THREADS;
  if (blocks == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<store_values_kernel<real_of<decltype(zero)>>>(),
                         blocks_for(blocks, COPY_COLUMN_THREADS), COPY_COLUMN_THREADS, *p);
  });
}

/* One block counts the values that are not above the bounds. */
template <class R> __global__ void __launch_bounds__(INTERVAL_THREADS) choose_interval_kernel(chosen_interval p) {
  int64_t below = 0, inside = 0, all_below, all_inside;
  for (int64_t i = threadIdx.x; i < p.n; i += INTERVAL_THREADS) {
    const double value = static_cast<double>(value_at<R>(p.d, p.scale, i));
    below += value <= p.lower, inside += value > p.lower && value <= p.upper;
  }
  (void)block_before<INTERVAL_THREADS, false>(below, tg_shared<int64_t>(), &all_below);
  (void)block_before<INTERVAL_THREADS, false>(inside, tg_shared<int64_t>(), &all_inside);
  for (int64_t i = threadIdx.x; i < p.n; i += INTERVAL_THREADS) p.order[i] = (all_below + i) % p.n;
  if (threadIdx.x == 0 && p.found) *p.found = all_inside;
}

cudaError_t launch_choose_interval(queue q, trigon_type type, const chosen_interval *p) {
  return with_type(type, [&](auto zero) {
    constexpr size_t shared = INTERVAL_THREADS * sizeof(int64_t);
    return launch_kernel(q, registered<choose_interval_kernel<real_of<decltype(zero)>>, shared>(), 1, INTERVAL_THREADS,
                         *p);
  });
}

static __global__ void store_found_kernel(stored_found p) { *p.found = p.count; }

cudaError_t launch_store_found(queue q, const stored_found *p) {
  return launch_kernel(q, registered<store_found_kernel>(), 1, 1, *p);
}
