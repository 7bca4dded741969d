/* options.h - the options that stand behind the question mark of a context's name. */
#ifndef TRIGON_OPTIONS_H
#define TRIGON_OPTIONS_H

#include "cut_rule.h"
#include "tuning.h"

typedef struct engine_options {
  int64_t stop; /* order at which the recursion stops; 0: as the tuning table says */
  cut_rule rule;
  bool forced;     /* leaves are of the variant `leaf`, if they have it */
  variant leaf;    /* else as the tuning table says */
  bool native;     /* every routine is one leaf, the vendor's, without our defences: for comparison */
  bool own_gemm;   /* devices: products by kernels of our own, not by the vendor's BLAS */
  bool trace;      /* count */
  bool dirty;      /* for tests: the leaf buffer and the workspace hold NaN before each call */
  int64_t int_max; /* for tests: as if the BLAS's integers ended here; 0: where they do */
} engine_options;

/* What an engine goes by: a machine's table, with the options in the places that they decide. */
static inline tuning tuned(const engine_options *o, const tuning *table) {
  tuning t = *table;
  for (int r = 0; r < ROUTINES; r++)
    for (int type = 0; type < TYPES; type++) {
      tuning_row *row = &t.row[r];
      if (o->stop > 0 && row->stop[type] > 0) row->stop[type] = o->stop;
      if (o->forced || o->native) row->leaf[type] = o->native ? VARIANT_VENDOR : o->leaf;
    }
  return t;
}

#endif
