/* check_batch.cu - the kernel that checks the entries of a batch. */
#include "gpu/kernels/launch.h"

enum { CHECK_THREADS = 128 };

struct check_task {
  matrix_batch of;
  int64_t alignment; /* of addresses */
};

/* Each thread has a matrix. */
static __global__ void check_batch_kernel(check_task t) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * CHECK_THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * CHECK_THREADS + threadIdx.x; i < t.of.count; i += threads)
    t.of.info[i] = entry_fault(&t.of, i, t.alignment);
}

cudaError_t launch_check_batch(queue q, trigon_type type, const batch_task *t) {
  const int64_t blocks = (t->of.count + CHECK_THREADS - 1) / CHECK_THREADS;
  return with_type(type, [&](auto zero) {
    const check_task task = {t->of, static_cast<int64_t>(sizeof zero)};
    return launch_kernel(q, registered<check_batch_kernel>(), blocks_for(blocks, CHECK_THREADS), CHECK_THREADS, task);
  });
}
