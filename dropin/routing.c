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

/* Trigon's time over OpenBLAS's, one thread, a Cascade Lake.
 * D (bench/results/2026-11-28-cascadelake-dropin-eigen.csv):
 *   values: 1.0 at order 4, 0.54 to 0.88 from 6 to 1024, 1.04 at 2048 (cascadelake-eigen-1thread.csv)
 *   a tenth of the values: 0.53 to 0.79, of the vectors: 0.57 to 0.96
 *   all vectors: SYEVD 0.32 to 0.95, SYEVR 0.31 to 0.78, SYEV and SYEVX 0.12 to 0.67
 * S is as D, or faster; SYEVD and HEEVD (bench/results/2026-11-28-cascadelake-dropin-eigen-types.csv) of C and Z:
 *   values 0.42 to 0.69 from 6 to 1024, vectors 0.25 to 0.63
 * HEEVR and HEEV of C and Z, from loops that are not kept (SciPy's eigh, orders 12 to 768):
 *   values 0.33 to 0.9 (once 1.05), all vectors of HEEVR 0.32 to 0.77, of HEEV 0.06 to 0.63
 *   a tenth of the vectors: 0.5 to 1.0 from 12 to 64; above, 0.4 to 0.9 in Z (1.3 at 96), 0.6 to 1.1 in C */
eigen_orders orders_of(enum eigen_task task, bool is_complex) {
  const int64_t least = 6;
  if (task == EIGEN_VALUES && !is_complex) return (eigen_orders){least, 1024};
  if (task == EIGEN_PARTS && is_complex) return (eigen_orders){least, 64};
  return (eigen_orders){least, INT64_MAX};
}
