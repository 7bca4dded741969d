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

/* INVERT and LAUUM use the packed leaves of the other routines through the recursion. */
static bool has_packed(routine r) { return r <= ROUTINE_POTRF; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The variant that runs if the table or the options want this one. Without LAPACK our own leaves factor. */
static variant possible(const cpu *c, routine r, variant wanted) {
  if (wanted == VARIANT_PACKED && has_packed(r)) return VARIANT_PACKED;
  return has_step(r) && (wanted != VARIANT_VENDOR || !c->lib.lapack) ? VARIANT_STEP : VARIANT_VENDOR;
}

/* A stop is at most what the leaf can take: the BLAS's integers, and for a leaf that copies the leaf buffer. With
 * native=1 only the integers limit LAPACK. */
static int64_t possible_stop(const cpu *c, routine r, variant leaf, int64_t stop) {
  const bool copied = r == ROUTINE_POTRF || r == ROUTINE_INVERT;
  if (leaf == VARIANT_STEP) return least(stop, step_stop);
  if (leaf == VARIANT_PACKED) return least(stop, packed_triangle_order);
  if (c->options.native) return c->lib.int_max;
  return least(stop, copied ? least(leaf_copy_order, c->lib.int_max) : c->lib.int_max);
}

tuning cpu_tuning(const cpu *c) {
  tuning t = tuned(&c->options, &table);
  for (int r = 0; r < ROUTINES; r++)
    for (int type = 0; type < TYPES; type++) {
      variant *leaf = &t.row[r].leaf[type];
      int64_t *stop = &t.row[r].stop[type];
      *leaf = possible(c, (routine)r, *leaf);
      if (*stop > 0) *stop = possible_stop(c, (routine)r, *leaf, *stop);
    }
  return t;
}

/* Packed leaves take triangles with few columns whole. */
static bool is_thin(const operation *o) {
  const int64_t width = o->side == TRIGON_LEFT ? o->B.n : o->B.m;
  return (o->routine == ROUTINE_TRSM || o->routine == ROUTINE_TRMM) && width <= packed_thin_width;
}

int64_t cpu_stop(const cpu *c, const operation *o) {
  const int type = type_index(o->A.type);
  const tuning_row *row = &c->tuning.row[o->routine];
  if (row->leaf[type] != VARIANT_PACKED || !is_thin(o)) return row->stop[type];
  return c->options.stop > 0 ? least(c->options.stop, packed_thin_order) : packed_thin_order;
}
