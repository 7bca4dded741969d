/* block_sum.h - sums, and largest values, of what the threads of a block have, or those before a thread. The order is
 * fixed. */
#ifndef TRIGON_BLOCK_SUM_H
#define TRIGON_BLOCK_SUM_H

#include "gpu/kernels/element.h"

/* Returns the sum to all threads of the block. `shared` has THREADS elements; THREADS is a power of two. */
template <int THREADS, class R> __device__ inline R block_sum(R x, R *shared) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = x;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) shared[t] += shared[t + half];
  }
  __syncthreads();
  const R sum = shared[0];
  __syncthreads();
  return sum;
}

/* The largest of numbers >= 0. A NaN stays. */
template <int THREADS, class R> __device__ inline R block_largest(R x, R *shared) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = x;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && !(shared[t + half] <= shared[t]) && shared[t] == shared[t]) shared[t] = shared[t + half];
  }
  __syncthreads();
  const R largest = shared[0];
  __syncthreads();
  return largest;
}

/* The sum of the numbers x >= 0 of the threads before this one, or their largest number. *all becomes that of all
 * threads. */
template <int THREADS, bool LARGEST> __device__ inline int64_t block_before(int64_t x, int64_t *shared, int64_t *all) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = x;
  __syncthreads();
  for (int step = 1; step < THREADS; step *= 2) {
    const int64_t mine = shared[t], other = t >= step ? shared[t - step] : 0;
    __syncthreads();
    shared[t] = !LARGEST ? mine + other : other > mine ? other : mine;
    __syncthreads();
  }
  const int64_t before = t > 0 ? shared[t - 1] : 0;
  *all = shared[THREADS - 1];
  __syncthreads();
  return before;
}

#endif
