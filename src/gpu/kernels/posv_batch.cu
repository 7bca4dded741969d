/* posv_batch.cu - POSV of batches: small matrices are factored and solved in shared memory (batch_posv.h). Larger ones,
 * and right-hand sides that are many, are left to the kernels of POTRF and TRSM. */
#include <type_traits>

#include "batch_posv.h"
#include "launch.h"

/* The matrices of orders above `above`, up to the order of the kernel. */
struct posv_task {
  batch_task batch;
  int64_t above;
};

template <class G> struct posv_place {
  typename G::place of;
  __device__ posv_place() {}
};

/* Each block has a matrix. The first launch of a call tells of wrong entries. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) posv_batch_kernel(posv_task t) {
  using T = typename G::T;
  auto &shared = *tg_shared<posv_place<G>>();
  const matrix_batch &b = t.batch.of;
  const bool lower = t.batch.uplo == TRIGON_LOWER;
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    int64_t info = b.is_checked ? b.info[i] : entry_fault(&b, i, sizeof(T));
    const int64_t n = size_at(&b.n, i), nrhs = size_at(&b.k, i), lda = ld_at(&b.A, i);
    const bool computed = info == 0 && n > t.above && n <= G::ORDER;
    if (computed) {
      /* An upper triangle is the lower one of the conjugate matrix: then X and B are conjugated, too. */
      T *const a = static_cast<T *>(address_at(&b.A, i)), *const x = static_cast<T *>(address_at(&b.B, i));
      const matrix<T> A = {a, lower ? 1 : lda, lower ? lda : 1, false, LOWER, false};
      const matrix<T> B = {x, 1, ld_at(&b.B, i), !lower, FULL, false};
      const int columns = nrhs <= posv_columns ? static_cast<int>(nrhs) : 0; /* TRSM solves for many */
      info = posv_resident<G>(shared.of, A, B, static_cast<int>(n), columns);
    }
    if (threadIdx.x == 0 && (computed || !b.is_checked)) b.info[i] = info;
  }
}

/* The launches of a call, from the lowest orders on. */
struct posv_launches {
  queue q;
  posv_task task;
  int64_t least, most; /* orders of the batch */
  cudaError_t error = cudaSuccess;

  template <class G> void next() {
    const auto kernel = posv_batch_kernel<G>;
    constexpr size_t shared = sizeof(posv_place<G>);
    /* On the simulated GPU a block takes several matrices early. */
    const int64_t blocks = TG_TILE(3, blocks_for(task.batch.of.count, G::THREADS));
    if (q.load || (most > task.above && least <= G::ORDER)) {
      if (error == cudaSuccess)
        error = q.load ? tg_load(kernel, shared) : tg_launch(q.stream, kernel, blocks, G::THREADS, shared, task);
      task.batch.of.is_checked = true;
    }
    task.above = G::ORDER;
  }
};

/* An order has room for a few right-hand sides behind a multiple of 32. Hopper has room for larger matrices in shared
 * memory; but doubles, which have matrix units there, are not faster in one piece. */
template <class T> static void launch_classes(posv_launches &l) {
  if constexpr (sizeof(T) == sizeof(float)) {
    l.next<posv_strips<T, 64, 32>>(), l.next<posv_strips<T, 104, 32>>(), l.next<posv_strips<T, 136, 64>>();
  } else {
    l.next<posv_strips<T, 72, (sizeof(T) == 16 ? 64 : 32)>>();
    if constexpr (std::is_same<T, pair<float>>::value)
      if (l.q.units) l.next<posv_strips<T, 128, 64>>();
  }
}

cudaError_t launch_posv_batch(queue q, trigon_type type, batch_task *t) {
  posv_launches l = {q, {*t, 0}, t->of.n.of ? 0 : t->of.n.all, most_order(&t->of)};
  return with_type(type, [&](auto zero) {
    launch_classes<decltype(zero)>(l);
    t->of.is_checked = l.task.batch.of.is_checked, t->done = l.task.above;
    return l.error;
  });
}
