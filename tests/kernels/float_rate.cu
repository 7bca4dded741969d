/* float_rate.cu - the rate of multiply-adds of floats. */
#include "float_rate.h"

/* 512 instructions fit the smallest instruction cache, and the loop's own three do not count. */
__global__ static void __launch_bounds__(rate_threads) float_rate_kernel(float_rate p) {
  float x[rate_chains];
  for (int c = 0; c < rate_chains; c++) x[c] = static_cast<float>(threadIdx.x + static_cast<unsigned>(c));
#pragma unroll 1
  for (int r = 0; r < p.rounds; r++) {
#pragma unroll
    for (int l = 0; l < rate_links; l++)
#pragma unroll
      for (int c = 0; c < rate_chains; c++) x[c] = fmaf(x[c], p.factor, p.addend);
  }
  float sum = 0;
  for (int c = 0; c < rate_chains; c++) sum += x[c];
  p.out[blockIdx.x * rate_threads + threadIdx.x] = sum;
}

cudaError_t launch_float_rate(int64_t blocks, float_rate p) {
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(float_rate_kernel), 0);
  return error != cudaSuccess ? error : tg_launch(cudaStream_t{}, float_rate_kernel, blocks, rate_threads, 0, p);
}
