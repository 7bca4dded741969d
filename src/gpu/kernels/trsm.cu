/* trsm.cu - the leaf kernel of TRSM: a block of threads takes a slab of B's columns through all of L. In a batch,
 * matrices with few columns have a kernel of their own. */
#include "batch_members.h"
#include "few_columns.h"
#include "triangular_step.h"

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

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trsm_kernel(triangular t) {
  using G = leaf<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  const int64_t slabs = slabs_of<G>(t);
  for (int64_t at = blockIdx.x; at < slabs * t.count; at += gridDim.x) solve_slab<G>(shared, t, at / slabs, at % slabs);
}

/* --------------------------------------------------------------------------------------------------- batches -- */

/* The kernels of a batch, by the number of columns. POSV has solved small matrices with few columns already. */
enum batch_width { SOLVED, VERY_FEW, FEW, MANY };
template <class T> __device__ inline batch_width width_of(const batch_task &task, const triangular &t) {
  if (t.n <= task.done && t.width <= posv_columns) return SOLVED;
  if (few_columns<T>::takes(t.n, t.width)) return VERY_FEW;
  return t.width <= narrow_leaf<T>::WIDTH ? FEW : MANY;
}

/* Takes the matrices of this width. */
template <class G, batch_width WIDTH, int RESIDENT>
__global__ void __launch_bounds__(G::THREADS, RESIDENT) trsm_batch_kernel(member_task t) {
  using T = typename G::T;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  const trigon_op op = t.batch.op;
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const triangular p = triangular_of<T>(t.batch, op, i);
    if (width_of<T>(t.batch, p) != WIDTH) return;
    for (int64_t slab = first; slab < slabs_of<G>(p); slab += step)
#pragma unroll 1
      for (int turn = 0; turn < (t.batch.twice ? 2 : 1); turn++) /* one copy of the code for both */
        solve_slab<G>(shared, triangular_of<T>(t.batch, turn == 0 ? op : adjoint_of(op), i), 0, slab);
  });
}

template <class T>
__global__ void __launch_bounds__(few_columns<T>::THREADS, few_columns<T>::RESIDENT)
    trsm_few_batch_kernel(member_task t) {
  using G = few_columns<T>;
  auto &shared = *tg_shared<typename G::workspace>();
  const trigon_op op = t.batch.op;
  t.each([&](int64_t i, int64_t first, int64_t) {
    const triangular p = triangular_of<T>(t.batch, op, i);
    if (width_of<T>(t.batch, p) != VERY_FEW || p.n == 0 || p.width == 0 || first > 0) return;
    few_solves<T> solves = {};
    solves.n = static_cast<int>(p.n), solves.width = static_cast<int>(p.width), solves.twice = t.batch.twice;
    solves.L[0] = matrix_of<T>(p.L, 0).as(FULL, p.unit), solves.B = matrix_of<T>(p.B, 0);
    if (t.batch.twice) solves.L[1] = matrix_of<T>(triangular_of<T>(t.batch, adjoint_of(op), i).L, 0).as(FULL, p.unit);
    solves.alpha = element_of<T>(p.alpha);
    if (p.width == 1)
      solve_columns<1, T>(shared, solves);
    else
      solve_columns<G::MOST_COLUMNS, T>(shared, solves);
  });
}

cudaError_t launch_trsm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<leaf<T>>(q, trsm_kernel<T>, t);
  });
}

template <class G, batch_width WIDTH, int RESIDENT> static cudaError_t launch_width(queue q, const batch_task *t) {
  return launch_members<G>(q, trsm_batch_kernel<G, WIDTH, RESIDENT>, sizeof(typename G::workspace), t, true);
}

cudaError_t launch_trsm_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using G = few_columns<T>;
    static_assert(posv_columns == narrow_leaf<T>::WIDTH && static_cast<int>(G::MOST_COLUMNS) <= posv_columns,
                  "what POSV leaves has many columns");
    const bool only_many = !q.load && t->done > 0 && most_order(&t->of) <= t->done;
    cudaError_t error = cudaSuccess;
    if (!only_many) error = launch_members<G>(q, trsm_few_batch_kernel<T>, sizeof(typename G::workspace), t, false);
    if (!only_many && error == cudaSuccess) error = launch_width<narrow_leaf<T>, FEW, 4>(q, t);
    if (error == cudaSuccess) error = launch_width<leaf<T>, MANY, 1>(q, t);
    return error;
  });
}
