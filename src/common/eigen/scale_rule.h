/* scale_rule.h - by which powers of two matrices are scaled, on the host and in kernels. */
#ifndef TRIGON_SCALE_RULE_H
#define TRIGON_SCALE_RULE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "core/host_device.h"

/* A power of two that brings a size near 1, as far as the type has it. */
TRIGON_HOST_DEVICE static inline double power_for(double size, bool single) {
  const int most = single ? FLT_MAX_EXP - 2 : DBL_MAX_EXP - 2;
  int exponent;
  if (!(size > 0) || !(size < (double)INFINITY)) return 1;
  (void)frexp(size, &exponent);
  return ldexp(1.0, -exponent > most ? most : -exponent < -most ? -most : -exponent);
}

/* Whether squares of numbers of this size neither overflow nor lose digits. LAPACK's bounds. */
TRIGON_HOST_DEVICE static inline bool has_safe_squares(double size, bool single) {
  const double small = single ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON;
  return size == 0 || (size > sqrt(small) && size < 1 / sqrt(small));
}

#endif
