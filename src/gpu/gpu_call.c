/* gpu_call.c - around a call on the GPU: `begin` checks the operands, `cut` says where the recursion stops, `end`
 * stores info. */
#include "gpu_leaves.h"

/* With native=1 the vendor also takes composite routines whole. The host does not know the sizes of a batch. */
static int64_t gpu_cut(engine *e, const operation *o) {
  const gpu *g = gpu_of(e);
  if (o->batch) return 0;
  if (g->options.native && gpu_vendor_has(o->routine)) return 0;
  return tuning_cut(&g->tuning, g->options.rule, o);
}

/* Operands that a call reads or writes must be device memory. A trivial call scales its output, which is B if the
 * routine has no C, or does nothing. Of the trivial calls only those that read a diagonal read A. */
static trigon_status check_operands(gpu *g, const operation *o) {
  const bool trivial = is_trivial(o), has_C = o->C.count > 0;
  if (!trivial || only_reads_diagonal(o)) TRY(gpu_check_view(g, "A", o->A));
  if (!trivial || !has_C) TRY(gpu_check_view(g, "B", o->B));
  return trivial && is_one(o->beta) ? TRIGON_OK : gpu_check_view(g, "C", o->C);
}

static trigon_status open_call(gpu *g, const operation *o) {
  TRY(o->batch ? gpu_check_batch(g, o) : check_operands(g, o));
  if (o->info) TRY(gpu_check_memory(g, "info", o->info, sizeof *o->info, sizeof *o->info));
  if (o->eigen && o->eigen->values.base) TRY(gpu_check_view(g, "w", o->eigen->values));
  int64_t *found = o->eigen ? o->eigen->found : NULL;
  if (found) TRY(gpu_check_memory(g, "found", found, sizeof *found, sizeof *found));
  if (o->logdet) TRY(gpu_check_memory(g, "logdet", o->logdet, sizeof *o->logdet, sizeof *o->logdet));
  if (g->options.native && !is_trivial(o)) TRY(gpu_vendor_open(g, o));
  TRY(gpu_prepare(g, !is_trivial(o) && (!o->batch || g->options.native || gpu_batch_takes_workspace(g, o))));
  if (!found) return TRIGON_OK;
  return gpu_status(g, cudaMemsetAsync(found, 0, sizeof *found, g->queue.stream), "the number of values");
}

static trigon_status gpu_begin(engine *e, const operation *o, engine **work) {
  gpu *g = gpu_of(e);
  TRY(gpu_enter(g));
  g->info = o->info;
  g->may_fail = o->info != NULL;
  *work = e;
  trigon_status status = open_call(g, o);
  if (status != TRIGON_OK) gpu_leave(g);
  return status;
}

/* Stores info. If work has failed, info is not stored, and the failure in the info block is cleared. */
static trigon_status gpu_end(engine *e, bool succeeded) {
  gpu *g = gpu_of(e);
  trigon_status status = TRIGON_OK;
  if (g->may_fail && succeeded) {
    outcome o = {&g->info_block->failure, g->info, &g->info_block->kept};
    status = gpu_status(g, launch_outcome(g->queue, &o), "the end of the call");
  }
  const bool lost = g->may_fail && (!succeeded || status != TRIGON_OK);
  g->stale = g->stale || (lost && gpu_reset_failure(g) != TRIGON_OK);
  gpu_leave(g);
  return status;
}

/* No failure is known without waiting. */
static int64_t gpu_known_failure(engine *e) {
  (void)e;
  return 0;
}

const engine gpu_engine = {.begin = gpu_begin,
                           .end = gpu_end,
                           .cut = gpu_cut,
                           .run = gpu_run,
                           .need = needs_nothing,
                           .known_failure = gpu_known_failure};
