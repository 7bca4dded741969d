/* copy_rate.h - how fast a machine copies memory: a ceiling of a benchmark, beside GEMM. */
#ifndef TRIGON_CLI_BENCH_COPY_RATE_H
#define TRIGON_CLI_BENCH_COPY_RATE_H

#include "../verdict.h"

typedef struct copy_rate {
  double bytes_per_second; /* bytes read plus bytes written; 0: not measured */
  double launch;           /* seconds of a copy of one element on a device; 0 on the host */
} copy_rate;

/* Measures the rate for calls that read and write `bytes` together.
 *
 * On the host the copy reads and writes as many bytes, so that the same caches hold them, and all cores share it. On a
 * device the copy is so large that a launch does not count; the rate does not depend on `bytes`, so a rate that is
 * there already stays. If memory is short, the rate stays 0. Returns false, with the reason, if a call fails. */
bool copy_rate_measure(trigon_context *ctx, double bytes, copy_rate *rate, const verdict *to);

#endif
