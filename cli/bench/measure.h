/* measure.h - times one configuration in several implementations, in turns, and checks what each computed. */
#ifndef TRIGON_CLI_BENCH_MEASURE_H
#define TRIGON_CLI_BENCH_MEASURE_H

#include "problem.h"

enum { TRIGON_IMPL, NATIVE_IMPL, GEMM_IMPL, IMPLS };
enum { MOST_REPEATS_ALLOWED = 1000 };

/* What was measured of one implementation; times are medians. `seconds` is the context's timer around a call: events on a
 * device, whose stream is held until the host has made the call. `host_seconds` is a call on an idle device as the host sees
 * it, launches and the wait for the end included; 0 on the CPU. */
typedef struct measurement {
  bool measured, ok;
  double seconds, host_seconds, gflops, error;
  int64_t
      extra_bytes; /* CPU: host memory taken during a call beyond what was there before, or -1: cannot be measured; device:
                          what the context holds beyond the operands */
  bool traced;     /* the context counts (its name has trace=1): the work of one call */
  trigon_count counts[TRIGON_ROUTINES];
} measurement;

/* A row of the results. */
typedef struct bench_row {
  bench_case c;
  measurement impl[IMPLS];
  double ratio; /* median of native's time over Trigon's, call by call */
} bench_row;

/* The implementations' contexts, all of one machine: Trigon's; one that hands every routine whole to the BLAS, for
 * native and gemm. NULL for those that are not wanted. `repeat` is the number of calls of each, or 0: as many as take about
 * a second. */
typedef struct bench_plan {
  trigon_context *ctx[IMPLS];
  int repeat;
} bench_plan;

/* Fills the row, whose case is set. Returns false, with the reason in `why`, where a call could not run. An error that
 * is too large is no such reason: see `ok`. */
bool bench_measure(const bench_plan *plan, bench_row *row, char *why, size_t why_size);

/* False, with the reason in `why`, where the context answers that it cannot do such a call: native ones on a device. */
bool bench_supported(trigon_context *ctx, const bench_case *c, char *why, size_t why_size);

#endif
