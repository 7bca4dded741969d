/* tuning.c - the CPU's tuning: the table for this BLAS and this CPU, changed by what the BLAS and the options allow. */
#include "cpu.h"

/* For a BLAS that we know nothing about: its own routines, and the recursion above the orders up to which OpenBLAS's
 * routines are as fast as the recursion (docs/performance.md). */
static const char any_blas[] = "trmm   sdcz * * vendor 1024\n"
                               "trsm   sdcz * * vendor 1024\n"
                               "syrk   sdcz * * vendor 1024\n"
                               "syr2k  sdcz * * vendor 2048\n"
                               "symm   sdcz * * vendor 1024\n"
                               "potrf  sdcz * * vendor 128\n"
                               "invert sdcz * * vendor 256\n"
                               "lauum  sdcz * * vendor 1024\n"
                               "team gemm   sdcz 200000\n"
                               "team trmm   sdcz 200000\n"
                               "team trsm   sdcz 200000\n"
                               "team syrk   sdcz 200000\n"
                               "team syr2k  sdcz 200000\n"
                               "team symm   sdcz 200000\n";

/* Leaves of our own are unblocked. A triangle of this order stays in the first-level cache. */
enum { step_stop = 32 };

static bool has_step(int r) { return r == ROUTINE_POTRF || r == ROUTINE_INVERT || r == ROUTINE_LAUUM; }

/* INVERT and LAUUM use the packed leaves of the other routines through the recursion. */
static bool has_packed(int r) { return r <= ROUTINE_POTRF; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The variant that runs if the table or the options want this one. Without LAPACK our own leaves factor. */
static variant possible(const cpu *c, int r, variant wanted) {
  if (wanted == VARIANT_PACKED && has_packed(r)) return VARIANT_PACKED;
  return has_step(r) && (wanted != VARIANT_VENDOR || !c->lib.lapack) ? VARIANT_STEP : VARIANT_VENDOR;
}

/* A stop is at most what the leaf can take: the BLAS's integers, and for a leaf that copies the leaf buffer. With
 * native=1 only the integers limit LAPACK. */
static int64_t possible_stop(const cpu *c, int r, variant leaf, int64_t stop) {
  const bool copied = r == ROUTINE_POTRF || r == ROUTINE_INVERT;
  if (leaf == VARIANT_STEP) return least(stop, step_stop);
  if (leaf == VARIANT_PACKED) return least(stop, packed_triangle_order);
  if (c->options.native) return c->lib.int_max;
  return least(stop, copied ? least(leaf_copy_order, c->lib.int_max) : c->lib.int_max);
}

static void make_possible(const cpu *c, int r, tuning_range *range) {
  range->leaf = possible(c, r, range->leaf);
  range->stop = possible_stop(c, r, range->leaf, range->stop);
}

trigon_status cpu_tuning(cpu *c) {
  tuning *t = &c->tuning;
  tuning_clear(t);
  TRY(tuning_read(any_blas, t, c->machine.why));
  c->tuned_for = "any CPU";
  TRY(tuning_load(c->options.tuning, c->lib.name, t, &c->source, c->machine.why));
  apply_options(&c->options, t);
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) make_possible(c, r, &t->range[r][type][s][i]);
  return TRIGON_OK;
}

bool cpu_tuning_has(const tuning *t, variant leaf) {
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++)
          if (t->range[r][type][s][i].leaf == leaf) return true;
  return false;
}
