/* floor.c - the larger of two times. */
#include "floor.h"

time_floor floor_of(const problem *p, double gflops, const copy_rate *copy) {
  double flops = 1e-9 * problem_flops(p) / gflops;
  double bytes = copy->bytes_per_second > 0 ? problem_bytes(p) / copy->bytes_per_second : 0;
  return (time_floor){bytes > flops ? bytes : flops, bytes > flops};
}
