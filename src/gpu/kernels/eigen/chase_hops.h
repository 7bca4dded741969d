/* chase_hops.h - what the two kernels of bulge chasing share: rows on lanes, and elements of the band. */
#ifndef TRIGON_CHASE_HOPS_H
#define TRIGON_CHASE_HOPS_H

#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"
#include "householder.h"

/* Chases by hops that stay (chase_hops.cu), if all of them are resident at once; *done says whether. */
template <class T> cudaError_t launch_chase_hops(queue, const chased_band &, bool *done);

/* Threads of a group, which are lanes of one warp, have the rows of the same columns. */
__device__ static inline int row_of_thread() { return static_cast<int>(threadIdx.x) % band_width; }
__device__ static inline int part_of_thread() { return static_cast<int>(threadIdx.x) / band_width; }

/* Element i of a vector whose elements the lanes of a group have. */
template <class T> __device__ inline T of_lane(T x, int i) {
  return shuffle(x, static_cast<int>(threadIdx.x) % tg_warp() / band_width * band_width + i);
}

/* The sum over a group, the same bits in each lane. */
template <class T> __device__ inline T group_sum(T x) {
  const int lane = static_cast<int>(threadIdx.x) % tg_warp();
#pragma unroll
  for (int step = 1; step < band_width; step *= 2) x = add(x, shuffle(x, lane ^ step));
  return x;
}

/* Element (i, j) of the lower triangle. */
template <class T> __device__ inline T lower_element(const chased_band &p, int64_t i, int64_t j) {
  const T *A = static_cast<const T *>(p.A);
  const T x = p.lower ? A[i + j * p.ld] : conjugate(A[j + i * p.ld]);
  return i == j ? only_real(x) : x;
}

#endif
