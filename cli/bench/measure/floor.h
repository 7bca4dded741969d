/* floor.h - the time below which a call cannot fall: its flops at GEMM's rate, or its bytes at the rate of a copy. */
#ifndef TRIGON_CLI_BENCH_FLOOR_H
#define TRIGON_CLI_BENCH_FLOOR_H

#include "../problem.h"
#include "copy_rate.h"

typedef struct time_floor {
  double seconds; /* 0: not known, because GEMM was not measured */
  bool by_bytes;  /* the bytes take longer than the flops */
} time_floor;

/* The larger of two times: the problem's flops at `gflops`, the rate of the GEMM of its sizes; problem_bytes at the
 * rate of a copy, if that was measured. A launch does not count. */
time_floor floor_of(const problem *p, double gflops, const copy_rate *copy);

/* The time of a call whose products are emulated with so many moduli, in seconds, by a model: an INT8 product for each
 * modulus, at the rate of the vendor's INT8 GEMM, plus problem_bytes at the rate of a copy. Both rates are constants of
 * the device, because no public call computes an INT8 product. `description` is the context's. Returns 0 for a device
 * whose rates are not known. */
double int8_floor_of(const problem *p, int moduli, const char *description);

#endif
