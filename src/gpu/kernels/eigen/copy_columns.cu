/* copy_columns.cu - kernels that copy columns, in an order or with zeros in place of a triangle, and values. */
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"

enum { COPY_COLUMN_THREADS = TG_TILE(32, 256) };

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

template <class R> __global__ void __launch_bounds__(COPY_COLUMN_THREADS) store_values_kernel(stored_values p) {
  const R of_matrix = static_cast<const R *>(p.scale)[0], of_tridiagonal = static_cast<const R *>(p.scale)[1];
  const int64_t threads = static_cast<int64_t>(gridDim.x) * COPY_COLUMN_THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * COPY_COLUMN_THREADS + threadIdx.x; i < p.n; i += threads)
    static_cast<R *>(p.to)[i] =
        static_cast<const R *>(p.d)[p.order ? p.order[p.first + i] : p.first + i] / of_tridiagonal / of_matrix;
}

cudaError_t launch_store_values(queue q, trigon_type type, const stored_values *p) {
  const int64_t blocks = (p->n + COPY_COLUMN_THREADS - 1) / COPY_COLUMN_THREADS;
  if (blocks == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<store_values_kernel<real_of<decltype(zero)>>>(),
                         blocks_for(blocks, COPY_COLUMN_THREADS), COPY_COLUMN_THREADS, *p);
  });
}
