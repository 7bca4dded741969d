/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders. Each matrix has a block of threads, in shared memory if the matrix fits
 * (batch_strips.h). Larger ones are factored by tiles, by one block or by several (batch_share.h): doubles on matrix
 * units have tiles of their own (batch_panels.h), the others have those of the dataflow leaf (batch_pairs.h). The
 * launch of the smallest matrices looks at all of them, and puts the others into a queue (batch_queue.h). */
#include <type_traits>

#include "batch_pairs.h"
#include "batch_strips.h"
#include "launch.h"
#if TG_MATRIX_UNITS
#include "batch_panels.h"
#endif

/* A launch behind the first one: the bins first .. end - 1. */
struct class_task {
  batch_task batch;
  batch_queue queue;
  int launch = 0, first = 0, end = 0;

  __device__ int64_t order(int64_t i) const { return size_at(&batch.of.n, i); }

  template <class T> __device__ matrix<T> member(int64_t i) const {
    const int64_t ld = ld_at(&batch.of.A, i);
    const bool lower = batch.uplo == TRIGON_LOWER;
    return {static_cast<T *>(address_at(&batch.of.A, i)), lower ? 1 : ld, lower ? ld : 1, false, LOWER, false};
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
      const int64_t fault = b.is_checked ? b.info[i] : entry_fault(&b, i, sizeof(T));
      const int64_t order = fault == 0 ? t.order(i) : 0, n = order > t.batch.done ? order : 0;
      if (n > G::ORDER) {
        t.queue.append(i, n, &shared.word);
        if (threadIdx.x == 0) b.info[i] = 0;
      } else if (n > 0) {
        const int64_t info = factor_resident<G>(shared.of, t.member<T>(i), static_cast<int>(n));
        if (threadIdx.x == 0) b.info[i] = info;
      } else if (!b.is_checked && threadIdx.x == 0) { /* all threads have read a checked info, perhaps only now */
        b.info[i] = fault;
      }
    }
  }
}

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) resident_batch_kernel(class_task t) {
  using T = typename G::T;
  if constexpr (has_code<G::UNITS>()) {
    auto &shared = *tg_shared<block_place<typename G::place>>();
    for (;;) {
      const int64_t i = t.queue.take(t.launch, t.first, t.end, &shared.word).i;
      if (i < 0) break;
      const int64_t info = factor_resident<G>(shared.of, t.member<T>(i), static_cast<int>(t.order(i)));
      if (threadIdx.x == 0) t.batch.of.info[i] = info;
    }
    t.queue.empty(&shared.word);
  }
}

/* Blocks share the matrices by tiles. There is one copy of the code of a tile, because it has many instructions. */
template <class Tiles>
__global__ void __launch_bounds__(Tiles::THREADS, Tiles::RESIDENT) shared_batch_kernel(class_task t) {
  using T = typename Tiles::T;
  if constexpr (has_code<Tiles::UNITS>()) {
    const auto tiles_of = [&](int64_t i) {
      return static_cast<unsigned>((t.order(i) + Tiles::ORDER - 1) / Tiles::ORDER);
    };
    batch_turns turns(t.queue, t.launch, t.first, t.end);
    for (;;) {
      const batch_queue::entry turn = turns.next([&](int64_t i) { return typename Tiles::order(tiles_of(i)).all(); },
                                                 Tiles::word(), &Tiles::shared().vote);
      if (turn.i < 0) break;
      const matrix<T> A = t.member<T>(turn.i);
      const int64_t n = t.order(turn.i);
      tile_share<typename Tiles::order> share(t.queue, turn, tiles_of(turn.i), Tiles::word());
      Tiles tiles;
      while (share.take()) {
        /* The diagonal tiles follow each other, so that the first column that fails is recorded first. */
        tiles.take(A, n, share, [&](int64_t column) {
          int64_t *const info = &t.batch.of.info[turn.i];
          if (tg_load_fresh(info) == 0) *info = column + 1;
        });
        share.finish();
      }
    }
    t.queue.empty(Tiles::word());
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* On the simulated GPU a block takes several matrices early. */
static int64_t at_most(int64_t blocks) { return least(blocks, TG_TILE(3, INT64_MAX)); }

/* The launches of a call, from the lowest class on. The first launch fills the queue. The others run beside each other,
 * the largest matrices first, so that the blocks of one class fill the places that another class leaves idle. On an
 * H200, batches of doubles of uniform orders up to 256 take 0.965 ms, and 1.04 ms without this; up to 128 0.250 and
 * 0.271; of skewed orders up to 256 0.1185 and 0.126; up to 128 0.063 and 0.072. */
struct class_launches {
  enum { MULTIPROCESSORS = 256, MOST = 3 }; /* or less. Blocks without a place wait, and find nothing left to do */
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

  template <class Tiles> void large() {
    next(shared_batch_kernel<Tiles>, INT64_MAX, Tiles::RESIDENT, Tiles::THREADS, sizeof(typename Tiles::workspace),
         true);
  }
  template <class T, int ORDER, bool UNITS> void resident() {
    using G = packed_strips<T, ORDER, UNITS>;
    next(resident_batch_kernel<G>, ORDER, G::RESIDENT, G::THREADS, sizeof(block_place<typename G::place>));
  }
};

/* The launches for matrices of type T. GPUs with matrix units have room for larger matrices in shared memory. If there
 * may be large floats, those up to 64 have no launch of their own: four launches are enough. */
template <class T> static void launch_classes(class_launches &l) {
  constexpr bool IS_FLOAT = sizeof(T) == sizeof(float);
  l.first<packed_strips<T, ORDER_32, false>>();
  if (!IS_FLOAT || l.q.load || !l.q.units || !l.goes_beyond(ORDER_128)) l.resident<T, ORDER_64, false>();
  if (IS_FLOAT || l.q.units) l.resident<T, ORDER_128, false>();
  if constexpr (IS_FLOAT)
    if (l.q.units) l.resident<T, ORDER_256, false>();
#if TG_MATRIX_UNITS
  if constexpr (std::is_same<T, pair<double>>::value)
    if (l.q.units) return l.large<pair_tiles<potrf_pair_tile, true>>();
#endif
  l.large<pair_tiles<potrf_portable<T>, false>>();
}
#if TG_MATRIX_UNITS
/* The same for doubles on matrix units. */
static void launch_unit_classes(class_launches &l) {
  l.first<packed_strips<double, ORDER_32, true>>();
  l.resident<double, ORDER_64, true>(), l.resident<double, ORDER_128, true>();
  const bool upper = l.task.batch.uplo == TRIGON_UPPER;
  l.error = launch_layouts<UNIT_ALIKE>(l.q, upper, upper, [&](auto layouts) {
    l.large<panel_tiles<decltype(layouts)>>();
    return l.error;
  });
}
#endif

static cudaError_t launch_round(queue q, trigon_type type, const class_task &task) {
  class_launches l = {q, task};
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
#if TG_MATRIX_UNITS
    if constexpr (std::is_same<T, double>::value) {
      if (q.units) return launch_unit_classes(l), l.end(), l.error;
    }
#endif
    launch_classes<T>(l);
    l.end();
    return l.error;
  });
}

/* In rounds, as many matrices at once as the lists have room for. */
cudaError_t launch_potrf_batch(queue q, trigon_type type, const batch_task *b, const flow_setup *s) {
  if (q.load) return launch_round(q, type, {});
  const int64_t room = s->space_bytes / (batch_queue::WORDS_OF_MATRIX * static_cast<int64_t>(sizeof(unsigned)));
  const bool needs_lists = b->of.max_n == 0 || b->of.max_n > ORDER_32;
  const int64_t most = needs_lists ? least(room, TG_TILE(40, INT32_MAX)) : INT64_MAX;
  cudaError_t error = cudaSuccess;
  for (int64_t at = 0; error == cudaSuccess && at < b->of.count;) {
    const int64_t count = least(b->of.count - at, most);
    const batch_queue lists = {s->words.flags, s->words.arrived, static_cast<unsigned *>(s->space), count, 0};
    class_task task = {};
    task.batch = *b, task.batch.of = part_of(&b->of, at, count), task.queue = lists;
    error = launch_round(q, type, task);
    at += count;
  }
  if (error != cudaSuccess) { /* the lists are not empty, and some blocks of the call may have arrived */
    (void)cudaMemsetAsync(s->words.flags, 0, batch_queue::WORDS * sizeof(unsigned), q.stream);
    (void)cudaMemsetAsync(s->words.arrived, 0, sizeof(unsigned), q.stream);
  }
  return error;
}
