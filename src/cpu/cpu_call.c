/* cpu_call.c - around a call on the CPU: `begin` checks the operands, `cut` says where the recursion stops, `end`
 * stores info. */
#include <stdio.h>
#include <string.h>

#include "cpu.h"

/* The largest order that register kernels should solve as one leaf. From the right, products with the thin and wide
 * blocks of B lose more than packed triangles gain. */
static int64_t order_of_leaf(const cpu *c, const operation *o) {
  if (!c->packed || o->routine != ROUTINE_TRSM || tuning_leaf(&c->tuning, o) != VARIANT_PACKED) return INT64_MAX;
  return o->side == TRIGON_LEFT && o->op == TRIGON_NOTRANS ? packed_trsm_order(c->packed, o->A.type, o->B.n)
                                                           : INT64_MAX;
}

static int64_t cpu_cut(engine *e, const operation *o) {
  const cpu *c = cpu_of(e);
  const int64_t n = order_of(o), first = tuning_cut(&c->tuning, c->options.rule, o), stop = order_of_leaf(c, o);
  return first == 0 && n > stop ? first_block(c->options.rule, stop, n) : first;
}

static trigon_status check_ld(cpu *c, const operation *o, const char *argument, view A) {
  if (A.ld <= c->int_max || !(o->in_batch || uses_leading(A))) return TRIGON_OK;
  reason *why = c->machine.why;
  why->argument = argument;
  snprintf(why->text, sizeof why->text, "leading dimension %lld does not fit this BLAS's 32-bit integers",
           (long long)A.ld);
  return TRIGON_NOT_SUPPORTED;
}

/* The leading dimensions of a call's operands must fit. A trivial call reads no operand. It scales its output, which is
 * B if the routine has no C, or does nothing. (A trivial POTRS or factorization has an empty output.) In a batch each
 * leading dimension must fit, so that the array alone says which matrix is wrong. */
static trigon_status check_operands(cpu *c, const operation *o) {
  if ((o->A.ld | o->B.ld | o->C.ld) <= c->int_max) return TRIGON_OK; /* all of them fit */
  const bool trivial = is_trivial(o) && !o->in_batch, has_C = routine_table[o->routine].C.rows != 0;
  if (!trivial) TRY(check_ld(c, o, "A", o->A));
  if (!trivial || !has_C) TRY(check_ld(c, o, "B", o->B));
  return trivial && is_one(o->beta) ? TRIGON_OK : check_ld(c, o, "C", o->C);
}

/* With dirty=1 the leaf buffer holds NaN before each call. Only the bytes that the last call may have written are
 * filled: to fill all of the buffer would take longer than a small call. A leaf copies one block of the triangle at
 * most. */
static void make_dirty(cpu *c, const operation *o) {
  const int64_t n = order_of(o), order = n < leaf_copy_order ? n : leaf_copy_order;
  if (c->leaf_copy) memset(c->leaf_copy, 0xff, c->leaf_used);
  if (c->packed) packed_make_dirty(c->packed);
  c->leaf_used = (size_t)(order * order * type_size(o->A.type));
}

/* A call of so many flops counts as large. Loading OpenBLAS takes longer than one such call (22 ms, Debian's 0.3.21 on
 * an EPYC, 2026-11-24), but a program seldom makes one alone. */
static const double least_sought_flops = 2e7;

static trigon_status cpu_begin(engine *e, const operation *o, engine **work) {
  cpu *c = cpu_of(e);
  TRY(check_operands(c, o));
  if (c->seeks_blas && work_of(o).flops >= least_sought_flops) cpu_seek_blas(c);
  if (c->lib.library) TRY(library_enter(c->lib.library, c->machine.why));
  if (c->options.dirty) make_dirty(c, o);
  if (o->eigen && o->eigen->found) *o->eigen->found = 0;
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

static const small_ops small = {.run = cpu_run_small,
                                .run_product = cpu_run_small_product,
                                .run_vectors = cpu_run_small_vectors,
                                .run_batch = cpu_run_small_batch,
                                .batch_limits = cpu_small_batch_limits,
                                .workers = cpu_workers};

const engine cpu_engine = {.begin = cpu_begin,
                           .end = cpu_end,
                           .cut = cpu_cut,
                           .run = cpu_run,
                           .need = needs_nothing,
                           .known_failure = cpu_known_failure,
                           .small = &small};
