/* tuning.c - the CPU's tuning table: up to which order a routine is one leaf, as the BLAS and the options change it. */
#include "cpu.h"

/* The orders up to which the BLAS's own routine is as fast as the recursion. Measured with `trigon bench` and `stop=`
 * on 2 cores of an AMD EPYC (Zen 3), OpenBLAS 0.3.21: docs/performance.md. */
static const tuning table = {.row = {
                                 [ROUTINE_TRMM] = ALL_TYPES(1024, VARIANT_VENDOR),
                                 [ROUTINE_TRSM] = ALL_TYPES(1024, VARIANT_VENDOR),
                                 [ROUTINE_SYRK] = ALL_TYPES(1024, VARIANT_VENDOR),
                                 [ROUTINE_SYR2K] = ALL_TYPES(2048, VARIANT_VENDOR),
                                 [ROUTINE_SYMM] = ALL_TYPES(1024, VARIANT_VENDOR),
                                 [ROUTINE_POTRF] = ALL_TYPES(128, VARIANT_VENDOR),
                                 [ROUTINE_INVERT] = ALL_TYPES(256, VARIANT_VENDOR),
                                 [ROUTINE_LAUUM] = ALL_TYPES(1024, VARIANT_VENDOR),
                             }};

/* Leaves of our own are unblocked. A triangle of this order stays in the first-level cache. */
enum { step_stop = 32 };

static bool has_step(routine r) { return r == ROUTINE_POTRF || r == ROUTINE_INVERT || r == ROUTINE_LAUUM; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The table, changed by this BLAS and the options. Without LAPACK our own leaves factor. No stop exceeds the BLAS's
 * integers, and no stop of a leaf that copies exceeds the leaf buffer. With native=1 only the integers limit LAPACK. */
tuning cpu_tuning(const cpu *c) {
  tuning t = tuned(&c->options, &table);
  for (int r = 0; r < ROUTINES; r++)
    for (int type = 0; type < TYPES && t.row[r].stop[type] > 0; type++) {
      const bool copied = r == ROUTINE_POTRF || r == ROUTINE_INVERT;
      variant *leaf = &t.row[r].leaf[type];
      int64_t *stop = &t.row[r].stop[type];
      *leaf = has_step((routine)r) && (*leaf == VARIANT_STEP || !c->lib.lapack) ? VARIANT_STEP : VARIANT_VENDOR;
      if (*leaf == VARIANT_STEP)
        *stop = least(*stop, step_stop);
      else if (c->options.native)
        *stop = c->lib.int_max;
      else
        *stop = least(*stop, copied ? least(leaf_copy_order, c->lib.int_max) : c->lib.int_max);
    }
  return t;
}
