/* info_block.cu - info on the device: zeros on a diagonal, and what becomes of a call's failure; and a delay in the stream. */
#include "launch.h"
#include "operand.h"

/* A thread to each element, which is a cache line of its own: long diagonals need many threads. */
enum { DIAGONAL_THREADS = 64 };

template <class T> __global__ void zero_diagonal_kernel(square p) {
  const int64_t tiles = (p.n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS;
  for (int64_t at = blockIdx.x; at < tiles * p.count; at += gridDim.x) {
    const int64_t b = at / tiles, i = at % tiles * DIAGONAL_THREADS + threadIdx.x;
    if (i < p.n && is_zero(*matrix_of<T>(p.A, b).at(i, i)))
      tg_atomic_min(p.failure, static_cast<unsigned long long>(p.first + b * p.step + i + 1));
  }
}

template <class T> static cudaError_t launch(queue q, const square *p) {
  if (q.load) return tg_load(zero_diagonal_kernel<T>);
  const int64_t tiles = (p->n + DIAGONAL_THREADS - 1) / DIAGONAL_THREADS;
  if (tiles * p->count == 0) return cudaSuccess;
  return tg_launch(q.stream, zero_diagonal_kernel<T>, blocks_for(tiles * p->count, DIAGONAL_THREADS), DIAGONAL_THREADS,
                   0, *p);
}

cudaError_t launch_zero_diagonal(queue q, trigon_type type, const square *p) {
  return with_type(type, [&](auto zero) { return launch<decltype(zero)>(q, p); });
}

__global__ static void outcome_kernel(outcome o) {
  const int64_t info = *o.failure == no_failure ? 0 : static_cast<int64_t>(*o.failure);
  *o.failure = no_failure;
  if (o.info)
    *o.info = info;
  else if (*o.kept == 0)
    *o.kept = info;
}

cudaError_t launch_outcome(queue q, const outcome *o) {
  return q.load ? tg_load(outcome_kernel) : tg_launch(q.stream, outcome_kernel, 1, 1, 0, *o);
}

__global__ static void vendor_info_kernel(vendor_info p) {
  const unsigned long long column = static_cast<unsigned long long>(p.column) + static_cast<unsigned>(*p.info);
  if (*p.info > 0 && column < *p.failure) *p.failure = column;
}

cudaError_t launch_vendor_info(queue q, const vendor_info *p) {
  return q.load ? tg_load(vendor_info_kernel) : tg_launch(q.stream, vendor_info_kernel, 1, 1, 0, *p);
}

__global__ static void delay_kernel(delay p) {
  const unsigned long long begun = tg_nanoseconds();
  while (tg_nanoseconds() - begun < p.nanoseconds) {
  }
}

cudaError_t launch_delay(queue q, const delay *p) {
  return q.load ? tg_load(delay_kernel) : tg_launch(q.stream, delay_kernel, 1, 1, 0, *p);
}
