/* check_diagonal.cu - the kernel that finds the first exact zero on a diagonal. */
#include "gpu/kernels/launch.h"
#include "gpu/kernels/operand.h"

/* Each thread reads one element. Each element is in another cache line, so long diagonals need many threads. */
enum { DIAGONAL_THREADS = 64 };

template <class T> __global__ void check_diagonal_kernel(factor p) {
  const int64_t tiles = (p.n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS;
  for (int64_t at = blockIdx.x; at < tiles * p.count; at += gridDim.x) {
    const int64_t b = at / tiles, i = at % tiles * DIAGONAL_THREADS + threadIdx.x;
    if (i < p.n && is_zero(*matrix_of<T>(p.A, b).at(i, i)))
      tg_atomic_min(p.failure, static_cast<unsigned long long>(p.column + b * p.column_step + i + 1));
  }
}

template <class T> static cudaError_t launch(queue q, const factor *p) {
  const int64_t tiles = (p->n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS;
  if (tiles * p->count == 0) return cudaSuccess;
  return launch_kernel(q, registered<check_diagonal_kernel<T>>(), blocks_for(tiles * p->count, DIAGONAL_THREADS),
                       DIAGONAL_THREADS, *p);
}

cudaError_t launch_check_diagonal(queue q, trigon_type type, const factor *p) {
  return with_type(type, [&](auto zero) { return launch<decltype(zero)>(q, p); });
}
