/* routing.c - the table of routes. */
#include "routing.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Measured by bench/dropin_calls.c, both libraries in turns, with TRIGON_BLAS_ROUTES=none
 * (bench/results/2026-11-26-zen3-dropin-routes.csv, a Zen 3). A row belongs to the processors and to the kernels of the
 * host with which it was measured: all others have no route. The host computes these orders on one thread, also if it
 * may use more, so that its threads do not take processors from Trigon's. */
typedef struct measured {
  const char *cpu, *core; /* words of trigon_describe and of openblas_get_corename */
  enum routed routine;
  char letter;
  route route;
} measured;

static const measured table[] = {
    {"avx2", "Zen", ROUTED_gemm, 'd', {33, 64}},
    {"avx2", "Zen", ROUTED_syrk, 'd', {33, 96}},
    {NULL, NULL, ROUTED_ROUTINES, 0, {0, 0}},
};

bool routes_are_followed(void) {
  const char *wanted = getenv("TRIGON_BLAS_ROUTES");
  return !wanted || strcmp(wanted, "none") != 0;
}

const route *route_of(enum routed routine, char letter, const char *cpu, const char *core) {
  static const route none = {INT64_MAX, 0};
  if (!routes_are_followed()) return &none;
  for (const measured *m = table; m->cpu; m++)
    if (m->routine == routine && m->letter == letter && core && strcmp(core, m->core) == 0 && strstr(cpu, m->cpu))
      return &m->route;
  return &none;
}

/* Trigon's time over OpenBLAS's, one thread, a Cascade Lake. D (bench/results/2026-11-28-cascadelake-dropin-eigen.csv):
 *   values: 1.03 to 1.12 at order 4, 0.62 to 0.88 from 6 to 96, 1.4 at 128; a tenth of them 0.62 to 1.01 from 6 to 96
 *   SYEVD's vectors: 0.42 to 0.66 from 6 to 96, 1.19 at 128, 1.00 at 256, 0.87 to 0.88 at 512 and 1024
 *   SYEVR's vectors: 0.35 to 0.58 from 6 to 96, 0.93 to 0.95 at 128 and 256, 0.68 to 0.83 at 512 and 1024
 *   SYEV's and SYEVX's vectors: 0.27 to 0.63 from 6 to 256, 0.12 to 0.17 at 512 and 1024
 *   a tenth of the vectors: 0.54 to 0.97 from 6 to 96, 1.02 to 1.43 from 128 to 512, 0.95 to 0.96 at 1024
 * S is as D (bench/results/2026-11-28-cascadelake-dropin-eigen-types.csv, of SYEVD and HEEVD). C and Z, whichever is
 * slower; all but those of HEEVD are from loops that are not kept:
 *   HEEVD's values: 0.86 to 0.88 at 6 and 8, 1.2 to 8.9 from 12 to 96, 1.08 at 128, 0.99 and 0.74 at 256 and 512
 *   HEEVD's vectors: 0.62 to 0.81 from 6 to 24, 1.2 to 8 from 32 to 96, 0.97 at 128, 0.55 and 0.42 at 256 and 512
 *   HEEVR's vectors: 0.72 to 0.86 at 16 and 24, 1.03 to 18 from 32 to 96, 0.4 to 0.8 from 128 on (once 1.9)
 *   HEEV's and HEEVX's vectors: 0.72 to 0.92 from 16 to 48, up to 7 at 64 and 96, 0.05 to 0.7 from 128 on
 *   a tenth of the vectors: 1.5 to 30 from 16 to 96, 0.8 to 3 above */
eigen_orders orders_of(enum eigen_task task, bool is_complex) {
  static const eigen_orders orders[EIGEN_TASKS][2] = {
      [EIGEN_VALUES] = {{6, 90, INT64_MAX}, {6, 8, 256}},
      [EIGEN_DIVISION] = {{6, 96, 384}, {6, 24, 128}},
      [EIGEN_REPRESENTATIONS] = {{6, INT64_MAX, INT64_MAX}, {6, 24, 128}},
      [EIGEN_ITERATION] = {{6, INT64_MAX, INT64_MAX}, {6, 48, 128}},
      [EIGEN_PARTS] = {{6, 96, 1024}, {INT64_MAX, INT64_MAX, INT64_MAX}},
  };
  return orders[task][is_complex];
}
