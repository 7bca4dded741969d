/* invert_batch.cu - TRTRI and POTRI of batches: matrices of any orders, whose sizes only the device knows.
 *
 * Doubles on matrix units: a launch takes one class of orders (batch_classes.h). Each matrix has a block of threads,
 * up to order 256 in shared memory (batch_inverse.h). In a larger one the block runs all tasks of the dataflow leaves
 * (trtri_units.h, lauum_units.h). Other types and GPUs: the leaves for one matrix (trtri.cu, lauum.cu). */
#include "batch_classes.h"
#if TG_MATRIX_UNITS
#include "batch_inverse.h"
#include "lauum_units.h"
#include "trtri_units.h"

/* ------------------------------------------------------------------------------------------ large matrices -- */

/* LOWER_: the layouts that are fast for a lower triangle. */
template <bool LOWER_> struct large_inverse {
  using solve = unit_solve<TG_TILE(16, 32), TG_TILE(32, 64)>;
  /* Many matrices keep multiprocessors busy, instead of many warps. */
  using product = lauum_units<TG_TILE(32, 64), 2, TG_TILE(1, 2), 1>;
  using solve_layouts = unit_layouts<!LOWER_, LOWER_>;
  using product_layouts = unit_layouts<LOWER_, LOWER_>;
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
    for (;;) {
      const int64_t i = t.queue.take(t.launch, t.first, t.end, &shared.word).i;
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
    t.queue.empty(&shared.word);
  }
}

template <bool LOWER_> static void large(class_launches &l) {
  using G = large_inverse<LOWER_>;
  l.next(large_inverse_kernel<G>, INT64_MAX, G::RESIDENT, G::THREADS, sizeof(typename G::workspace));
}

/* ------------------------------------------------------------------------------------------------ launches -- */

template <bool LOWER_> static cudaError_t launch_classes(queue q, const class_task &task) {
  class_launches l = {q, task};
  l.template first<inverse_class<2, 12, 24, LOWER_>>();
  l.template resident<inverse_class<4, 40, 10, LOWER_>>(), l.template resident<inverse_class<8, 144, 3, LOWER_>>();
  l.template resident<inverse_class<16, 450, 1, LOWER_>>();
  large<LOWER_>(l);
  l.end();
  return l.error;
}

static cudaError_t launch_round(queue q, const class_task &task) {
  const cudaError_t error = q.load ? launch_classes<false>(q, task) : cudaSuccess;
  if (error != cudaSuccess) return error;
  return q.load || task.batch.uplo == TRIGON_LOWER ? launch_classes<true>(q, task) : launch_classes<false>(q, task);
}
#endif

static cudaError_t launch_leaves(queue q, trigon_type type, const batch_task *t) {
  cudaError_t error = q.load || t->of.is_checked ? cudaSuccess : launch_check_batch(q, type, t);
  if (error == cudaSuccess) error = launch_trtri_batch(q, type, t);
  if (error == cudaSuccess && (q.load || t->product)) error = launch_lauum_batch(q, type, t);
  return error;
}

cudaError_t launch_invert_batch(queue q, trigon_type type, const batch_task *t, const flow_setup *s) {
  cudaError_t error = cudaSuccess;
  batch_task rest = *t;
#if TG_MATRIX_UNITS
  if (type == TRIGON_D && q.units) {
    error = q.load ? launch_round(q, {})
                   : launch_rounds(q, t, s, ORDER_32, [&](const class_task &task) { return launch_round(q, task); });
    rest.done = ORDER_256; /* smaller ones have their mirror images */
  } else
#endif
    error = launch_leaves(q, type, t);
  const bool mirrors = q.load || (t->both && most_order(&t->of) > rest.done);
  return error == cudaSuccess && mirrors ? launch_mirror_batch(q, type, &rest) : error;
}
