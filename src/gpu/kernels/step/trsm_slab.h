/* trsm_slab.h - a solve for a slab of B's columns, by one block of threads. */
#ifndef TRIGON_TRSM_SLAB_H
#define TRIGON_TRSM_SLAB_H

#include "gpu/kernels/diagonal/triangular_step.h"

/* Solves for one slab of matrix b. */
template <class G>
__device__ inline void solve_slab(typename G::workspace &shared, const triangular &t, int64_t b, int64_t slab) {
  using T = typename G::T;
  const matrix<T> L = matrix_of<T>(t.L, b), B = matrix_of<T>(t.B, b);
  const T alpha = element_of<T>(t.alpha);
  for (int64_t i = 0; i < t.n; i += G::ORDER)
    solve_step<G>(shared, L, B, t.unit, alpha, i, least(i + G::ORDER, t.n), slab * G::WIDTH, t.width);
}

template <class G> __device__ inline int64_t slabs_of(const triangular &t) {
  return (t.width + G::WIDTH - 1) / G::WIDTH;
}

#endif
