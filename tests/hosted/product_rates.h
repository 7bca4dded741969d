/* product_rates.h - how long products take on an H100, by measured rates. */
#ifndef TRIGON_PRODUCT_RATES_H
#define TRIGON_PRODUCT_RATES_H

#include <math.h>

#include "core/operation.h"

static inline bool is_product(const operation *o) { return o->routine == ROUTINE_GEMM || o->routine == ROUTINE_SYRK; }

/* Flops a second. */
static inline double rate_of_product(sizes s) {
  const double tiles = ceil((double)s.m / 128) * ceil((double)s.n / 128) / 132; /* of cuBLAS, for each multiprocessor */
  return 55e12 * tiles / ceil(tiles) * (double)s.k / ((double)s.k + 150);
}

/* Seconds of a native product, or of a triangle of one. */
static inline double native_seconds(const operation *o) {
  return work_of(o).flops / (o->routine == ROUTINE_SYRK ? 50e12 : rate_of_product(sizes_of(o)));
}

/* Seconds of an emulated product, or of a triangle of one: for the products of residues, and for the elements whose
 * residues are made. Through what one H100 took for 4096 × 8192 × 4096 and 16384 × 16384 × 16384. */
static inline double emulated_seconds(const operation *o) {
  const sizes s = sizes_of(o);
  const double m = (double)s.m, n = (double)s.n, k = (double)s.k;
  if (o->routine == ROUTINE_SYRK) return 0.5 * (19.9e-15 * n * n * k + 15.7e-12 * (2 * n * k + n * n));
  return 19.9e-15 * m * n * k + 15.7e-12 * (m * k + n * k + m * n);
}

#endif
