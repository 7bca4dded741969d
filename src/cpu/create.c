/* create.c - makes the CPU's engine: its tuning table (the orders up to which a routine is one leaf), begin and end.
 *
 * A BLAS computes products and triangular leaves. Its LAPACK, or leaves of our own, compute factorizations. The work is
 * done when a call returns. A call takes no memory beyond the context's leaf buffer. */
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "create.h"

/* ---------------------------------------------------------------------------------------------- recursion -- */

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
static tuning tuning_of(const cpu *c) {
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

static int64_t cpu_cut(engine *e, const operation *o) {
  const int64_t n = order_of(o), stop = cpu_of(e)->tuning.row[o->routine].stop[type_index(o->A.type)];
  if (is_composite(o->routine)) return 1;
  return n <= stop || stop == 0 ? 0 : first_block(cpu_of(e)->options.rule, stop, n);
}

/* -------------------------------------------------------------------------------------------- around a call -- */

static bool ld_fits(const cpu *c, view A) { return A.ld <= c->lib.int_max || !uses_leading(A); }

static trigon_status check_ld(cpu *c, const char *argument, view A) {
  if (ld_fits(c, A)) return TRIGON_OK;
  reason *why = c->machine.why;
  why->argument = argument;
  snprintf(why->text, sizeof why->text, "leading dimension %lld does not fit this BLAS's 32-bit integers",
           (long long)A.ld);
  return TRIGON_NOT_SUPPORTED;
}

/* The leading dimensions of a call's operands must fit. A trivial call reads no operand. It scales its output, which is
 * B if the routine has no C, or does nothing. (A trivial POTRS or factorization has an empty output.) */
static trigon_status check_operands(cpu *c, const operation *o) {
  if (ld_fits(c, o->A) && ld_fits(c, o->B) && ld_fits(c, o->C)) return TRIGON_OK;
  const bool trivial = is_trivial(o), has_C = routine_table[o->routine].C.rows != 0;
  if (!trivial) TRY(check_ld(c, "A", o->A));
  if (!trivial || !has_C) TRY(check_ld(c, "B", o->B));
  return trivial && is_one(o->beta) ? TRIGON_OK : check_ld(c, "C", o->C);
}

/* With dirty=1 the leaf buffer holds NaN before each call. Only the bytes that the last call may have written are
 * filled: to fill all of the buffer would take longer than a small call. A leaf copies one block of the triangle at
 * most. */
static void make_dirty(cpu *c, const operation *o) {
  const int64_t order = least(order_of(o), leaf_copy_order);
  memset(c->leaf_copy, 0xff, c->leaf_used);
  c->leaf_used = (size_t)(order * order * type_size(o->A.type));
}

static trigon_status cpu_begin(engine *e, const operation *o, engine **work) {
  cpu *c = cpu_of(e);
  TRY(check_operands(c, o));
  if (c->lib.library) TRY(library_enter(c->lib.library, c->machine.why));
  if (c->options.dirty) make_dirty(c, o);
  c->failure = 0;
  c->info = o->info;
  *work = e;
  return TRIGON_OK;
}

static trigon_status cpu_end(engine *e, bool succeeded) {
  cpu *c = cpu_of(e);
  if (!succeeded) return TRIGON_OK;
  if (c->info)
    *c->info = c->failure;
  else if (c->kept == 0)
    c->kept = c->failure;
  return TRIGON_OK;
}

static int64_t cpu_known_failure(engine *e) { return cpu_of(e)->failure; }

/* ---------------------------------------------------------------------------------------------- the machine -- */

static trigon_status cpu_finish(machine *m, int64_t *info) {
  if (info) *info = cpu_on(m)->kept;
  cpu_on(m)->kept = 0;
  return TRIGON_OK;
}

static const char *cpu_describe(machine *m) { return cpu_on(m)->lib.described; }
static const char *cpu_advice(machine *m) { return cpu_on(m)->lib.advice; }

static int64_t cpu_memory(machine *m) {
  (void)m;
  return leaf_copy_bytes;
}

/* The CPU needs no workspace, so there is nothing to cap or to reserve. */
static const machine_ops cpu_ops = {
    .on_host = true,
    .alloc = host_alloc,
    .release = host_release,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .memory = cpu_memory,
    .finish = cpu_finish,
    .describe = cpu_describe,
    .advice = cpu_advice,
};

/* ------------------------------------------------------------------------------------------------- creation -- */

static void cpu_destroy(engine *e) {
  blas_leave(&cpu_of(e)->lib);
  free(cpu_of(e)->leaf_copy);
  free(e);
}

static const engine cpu_engine = {.begin = cpu_begin,
                                  .end = cpu_end,
                                  .cut = cpu_cut,
                                  .run = cpu_run,
                                  .known_failure = cpu_known_failure,
                                  .destroy = cpu_destroy};

/* Makes an engine that has no BLAS yet. */
static cpu *make(const engine_options *options, reason *why) {
  cpu *c = calloc(1, sizeof *c);
  if (c) c->leaf_copy = calloc(1, leaf_copy_bytes);
  if (!c || !c->leaf_copy) {
    free(c);
    snprintf(why->text, sizeof why->text, "out of memory");
    return NULL;
  }
  c->engine = cpu_engine;
  c->engine.machine = &c->machine;
  c->machine = (machine){&cpu_ops, why};
  c->options = *options;
  c->leaf_used = leaf_copy_bytes; /* zeros so far */
  return c;
}

trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out,
                         int64_t *int_max) {
  cpu *c = make(options, why);
  if (!c) return TRIGON_NO_MEMORY;
  trigon_status status = library ? blas_load(&c->lib, library, wide, why) : blas_linked(&c->lib, why);
  if (options->int_max > 0) c->lib.int_max = options->int_max;
  if (status != TRIGON_OK) {
    cpu_destroy(&c->engine);
    return status;
  }
  c->tuning = tuning_of(c);
  *int_max = c->lib.int_max;
  *out = &c->engine;
  return TRIGON_OK;
}
