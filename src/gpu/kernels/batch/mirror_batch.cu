/* mirror_batch.cu - the kernel that stores the adjoint of each triangle of a batch in the other triangle. */
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/triangle_tiles.h"

struct mirror_geometry {
  static constexpr int THREADS = COPY_THREADS;
};

template <class T> __global__ void __launch_bounds__(mirror_geometry::THREADS) mirror_batch_kernel(member_task t) {
  auto &shared = *tg_shared<copied_tile<T>>();
  t.each([&](int64_t i, int64_t first, int64_t step) {
    const factor p = factor_of(t.batch, i);
    if (p.n > t.batch.done) copy_tiles(shared, {p.n, p.A, p.A, TRIGON_MIRROR}, first, step);
  });
}

cudaError_t launch_mirror_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_members<mirror_geometry, mirror_batch_kernel<T>, sizeof(copied_tile<T>)>(q, t, true);
  });
}
