/* logdet.cu - the kernel of LOGDET: sums the logarithms of the diagonal of a Cholesky factor. */
#include "gpu/kernels/launch.h"
#include "gpu/kernels/operand.h"

/* One block of threads sums in a fixed order, so that every call gives the same bits. */
enum { LOGDET_THREADS = TG_TILE(64, 512) };

/* Thread t sums elements t, t + LOGDET_THREADS, ...; then the sums are added in pairs. */
template <class T> __global__ void __launch_bounds__(LOGDET_THREADS) logdet_kernel(log_sum p) {
  double *sums = tg_shared<double>();
  const matrix<T> A = matrix_of<T>(p.A, 0);
  const int t = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int64_t i = t; i < p.n; i += LOGDET_THREADS) {
    const double x = static_cast<double>(real(*A.at(i, i)));
    sum += log(x < 0 ? -x : x);
  }
  sums[t] = sum;
  for (int half = LOGDET_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) *p.logdet = 2 * sums[0];
}

template <class T> static cudaError_t launch(queue q, const log_sum *p) {
  return launch_kernel(q, registered<logdet_kernel<T>, LOGDET_THREADS * sizeof(double)>(), 1, LOGDET_THREADS, *p);
}

cudaError_t launch_logdet(queue q, trigon_type type, const log_sum *p) {
  return with_type(type, [&](auto zero) { return launch<decltype(zero)>(q, p); });
}
