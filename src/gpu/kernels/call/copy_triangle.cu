/* copy_triangle.cu - the kernel that copies a triangle, and fills the other one with zeros or with the adjoint. */
#include "gpu/kernels/launch.h"
#include "gpu/kernels/triangle_tiles.h"

/* A block takes a tile, or several if there are too many blocks. Blocks above the diagonal end at once. */
template <class T> __global__ void __launch_bounds__(COPY_THREADS) copy_triangle_kernel(triangle_copy p) {
  copy_tiles(*tg_shared<copied_tile<T>>(), p, blockIdx.x, gridDim.x);
}

cudaError_t launch_copy_triangle(queue q, trigon_type type, const triangle_copy *p) {
  const int64_t side = tiles_on_side(p->n);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<copy_triangle_kernel<T>, sizeof(copied_tile<T>)>(),
                         blocks_for(side * side, COPY_THREADS), COPY_THREADS, *p);
  });
}
