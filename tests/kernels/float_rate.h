/* float_rate.h - a kernel that does nothing but multiply-adds of floats, to measure their rate. */
#ifndef TRIGON_FLOAT_RATE_H
#define TRIGON_FLOAT_RATE_H

#include "gpu/vendor/vendor.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { rate_threads = 256, rate_chains = 16, rate_links = 32 };

/* Each of blocks × rate_threads threads makes rounds × rate_links multiply-adds in each of rate_chains chains. `out`
 * has room for one float of each thread. */
typedef struct float_rate {
  float *out, factor, addend;
  int rounds;
} float_rate;
cudaError_t launch_float_rate(int64_t blocks, float_rate);

#ifdef __cplusplus
}
#endif

#endif
