/* potrf_panel.cu - POTRF of a batch by the paper's schedules SSDE and DSSE: one launch for each iteration, in which
 * each matrix has a block of threads.
 *
 * Only the device knows the orders, so the host launches for the largest one. The rest is the paper's layer ASGT:
 * blocks without work end at once, and so do threads without a row. */
#include "gpu/kernels/batch_members.h"
#include "potrf_panel.h"

/* One iteration. No order above `most` takes part. */
struct iteration {
  batch_task batch;
  anchoring where;
  int64_t most, number;
};

/* The entries are checked. A matrix that has an info already takes no part. */
template <class T> __global__ void __launch_bounds__(potrf_panel_rows) panel_batch_kernel(iteration t) {
  using G = panel_shape<T>;
  const matrix_batch &b = t.batch.of;
  const int64_t i = blockIdx.x, n = size_at(&b.n, i);
  if (n <= 0 || n > t.most) return;
  const span columns = panel_of(t.where, n, t.most, G::NB, t.number);
  if (columns.count == 0 || !has_row<T>(static_cast<int>(n - columns.first))) return;
  if (b.info[i] != 0) return;
  const matrix<T> A = matrix_of<T>(factor_of(t.batch, i).A, 0);
  const int failed = factor_rows(A, static_cast<int>(n), static_cast<int>(columns.first));
  if (threadIdx.x == 0) b.info[i] = failed + 1; /* 0 before */
}

/* The row has shared memory for the largest panel, and a launch takes less.
 *
 * All iterations of a batch with at most as many matrices as a launch has blocks. */
template <class T> static cudaError_t launch_iterations(queue q, iteration t) {
  using G = panel_shape<T>;
  const auto &k = registered<panel_batch_kernel<T>, G::shared(potrf_panel_rows)>();
  cudaError_t error = cudaSuccess;
  const int64_t iterations = blocks_in(t.most, G::NB);
  for (t.number = 0; error == cudaSuccess && t.number < iterations; t.number++) {
    const int threads = G::threads((iterations - t.number) * G::NB);
    error = tg_launch(q.stream, k.kernel, t.batch.of.count, threads, G::shared(threads), t);
  }
  return error;
}

cudaError_t launch_potrf_panels(queue q, trigon_type type, const batch_task *b, anchoring where, int64_t most) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    cudaError_t error = cudaSuccess;
    for (int64_t at = 0; error == cudaSuccess && at < b->of.count;) {
      iteration t = {*b, where, most, 0};
      t.batch.of = part_of(&b->of, at, blocks_for(b->of.count - at, potrf_panel_rows));
      error = launch_iterations<T>(q, t);
      at += t.batch.of.count;
    }
    return error;
  });
}
