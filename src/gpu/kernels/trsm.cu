/* trsm.cu - the leaf kernel of TRSM: a block of threads takes a slab of B's columns through all of L. In a batch,
 * matrices with few columns have a kernel of their own. */
#include "batch_members.h"
#include "few_columns.h"
#include "triangular_step.h"

/* Solves for one slab of matrix b. */
template <class T>
__device__ inline void solve_slab(typename leaf<T>::workspace &shared, const triangular &t, int64_t b, int64_t slab) {
  using G = leaf<T>;
  const matrix<T> L = matrix_of<T>(t.L, b), B = matrix_of<T>(t.B, b);
  const T alpha = element_of<T>(t.alpha);
  for (int64_t i = 0; i < t.n; i += G::ORDER)
    solve_step<T>(shared, L, B, t.unit, alpha, i, least(i + G::ORDER, t.n), slab * G::WIDTH, t.width);
}

template <class T> __device__ inline int64_t slabs_of(const triangular &t) {
  return (t.width + leaf<T>::WIDTH - 1) / leaf<T>::WIDTH;
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trsm_kernel(triangular t) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  const int64_t slabs = slabs_of<T>(t);
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x) solve_slab<T>(shared, t, at / slabs, at % slabs);
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trsm_batch_kernel(member_task t) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  const trigon_op op = t.batch.op;
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const triangular p = triangular_of<T>(t.batch, op, i);
    if (few_columns<T>::at_a_time(p.n, p.width) > 0) return;
    for (int64_t slab = first; slab < slabs_of<T>(p); slab += step) {
      solve_slab<T>(shared, p, 0, slab);
      if (t.batch.twice) solve_slab<T>(shared, triangular_of<T>(t.batch, adjoint_of(op), i), 0, slab);
    }
  });
}

template <class T>
__global__ void __launch_bounds__(few_columns<T>::THREADS, few_columns<T>::RESIDENT)
    trsm_few_batch_kernel(member_task t) {
  using G = few_columns<T>;
  auto &shared = *tg_shared<typename G::workspace>();
  const trigon_op op = t.batch.op;
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const triangular p = triangular_of<T>(t.batch, op, i);
    const int some = p.n > 0 && p.width > 0 ? G::at_a_time(p.n, p.width) : 0;
    if (some == 0) return;
    const triangular q = triangular_of<T>(t.batch, adjoint_of(op), i), *second = t.batch.twice ? &q : nullptr;
    for (int64_t j = first * some; j < p.width; j += step * some) {
      if (some == 1)
        solve_columns<1, T>(shared, p, second, j);
      else if (some == G::SOME)
        solve_columns<G::SOME, T>(shared, p, second, j);
      else
        solve_columns<G::MANY, T>(shared, p, second, j);
    }
  });
}

cudaError_t launch_trsm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<leaf<T>>(q, trsm_kernel<T>, t);
  });
}

cudaError_t launch_trsm_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using G = few_columns<T>;
    const cudaError_t error = launch_members<G>(q, trsm_few_batch_kernel<T>, sizeof(typename G::workspace), t, true);
    if (error != cudaSuccess) return error;
    return launch_members<leaf<T>>(q, trsm_batch_kernel<T>, sizeof(typename leaf<T>::workspace), t, true);
  });
}
