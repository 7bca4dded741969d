/* picture_rows.h - rows of results as if a benchmark had measured them, for tests of the benchmark's picture. */
#ifndef TRIGON_PICTURE_ROWS_H
#define TRIGON_PICTURE_ROWS_H

#include "bench/measure/measure.h"

#include <string.h>

/* Returns a row of sizes m, n, k. GEMM runs at this many Gflop/s, native at 60 % of GEMM's speed, Trigon at 66 %. */
static inline bench_row picture_row(const char *name, char type, const char *variant, const int64_t sizes[3],
                                    double gflops) {
  bench_row row = {.problem = {.routine = routine_find(name, strlen(name)), .type = (trigon_type)type}, .ratio = 1.1};
  problem_set_variant(&row.problem, variant);
  memcpy(row.problem.size, sizes, sizeof row.problem.size);
  const double share[IMPLS] = {0.66, 0.6, 1};
  for (int i = 0; i < IMPLS; i++)
    row.impl[i] = (measurement){.measured = true, .ok = true, .gflops = share[i] * gflops};
  return row;
}

#endif
