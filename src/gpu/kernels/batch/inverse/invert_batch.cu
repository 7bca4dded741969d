/* invert_batch.cu - TRTRI and POTRI of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders (batch_classes.h). Each matrix has a block of threads, in shared memory if the
 * matrix fits: doubles on matrix units (inverse_mma.h), and every type on every GPU (inverse_rows.h). Larger
 * doubles on matrix units: a block runs all tasks of the dataflow leaves (trtri_mma.h, lauum_mma.h). Others: the
 * leaves for one matrix (trtri_step.cu, lauum_step.cu). */
#include <type_traits>

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

template <bool LOWER_> static void large(class_launches &l) {
  using G = large_inverse<LOWER_>;
  l.next(class_row<large_inverse_kernel<G>, typename G::workspace, true>(), INT64_MAX, G::RESIDENT, G::THREADS);
}

/* ------------------------------------------------------------------------------------------------ launches -- */

template <bool LOWER_> static cudaError_t launch_classes(queue q, const class_task &task) {
  class_launches l = {q, task};
  l.template first<inverse_class<2, 12, 16, LOWER_>>();
  l.template resident<inverse_class<4, 40, 7, LOWER_>>(), l.template resident<inverse_class<8, 144, 3, LOWER_>>();
  l.template resident<inverse_class<16, 450, 1, LOWER_>>();
  large<LOWER_>(l);
  l.end();
  return l.error;
}

static cudaError_t launch_mma(queue q, const class_task &task) {
  return task.batch.uplo == TRIGON_LOWER ? launch_classes<true>(q, task) : launch_classes<false>(q, task);
}
#endif

/* The highest order in shared memory. Hopper has room for larger matrices. No launch computes orders between this one
 * and that of the last class. */
static constexpr int MOST_C = 224, MOST_Z = 160;
static int64_t most_resident(queue q, trigon_type type) {
  switch (type) {
  case TRIGON_S: return q.has.fp64_mma ? ORDER_256 : ORDER_128;
  case TRIGON_D: return q.has.fp64_mma ? ORDER_256 : ORDER_64;
  case TRIGON_C: return q.has.fp64_mma ? MOST_C : ORDER_64;
  default: return q.has.fp64_mma ? MOST_Z : ORDER_64;
  }
}

template <class T> static cudaError_t launch_rows(queue q, const class_task &task) {
  class_launches l = {q, task};
  constexpr int COLS = sizeof(real_of<T>) == 4 ? 32 : 16;
  l.first<inverse_rows_class<T, ORDER_32, COLS, 16, false>>();
  l.resident<inverse_rows_class<T, ORDER_64, COLS, (sizeof(T) == 16 ? 6 : 8), false>>();
  if constexpr (sizeof(T) == 4) {
    l.resident<inverse_rows_class<T, ORDER_128, COLS, 5, false>>();
    if (q.has.fp64_mma) l.resident<inverse_rows_class<T, ORDER_256, 64, 1, true>>();
  } else if constexpr (std::is_same<T, complex<float>>::value) {
    if (q.has.fp64_mma) l.resident<inverse_rows_class<T, ORDER_128, COLS, 3, true>>();
    if (q.has.fp64_mma) l.resident<inverse_rows_class<T, MOST_C, COLS, 1, true>>(ORDER_256);
  } else if constexpr (std::is_same<T, complex<double>>::value) {
    if (q.has.fp64_mma) l.resident<inverse_rows_class<T, MOST_Z, COLS, 1, true>>(ORDER_256);
  }
  l.end();
  return l.error;
}

static cudaError_t launch_round(queue q, trigon_type type, const class_task &task) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
#if TG_HAS_MMA
    if constexpr (std::is_same<T, double>::value)
      if (q.has.fp64_mma) return launch_mma(q, task);
#endif
    return launch_rows<T>(q, task);
  });
}

/* The leaves for one matrix, and the mirror images, for orders above `done`. */
static cudaError_t launch_rest(queue q, trigon_type type, const batch_task *t, bool with_leaves) {
  cudaError_t error = with_leaves ? launch_trtri_batch(q, type, t) : cudaSuccess;
  if (error == cudaSuccess && with_leaves && t->product) error = launch_lauum_batch(q, type, t);
  return error == cudaSuccess && t->both ? launch_mirror_batch(q, type, t) : error;
}

cudaError_t launch_invert_batch(queue q, trigon_type type, const batch_task *t, const dataflow_setup *s) {
  const bool by_mma = type == TRIGON_D && q.has.fp64_mma;
  batch_task rest = *t;
  rest.done = most_resident(q, type);
  const auto round = [&](class_task task) {
    if (!by_mma) task.most = rest.done;
    return launch_round(q, type, task);
  };
  const cudaError_t error = launch_rounds(q, t, s, ORDER_32, round);
  if (error != cudaSuccess || most_order(&t->of) <= rest.done) return error;
  return launch_rest(q, type, &rest, !by_mma);
}
