/* trsm.cu - the leaf kernel of TRSM: a block of threads takes a slab of B's columns through all of L. In a batch,
 * problems with few columns have kernels of their own (batch_solve.h, batch_column.h). */
#include <type_traits>

#include "batch_column.h"
#include "batch_members.h"
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
enum batch_width { SOLVED, ONE, VERY_FEW, FEW, MANY };
enum { very_few_columns = 4 };

/* Up to this order one warp solves for one column. A block is faster if elements are complex. */
template <class T> __host__ __device__ constexpr int64_t warp_order() {
  return std::is_same<T, real_of<T>>::value ? TG_TILE(40, 512) : 0;
}

template <class T> __device__ inline batch_width width_of(const batch_task &task, const triangular &t) {
  if (t.n <= task.done && t.width <= posv_columns) return SOLVED;
  if (t.width == 1 && t.n <= warp_order<T>()) return ONE;
  return t.width <= very_few_columns ? VERY_FEW : t.width <= posv_columns ? FEW : MANY;
}

/* Calls solve(problem) with A's triangle, and then with its adjoint if the task asks for both. */
template <class T, class Solve> __device__ inline void solve_turns(const batch_task &task, int64_t i, Solve solve) {
#pragma unroll 1
  for (int turn = 0; turn < (task.twice ? 2 : 1); turn++) { /* one copy of the code for both */
    const triangular p = triangular_of<T>(task, turn == 0 ? task.op : adjoint_of(task.op), i);
    solve(solve_problem<T>{matrix_of<T>(p.L, 0).as(LOWER, p.unit), matrix_of<T>(p.B, 0), element_of<T>(p.alpha), p.n,
                           static_cast<int>(p.width)});
  }
}
template <class G> __device__ inline void solve_few(typename G::workspace &shared, const batch_task &task, int64_t i) {
  using T = typename G::T;
  solve_turns<T>(task, i, [&](const solve_problem<T> &p) { solve_columns<G>(shared, p); });
}

/* Takes the matrices with one column that a warp each solves. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) trsm_column_batch_kernel(member_task t) {
  using T = typename G::T;
  auto &shared = *tg_shared<typename G::workspace>();
  t.each([&](int64_t i, int64_t, int64_t) {
    const triangular p = triangular_of<T>(t.batch, t.batch.op, i);
    if (width_of<T>(t.batch, p) != ONE || p.n == 0) return;
    solve_turns<T>(t.batch, i, [&](const solve_problem<T> &one) { solve_column<G>(shared, one); });
  });
}

/* Takes the matrices of this width: G those with at most G::COLS columns, and Wide the others. */
template <class G, class Wide> union few_workspace {
  typename G::workspace narrow;
  typename Wide::workspace wide;
  __device__ few_workspace() {}
};
template <class G, class Wide, batch_width WIDTH>
__global__ void __launch_bounds__(Wide::THREADS, Wide::RESIDENT) trsm_few_batch_kernel(member_task t) {
  using T = typename G::T;
  if constexpr (has_code<Wide::UNITS>()) {
    auto &shared = *tg_shared<few_workspace<G, Wide>>();
    t.each([&](int64_t i, int64_t, int64_t) {
      const triangular p = triangular_of<T>(t.batch, t.batch.op, i);
      if (width_of<T>(t.batch, p) != WIDTH || p.n == 0 || p.width == 0) return;
      if (p.width <= G::COLS)
        solve_few<G>(shared.narrow, t.batch, i);
      else if constexpr (static_cast<int>(G::COLS) < static_cast<int>(Wide::COLS))
        solve_few<Wide>(shared.wide, t.batch, i);
    });
  }
}

/* Takes the matrices with many columns. Often there are none: so the threads of a block look at one matrix each, and
 * the block goes on if none of these has many columns. */
template <class G> struct many_workspace {
  typename G::workspace slab;
  unsigned long long vote;
  __device__ many_workspace() {}
};
template <class T> __device__ inline bool is_many(const batch_task &task, int64_t i) {
  if (task.of.info && task.of.info[i] != 0) return false;
  return width_of<T>(task, triangular_of<T>(task, task.op, i)) == MANY;
}
template <class G> __global__ void __launch_bounds__(G::THREADS) trsm_batch_kernel(member_task t) {
  using T = typename G::T;
  auto &shared = *tg_shared<many_workspace<G>>();
  const int64_t end = t.batch.of.count * t.share, blocks = gridDim.x;
  for (int64_t at = blockIdx.x; at < end; at += blocks * G::THREADS) {
    const int64_t mine = at + blocks * threadIdx.x;
    if (!tg_any(mine < end && is_many<T>(t.batch, mine / t.share), &shared.vote)) continue;
    for (int64_t next = at; next < end && next < at + blocks * G::THREADS; next += blocks) {
      const int64_t i = next / t.share;
      if (!is_many<T>(t.batch, i)) continue;
      const int64_t slabs = slabs_of<G>(triangular_of<T>(t.batch, t.batch.op, i));
      for (int64_t slab = next % t.share; slab < slabs; slab += t.share)
#pragma unroll 1
        for (int turn = 0; turn < (t.batch.twice ? 2 : 1); turn++) { /* one copy of the code for both */
          const trigon_op op = turn == 0 ? t.batch.op : adjoint_of(t.batch.op);
          solve_slab<G>(shared.slab, triangular_of<T>(t.batch, op, i), 0, slab);
        }
    }
  }
}

cudaError_t launch_trsm(queue q, trigon_type type, const triangular *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_slabs<leaf<T>>(q, trsm_kernel<T>, t);
  });
}

template <class G, class Wide, batch_width WIDTH> static cudaError_t launch_few(queue q, const batch_task *t) {
  return launch_members<Wide>(q, trsm_few_batch_kernel<G, Wide, WIDTH>, sizeof(few_workspace<G, Wide>), t, false);
}

/* Whether there may be matrices with more than `above` columns, and at most `most`. The host knows the number of
 * columns if all matrices have the same. */
static bool may_have(const batch_task *t, int64_t above, int64_t most) {
  const batch_operand &B = t->of.B;
  const batch_size *width = sizes_named(&t->of, t->side == TRIGON_LEFT ? B.cols : B.rows);
  return width->of || (width->all > above && width->all <= most);
}

/* The same for orders. No order is above max_n if that is known. */
static bool may_have_orders(const batch_task *t, int64_t above, int64_t most) {
  const batch_size *order = sizes_named(&t->of, t->of.A.rows);
  if (!order->of) return order->all > above && order->all <= most;
  return order != &t->of.n || t->of.max_n == 0 || t->of.max_n > above;
}

/* Adds the launches for up to posv_columns columns. */
template <class T, bool UNITS> static void add_few(launches_beside &beside, const batch_task *t) {
  using G = batch_solve<T, UNITS ? 16 : posv_columns, UNITS>;
  const bool all = beside.q.load;
  if (all || may_have(t, very_few_columns, posv_columns))
    beside.add([&](queue q) { return launch_few<G, G, FEW>(q, t); });
  if constexpr (warp_order<T>() > 0)
    if (all || (may_have(t, 0, 1) && may_have_orders(t, 0, warp_order<T>())))
      beside.add([&](queue q) {
        using C = column_solve<T>;
        return launch_members<C>(q, trsm_column_batch_kernel<C>, sizeof(typename C::workspace), t, false);
      });
  if (all || may_have(t, may_have_orders(t, warp_order<T>(), INT64_MAX) ? 0 : 1, very_few_columns))
    beside.add([&](queue q) {
      return launch_few<batch_solve<T, 1, false>, batch_solve<T, very_few_columns, false>, VERY_FEW>(q, t);
    });
}

cudaError_t launch_trsm_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    constexpr bool HAS_UNITS = TG_MATRIX_UNITS && std::is_same<T, double>::value;
    const bool only_many = !q.load && t->done > 0 && most_order(&t->of) <= t->done;
    launches_beside beside(q, !only_many && t->of.A.at);
    if (q.load || may_have(t, posv_columns, INT64_MAX))
      beside.add([&](queue at) {
        return launch_members<leaf<T>>(at, trsm_batch_kernel<leaf<T>>, sizeof(many_workspace<leaf<T>>), t, true,
                                       only_many);
      });
    if (!only_many) HAS_UNITS &&q.units ? add_few<T, HAS_UNITS>(beside, t) : add_few<T, false>(beside, t);
    return beside.end();
  });
}
