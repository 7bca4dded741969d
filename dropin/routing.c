/* routing.c - the table of routes. */
#include "routing.h"

#include <stddef.h>
#include <string.h>

/* Measured in one run by bench/dropin_calls.c, both libraries in turns. A row belongs to the processors and to the
 * kernels of the host with which it was measured: all others have no route. */
typedef struct measured {
  const char *cpu, *core; /* words of trigon_describe and of openblas_get_corename */
  enum routed routine;
  char letter;
  route route;
} measured;

static const measured table[] = {
    {NULL, NULL, ROUTED_ROUTINES, 0, {0, 0}},
};

const route *route_of(enum routed routine, char letter, const char *cpu, const char *core) {
  static const route none = {INT64_MAX, 0};
  for (const measured *m = table; m->cpu; m++)
    if (m->routine == routine && m->letter == letter && core && strcmp(core, m->core) == 0 && strstr(cpu, m->cpu))
      return &m->route;
  return &none;
}
