/* cpu_tuning.c - the CPU's tuning: the table for this CPU or this BLAS, changed by what they and the options allow. */
#include "core/sizes.h"
#include "cpu.h"

/* Leaves of our own are unblocked. A triangle of this order stays in the first-level cache. */
enum { step_stop = 32 };

static bool has_step(int r) { return r == ROUTINE_POTRF || r == ROUTINE_INVERT || r == ROUTINE_LAUUM; }

/* The variant that runs if the table or the options want this one. Without LAPACK our own leaves factor. */
static variant possible(const cpu *c, int r, variant wanted) {
  if (wanted == VARIANT_VENDOR && has_blas(c) && (c->lib.lapack || !has_step(r))) return VARIANT_VENDOR;
  if (has_step(r) && (wanted == VARIANT_STEP || has_blas(c)) && wanted != VARIANT_PACKED) return VARIANT_STEP;
  return wanted != VARIANT_PACKED && has_blas(c) ? VARIANT_VENDOR : VARIANT_PACKED;
}

/* The largest order of a packed leaf. Products of any order are one leaf, and so are triangles with few columns. */
static int64_t packed_order(int r, trigon_type type, shape_class s, bool is_member) {
  const packed_orders most = packed_orders_of(type, is_member);
  if (r == ROUTINE_TRMM || r == ROUTINE_TRSM) return s <= SHAPE_W64 ? most.few_columns : most.triangle;
  if (r < ROUTINE_POTRF) return INT64_MAX;
  return r == ROUTINE_POTRF ? most.potrf : most.panels;
}

/* A stop is at most what the leaf can take: the BLAS's integers, and for a leaf that copies the leaf buffer. With
 * native=1 only the integers limit LAPACK. */
static int64_t possible_stop(const cpu *c, int r, trigon_type type, shape_class s, variant leaf, int64_t stop) {
  const bool copied = r == ROUTINE_POTRF || r == ROUTINE_INVERT;
  if (leaf == VARIANT_STEP) return least(stop, step_stop);
  if (leaf == VARIANT_PACKED) return least(stop, packed_order(r, type, s, false));
  if (c->options.native) return c->lib.int_max;
  if (c->found_blas) stop = least(stop, packed_order(r, type, s, false)); /* our own kernels may take the leaf */
  return least(stop, copied ? least(leaf_copy_order, c->lib.int_max) : c->lib.int_max);
}

bool cpu_is_packed(const cpu *c) {
  const engine_options *o = &c->options;
  return !has_blas(c) || (o->forced && o->leaf == VARIANT_PACKED && !o->native);
}

/* Reads the built-in rows. */
static trigon_status read_builtin(cpu *c) {
  const cpu_rows *first = cpu_is_packed(c) ? &cpu_rows_packed
                          : c->found_blas  ? &cpu_rows_found_blas
                                           : &cpu_rows_any_blas;
  const cpu_rows *measured = cpu_is_packed(c) ? c->arch->rows : NULL;
  c->tuned_for = measured ? measured->made_for : first->made_for;
  TRY(tuning_read(first->text, &c->tuning, c->machine.why));
  return measured ? tuning_read(measured->text, &c->tuning, c->machine.why) : TRIGON_OK;
}

static void make_possible(const cpu *c, int r, trigon_type type, shape_class s, tuning_range *range) {
  range->leaf = possible(c, r, range->leaf);
  range->stop = possible_stop(c, r, type, s, range->leaf, range->stop);
}

void cpu_tune_member(const cpu *c, tuning *t) {
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) {
          tuning_range *range = &t->range[r][type][s][i];
          const int64_t most = packed_order(r, types_in_order[type], (shape_class)s, true);
          if (range->leaf == VARIANT_PACKED || c->found_blas) range->stop = least(range->stop, most);
        }
}

/* The order up to which each leaf of a row is packed and not cut. */
static int64_t packed_up_to(const tuning_range *range) {
  int64_t order = 0;
  for (int i = 0; i < TUNING_RANGES && range[i].leaf == VARIANT_PACKED && order < small_order; i++) {
    if (range[i].stop < range[i].last) return range[i].stop > order ? least(range[i].stop, small_order) : order;
    order = least(range[i].last, small_order);
  }
  return order;
}

/* The order up to which a routine, or each of those that it consists of, is packed and not cut. */
static int64_t small_order_of(const tuning *t, routine r, int type) {
  int64_t order = small_order;
  switch (r) {
  case ROUTINE_GEMM:
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K:
  case ROUTINE_SYMM:
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
    for (int s = 0; s < SHAPES; s++) order = least(order, packed_up_to(t->range[r][type][s]));
    return order;
  case ROUTINE_POTRF:
  case ROUTINE_INVERT:
  case ROUTINE_LAUUM: return packed_up_to(t->range[r][type][SHAPE_W2048]);
  case ROUTINE_TRTRI: return small_order_of(t, ROUTINE_INVERT, type);
  case ROUTINE_POTRS: return small_order_of(t, ROUTINE_TRSM, type);
  case ROUTINE_POSV: return least(small_order_of(t, ROUTINE_POTRF, type), small_order_of(t, ROUTINE_TRSM, type));
  case ROUTINE_POTRI: return least(small_order_of(t, ROUTINE_INVERT, type), small_order_of(t, ROUTINE_LAUUM, type));
  default: return -1;
  }
}

trigon_status cpu_tuning(cpu *c) {
  tuning *t = &c->tuning;
  tuning_clear(t);
  TRY(read_builtin(c));
  const tuning builtin = *t;
  TRY(tuning_load(c->options.tuning, has_blas(c) ? c->lib.name : "trigon", &(changed_by_file){t, NULL}, &c->source,
                  c->machine.why));
  apply_options(&c->options, t, (const tuning *const[]){&builtin}, 1);
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++)
          make_possible(c, r, types_in_order[type], (shape_class)s, &t->range[r][type][s][i]);
  for (int r = 0; r < ROUTINES; r++)
    for (int type = 0; type < TYPES; type++) c->small_order[r][type] = small_order_of(t, (routine)r, type);
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
