/* measure.c - calls of several implementations in turns, timed one at a time, and their medians. */
#include "measure.h"
#include "../command.h"
#include "check.h"
#include "memory_use.h"
#include "operands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_REPEATS = 5, LEAST_ON_DEVICE = 3, MOST_REPEATS = 100 };
static const double row_seconds = 1; /* how long the timed calls of a row are to take together */

/* Bytes up to which a device gets several sets. Larger operands push each other out of every cache, and the free memory
 * of a device is not known. */
static const double device_share = 0x1p32;

/* How long a device is kept waiting before a timed call: longer than it takes to launch a few kernels. */
static const double device_hold = 100e-6;

/* One implementation of one problem. */
typedef struct runner {
  int impl;
  trigon_context *ctx;
  operand_sets *sets; /* shared by the implementations of the same problem */
  double *seconds;    /* of each timed call, */
  double *host;       /* and of the call after it on the idle device */
  measurement *result;
} runner;

/* --------------------------------------------------------------------------------------------------- calls -- */

/* One call on a set with fresh contents, up to its end. Without host_seconds the context's timer stores *seconds. With
 * host_seconds, which is for an idle device, the host's clock stores *host_seconds instead. */
static trigon_status time_call(const runner *r, int set, double *seconds, double *host_seconds, int64_t *info) {
  double begun = 0;
  const problem *p = r->sets->problem;
  trigon_status status = host_seconds ? TRIGON_OK : trigon_timer_start(r->ctx, device_hold);
  if (host_seconds) begun = seconds_now();
  if (status == TRIGON_OK) status = p->routine->call(r->ctx, p, r->sets->set[set]);
  if (status == TRIGON_OK && seconds) status = trigon_timer_stop(r->ctx, seconds);
  if (status == TRIGON_OK) status = trigon_finish(r->ctx, info);
  if (host_seconds) *host_seconds = seconds_now() - begun;
  return status;
}

/* Restores a set's operands, on the host before a call, so that every call finds them equally warm in the caches, and
 * on a device after the call: the other sets pass through the cache before that set is used again. */
static bool refresh(const runner *r, int set, bool before_call, const reason *to) {
  trigon_context *ctx = r->sets->ctx;
  if (trigon_on_host(ctx) != before_call) return true;
  return succeeded(to, "restoring operands", ctx, operands_restore(r->sets, set)) &&
         succeeded(to, "restoring operands", ctx, trigon_finish(ctx, NULL));
}

/* Runs one call on a set with fresh contents, and stores its seconds as time_call does. */
static bool run_call(const runner *r, int set, double *seconds, double *host_seconds, const reason *to) {
  const char *name = r->sets->problem->routine->name;
  int64_t info = 0;
  if (!refresh(r, set, true, to)) return false;
  if (!succeeded(to, name, r->ctx, trigon_finish(r->ctx, NULL))) return false;
  if (!succeeded(to, name, r->ctx, time_call(r, set, seconds, host_seconds, &info))) return false;
  if (info != 0) snprintf(to->text, to->size, "%s: info is %" PRId64 " for a well-conditioned matrix", name, info);
  return info == 0;
}

/* Runs a call to warm up, and then one whose memory and work are observed. Returns the time of the second call or, on a
 * device, of the call and the restoring of its operands, which often takes longer. Returns a negative number on
 * failure. */
static double run_first(const runner *r, const reason *to) {
  double seconds;
  bool on_host = trigon_on_host(r->ctx);
  if (!run_call(r, 0, &seconds, NULL, to) || !refresh(r, 0, false, to)) return -1;
  trigon_trace(r->ctx, NULL, 0); /* forgets the work of the warm-up */
  double begun = seconds_now();
  memory_mark before = on_host ? memory_mark_now() : (memory_mark){-1}; /* the host does not see a device's memory */
  if (!run_call(r, 0, &seconds, NULL, to) || !refresh(r, 0, false, to)) return -1;
  r->result->extra_bytes = on_host ? memory_peak_since(before) : -1;
  if (!on_host && !succeeded(to, "memory", r->ctx, trigon_memory(r->ctx, &r->result->extra_bytes))) return -1;
  r->result->traced = trigon_trace(r->ctx, r->result->counts, TRACED_KINDS) == TRIGON_OK;
  return on_host ? seconds : seconds_now() - begun;
}

/* Checks what the last call on a set computed. */
static bool judge(const runner *r, int set, const reason *to) {
  double limit;
  measurement *result = r->result;
  trigon_matrix after[MOST_OPERANDS];
  if (!succeeded(to, "fetching results", r->sets->ctx, operands_fetch(r->sets, set, after))) return false;
  if (!bench_check(r->sets->problem, r->sets->original, after, &result->error, &limit)) return no_memory(to);
  result->ok = result->error < limit;
  result->measured = true;
  return true;
}

/* ------------------------------------------------------------------------------------------------- medians -- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void summarize(runner *runners, int count, int repeat, bench_row *row) {
  double *trigon = NULL, *native = NULL, ratios[MOST_REPEATS_ALLOWED];
  for (int i = 0; i < count; i++) {
    if (runners[i].impl == TRIGON_IMPL) trigon = runners[i].seconds;
    if (runners[i].impl == NATIVE_IMPL) native = runners[i].seconds;
  }
  for (int k = 0; native && k < repeat; k++) ratios[k] = native[k] / trigon[k];
  row->ratio = native ? median(ratios, repeat) : NAN;
  for (int i = 0; i < count; i++) {
    measurement *result = runners[i].result;
    result->seconds = median(runners[i].seconds, repeat);
    if (!trigon_on_host(runners[i].ctx)) result->host_seconds = median(runners[i].host, repeat);
    result->gflops = 1e-9 * problem_flops(runners[i].sets->problem) / result->seconds;
  }
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* Calls all implementations in turns, so that whatever else the machine does affects them alike. The order alternates,
 * and each call takes the set that was used longest ago, so that no implementation finds its operands warmer in the
 * caches than the others do. */
static bool run_turns(const runner *runners, int count, int repeat, const reason *to) {
  for (int k = 0; k < repeat; k++)
    for (int i = 0; i < count; i++) {
      const runner *r = &runners[k % 2 ? count - 1 - i : i];
      int set = r->sets->next++ % r->sets->count;
      if (!run_call(r, set, &r->seconds[k], NULL, to)) return false;
      if (k == repeat - 1 && !judge(r, set, to)) return false;
      if (!refresh(r, set, false, to)) return false;
      if (trigon_on_host(r->ctx)) continue;
      set = r->sets->next++ % r->sets->count;
      if (!run_call(r, set, NULL, &r->host[k], to) || !refresh(r, set, false, to)) return false;
    }
  return true;
}

static bool measure(runner *runners, int count, int repeat, bench_row *row, const reason *to) {
  double total = 0, first;
  for (int i = 0; i < count; i++) {
    if ((first = run_first(&runners[i], to)) < 0) return false;
    total += first;
  }
  int least = trigon_on_host(runners->ctx) ? LEAST_REPEATS : LEAST_ON_DEVICE;
  if (repeat == 0) repeat = (int)fmin(fmax(row_seconds / fmax(total, 1e-9), least), MOST_REPEATS);
  if (!run_turns(runners, count, repeat, to)) return false;
  summarize(runners, count, repeat, row);
  return true;
}

/* Makes the operands of the row's problem and, if `ceiling` is measured (has a context), those of the GEMM. */
static bool make_all_operands(operand_sets *own, operand_sets *ceiling, const reason *to) {
  bool two = ceiling->ctx, on_host = trigon_on_host(own->ctx);
  double needed = operand_host_bytes(own->problem, own->ctx);
  if (two) needed += operand_host_bytes(ceiling->problem, ceiling->ctx);
  double left = memory_available();
  if (needed > left) {
    snprintf(to->text, to->size, "this size takes %.3g GB of memory, and %.3g GB are left", 1e-9 * needed, 1e-9 * left);
    return false;
  }
  /* Half of the memory that is left, originals included: the checks and other programs need memory, too. */
  double share = left / (two ? 4 : 2);
  return operands_make(own, on_host ? share - operand_bytes(own->problem) : device_share, to) &&
         (!two || operands_make(ceiling, on_host ? share - operand_bytes(ceiling->problem) : device_share, to));
}

bool bench_measure(const bench_setup *setup, bench_row *row, char *why, size_t why_size) {
  const reason to = {why, why_size};
  const problem gemm = problem_gemm(&row->problem);
  trigon_context *ctx = setup->ctx[TRIGON_IMPL];
  operand_sets own = {.problem = &row->problem, .ctx = ctx};
  operand_sets ceiling = {.problem = &gemm, .ctx = setup->ctx[GEMM_IMPL] ? ctx : NULL};
  runner runners[IMPLS];
  double times[IMPLS][MOST_REPEATS_ALLOWED], host_times[IMPLS][MOST_REPEATS_ALLOWED];
  int count = 0;
  for (int i = 0; i < IMPLS; i++) {
    row->impl[i] = (measurement){.extra_bytes = -1};
    if (!setup->ctx[i]) continue;
    operand_sets *sets = i == GEMM_IMPL ? &ceiling : &own;
    runners[count++] = (runner){i, setup->ctx[i], sets, times[i], host_times[i], &row->impl[i]};
  }
  bool done = make_all_operands(&own, &ceiling, &to) && measure(runners, count, setup->repeat, row, &to);
  done = operands_free(&own, done, &to);
  return operands_free(&ceiling, done, &to);
}

bool bench_supported(trigon_context *ctx, const problem *p, char *why, size_t why_size) {
  const reason to = {why, why_size};
  problem smallest = *p;
  operand_sets sets = {.problem = &smallest, .ctx = ctx};
  for (int i = 0; i < SIZES; i++) smallest.size[i] = 1;
  bool refused = false;
  if (operands_make(&sets, 0, &to)) {
    trigon_status status = p->routine->call(ctx, &smallest, sets.set[0]);
    refused = status == TRIGON_NOT_SUPPORTED && !succeeded(&to, p->routine->name, ctx, status);
    trigon_finish(ctx, NULL); /* any other failure comes again when the call is measured */
  }
  operands_free(&sets, !refused, &to);
  return !refused;
}
