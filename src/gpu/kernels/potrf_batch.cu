/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders. Each matrix has a block of threads, in shared memory if the matrix fits
 * (batch_strips.h). Larger ones are factored by tiles: doubles on matrix units by several blocks (batch_panels.h),
 * otherwise by one block, with the tiles of the dataflow leaf (potrf_tiles.h). The launch of the smallest matrices
 * looks at all of them, and puts the others into a queue (batch_queue.h). */
#include <type_traits>

#include "batch_queue.h"
#include "batch_strips.h"
#include "launch.h"
#include "potrf_tiles.h"
#if TG_MATRIX_UNITS
#include "batch_panels.h"
#endif

/* A launch behind the first one: the bins first .. end - 1. */
struct class_task {
  batch_task batch;
  batch_queue queue;
  int launch = 0, first = 0, end = 0;
  bool last = false; /* of the call */

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

/* Calls factor(A, n), which returns info, for the matrices that the block takes from the queue. */
template <class T, class Factor>
__device__ inline void each_of_queue(const class_task &t, unsigned *word, Factor factor_one) {
  for (;;) {
    const int64_t i = t.queue.take(t.launch, t.first, t.end, word);
    if (i < 0) break;
    const int64_t info = factor_one(t.member<T>(i), t.order(i));
    if (threadIdx.x == 0) t.batch.of.info[i] = info;
  }
  if (t.last) t.queue.empty(word);
}

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) resident_batch_kernel(class_task t) {
  using T = typename G::T;
  if constexpr (has_code<G::UNITS>()) {
    auto &shared = *tg_shared<block_place<typename G::place>>();
    each_of_queue<T>(t, &shared.word, [&](const matrix<T> &A, int64_t n) {
      return factor_resident<G>(shared.of, A, static_cast<int>(n));
    });
  }
}

/* A block that takes all tiles of a matrix needs more registers than one that takes a tile. */
template <class G> constexpr int large_resident() { return G::RESIDENT > 2 ? G::RESIDENT - 1 : 2; }

/* One block takes all tiles of a matrix. */
template <class G, bool UNITS>
__global__ void __launch_bounds__(G::THREADS, large_resident<G>()) large_batch_kernel(class_task t) {
  using T = typename G::T;
  if constexpr (has_code<UNITS>()) {
    each_of_queue<T>(t, G::shared().words, [&](const matrix<T> &A, int64_t n) {
      const unsigned tiles = static_cast<unsigned>((n + G::ORDER - 1) / G::ORDER);
      int64_t info = 0;
      each_sole_place<G::TALL>(tiles, [&](const sole_place &place) {
        potrf_pair<G>(A, n, tiles, place, [&](int64_t column) { info = info > 0 ? info : column + 1; });
      });
      return info;
    });
  }
}

#if TG_MATRIX_UNITS
template <class Layouts> __global__ void __launch_bounds__(panel_units::THREADS, 2) panel_batch_kernel(class_task t) {
  if constexpr (has_code<true>()) {
    auto &shared = *tg_shared<panel_units::workspace>();
    const batch_queue &q = t.queue;
    const matrix_batch &b = t.batch.of;
    const auto share = [&](int64_t i) {
      factor_tiles<Layouts>(shared, t.member<double>(i), t.order(i), q.taken(i), q.done(i), &b.info[i]);
    };
    const unsigned all = q.helped(t.first, t.end);
    const auto at = [&](unsigned place) { return q.matrix_at((place + blockIdx.x) % all, t.first, t.end, false); };
    for (;;) {
      const int64_t i = q.take(t.launch, t.first, t.end, &shared.word);
      if (i < 0) break;
      share(i);
    }
    for (unsigned place = 0; place < all; place++) {
      place = tg_first_below([&](unsigned p) { return q.done(at(p)); },
                             [&](unsigned p) { return tile_order(t.order(at(p))).all(); }, place, all, &shared.vote);
      if (place < all) share(at(place));
    }
    q.empty(&shared.word);
  }
}
#endif

/* ------------------------------------------------------------------------------------------------ launches -- */

/* On the simulated GPU a block takes several matrices early. */
static int64_t at_most(int64_t blocks, int64_t most) { return least(least(blocks, most), TG_TILE(3, INT64_MAX)); }

/* The launches of a call, from the lowest class on. */
struct class_launches {
  enum { MULTIPROCESSORS = 256 }; /* or less. Blocks without a place wait, and find nothing left to do */
  queue q;
  class_task task;
  int64_t done = 0; /* the orders up to this one are */
  cudaError_t error = cudaSuccess;

  /* Whether there may be matrices of orders above n. */
  bool goes_beyond(int64_t n) const {
    const int64_t most = q.load || task.batch.of.max_n == 0 ? INT64_MAX : task.batch.of.max_n;
    return most > n;
  }

  template <class G> void first() {
    const auto kernel = first_batch_kernel<G>;
    const int64_t blocks = at_most(task.batch.of.count, blocks_for(INT64_MAX, G::THREADS));
    launch(kernel, blocks, G::THREADS, sizeof(block_place<typename G::place>));
    task.launch = 0, task.end = 0, done = G::ORDER;
  }
  /* The orders up to `order`, by blocks of which so many share a multiprocessor. `shares`: several blocks may share a
   * matrix. */
  void next(void (*kernel)(class_task), int64_t order, int resident, int threads, size_t shared, bool shares = false) {
    task.first = task.end;
    while (task.end < BATCH_BINS && bin_end(task.end) <= order) task.end++;
    task.last = !goes_beyond(order);
    const int64_t blocks = resident * MULTIPROCESSORS;
    if (goes_beyond(done)) launch(kernel, at_most(shares ? blocks : task.batch.of.count, blocks), threads, shared);
    task.launch++, done = order;
  }
  void launch(void (*kernel)(class_task), int64_t blocks, int threads, size_t shared) {
    if (error == cudaSuccess)
      error = q.load ? tg_load(kernel, shared) : tg_launch(q.stream, kernel, blocks, threads, shared, task);
  }

  template <class G, bool UNITS> void large() {
    next(large_batch_kernel<G, UNITS>, INT64_MAX, large_resident<G>(), G::THREADS, sizeof(typename G::workspace));
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
    if (l.q.units) return l.large<potrf_pair_tile, true>();
#endif
  l.large<potrf_portable<T>, false>();
}
#if TG_MATRIX_UNITS
/* The same for doubles on matrix units. */
static void launch_unit_classes(class_launches &l) {
  using G = panel_units;
  l.first<packed_strips<double, ORDER_32, true>>();
  l.resident<double, ORDER_64, true>(), l.resident<double, ORDER_128, true>();
  const class_launches before = l;
  const bool upper = l.task.batch.uplo == TRIGON_UPPER;
  l.error = launch_layouts<UNIT_ALIKE>(l.q, upper, upper, [&](auto layouts) {
    class_launches last = before;
    last.next(panel_batch_kernel<decltype(layouts)>, INT64_MAX, 2, G::THREADS, sizeof(G::workspace), true);
    return last.error;
  });
}
#endif

static cudaError_t launch_round(queue q, trigon_type type, const class_task &task) {
  class_launches l = {q, task};
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
#if TG_MATRIX_UNITS
    if constexpr (std::is_same<T, double>::value) {
      if (q.units) return launch_unit_classes(l), l.error;
    }
#endif
    launch_classes<T>(l);
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
    const batch_queue lists = {s->words.flags, s->words.arrived, static_cast<unsigned *>(s->space), count};
    class_task task = {};
    task.batch = *b, task.batch.of = part_of(&b->of, at, count), task.queue = lists;
    error = launch_round(q, type, task);
    at += count;
  }
  if (error != cudaSuccess) /* the lists are not empty */
    (void)cudaMemsetAsync(s->words.flags, 0, batch_queue::WORDS * sizeof(unsigned), q.stream);
  return error;
}
