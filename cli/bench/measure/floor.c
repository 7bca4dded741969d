/* floor.c - the larger of two times; the model of emulated products. */
#include "floor.h"

#include <string.h>

/* Measured: cuBLAS 13.1, INT8 GEMM of order 8192 (order 4096: 1082e12, 16384: 1287e12), and a large copy. */
static const struct {
  const char *name;
  double int8_ops, copied_bytes; /* a second */
} known_devices[] = {{"H200", 1417e12, 4.2e12}};

time_floor floor_of(const problem *p, double gflops, const copy_rate *copy) {
  double flops = 1e-9 * problem_flops(p) / gflops;
  double bytes = copy->bytes_per_second > 0 ? problem_bytes(p) / copy->bytes_per_second : 0;
  return (time_floor){bytes > flops ? bytes : flops, bytes > flops};
}

double int8_floor_of(const problem *p, int moduli, const char *description) {
  for (size_t i = 0; i < sizeof known_devices / sizeof *known_devices; i++)
    if (strstr(description, known_devices[i].name))
      return moduli * problem_flops(p) / known_devices[i].int8_ops + problem_bytes(p) / known_devices[i].copied_bytes;
  return 0;
}
