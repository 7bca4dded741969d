/* batch_classes.h - the launches of a batched routine whose kernels take classes of orders: POTRF, TRTRI and POTRI.
 *
 * The launch of the smallest matrices looks at all of them, and puts the others into a queue (batch_queue.h). Each of
 * the next launches takes one class of orders from the queue.
 *
 * A kernel of matrices in shared memory is made from a geometry G, which has ORDER, THREADS, RESIDENT (blocks on a
 * multiprocessor), UNITS (whether only GPUs with matrix units have it), T, `place` (the shared memory), and
 *
 *   run(place, batch_task, i, A, n)     computes matrix i, the lower triangle A of order n; returns its info. All
 *                                       threads of the block call this. Ends with a barrier */
#ifndef TRIGON_BATCH_CLASSES_H
#define TRIGON_BATCH_CLASSES_H

#include "batch_members.h"
#include "batch_queue.h"
#include "tile_gemm.h"

/* A launch behind the first one: the bins first .. end - 1. */
struct class_task {
  batch_task batch;
  batch_queue queue;
  int launch = 0, first = 0, end = 0;
  int64_t most = INT64_MAX; /* matrices of higher orders are not queued: the caller computes them */

  __device__ int64_t order(int64_t i) const { return size_at(&batch.of.n, i); }

  template <class T> __device__ matrix<T> member(int64_t i) const {
    const int64_t ld = ld_at(&batch.of.A, i);
    const bool lower = batch.uplo == TRIGON_LOWER;
    return {static_cast<T *>(address_at(&batch.of.A, i)), lower ? 1 : ld, lower ? ld : 1, false, LOWER, false};
  }

  /* Computes matrix i in shared memory. */
  template <class G> __device__ void run(typename G::place &place, int64_t i) const {
    const int64_t info = G::run(place, batch, i, member<typename G::T>(i), static_cast<int>(order(i)));
    if (threadIdx.x == 0) batch.of.info[i] = info;
  }
};

/* ------------------------------------------------------------------------------------------------- kernels -- */

/* The shared memory of a block. */
template <class Place> struct block_place {
  Place of;
  unsigned word;
  __device__ block_place() {}
};

/* Each block has a matrix. Tells of wrong entries, and queues the matrices of higher classes if there may be some. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) first_batch_kernel(class_task t) {
  using T = typename G::T;
  if constexpr (has_code<G::UNITS>()) {
    auto &shared = *tg_shared<block_place<typename G::place>>();
    const matrix_batch &b = t.batch.of;
    for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
      read_entries(b, i);
      const int64_t fault = b.is_checked ? b.info[i] : entry_fault(&b, i, sizeof(T));
      const int64_t order = fault == 0 ? t.order(i) : 0, n = order > t.batch.done ? order : 0;
      if (n > G::ORDER) {
        if (n <= t.most) t.queue.append(i, n, &shared.word);
        if (threadIdx.x == 0) b.info[i] = 0;
      } else if (n > 0) {
        t.template run<G>(shared.of, i);
      } else if (!b.is_checked && threadIdx.x == 0) { /* all threads have read a checked info, perhaps only now */
        b.info[i] = fault;
      }
    }
  }
}

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) resident_batch_kernel(class_task t) {
  if constexpr (has_code<G::UNITS>()) {
    auto &shared = *tg_shared<block_place<typename G::place>>();
    for (;;) {
      const int64_t i = t.queue.take(t.launch, t.first, t.end, &shared.word);
      if (i < 0) break;
      t.template run<G>(shared.of, i);
    }
    t.queue.empty(&shared.word);
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* On the simulated GPU a block takes several matrices early. */
inline int64_t at_most(int64_t blocks) { return least(blocks, TG_TILE(3, INT64_MAX)); }

/* The launches of a call, from the lowest class on. The first launch fills the queue. The others run beside each other,
 * the largest matrices first, so that the blocks of one class fill the places that another class leaves idle. On an
 * H200, batches of doubles of uniform orders up to 256 take 0.965 ms, and 1.04 ms without this; up to 128 0.250 and
 * 0.271; of skewed orders up to 256 0.1185 and 0.126; up to 128 0.063 and 0.072. */
struct class_launches {
  enum { MULTIPROCESSORS = 256, MOST = 4 }; /* or less. Blocks without a place wait, and find nothing left to do */
  struct pending {
    void (*kernel)(class_task);
    int64_t blocks;
    int threads;
    size_t shared;
    class_task task;
  };
  queue q;
  class_task task;
  int64_t done = 0; /* the orders up to this one are */
  cudaError_t error = cudaSuccess;
  pending later[MOST] = {};
  int count = 0;

  /* Whether there may be matrices of orders above n. */
  bool goes_beyond(int64_t n) const {
    const int64_t most = q.load || task.batch.of.max_n == 0 ? INT64_MAX : task.batch.of.max_n;
    return most > n;
  }
  /* Whether there may be matrices of orders up to n. */
  bool goes_below(int64_t n) const { return q.load || task.batch.of.n.of || task.batch.of.n.all <= n; }

  template <class G> void first() {
    const auto kernel = first_batch_kernel<G>;
    const int64_t blocks = at_most(blocks_for(task.batch.of.count, G::THREADS));
    launch(kernel, blocks, G::THREADS, sizeof(block_place<typename G::place>));
    task.launch = 0, task.end = 0, done = G::ORDER;
  }
  /* The same. If there are no matrices above the order of Tiny, more of them share a multiprocessor. */
  template <class Tiny, class Small> void first_of() {
    const bool tiny = !goes_beyond(Tiny::ORDER);
    if (q.load || tiny) first<Tiny>();
    if (q.load || !tiny) first<Small>();
  }
  /* The orders up to `order`, by blocks of which so many share a multiprocessor. `shares`: several blocks may share a
   * matrix. */
  void next(void (*kernel)(class_task), int64_t order, int resident, int threads, size_t shared, bool shares = false) {
    if (q.load) return launch(kernel, 0, threads, shared);
    task.first = task.end;
    while (task.end < BATCH_BINS && bin_end(task.end) <= order) task.end++;
    const int64_t most = resident * MULTIPROCESSORS;
    if (goes_beyond(done) && goes_below(order))
      later[count++] = {kernel, at_most(shares ? most : least(task.batch.of.count, most)), threads, shared, task};
    task.launch++, done = order;
  }
  void launch(void (*kernel)(class_task), int64_t blocks, int threads, size_t shared) {
    if (error == cudaSuccess)
      error = q.load ? tg_load(kernel, shared) : tg_launch(q.stream, kernel, blocks, threads, shared, task);
  }
  /* Makes the launches behind the first one. */
  void end() {
    unsigned blocks = 0;
    for (int i = 0; i < count; i++) blocks += static_cast<unsigned>(later[i].blocks);
    if (error != cudaSuccess || count == 0) return;
    launches_beside beside(q, count > 1);
    for (int i = count - 1; i >= 0; i--)
      beside.add([&](queue at) {
        pending &p = later[i];
        p.task.queue.blocks = blocks;
        return tg_launch(at.stream, p.kernel, p.blocks, p.threads, p.shared, p.task);
      });
    error = beside.end();
  }

  /* `bin`: the end of the bins that have these orders. */
  template <class G> void resident(int64_t bin = G::ORDER) {
    next(resident_batch_kernel<G>, bin, G::RESIDENT, G::THREADS, sizeof(block_place<typename G::place>));
  }
};

/* Calls round(class_task) for the batch: in rounds, as many matrices at once as the lists have room for. Orders up to
 * `first`, those of the first launch, need no lists. */
template <class Round>
inline cudaError_t launch_rounds(queue q, const batch_task *b, const flow_setup *s, int64_t first, Round round) {
  const int64_t room = s->space_bytes / (batch_queue::WORDS_OF_MATRIX * static_cast<int64_t>(sizeof(unsigned)));
  const bool needs_lists = b->of.max_n == 0 || b->of.max_n > first;
  const int64_t most = needs_lists ? least(room, TG_TILE(40, INT32_MAX)) : INT64_MAX;
  cudaError_t error = cudaSuccess;
  for (int64_t at = 0; error == cudaSuccess && at < b->of.count;) {
    const int64_t count = least(b->of.count - at, most);
    const batch_queue lists = {s->words.flags, s->words.arrived, static_cast<unsigned *>(s->space), count, 0};
    class_task task = {};
    task.batch = *b, task.batch.of = part_of(&b->of, at, count), task.queue = lists;
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
