/* batch_classes.h - the launches of a batched routine whose kernels take classes of matrices: POTRF, TRSM, TRTRI and
 * POTRI.
 *
 * The first launch looks at all matrices, and puts them into a queue (batch_queue.h). Each of the next launches takes
 * one class from the queue. A class has some orders, or, in TRSM, some numbers of columns. If no matrix can be above
 * the lowest class, there is one launch without a queue.
 *
 * A kernel of matrices in shared memory is made from a geometry G, which has ORDER, THREADS, RESIDENT (blocks on a
 * multiprocessor), MMA (whether only GPUs with matrix units have it), T, `workspace` (the shared memory), and
 *
 *   run(shared, batch_task, i, A, n)    computes matrix i, the lower triangle A of order n; returns its info. All
 *                                       threads of the block call this. Ends with a barrier */
#ifndef TRIGON_BATCH_CLASSES_H
#define TRIGON_BATCH_CLASSES_H

#include "batch_kernels.h"
#include "batch_queue.h"
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/products/tile_gemm.h"

/* TRSM: the classes of widths, as rows give them. */
struct width_classes {
  int64_t most[MOST_WIDTH_CLASSES] = {};       /* the largest width */
  int64_t most_order[MOST_WIDTH_CLASSES] = {}; /* the largest order */
  int64_t blocks = 0;                          /* several blocks share a matrix if there are fewer than this */
};

/* A launch behind the first one: the bins first .. end - 1. */
struct class_task {
  batch_task batch;
  batch_queue queue;
  int launch = 0, first = 0, end = 0;
  int64_t most = INT64_MAX; /* matrices of higher orders are not queued: the caller computes them */
  bool beside = false;      /* the launch ahead is POSV's, which uses no lists and has done most matrices */
  width_classes widths;

  __device__ int64_t order(int64_t i) const { return size_at(&batch.of.n, i); }

  template <class T> __device__ matrix<T> member(int64_t i) const {
    const int64_t ld = ld_at(&batch.of.A, i);
    const bool lower = batch.uplo == TRIGON_LOWER;
    return {static_cast<T *>(address_at(&batch.of.A, i)), lower ? 1 : ld, lower ? ld : 1, false, LOWER, false};
  }

  /* Computes matrix i in shared memory. */
  template <class G> __device__ TG_INLINE void run(typename G::workspace &shared, int64_t i) const {
    const int64_t info = G::run(shared, batch, i, member<typename G::T>(i), static_cast<int>(order(i)));
    if (threadIdx.x == 0) batch.of.info[i] = info;
  }
};

/* ------------------------------------------------------------------------------------------------- kernels -- */

/* The shared memory of a block. */
template <class Workspace> struct block_workspace {
  Workspace of;
  unsigned word;
  __device__ block_workspace() {}
};

/* What is wrong with the entries of matrix i, or 0, and its order, or 0 if nothing is to be computed. */
struct entry_check {
  int64_t fault, order;
  __device__ entry_check(const class_task &t, int64_t i, int element) {
    const matrix_batch &b = t.batch.of;
    read_entries(b, i);
    fault = !b.is_checked ? entry_fault(&b, i, element) : b.info ? b.info[i] : 0;
    order = fault == 0 ? t.order(i) : 0;
    if (order <= t.batch.done) order = 0;
  }
};

/* The lists of a routine whose classes are orders alone. */
struct order_lists {
  /* Whether POSV does all that is to be done with matrix i. */
  __device__ static bool is_done(const class_task &t, int64_t i) { return t.order(i) <= t.batch.done; }
  __device__ static void append(const class_task &t, int64_t i, int64_t order) {
    if (order > 0 && order <= t.most) t.queue.append(i, order);
  }
};

/* Each thread has a matrix. Stores the infos of wrong entries, and puts the matrices into the lists. Behind POSV the
 * launch may have begun early. Then it waits until POSV has ended; but if the lists are free already, only for matrices
 * that POSV leaves. */
enum { SORT_THREADS = TG_TILE(32, 128) };
template <class T, class Lists> __global__ void __launch_bounds__(SORT_THREADS) sort_batch_kernel(class_task t) {
  if (t.batch.done > 0 && !t.beside) tg_await_launches();
  if (!t.beside) tg_begin_next();
  const matrix_batch &b = t.batch.of;
  for (int64_t i = blockIdx.x * int64_t{SORT_THREADS} + threadIdx.x; i < b.count; i += gridDim.x * SORT_THREADS) {
    if (t.beside && Lists::is_done(t, i)) continue;
    if (t.beside) tg_await_launches();
    const entry_check found(t, i, sizeof(T));
    if (!b.is_checked) b.info[i] = found.fault; /* arrays have infos */
    if (found.fault == 0) Lists::append(t, i, found.order);
  }
  if (t.beside) tg_begin_next(); /* the blocks of the next launch shall not wait while POSV runs */
  t.queue.publish();
  if (t.beside && blockIdx.x == 0) tg_await_launches(); /* a launch ends behind those ahead */
}

/* Each block has a matrix. Stores the infos of wrong entries. There are no matrices of higher orders. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) first_batch_kernel(class_task t) {
  using T = typename G::T;
  if constexpr (has_code<G::MMA>()) {
    auto &shared = *tg_shared<block_workspace<typename G::workspace>>();
    const matrix_batch &b = t.batch.of;
    for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
      const entry_check found(t, i, sizeof(T));
      if (found.order > 0)
        t.template run<G>(shared.of, i);
      else if (!b.is_checked && threadIdx.x == 0) /* all threads have read a checked info, perhaps only now */
        b.info[i] = found.fault;
    }
  }
}

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) resident_batch_kernel(class_task t) {
  if constexpr (has_code<G::MMA>()) {
    auto &shared = *tg_shared<block_workspace<typename G::workspace>>();
    batch_matrices matrices = {t.queue, t.launch, t.first, t.end};
    for (bool any = t.queue.begin(t.first, t.end); any; matrices.advance(&shared.word)) {
      const int64_t i = matrices.present();
      if (i < 0) break;
      t.template run<G>(shared.of, i);
    }
    t.queue.finish(&shared.word);
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* The row of a kernel. MMA: only GPUs with matrix units have it. */
template <void (*KERNEL)(class_task), class Workspace, bool MMA> inline const kernel_of<class_task> &class_row() {
  return registered<KERNEL, sizeof(Workspace), (MMA ? NEEDS_MMA : 0)>();
}

/* Limits the blocks of a launch on the simulated GPU, so that a block takes several matrices also of small batches. */
inline int64_t cap_blocks(int64_t blocks) { return least(blocks, TG_TILE(3, INT64_MAX)); }

/* The launches of a call, from the lowest class on. The first launch fills the queue. The others run beside each other,
 * the largest matrices first, so that the blocks of one class fill the multiprocessors that another class leaves idle.
 * They begin early if they can, otherwise in several streams. A launch has as many blocks as find room at once. */
struct class_launches {
  struct class_launch {
    const kernel_of<class_task> *kernel;
    int64_t blocks;
    int threads;
    class_task task;

    cudaError_t begin(cudaStream_t stream, bool early) const {
      const auto make = early ? tg_launch_early<class_task> : tg_launch<class_task>;
      return make(stream, kernel->kernel, blocks, threads, kernel->shared, task);
    }
  };
  queue q;
  class_task task;
  int64_t done = 0; /* the orders up to this one are */
  cudaError_t error = cudaSuccess;
  class_launch launches[MOST_CLASSES + 1] = {}; /* the first one, and those behind */
  int count = 0;

  /* Whether there may be matrices of orders above n. */
  bool goes_beyond(int64_t n) const {
    const int64_t most = task.batch.of.max_n == 0 ? INT64_MAX : task.batch.of.max_n;
    return most > n;
  }
  /* Whether there may be matrices of orders up to n. */
  bool goes_below(int64_t n) const { return task.batch.of.n.of || task.batch.of.n.all <= n; }

  /* The launches of the rows that fit the batch. */
  template <class T> void add_all(const batch_class *rows, const kernel_list<class_launches> &kernels) {
    const batch_class *chosen[MOST_CLASSES];
    const int64_t largest = task.batch.of.max_n == 0 ? INT64_MAX : task.batch.of.max_n;
    const int classes = gpu_choose_classes(rows, largest, chosen);
    if (!chosen[0]->alone) look<T, order_lists>();
    for (int i = 0; i < classes; i++) kernels.of(*chosen[i]).add(*this, *chosen[i]);
  }
  /* The launch that fills the lists. */
  template <class T, class Lists> void look() {
    const int64_t blocks = (task.batch.of.count + SORT_THREADS - 1) / SORT_THREADS;
    add(registered<sort_batch_kernel<T, Lists>>(), cap_blocks(blocks), SORT_THREADS);
  }
  /* The orders up to `order`, by blocks of which so many share a multiprocessor. `shares`: several blocks may share a
   * matrix. */
  void next(const kernel_of<class_task> &k, int64_t order, int resident, int threads, bool shares = false) {
    task.first = task.end;
    while (task.end < BATCH_BINS && (task.end == 0 || bin_end(task.end - 1) < order)) task.end++;
    const int64_t most = resident * tg_multiprocessors();
    if (goes_beyond(done) && goes_below(order) && order > task.batch.done)
      add(k, cap_blocks(shares ? most : least(task.batch.of.count, most)), threads);
    task.launch++, done = order;
  }
  void add(const kernel_of<class_task> &k, int64_t blocks, int threads) {
    launches[count++] = {&k, blocks, threads, task};
  }
  /* Makes the launches. */
  void end() {
    if (error != cudaSuccess || count == 0) return;
    const bool early = tg_begins_early(q.has.early_launches, q.stream);
    unsigned blocks = 0;
    for (int i = count - 1; i >= 0; i--) { /* the lowest class is launched last */
      batch_queue &lists = launches[i].task.queue;
      lists.sorters = static_cast<unsigned>(launches[0].blocks), lists.arrives = i == 1 || (i > 1 && !early);
      if (lists.arrives) blocks += static_cast<unsigned>(launches[i].blocks);
    }
    for (class_launch &p : launches) p.task.queue.blocks = blocks;
    error = launches[0].begin(q.stream, early && count > 1 && task.batch.done > 0);
    if (error != cudaSuccess || count == 1) return;
    launches_beside beside(q, count > 2 && !early);
    for (int i = count - 1; i > 0; i--) beside.add([&](queue at) { return launches[i].begin(at.stream, early); });
    error = beside.end();
  }

  /* The launch of a row whose matrices are in shared memory. */
  template <class G> void resident(const batch_class &row) {
    if (row.alone)
      add(class_row<first_batch_kernel<G>, block_workspace<typename G::workspace>, G::MMA>(),
          cap_blocks(blocks_for(task.batch.of.count, G::THREADS)), G::THREADS);
    else
      next(class_row<resident_batch_kernel<G>, block_workspace<typename G::workspace>, G::MMA>(), row.most, G::RESIDENT,
           G::THREADS);
  }
};

using class_kernel = kernel_entry<class_launches>;

/* A kernel for matrices in shared memory; Upper: for upper triangles. */
template <class G, class Upper = G> constexpr class_kernel resident_kernel(const char *name) {
  return {{name, 0, G::ORDER, G::MMA || sizeof(block_workspace<typename G::workspace>) > TG_SHARED_MOST, true, true},
          [](class_launches &l, const batch_class &row) {
            l.task.batch.uplo == TRIGON_LOWER ? l.resident<G>(row) : l.resident<Upper>(row);
          }};
}

/* Calls round(class_task) for the batch: in rounds, as many matrices at once as the lists have room for. Batches of
 * orders up to `first` need no lists. */
template <class Round>
inline cudaError_t launch_rounds(queue q, const batch_task *b, const dataflow_setup *s, int64_t first, Round round) {
  const int64_t room = s->space_bytes / (batch_queue::WORDS_OF_MATRIX * static_cast<int64_t>(sizeof(unsigned)));
  const bool needs_lists = b->of.max_n == 0 || b->of.max_n > first;
  const int64_t most = needs_lists ? least(room, TG_TILE(40, INT32_MAX)) : INT64_MAX;
  cudaError_t error = cudaSuccess;
  for (int64_t at = 0; error == cudaSuccess && at < b->of.count;) {
    const int64_t count = least(b->of.count - at, most);
    const batch_queue lists = {s->words.flags, s->words.arrived, static_cast<unsigned *>(s->space), count, 0, 0, false};
    class_task task = {};
    task.batch = *b, task.batch.of = part_of(&b->of, at, count), task.queue = lists;
    task.beside = at == 0 && b->done > 0 && most_order(&b->of) <= b->done; /* then no POTRF is between */
    error = round(task);
    at += count;
  }
  if (error != cudaSuccess) { /* the lists are not empty, and some blocks of the call may have arrived */
    (void)cudaMemsetAsync(s->words.flags, 0, batch_queue::WORDS * sizeof(unsigned), q.stream);
    (void)cudaMemsetAsync(s->words.arrived, 0, sizeof(unsigned), q.stream);
  }
  return error;
}

#endif
