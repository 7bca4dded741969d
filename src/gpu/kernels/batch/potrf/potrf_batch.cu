/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders (batch_classes.h). Each matrix has a block of threads: floats up to order
 * 32 in registers (small_registers.h), others in shared memory if the matrix fits (small_smem.h). Larger ones are
 * factored by tiles, by one block or by several (batch_share.h): doubles and floats on matrix units have tiles of their
 * own (tiles_d.h, tiles_s.h), the others have those of the dataflow leaf (tiles_any_type.h). */
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

template <class Tiles> static void add_tiles(class_launches &l, const batch_class &row) {
  l.next(class_row<shared_batch_kernel<Tiles>, typename Tiles::workspace, Tiles::MMA>(), row.most, Tiles::RESIDENT,
         Tiles::THREADS, true);
}
/* The queue has counters of tiles for orders above ORDER_64. */
template <class Tiles> constexpr class_kernel tiles_kernel(const char *name) {
  return {{name, ORDER_64, INT64_MAX, Tiles::MMA, false, true}, add_tiles<Tiles>};
}

/* The kernels for matrices of type T. */
template <class T> struct potrf_kernels;

template <> struct potrf_kernels<complex<float>> {
  using T = complex<float>;
  static constexpr class_kernel all[] = {
      resident_kernel<factor_class<T, ORDER_32, false>>("strips-32"),
      resident_kernel<factor_class<T, ORDER_64, false>>("strips-64"),
      resident_kernel<factor_class<T, ORDER_128, false>>("strips-128"),
      tiles_kernel<any_type_tiles<potrf_portable<T>, false>>("tiles"),
  };
};

template <> struct potrf_kernels<complex<double>> {
  using T = complex<double>;
  static constexpr class_kernel all[] = {
    resident_kernel<factor_class<T, ORDER_32, false>>("strips-32"),
    resident_kernel<factor_class<T, ORDER_64, false>>("strips-64"),
    resident_kernel<factor_class<T, ORDER_128, false>>("strips-128"),
    tiles_kernel<any_type_tiles<potrf_portable<T>, false>>("tiles"),
#if TG_HAS_MMA
    tiles_kernel<any_type_tiles<potrf_any_type_tile, true>>("mma-tiles"),
#endif
  };
};

template <> struct potrf_kernels<float> {
  using in_registers = grid_class<float, ORDER_32, 24, true>;
  using upper_in_registers = grid_class<float, ORDER_32, 24, false>;
  static constexpr class_kernel all[] = {
    resident_kernel<in_registers, upper_in_registers>("registers-32"),
    resident_kernel<factor_class<float, ORDER_64, false, 32>>("strips-64"),
    resident_kernel<factor_class<float, ORDER_128, false>>("strips-128"),
    tiles_kernel<any_type_tiles<potrf_portable<float>, false>>("tiles"),
#if TG_HAS_MMA
    resident_kernel<factor_class<float, ORDER_128, true>>("mma-strips-128"),
    {{"mma-tiles", ORDER_64, INT64_MAX, true, false, true},
     [](class_launches &l, const batch_class &row) {
       l.task.batch.uplo == TRIGON_UPPER ? add_tiles<float_tiles<false>>(l, row) : add_tiles<float_tiles<true>>(l, row);
     }},
#endif
  };
};

#if TG_HAS_MMA
/* With five blocks on a multiprocessor registers would spill. */
struct class_96 : factor_class<double, ORDER_96, true, 64> {
  static constexpr int RESIDENT = 4;
};
#endif
template <> struct potrf_kernels<double> {
  static constexpr class_kernel all[] = {
    resident_kernel<factor_class<double, ORDER_32, false>>("strips-32"),
    resident_kernel<factor_class<double, ORDER_64, false>>("strips-64"),
    tiles_kernel<any_type_tiles<potrf_portable<double>, false>>("tiles"),
#if TG_HAS_MMA
    resident_kernel<factor_class<double, ORDER_32, true>>("mma-strips-32"),
    resident_kernel<factor_class<double, ORDER_64, true, 32>>("mma-strips-64"),
    resident_kernel<class_96>("mma-strips-96"),
    resident_kernel<factor_class<double, ORDER_128, true, 64>>("mma-strips-128"),
    {{"mma-tiles", ORDER_64, INT64_MAX, true, false, true},
     [](class_launches &l, const batch_class &row) {
       const bool upper = l.task.batch.uplo == TRIGON_UPPER;
       with_layouts<MMA_ALIKE>(upper, upper, [&](auto layouts) { add_tiles<panel_tiles<decltype(layouts)>>(l, row); });
     }},
#endif
  };
};

const batch_kernel *potrf_batch_kernel(trigon_type type, int at) {
  return with_type(type, [&](auto zero) { return all_of(potrf_kernels<decltype(zero)>::all).at(at); });
}

bool batch_bin_ends(int64_t order) {
  int bin = 0;
  while (bin_end(bin) < order) bin++;
  return bin_end(bin) == order;
}

cudaError_t launch_potrf_batch(queue q, trigon_type type, const batch_task *b, const dataflow_setup *s) {
  const batch_class *const rows = rows_of(q, BATCH_POTRF, type);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_rounds(q, b, s, order_alone(rows), [&](const class_task &task) {
      class_launches l = {q, task};
      l.add_all<T>(rows, all_of(potrf_kernels<T>::all));
      return l.end(), l.error;
    });
  });
}
