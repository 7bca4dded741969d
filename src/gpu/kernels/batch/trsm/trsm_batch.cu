/* trsm_batch.cu - TRSM of batches: matrices of any orders and numbers of columns, which only the device may know.
 *
 * A launch takes one class of problems, by the number of columns (batch_classes.h). Problems with few columns have
 * kernels of their own (solve_few_columns.h, solve_one_column.h). If the host knows the sizes, all problems are alike,
 * and there is one launch without a queue. */
#include "gpu/kernels/batch/batch_classes.h"
#include "gpu/kernels/step/trsm_slab.h"
#include "solve_one_column.h"

/* The class of a problem: the number of its row. The last row takes every problem (gpu_check_rows). POSV has solved
 * small matrices with few columns already. */
enum { SOLVED = -1 };
__host__ __device__ inline int class_of(const class_task &t, int64_t n, int64_t width) {
  if (n <= t.batch.done && width <= posv_columns) return SOLVED;
  int found = SOLVED;
  for (int c = MOST_WIDTH_CLASSES - 1; c >= 0; c--)
    if (width <= t.widths.most[c] && n <= t.widths.most_order[c]) found = c;
  return found;
}

struct width_lists {
  __device__ static int64_t order_at(const class_task &t, int64_t i) {
    return size_named(&t.batch.of, t.batch.of.A.rows, i);
  }
  __device__ static int64_t width_at(const class_task &t, int64_t i) {
    const matrix_batch &b = t.batch.of;
    return size_named(&b, t.batch.side == TRIGON_LEFT ? b.B.cols : b.B.rows, i);
  }
  /* Whether POSV does all that is to be done with matrix i. */
  __device__ static bool is_done(const class_task &t, int64_t i) {
    return class_of(t, order_at(t, i), width_at(t, i)) == SOLVED;
  }
  __device__ static void append(const class_task &t, int64_t i, int64_t) {
    const int64_t n = order_at(t, i), width = width_at(t, i);
    const int found = class_of(t, n, width);
    if (n == 0 || width == 0 || found < 0) return;
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
  static constexpr bool SHARES = false;
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
  static constexpr bool SHARES = false;
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
  static constexpr bool SHARES = true;
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
    each_of_class(t, G::SHARES ? t.widths.blocks : 1, &shared.word,
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

struct width_launches : class_launches {
  int present = 0;   /* the class that is added */
  int only = SOLVED; /* if there are no lists, no other class has matrices */

  template <class G> void add_class() {
    const bool listed = task.queue.lists != NULL;
    const int64_t matrices = task.batch.of.count,
                  share = G::SHARES ? (task.widths.blocks + matrices - 1) / matrices : 1;
    const int64_t all = blocks_for(matrices * share, G::THREADS), most = blocks_at_once<G>() * tg_multiprocessors();
    task.first = present * WIDTH_BINS, task.end = task.first + WIDTH_BINS;
    if (listed || present == only)
      add(class_row<trsm_batch_kernel<G>, block_workspace<typename G::workspace>, G::MMA>(),
          listed ? cap_blocks(least(all, most)) : all, G::THREADS);
    task.launch++;
  }
};
using width_kernel = kernel_entry<width_launches>;

template <class G> constexpr width_kernel kernel_of_width(const char *name, int64_t most) {
  return {{name, 0, most, G::MMA, false, true}, [](width_launches &l, const batch_class &) { l.add_class<G>(); }};
}
template <class T> using few_columns = batch_solve<T, posv_columns, false>;
template <class T> constexpr width_kernel few_kernel() {
  return kernel_of_width<few_class<few_columns<T>, few_columns<T>>>("few", posv_columns);
}
template <class T> constexpr width_kernel few_4_kernel() {
  return kernel_of_width<few_class<batch_solve<T, 1, false>, batch_solve<T, 4, false>>>("few-4", 4);
}
template <class T> constexpr width_kernel slabs_kernel() {
  return kernel_of_width<many_class<leaf<T>>>("slabs", INT64_MAX);
}

/* The kernels for matrices of type T. */
template <class T> struct trsm_kernels {
  static constexpr width_kernel all[3] = {few_4_kernel<T>(), few_kernel<T>(), slabs_kernel<T>()};
};
template <> struct trsm_kernels<float> {
  static constexpr width_kernel all[] = {kernel_of_width<column_class<column_solve<float>>>("one-column", 1),
                                         few_4_kernel<float>(), few_kernel<float>(), slabs_kernel<float>()};
};
template <> struct trsm_kernels<double> {
  using one = batch_solve<double, 1, false>;
  static constexpr width_kernel all[] = {
    kernel_of_width<column_class<column_solve<double>>>("one-column", 1),
    kernel_of_width<few_class<one, one>>("few-1", 1),
    few_4_kernel<double>(),
    few_kernel<double>(),
    slabs_kernel<double>(),
#if TG_HAS_MMA
    kernel_of_width<few_class<batch_solve<double, 16, true>, batch_solve<double, 16, true>>>("mma-16", 16),
#endif
  };
};

const batch_kernel *trsm_batch_kernel(trigon_type type, int at) {
  return with_type(type, [&](auto zero) { return all_of(trsm_kernels<decltype(zero)>::all).at(at); });
}

/* The rows of TRSM, and what kernels know of them. */
struct width_rows {
  const batch_class *row[MOST_CLASSES];
  int count;
  width_classes classes;

  explicit width_rows(queue q, trigon_type type) {
    count = gpu_choose_classes(rows_of(q, BATCH_TRSM, type), INT64_MAX, row);
    for (int c = 0; c < count; c++) {
      classes.most[c] = row[c]->most;
      classes.most_order[c] = row[c]->most_order == 0 ? INT64_MAX : row[c]->most_order;
    }
    classes.blocks = q.arch->limits->trsm_batch_blocks;
  }
};

/* The launches of all classes; `only`: see above. The last one begins first. If POSV has solved for few columns, only
 * matrices with many are left. */
template <class T> static cudaError_t launch_round(queue q, class_task task, const width_rows &rows, int only) {
  task.widths = rows.classes;
  width_launches l = {{q, task}};
  const bool few_are_solved = task.batch.done > 0 && most_order(&task.batch.of) <= task.batch.done;
  l.only = only;
  if (task.queue.lists) l.look<T, width_lists>();
  for (int i = 0; i < rows.count; i++) {
    l.present = i > 0 ? i - 1 : rows.count - 1; /* the widest ones are added first */
    const batch_class &row = *rows.row[l.present];
    if (!few_are_solved || row.most > posv_columns) all_of(trsm_kernels<T>::all).of(row).add(l, row);
  }
  l.end();
  return l.error;
}

/* The host knows the sizes. */
template <class T> static cudaError_t launch_alike(queue q, const batch_task *t, const width_rows &rows) {
  const int64_t n = order_of(t)->all, width = columns_of(t)->all;
  class_task task = {};
  task.batch = *t, task.widths = rows.classes;
  const int only = class_of(task, n, width);
  return n == 0 || width == 0 || only == SOLVED ? cudaSuccess : launch_round<T>(q, task, rows, only);
}

cudaError_t launch_trsm_batch(queue q, trigon_type type, const batch_task *t, const dataflow_setup *s) {
  const width_rows rows(q, type);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if (!order_of(t)->of && !columns_of(t)->of) return launch_alike<T>(q, t, rows);
    return launch_rounds(q, t, s, 0, [&](const class_task &task) { return launch_round<T>(q, task, rows, SOLVED); });
  });
}
