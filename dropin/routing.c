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
