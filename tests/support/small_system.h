/* small_system.h - a system whose solution is known. Tests use the system to see whether a context computes. */
#ifndef TRIGON_SMALL_SYSTEM_H
#define TRIGON_SMALL_SYSTEM_H

#include <stdbool.h>
#include <trigon.h>

/* Solves a small system. Returns whether the solution is right. */
static bool solves(trigon_context *ctx) {
  double A[] = {4, 2, 2, 5}, B[] = {8, 12};
  int64_t info = -1;
  return trigon_dposv(ctx, TRIGON_LOWER, 2, 1, A, 2, B, 2, &info) == TRIGON_OK && info == 0 && B[0] == 1 && B[1] == 2;
}

#endif
