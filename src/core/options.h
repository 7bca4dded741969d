/* options.h - the options of a context's name (behind the question mark), and how they change a tuning table. */
#ifndef TRIGON_OPTIONS_H
#define TRIGON_OPTIONS_H

#include "batch_schedule.h"
#include "core/tuning/cut_rule.h"
#include "core/tuning/tuning_file.h"
#include "tile_shape.h"

enum { most_threads = 1024 }; /* of a context on the CPU */
enum { most_devices = 16 };   /* of a context with its matrices in host memory */

typedef struct engine_options {
  int64_t stop; /* the order at which the recursion stops; 0: the tuning table decides */
  cut_rule rule;
  bool forced;     /* every leaf that has the variant `leaf` uses this variant */
  variant leaf;    /* not used unless `forced`: the tuning table decides */
  bool native;     /* every routine is one leaf by the vendor, without our defences: for comparison */
  int stages;      /* devices: of the reduction of an eigenproblem, 1 or 2; 0: the order decides */
  bool own_gemm;   /* devices: products by kernels of our own, not by the vendor's BLAS */
  tile_shape tile; /* devices, for tests: the tiles of dataflow leaves for doubles; 0 rows: the leaf chooses */
  /* devices: the order of the work in POTRF of a batch */
  batch_schedule schedule;
  int threads;     /* CPU: the largest team; 0: as many as the environment says, or as there are processors */
  bool no_blas;    /* CPU: no installed BLAS is loaded */
  char arch[16];   /* for tests: the kind whose kernels and rows are taken; "": the best, or nearest, one */
  bool trace;      /* count the operations */
  bool dirty;      /* for tests: the leaf buffer and the workspace hold NaN before each call */
  int64_t int_max; /* for tests: a lower limit for the integers of the BLAS; 0: no lower limit */
  char tuning[tuning_path_size]; /* the file of the tuning table, or "none"; "": tuning_load finds the file */
} engine_options;

/* Changes the tuning of an engine as the options want. A product is never cut. `older` are the tables from which this
 * one was made, the latest first (tuning_force). */
static inline void apply_options(const engine_options *o, tuning *t, const tuning *const *older, int count) {
  if (o->forced && !o->native) tuning_force(t, o->leaf, older, count);
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) {
          tuning_range *range = &t->range[r][type][s][i];
          if (o->stop > 0 && r != ROUTINE_GEMM) range->stop = o->stop;
          if (o->native) range->leaf = VARIANT_VENDOR;
        }
}

#endif
