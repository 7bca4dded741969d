/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders (batch_classes.h). Each matrix has a block of threads, in shared memory if the
 * matrix fits (small_smem.h). Larger ones are factored by tiles, by one block or by several (batch_share.h): doubles
 * and floats on matrix units have tiles of their own (tiles_d.h, tiles_s.h), the others have those of the
 * dataflow leaf (tiles_any_type.h). */
#include <type_traits>

#include "gpu/kernels/batch/batch_classes.h"
#include "small_registers.h"
#include "small_smem.h"
#include "tiles_any_type.h"
#if TG_HAS_MMA
#include "tiles_d.h"
#include "tiles_s.h"
#endif

/* Matrices up to ORDER in shared memory. */
template <class T, int ORDER, bool MMA, int THREADS = ORDER>
struct factor_class : packed_strips<T, ORDER, MMA, THREADS> {
  using base = packed_strips<T, ORDER, MMA, THREADS>;
  __device__ static int64_t run(typename base::workspace &shared, const batch_task &, int64_t, const matrix<T> &A,
                                int n) {
    return factor_resident<base>(shared, A, n);
  }
};

/* The matrices of a block, by tiles. */
template <class Tiles> __device__ inline void share_matrices(const class_task &t) {
  using T = typename Tiles::T;
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
}

/* Matrices up to ORDER in registers, each by one warp. */
template <class T, int ORDER, int RESIDENT, bool BY_COLUMNS>
struct grid_class : register_grid<T, ORDER, RESIDENT, 4, false, BY_COLUMNS> {
  using base = register_grid<T, ORDER, RESIDENT, 4, false, BY_COLUMNS>;
  __device__ static TG_INLINE int64_t run(typename base::workspace &shared, const batch_task &, int64_t,
                                          const matrix<T> &A, int n) {
    return factor_in_grid<base>(shared, A, n);
  }
};

/* Blocks share the matrices by tiles. There is one copy of the code of a tile, because it has many instructions. */
template <class Tiles>
__global__ void __launch_bounds__(Tiles::THREADS, Tiles::RESIDENT) shared_batch_kernel(class_task t) {
  if constexpr (has_code<Tiles::MMA>()) {
    if (t.queue.begin(t.first, t.end) && blockIdx.x < t.queue.useful(t.first, t.end, Tiles::ORDER))
      share_matrices<Tiles>(t);
    t.queue.finish(Tiles::word());
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

template <class Tiles> static void large(class_launches &l) {
  l.next(class_row<shared_batch_kernel<Tiles>, typename Tiles::workspace, Tiles::MMA>(), INT64_MAX, Tiles::RESIDENT,
         Tiles::THREADS, true);
}

/* Floats up to order 64. Those up to 32 are in registers. */
static void small_floats(class_launches &l) {
  using small = factor_class<float, ORDER_64, false, 32>;
  const bool lower = l.task.batch.uplo == TRIGON_LOWER;
  lower ? l.first_of<grid_class<float, ORDER_32, 24, true>, small>()
        : l.first_of<grid_class<float, ORDER_32, 24, false>, small>();
}

/* The launches for matrices of type T. GPUs with matrix units have room for larger matrices in shared memory. Floats
 * above 128, which would have a multiprocessor each, are faster by tiles. */
template <class T> static void launch_classes(class_launches &l) {
  if constexpr (sizeof(T) == sizeof(float)) {
    small_floats(l);
    l.resident<factor_class<T, ORDER_128, false>>();
  } else {
    l.first<factor_class<T, ORDER_32, false>>();
    l.resident<factor_class<T, ORDER_64, false>>();
    if (l.q.has.fp64_mma) l.resident<factor_class<T, ORDER_128, false>>();
  }
#if TG_HAS_MMA
  if constexpr (std::is_same<T, complex<double>>::value)
    if (l.q.has.fp64_mma) return large<any_type_tiles<potrf_any_type_tile, true>>(l);
#endif
  large<any_type_tiles<potrf_portable<T>, false>>(l);
}
#if TG_HAS_MMA
/* The launches for floats and for doubles on matrix units. */
static void launch_mma_classes(class_launches &l, float) {
  small_floats(l);
  l.resident<factor_class<float, ORDER_128, true>>();
  l.task.batch.uplo == TRIGON_UPPER ? large<float_tiles<false>>(l) : large<float_tiles<true>>(l);
}

/* With five blocks on a multiprocessor registers would spill. */
struct class_96 : factor_class<double, ORDER_96, true, 64> {
  static constexpr int RESIDENT = 4;
};
static void launch_mma_classes(class_launches &l, double) {
  l.first_of<factor_class<double, ORDER_32, true>, factor_class<double, ORDER_64, true, 32>>();
  l.resident<class_96>();
  l.resident<factor_class<double, ORDER_128, true, 64>>();
  const bool upper = l.task.batch.uplo == TRIGON_UPPER;
  with_layouts<MMA_ALIKE>(upper, upper, [&](auto layouts) { large<panel_tiles<decltype(layouts)>>(l); });
}
#endif

static cudaError_t launch_round(queue q, trigon_type type, const class_task &task) {
  class_launches l = {q, task};
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
#if TG_HAS_MMA
    if constexpr (std::is_same<T, real_of<T>>::value) {
      if (q.has.fp64_mma) return launch_mma_classes(l, zero), l.end(), l.error;
    }
#endif
    launch_classes<T>(l);
    l.end();
    return l.error;
  });
}

cudaError_t launch_potrf_batch(queue q, trigon_type type, const batch_task *b, const dataflow_setup *s) {
  return launch_rounds(q, b, s, ORDER_32, [&](const class_task &task) { return launch_round(q, type, task); });
}
