/* mirror_triangle.cu - a kernel that makes a whole Hermitian matrix of a triangle, or copies its triangle back. */
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"

enum { MIRROR_THREADS = TG_TILE(32, 256) };

/* A block takes columns. */
template <class T> __global__ void __launch_bounds__(MIRROR_THREADS) mirror_triangle_kernel(mirrored_triangle p) {
  T *const A = static_cast<T *>(p.A), *const square = static_cast<T *>(p.square);
  for (int64_t j = blockIdx.x; j < p.n; j += gridDim.x) {
    const int64_t first = p.lower ? j : 0, end = p.lower ? p.n : j + 1;
    for (int64_t i = first + threadIdx.x; i < end; i += MIRROR_THREADS) {
      T &stored = A[i + j * p.ld], &copy = square[i + j * p.ld_square];
      const T x = p.back ? copy : stored, kept = i == j ? only_real(x) : x;
      (p.back ? stored : copy) = kept;
      if (!p.back && i != j) square[j + i * p.ld_square] = conjugate(kept);
    }
  }
}

cudaError_t launch_mirror_triangle(queue q, trigon_type type, const mirrored_triangle *p) {
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<mirror_triangle_kernel<decltype(zero)>>(), blocks_for(p->n, MIRROR_THREADS),
                         MIRROR_THREADS, *p);
  });
}
