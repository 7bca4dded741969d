/* posv_batch.cu - POSV of batches: small matrices are factored and solved in shared memory (batch_posv.h; floats with
 * matrix units: batch_rows.h), or in registers (batch_grid_solve.h). Larger ones, and right-hand sides that are many,
 * are left to the kernels of POTRF and TRSM. */
#include <type_traits>

#include "../vendor/early.h"
#include "batch_grid_solve.h"
#include "batch_members.h"
#include "batch_posv.h"
#include "batch_rows.h"

/* The matrices of orders above `above`, up to the order of the kernel. */
struct posv_task {
  batch_task batch;
  int64_t above;
};

template <class G> struct posv_place {
  typename G::place of;
  __device__ posv_place() {}
};

template <class G>
__device__ TG_INLINE auto solve_small(typename G::place &place, const matrix<typename G::T> &A,
                                      const matrix<typename G::T> &B, int n, int nrhs) -> decltype(G::KEPT, 0) {
  return posv_in_grid<G>(place, A, B, n, nrhs);
}
template <class G>
__device__ TG_INLINE auto solve_small(typename G::place &place, const matrix<typename G::T> &A,
                                      const matrix<typename G::T> &B, int n, int nrhs) -> decltype(G::PACKED, 0) {
  return posv_resident<G>(place, A, B, n, nrhs);
}
#if TG_MATRIX_UNITS
template <class G>
__device__ TG_INLINE auto solve_small(typename G::place &place, const matrix<typename G::T> &A,
                                      const matrix<typename G::T> &B, int n, int nrhs) -> decltype(G::FRAGMENTS, 0) {
  return posv_in_rows<G>(place, A, B, n, nrhs);
}
#endif

/* Each block has a matrix. The first launch of a call tells of wrong entries. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) posv_batch_kernel(posv_task t) {
  using T = typename G::T;
  auto &shared = *tg_shared<posv_place<G>>();
  const matrix_batch &b = t.batch.of;
  const bool lower = t.batch.uplo == TRIGON_LOWER;
  tg_begin_next(); /* the launch behind fills lists when this one has ended */
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    const int64_t n = size_at(&b.n, i);
    const bool wanted = n > t.above && n <= G::ORDER;
    if (b.is_checked && !wanted) continue;
    read_entries(b, i);
    int64_t info = b.is_checked ? b.info[i] : entry_fault(&b, i, sizeof(T));
    const int64_t nrhs = size_at(&b.k, i), lda = ld_at(&b.A, i);
    const bool computed = info == 0 && wanted;
    if (computed) {
      /* An upper triangle is the lower one of the conjugate matrix: then X and B are conjugated, too. */
      T *const a = static_cast<T *>(address_at(&b.A, i)), *const x = static_cast<T *>(address_at(&b.B, i));
      const matrix<T> A = {a, lower ? 1 : lda, lower ? lda : 1, false, LOWER, false};
      const matrix<T> B = {x, 1, ld_at(&b.B, i), !lower, FULL, false};
      const int columns = nrhs <= posv_columns ? static_cast<int>(nrhs) : 0; /* TRSM solves for many */
      info = solve_small<G>(shared.of, A, B, static_cast<int>(n), columns);
    }
    if (threadIdx.x == 0 && (computed || !b.is_checked)) b.info[i] = info;
  }
}

/* The launches of a call, from the highest orders down: the first one looks at all entries, and often has most of the
 * work. The others look at the orders only, unless they find one of theirs. */
struct posv_launches {
  queue q;
  posv_task task;
  int64_t least, most; /* orders of the batch */
  int64_t done = 0;    /* no order above this one is computed */
  cudaError_t error = cudaSuccess;

  /* The orders above `above`. */
  template <class G> void next(int64_t above) {
    const auto kernel = posv_batch_kernel<G>;
    constexpr size_t shared = sizeof(posv_place<G>);
    /* On the simulated GPU a block takes several matrices early. */
    const int64_t blocks = TG_TILE(3, blocks_for(task.batch.of.count, G::THREADS));
    task.above = above;
    if (done == 0) done = G::ORDER;
    if (!q.load && (most <= above || least > G::ORDER)) return;
    if (error == cudaSuccess)
      error = q.load ? tg_load(kernel, shared) : tg_launch(q.stream, kernel, blocks, G::THREADS, shared, task);
    task.batch.of.is_checked = true;
  }
  /* The same for floats on matrix units. */
  template <int ORDER, int RESIDENT> void next_rows(int64_t above) {
#if TG_MATRIX_UNITS
    const bool lower = task.batch.uplo == TRIGON_LOWER;
    if (lower || q.load) next<unit_rows<ORDER, RESIDENT, true>>(above);
    if (!lower || q.load) next<unit_rows<ORDER, RESIDENT, false>>(above);
#else
    (void)above;
#endif
  }
  /* The same in registers. */
  template <class T, int ORDER, int RESIDENT, int GROUP> void next_grid(int64_t above) {
    const bool lower = task.batch.uplo == TRIGON_LOWER;
    if (lower || q.load) next<register_grid<T, ORDER, RESIDENT, GROUP, true, true>>(above);
    if (!lower || q.load) next<register_grid<T, ORDER, RESIDENT, GROUP, true, false>>(above);
  }
};

/* Hopper has room for larger matrices in shared memory; but doubles, which have matrix units there, are not faster in
 * one piece. Floats of orders that are all small are in registers; above order 48 matrix units are faster. */
template <class T> static void launch_classes(posv_launches &l) {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (l.q.load || l.most <= 48) l.next_grid<T, 48, 16, 6>(0);
    const bool up_to_64 = l.most > 48 && l.most <= 64;
    if (l.q.load || (up_to_64 && !l.q.units)) l.next_grid<T, 64, 12, 8>(0);
    if (l.q.units && (l.q.load || up_to_64)) l.next_rows<64, 16>(0);
    if (l.q.load || l.most > 64) {
      l.next<posv_strips<T, 128, 64>>(96);
      if (l.q.units) l.next_rows<96, 10>(64);
      if (l.q.load || !l.q.units) l.next<posv_strips<T, 96, 32>>(64);
      l.next<posv_strips<T, 64, 32>>(0);
    }
  } else {
    if constexpr (std::is_same<T, pair<float>>::value)
      if (l.q.units) l.next<posv_strips<T, 128, 64>>(72);
    l.next<posv_strips<T, 72, (sizeof(T) == 16 ? 64 : 32)>>(0);
  }
}

cudaError_t launch_posv_batch(queue q, trigon_type type, batch_task *t) {
  posv_launches l = {q, {*t, 0}, t->of.n.of ? 0 : t->of.n.all, most_order(&t->of)};
  return with_type(type, [&](auto zero) {
    launch_classes<decltype(zero)>(l);
    t->of.is_checked = l.task.batch.of.is_checked, t->done = l.done;
    return l.error;
  });
}
