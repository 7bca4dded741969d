/* trsm_batch.cu - TRSM of batches: matrices of any orders and numbers of columns, which only the device may know.
 *
 * A launch takes one class of problems, by the number of columns (batch_classes.h). Problems with few columns have
 * kernels of their own (solve_few_columns.h, solve_one_column.h). If the host knows the sizes, all problems are alike,
 * and there is one launch without a queue. */
#include <type_traits>

#include "gpu/kernels/batch/batch_classes.h"
#include "gpu/kernels/step/trsm_slab.h"
#include "solve_one_column.h"

/* The classes. POSV has solved small matrices with few columns already. */
enum batch_width { MANY, ONE, VERY_FEW, FEW, BATCH_WIDTHS, SOLVED };

/* MMA, here and below: T is double, and the GPU has matrix units. They take 0.504 ms for 16 columns, and threads take
 * 0.574 for 4 columns (H200, 5000 matrices, uniform orders up to 256). */
template <bool MMA> __host__ __device__ constexpr int very_few_columns() { return MMA ? 1 : 4; }

/* Up to this order one warp solves for one column. A block is faster if elements are complex. */
template <class T> __host__ __device__ constexpr int64_t warp_order() {
  return std::is_same<T, real_of<T>>::value ? TG_TILE(40, 512) : 0;
}

template <class T, bool MMA>
__host__ __device__ inline batch_width width_of(const batch_task &task, int64_t n, int64_t width) {
  if (n <= task.done && width <= posv_columns) return SOLVED;
  if (width == 1 && n <= warp_order<T>()) return ONE;
  return width <= very_few_columns<MMA>() ? VERY_FEW : width <= posv_columns ? FEW : MANY;
}

/* Each class has bins for its orders, so that the largest matrices are solved first. */
enum { WIDTH_BINS = BATCH_BINS / BATCH_WIDTHS };
__host__ __device__ constexpr int64_t width_bin_end(int bin) {
  switch (bin) {
  case 0: return ORDER_64;
  case 1: return ORDER_128;
  case 2: return TG_TILE(160, 192);
  default: return INT64_MAX;
  }
}
template <class T, bool MMA> struct width_lists {
  __device__ static int64_t order_at(const class_task &t, int64_t i) {
    return size_named(&t.batch.of, t.batch.of.A.rows, i);
  }
  __device__ static int64_t width_at(const class_task &t, int64_t i) {
    const matrix_batch &b = t.batch.of;
    return size_named(&b, t.batch.side == TRIGON_LEFT ? b.B.cols : b.B.rows, i);
  }
  /* Whether POSV does all that is to be done with matrix i. */
  __device__ static bool is_done(const class_task &t, int64_t i) {
    return width_of<T, MMA>(t.batch, order_at(t, i), width_at(t, i)) == SOLVED;
  }
  __device__ static void append(const class_task &t, int64_t i, int64_t) {
    const int64_t n = order_at(t, i), width = width_at(t, i);
    const batch_width found = width_of<T, MMA>(t.batch, n, width);
    if (n == 0 || width == 0 || found == SOLVED) return;
    int bin = found * WIDTH_BINS;
#pragma unroll
    for (int e = 0; e < WIDTH_BINS - 1; e++) bin += n > width_bin_end(e) ? 1 : 0;
    t.queue.put(i, bin);
  }
};

/* Calls work(matrix, part, parts) for the block's share of the matrices of a class: from the lists, or, without lists,
 * from all. Several blocks share a matrix if there are fewer than `blocks`. */
template <class Work>
__device__ inline void each_of_class(const class_task &t, int64_t blocks, unsigned *word, Work work) {
  const batch_queue &q = t.queue;
  const matrix_batch &b = t.batch.of;
  const bool listed = q.lists != NULL;
  if (listed && !q.begin(t.first, t.end)) return q.finish(word);
  const int64_t count = listed ? q.present(t.first, t.end) : b.count, share = (blocks + count - 1) / count;
  for (int64_t turn = blockIdx.x;; turn += gridDim.x) { /* one copy of the code of `work` */
    const int64_t at = listed ? tg_ticket(q.tickets(t.launch), word) : turn, index = at / share;
    if (at >= count * share) break;
    const int64_t i = listed ? q.matrix_at(static_cast<unsigned>(index), t.first, t.end) : index;
    if (listed || !b.info || b.info[i] == 0) work(i, at % share, share);
  }
  if (listed) q.finish(word);
}

/* ------------------------------------------------------------------------------------------------- kernels -- */

/* Calls solve(problem) with A's triangle, and then with its adjoint if the task asks for both. */
template <class T, class Solve> __device__ inline void solve_turns(const batch_task &task, int64_t i, Solve solve) {
#pragma unroll 1
  for (int turn = 0; turn < (task.twice ? 2 : 1); turn++) { /* one copy of the code for both */
    const triangular p = triangular_of<T>(task, turn == 0 ? task.op : adjoint_of(task.op), i);
    solve(solve_problem<T>{matrix_of<T>(p.L, 0).as(LOWER, p.unit), matrix_of<T>(p.B, 0), element_of<T>(p.alpha), p.n,
                           static_cast<int>(p.width)});
  }
}

/* The matrices with one column that a warp each solves. */
template <class G> struct column_class {
  using T = typename G::T;
  static constexpr int THREADS = G::THREADS, RESIDENT = G::RESIDENT;
  static constexpr bool MMA = false;
  static constexpr int64_t SHARED_BY = 1;
  using workspace = typename G::workspace;
  __device__ static void run(workspace &shared, const batch_task &t, int64_t i, int64_t, int64_t) {
    solve_turns<T>(t, i, [&](const solve_problem<T> &p) { solve_column<G>(shared, p); });
  }
};

/* Those with few columns: G solves for at most G::COLS columns, and Wide for more. */
template <class G, class Wide> struct few_class {
  using T = typename G::T;
  static constexpr int THREADS = Wide::THREADS, RESIDENT = Wide::RESIDENT;
  static constexpr bool MMA = Wide::MMA;
  static constexpr int64_t SHARED_BY = 1;
  union workspace {
    typename G::workspace narrow;
    typename Wide::workspace wide;
    __device__ workspace() {}
  };
  __device__ static void run(workspace &shared, const batch_task &t, int64_t i, int64_t, int64_t) {
    const matrix_batch &b = t.of;
    if (size_named(&b, t.side == TRIGON_LEFT ? b.B.cols : b.B.rows, i) <= G::COLS)
      solve_turns<T>(t, i, [&](const solve_problem<T> &p) { solve_columns<G>(shared.narrow, p); });
    else if constexpr (static_cast<int>(G::COLS) < static_cast<int>(Wide::COLS))
      solve_turns<T>(t, i, [&](const solve_problem<T> &p) { solve_columns<Wide>(shared.wide, p); });
  }
};

/* Those with many columns: several blocks take the slabs of a matrix in turn, if there are few matrices. */
template <class G> struct many_class {
  using T = typename G::T;
  static constexpr int THREADS = G::THREADS, RESIDENT = 1;
  static constexpr bool MMA = false;
  static constexpr int64_t SHARED_BY = 1024; /* blocks that keep a GPU busy */
  using workspace = typename G::workspace;
  __device__ static void run(workspace &shared, const batch_task &t, int64_t i, int64_t part, int64_t parts) {
    const int64_t slabs = slabs_of<G>(triangular_of<T>(t, t.op, i));
    for (int64_t slab = part; slab < slabs; slab += parts)
#pragma unroll 1
      for (int turn = 0; turn < (t.twice ? 2 : 1); turn++) { /* one copy of the code for both */
        const trigon_op op = turn == 0 ? t.op : adjoint_of(t.op);
        solve_slab<G>(shared, triangular_of<T>(t, op, i), 0, slab);
      }
  }
};

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) trsm_batch_kernel(class_task t) {
  if constexpr (has_code<G::MMA>()) {
    auto &shared = *tg_shared<block_workspace<typename G::workspace>>();
    each_of_class(t, G::SHARED_BY, &shared.word,
                  [&](int64_t i, int64_t part, int64_t parts) { G::run(shared.of, t.batch, i, part, parts); });
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* Sizes of the batch that are the same for all matrices, or arrays. */
static const batch_size *order_of(const batch_task *t) { return sizes_named(&t->of, t->of.A.rows); }
static const batch_size *columns_of(const batch_task *t) {
  return sizes_named(&t->of, t->side == TRIGON_LEFT ? t->of.B.cols : t->of.B.rows);
}

/* The kernel for many columns may use all registers, so that more blocks run at once than its bounds say. */
template <class G> constexpr int64_t blocks_at_once() { return G::RESIDENT > 1 ? G::RESIDENT : 4; }

/* The launch of a class. `only`: no other class has matrices, if there are no lists. */
template <class G> static void add_class(class_launches &l, batch_width width, batch_width only) {
  const bool listed = l.task.queue.lists != NULL;
  const int64_t count = l.task.batch.of.count, share = (G::SHARED_BY + count - 1) / count;
  const int64_t all = blocks_for(count * share, G::THREADS), most = blocks_at_once<G>() * tg_multiprocessors();
  l.task.first = width * WIDTH_BINS, l.task.end = l.task.first + WIDTH_BINS;
  if (listed || width == only)
    l.add(class_row<trsm_batch_kernel<G>, block_workspace<typename G::workspace>, G::MMA>(),
          listed ? cap_blocks(least(all, most)) : all, G::THREADS);
  l.task.launch++;
}

/* Those of all classes; `only`: see above. The last one begins first. If POSV has solved for few columns, only matrices
 * with many are left. */
template <class T, bool MMA> static void add_classes(class_launches &l, batch_width only) {
  using few = batch_solve<T, MMA ? 16 : posv_columns, MMA>;
  const batch_task &t = l.task.batch;
  add_class<many_class<leaf<T>>>(l, MANY, only);
  if (t.done > 0 && most_order(&t.of) <= t.done) return;
  if constexpr (warp_order<T>() > 0) add_class<column_class<column_solve<T>>>(l, ONE, only);
  add_class<few_class<batch_solve<T, 1, false>, batch_solve<T, very_few_columns<MMA>(), false>>>(l, VERY_FEW, only);
  add_class<few_class<few, few>>(l, FEW, only);
}

template <class T, bool MMA> static void add_launches(class_launches &l, batch_width only) {
  if (l.task.queue.lists) l.look<T, width_lists<T, MMA>>();
  add_classes<T, MMA>(l, only);
}
template <class T> constexpr bool has_mma() { return TG_HAS_MMA && std::is_same<T, double>::value; }

template <class T> static cudaError_t launch_round(queue q, const class_task &task, batch_width only) {
  class_launches l = {q, task};
  const bool mma = has_mma<T>() && q.has.fp64_mma;
  if (!mma) add_launches<T, false>(l, only);
  if constexpr (has_mma<T>())
    if (mma) add_launches<T, true>(l, only);
  l.end();
  return l.error;
}

/* The host knows the sizes. */
template <class T> static cudaError_t launch_alike(queue q, const batch_task *t) {
  const int64_t n = order_of(t)->all, width = columns_of(t)->all;
  const batch_width only =
      has_mma<T>() && q.has.fp64_mma ? width_of<T, true>(*t, n, width) : width_of<T, false>(*t, n, width);
  if (n == 0 || width == 0 || only == SOLVED) return cudaSuccess;
  class_task task = {};
  task.batch = *t;
  return launch_round<T>(q, task, only);
}

cudaError_t launch_trsm_batch(queue q, trigon_type type, const batch_task *t, const dataflow_setup *s) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if (!order_of(t)->of && !columns_of(t)->of) return launch_alike<T>(q, t);
    return launch_rounds(q, t, s, 0, [&](const class_task &task) { return launch_round<T>(q, task, SOLVED); });
  });
}
