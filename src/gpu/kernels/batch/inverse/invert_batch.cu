/* invert_batch.cu - TRTRI and POTRI of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders (batch_classes.h). Each matrix has a block of threads, in shared memory if the
 * matrix fits: doubles on matrix units (inverse_mma.h), and every type on every GPU (inverse_rows.h). Larger
 * doubles on matrix units: a block runs all tasks of the dataflow leaves (trtri_mma.h, lauum_mma.h). Others: the
 * leaves for one matrix (trtri_step.cu, lauum_step.cu). */
#include "gpu/kernels/batch/batch_classes.h"
#include "inverse_rows.h"
#if TG_HAS_MMA
#include "gpu/kernels/dataflow/lauum/lauum_mma.h"
#include "gpu/kernels/dataflow/trtri/trtri_mma.h"
#include "inverse_mma.h"

/* ------------------------------------------------------------------------------------------ large matrices -- */

/* LOWER_: the layouts that are fast for a lower triangle. */
template <bool LOWER_> struct large_inverse {
  using solve = mma_solve<TG_TILE(16, 32), TG_TILE(32, 64)>;
  /* Many matrices keep multiprocessors busy, instead of many warps. */
  using product = lauum_mma<TG_TILE(32, 64), 2, TG_TILE(1, 2), 1>;
  using solve_layouts = mma_layouts<!LOWER_, LOWER_>;
  using product_layouts = mma_layouts<LOWER_, LOWER_>;
  static constexpr int THREADS = solve::THREADS, RESIDENT = 2;
  static_assert(THREADS == product::THREADS, "both are computed by the same block");
  struct workspace {
    union {
      solve::workspace of_solve;
      product::workspace of_product;
    };
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) large_inverse_kernel(class_task t) {
  if constexpr (has_code<true>()) {
    auto &shared = *tg_shared<typename G::workspace>();
    batch_matrices matrices = {t.queue, t.launch, t.first, t.end};
    for (bool any = t.queue.begin(t.first, t.end); any; matrices.advance(&shared.word)) {
      const int64_t i = matrices.present();
      if (i < 0) break;
      const factor p = factor_of(t.batch, i);
      const int64_t zero = p.unit ? p.n : first_zero(&shared.vote, matrix_of<double>(p.A, 0), p.n);
      if (zero < p.n) {
        if (threadIdx.x == 0) t.batch.of.info[i] = zero + 1;
        continue;
      }
      invert_matrix<typename G::solve, typename G::solve_layouts>(shared.of_solve, p);
      if (t.batch.product) multiply_matrix<typename G::product, typename G::product_layouts>(shared.of_product, p);
    }
    t.queue.finish(&shared.word);
  }
}

template <class G> static void add_tiles(class_launches &l, const batch_class &row) {
  l.next(class_row<large_inverse_kernel<G>, typename G::workspace, true>(), row.most, G::RESIDENT, G::THREADS);
}

template <int HALF, int ROOM, int RESIDENT> constexpr class_kernel mma_kernel(const char *name) {
  return resident_kernel<inverse_class<HALF, ROOM, RESIDENT, true>, inverse_class<HALF, ROOM, RESIDENT, false>>(name);
}
#endif

/* ------------------------------------------------------------------------------------------------ launches -- */

template <class T, int ORDER, int RESIDENT, bool HOPPER = false> constexpr class_kernel rows_kernel(const char *name) {
  constexpr int COLS = sizeof(real_of<T>) == 8 ? 16 : ORDER == ORDER_256 ? 64 : 32;
  return resident_kernel<inverse_rows_class<T, ORDER, COLS, RESIDENT, HOPPER>>(name);
}

/* The kernels for matrices of type T. Those that are above 64 or 128, and so have one block on a multiprocessor, need
 * the shared memory of Hopper. */
template <class T> struct inverse_kernels;

template <> struct inverse_kernels<float> {
  static constexpr class_kernel all[] = {
      rows_kernel<float, ORDER_32, 16>("rows-32"),
      rows_kernel<float, ORDER_64, 8>("rows-64"),
      rows_kernel<float, ORDER_128, 5>("rows-128"),
      rows_kernel<float, ORDER_256, 1, true>("rows-256"),
  };
};

template <> struct inverse_kernels<double> {
  static constexpr class_kernel all[] = {
    rows_kernel<double, ORDER_32, 16>("rows-32"),
    rows_kernel<double, ORDER_64, 8>("rows-64"),
#if TG_HAS_MMA
    mma_kernel<2, 12, 16>("mma-32"),
    mma_kernel<4, 40, 7>("mma-64"),
    mma_kernel<8, 144, 3>("mma-128"),
    mma_kernel<16, 450, 1>("mma-256"),
    {{"mma-tiles", 0, INT64_MAX, true, false, true},
     [](class_launches &l, const batch_class &row) {
       l.task.batch.uplo == TRIGON_LOWER ? add_tiles<large_inverse<true>>(l, row)
                                         : add_tiles<large_inverse<false>>(l, row);
     }},
#endif
  };
};

template <> struct inverse_kernels<complex<float>> {
  using T = complex<float>;
  static constexpr class_kernel all[] = {
      rows_kernel<T, ORDER_32, 16>("rows-32"),
      rows_kernel<T, ORDER_64, 8>("rows-64"),
      rows_kernel<T, ORDER_128, 3, true>("rows-128"),
      rows_kernel<T, 224, 1, true>("rows-224"),
  };
};

template <> struct inverse_kernels<complex<double>> {
  using T = complex<double>;
  static constexpr class_kernel all[] = {
      rows_kernel<T, ORDER_32, 16>("rows-32"),
      rows_kernel<T, ORDER_64, 6>("rows-64"),
      rows_kernel<T, 160, 1, true>("rows-160"),
  };
};

const batch_kernel *inverse_batch_kernel(trigon_type type, int at) {
  return with_type(type, [&](auto zero) { return all_of(inverse_kernels<decltype(zero)>::all).at(at); });
}

/* What is left when all classes are done. */
struct left_over {
  int64_t above;     /* matrices of larger orders are as they were */
  int64_t one_sided; /* those of larger orders have one triangle: their kernel works by tiles */
};
static left_over left_by(const batch_class *rows, const kernel_list<class_launches> &kernels) {
  const batch_class *chosen[MOST_CLASSES];
  left_over left = {0, 0};
  for (int i = 0, classes = gpu_choose_classes(rows, INT64_MAX, chosen); i < classes; i++) {
    left.above = chosen[i]->most;
    if (kernels.of(*chosen[i]).alone) left.one_sided = chosen[i]->most;
  }
  return left;
}

/* The leaves for one matrix, and the mirror images. */
static cudaError_t launch_rest(queue q, trigon_type type, const batch_task *t, left_over left) {
  const int64_t most = most_order(&t->of);
  batch_task rest = *t;
  cudaError_t error = cudaSuccess;
  rest.done = left.above;
  if (most > left.above) error = launch_trtri_batch(q, type, &rest);
  if (error == cudaSuccess && most > left.above && t->product) error = launch_lauum_batch(q, type, &rest);
  rest.done = left.one_sided;
  return error == cudaSuccess && most > left.one_sided && t->both ? launch_mirror_batch(q, type, &rest) : error;
}

cudaError_t launch_invert_batch(queue q, trigon_type type, const batch_task *t, const dataflow_setup *s) {
  const batch_class *const rows = rows_of(q, BATCH_INVERSE, type);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto kernels = all_of(inverse_kernels<T>::all);
    const left_over left = left_by(rows, kernels);
    const cudaError_t error = launch_rounds(q, t, s, order_alone(rows), [&](class_task task) {
      task.most = left.above;
      class_launches l = {q, task};
      l.add_all<T>(rows, kernels);
      return l.end(), l.error;
    });
    return error == cudaSuccess ? launch_rest(q, type, t, left) : error;
  });
}
