/* hosted_call.c - around a call on matrices in host memory: checks the operands, records the plan and hands it to the
 * worker, or gives the call to the CPU. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hosted.h"

trigon_status hosted_refuse(hosted *h, trigon_status status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(h->machine.why->text, sizeof h->machine.why->text, format, values);
  va_end(values);
  return status;
}

/* ------------------------------------------------------------------------------------------ who computes a call -- */

/* The columns, or rows, of the right-hand sides; INT64_MAX if the routine has none. */
static int64_t right_hand_sides(const operation *o) {
  switch (o->routine) {
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return o->side == TRIGON_LEFT ? o->B.n : o->B.m;
  case ROUTINE_POTRS: return o->B.n;
  default: return INT64_MAX;
  }
}

/* A solve with few right-hand sides reads the triangle once. The memory of the host is faster than the link. */
static bool is_thin(const hosted *h, const operation *o) {
  const int64_t columns = right_hand_sides(o);
  return columns < INT64_MAX && columns < h->machine.tuning->host[HOST_COLUMNS];
}

/* Little work takes longer to hand over than to do. */
static bool is_small(const hosted *h, const operation *o) {
  const int64_t order = h->machine.tuning->host[HOST_ORDER];
  const sizes s = sizes_of(o);
  return s.m < order && s.n < order && (right_hand_sides(o) == INT64_MAX || s.k < order);
}

/* Vectors move as many bytes as they compute with. The option `stop` is for tests, which have small matrices. */
static bool is_for_cpu(const hosted *h, const operation *o) {
  if (is_trivial(o) || o->batch || o->in_batch || o->vectors) return true;
  return h->options.stop == 0 && (is_thin(h, o) || is_small(h, o));
}

/* ------------------------------------------------------------------------------------------------------ checks -- */

trigon_status hosted_check_host(hosted *h, const char *argument, view A) {
  const hosted_device *d = &h->device[0];
  if (A.m == 0 || A.n == 0 || d->queues->kind(d->machine, A.base) != MEMORY_DEVICE) return TRIGON_OK;
  h->machine.why->argument = argument;
  return hosted_refuse(h, TRIGON_BAD_ARGUMENT, "%p is memory of a device, must be host memory", A.base);
}

static trigon_status check_operands(hosted *h, const operation *o) {
  TRY(hosted_check_host(h, "A", o->A));
  TRY(hosted_check_host(h, "B", o->B));
  return hosted_check_host(h, "C", o->C);
}

/* -------------------------------------------------------------------------------------------------------- calls -- */

/* Fills a job with the plan of a call. */
static trigon_status plan_job(hosted *h, const operation *o, hosted_job *j) {
  j->plan.devices = h->devices;
  TRY(hosted_prepare(h, o, &j->plan));
  trigon_status status = plan_record(&j->plan, o);
  if (status == TRIGON_OK) status = residence_make(&j->residence, &j->plan, h->peers);
  return status == TRIGON_OK ? TRIGON_OK : hosted_refuse(h, status, "out of host memory for the plan of the call");
}

static void count_traffic(hosted *h, traffic t) {
  h->traffic.in_bytes += t.in_bytes, h->traffic.out_bytes += t.out_bytes;
  h->traffic.between_bytes += t.between_bytes;
}

static trigon_status submit(hosted *h, const operation *o) {
  hosted_job *j = calloc(1, sizeof *j);
  if (!j) return hosted_refuse(h, TRIGON_NO_MEMORY, "out of host memory");
  const trigon_status status = plan_job(h, o, j);
  if (status != TRIGON_OK) {
    hosted_free_job(j);
    return status;
  }
  count_traffic(h, j->residence.traffic);
  hosted_submit(h, j);
  return TRIGON_OK;
}

static trigon_status hosted_begin(engine *e, const operation *o, engine **work) {
  hosted *h = hosted_of(e);
  if (hosted_is_forked(h))
    return hosted_refuse(h, TRIGON_NOT_SUPPORTED, "the context belongs to the parent of this process (fork)");
  TRY(check_operands(h, o));
  h->on_cpu = is_for_cpu(h, o);
  *work = NULL;
  if (!h->on_cpu) return submit(h, o);
  hosted_drain(h);
  return h->cpu->begin(h->cpu, o, work);
}

/* The infos of the CPU's calls and of the plans are kept in one place, so that `finish` returns the first. */
static trigon_status hosted_end(engine *e, bool succeeded) {
  hosted *h = hosted_of(e);
  int64_t info = 0;
  if (!h->on_cpu) return TRIGON_OK;
  TRY(h->cpu->end(h->cpu, succeeded));
  TRY(h->cpu->machine->ops->finish(h->cpu->machine, &info));
  if (h->kept == 0) h->kept = info;
  return TRIGON_OK;
}

/* `begin` names the engine of the CPU, or nobody. So these entries are not called within a call. */
static int64_t hosted_cut(engine *e, const operation *o) { return hosted_of(e)->cpu->cut(hosted_of(e)->cpu, o); }
static trigon_status hosted_run(engine *e, const operation *o) { return hosted_of(e)->cpu->run(hosted_of(e)->cpu, o); }
static int64_t hosted_known_failure(engine *e) { return hosted_of(e)->cpu->known_failure(hosted_of(e)->cpu); }

const engine hosted_engine = {.begin = hosted_begin,
                              .end = hosted_end,
                              .cut = hosted_cut,
                              .run = hosted_run,
                              .need = needs_nothing,
                              .known_failure = hosted_known_failure};
