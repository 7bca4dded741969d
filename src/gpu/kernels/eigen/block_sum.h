/* block_sum.h - sums, and largest values, of what the threads of a block have, in a fixed order. */
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

#endif
