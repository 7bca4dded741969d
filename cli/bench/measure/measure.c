/* measure.c - samples of several implementations in turns, and their medians.
 *
 * A sample is one call. If a call is too short for the clock, a sample is several calls in a row, each on operands of
 * its own. */
#include "measure.h"
#include "../../command.h"
#include "../check.h"
#include "../operands.h"
#include "median.h"
#include "memory_use.h"
#include "product_error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LEAST_REPEATS = 5, LEAST_ON_DEVICE = 3, MOST_REPEATS = 100 };

/* How long a sample takes at least on the host, if there are sets enough. Reading the clock twice takes 50 ns, and some
 * clocks count in steps of 10 ns: a quarter of a percent. */
static const double sample_seconds = 20e-6;

/* A first call that takes longer than this is not shorter than a sample when the caches are warm. */
static const double clearly_long = 1e-3;

/* Bytes up to which a device gets several sets. Larger operands push each other out of every cache, and the free memory
 * of a device is not known. */
static const double device_share = 0x1p32;

/* How long a device is kept waiting before a timed call: longer than it takes to launch a few kernels. */
static const double device_hold = 100e-6;

/* One implementation of one problem. */
typedef struct runner {
  int impl;
  trigon_context *ctx;
  routine_call *call;
  operand_sets *sets;  /* shared by the implementations of the same problem */
  bool reports;        /* what was emulated */
  bool compares;       /* elements of the product */
  double limit_factor; /* of the limit of residuals */
  double *seconds;     /* of a call in each sample, */
  double *host;        /* and of the call after the sample on the idle device */
  measurement *result;
} runner;

/* --------------------------------------------------------------------------------------------------- calls -- */

/* The sets that a sample takes, from number `first` on, a set for each call. */
typedef struct sample {
  int first, calls;
} sample;

static int set_of(const runner *r, sample s, int call) { return (s.first + call) % r->sets->count; }

/* The next sample of `calls` calls. Its sets are those that were used longest ago. */
static sample next_sample(const runner *r, int calls) {
  sample s = {r->sets->next % r->sets->count, calls};
  r->sets->next = set_of(r, s, calls);
  return s;
}

/* Calls on sets with fresh contents, up to the end of the last one. Without host_seconds the context's timer stores in
 * *seconds how long a call took. With host_seconds, which is for an idle device, the host's clock stores this in
 * *host_seconds instead. */
static trigon_status time_calls(const runner *r, sample s, double *seconds, double *host_seconds, int64_t *info) {
  double begun = 0;
  const problem *p = r->sets->problem;
  trigon_status status = host_seconds ? TRIGON_OK : trigon_timer_start(r->ctx, device_hold);
  if (host_seconds) begun = seconds_now();
  for (int i = 0; i < s.calls && status == TRIGON_OK; i++) status = r->call(r->ctx, p, r->sets->set[set_of(r, s, i)]);
  if (status == TRIGON_OK && seconds) status = trigon_timer_stop(r->ctx, seconds);
  if (status == TRIGON_OK) status = trigon_finish(r->ctx, info);
  if (host_seconds) *host_seconds = (seconds_now() - begun) / s.calls;
  if (status == TRIGON_OK && seconds) *seconds /= s.calls;
  return status;
}

/* Restores the operands of a sample's sets, on the host before the sample, so that every call finds them equally warm
 * in the caches, and on a device after it: the other sets pass through the cache before these sets are used again. */
static bool refresh(const runner *r, sample s, bool before_call, const verdict *to) {
  trigon_context *ctx = r->sets->ctx;
  if (trigon_on_host(ctx) != before_call) return true;
  for (int i = 0; i < s.calls; i++)
    if (!succeeded(to, "restoring operands", ctx, operands_restore(r->sets, set_of(r, s, i)))) return false;
  return succeeded(to, "restoring operands", ctx, trigon_finish(ctx, NULL));
}

/* Runs a sample on sets with fresh contents, and stores the seconds of a call as time_calls does. */
static bool run_sample(const runner *r, sample s, double *seconds, double *host_seconds, const verdict *to) {
  const char *name = r->sets->problem->routine->name;
  int64_t info = 0;
  if (!refresh(r, s, true, to)) return false;
  if (!succeeded(to, name, r->ctx, trigon_finish(r->ctx, NULL))) return false;
  if (!succeeded(to, name, r->ctx, time_calls(r, s, seconds, host_seconds, &info))) return false;
  if (info != 0) snprintf(to->text, to->size, "%s: info is %" PRId64 " for a well-conditioned matrix", name, info);
  return info == 0;
}

/* Runs a call to warm up, and then one whose memory and work are observed. Returns the time of the second call or, on a
 * device, of the call and the restoring of its operands, which often takes longer. Returns a negative number on
 * failure. */
static double run_first(const runner *r, const verdict *to) {
  double seconds = 0;
  const sample one = {.calls = 1};
  bool on_host = trigon_on_host(r->ctx);
  if (!run_sample(r, one, &seconds, NULL, to) || !refresh(r, one, false, to)) return -1;
  measurement *m = r->result;
  trigon_trace(r->ctx, NULL, 0); /* forgets the work of the warm-up, and its traffic */
  if (!succeeded(to, "traffic", r->ctx, trigon_traffic(r->ctx, &m->in_bytes, &m->out_bytes, &m->between_bytes)))
    return -1;
  double begun = seconds_now();
  memory_mark before = on_host ? memory_mark_now() : (memory_mark){-1}; /* the host does not see a device's memory */
  if (!run_sample(r, one, &seconds, NULL, to) || !refresh(r, one, false, to)) return -1;
  m->extra_bytes = on_host ? memory_peak_since(before) : -1;
  if (!on_host && !succeeded(to, "memory", r->ctx, trigon_memory(r->ctx, &m->extra_bytes))) return -1;
  if (!succeeded(to, "traffic", r->ctx, trigon_traffic(r->ctx, &m->in_bytes, &m->out_bytes, &m->between_bytes)))
    return -1;
  m->traced = trigon_trace(r->ctx, m->counts, TRACED_KINDS) == TRIGON_OK;
  return on_host ? seconds : seconds_now() - begun;
}

/* Makes the samples of the runner's problem longer until one takes long enough or needs all sets. `first` is the time
 * of the first call. */
static bool choose_calls(const runner *r, double first, const verdict *to) {
  operand_sets *sets = r->sets;
  if (!trigon_on_host(r->ctx) || first > clearly_long) return true;
  for (double seconds = 0;; sets->calls = 2 * sets->calls < sets->count ? 2 * sets->calls : sets->count) {
    if (!run_sample(r, next_sample(r, sets->calls), &seconds, NULL, to)) return false;
    if (seconds * sets->calls >= sample_seconds || sets->calls == sets->count) return true;
  }
}

/* Checks what the last call on a set computed. */
static bool judge(const runner *r, int set, const verdict *to) {
  double limit;
  measurement *result = r->result;
  trigon_matrix after[MOST_OPERANDS];
  if (r->reports && !succeeded(to, "the report", r->ctx, trigon_last_fp64(r->ctx, &result->fp64))) return false;
  if (!succeeded(to, "fetching results", r->sets->ctx, operands_fetch(r->sets, set, after))) return false;
  if (!bench_check(r->sets->problem, r->sets->original, after, &result->error, &limit)) return no_memory(to);
  if (r->compares && !product_error(r->sets->problem, r->sets->original, after, &result->product_error))
    return no_memory(to);
  result->compared = r->compares;
  result->ok = result->error < limit * r->limit_factor;
  result->measured = true;
  return true;
}

/* ------------------------------------------------------------------------------------------------- medians -- */

static void summarize(runner *runners, int count, int repeat, bench_row *row) {
  double *trigon = NULL, *native = NULL, ratios[MOST_REPEATS_ALLOWED];
  for (int i = 0; i < count; i++) {
    if (runners[i].impl == TRIGON_IMPL) trigon = runners[i].seconds;
    if (runners[i].impl == NATIVE_IMPL) native = runners[i].seconds;
  }
  for (int k = 0; native && trigon && k < repeat; k++) ratios[k] = native[k] / trigon[k];
  row->ratio = native && trigon ? median(ratios, repeat) : NAN;
  for (int i = 0; i < count; i++) {
    measurement *result = runners[i].result;
    result->seconds = median(runners[i].seconds, repeat);
    result->late_seconds = percentile_95(runners[i].seconds, repeat);
    if (!trigon_on_host(runners[i].ctx)) result->host_seconds = median(runners[i].host, repeat);
    result->gflops = 1e-9 * problem_flops(runners[i].sets->problem) / result->seconds;
  }
  const measurement *gemm = &row->impl[GEMM_IMPL];
  if (gemm->measured) row->floor = floor_of(&row->problem, gemm->gflops, &row->copy);
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* Takes samples of all implementations in turns, so that whatever else the machine does affects them alike. The order
 * alternates, and each call takes the set that was used longest ago, so that no implementation finds its operands
 * warmer in the caches than the others do. */
static bool run_turns(const runner *runners, int count, int repeat, const verdict *to) {
  for (int k = 0; k < repeat; k++)
    for (int i = 0; i < count; i++) {
      const runner *r = &runners[k % 2 ? count - 1 - i : i];
      sample s = next_sample(r, r->sets->calls);
      if (!run_sample(r, s, &r->seconds[k], NULL, to)) return false;
      if (k == repeat - 1 && !judge(r, set_of(r, s, s.calls - 1), to)) return false;
      if (!refresh(r, s, false, to)) return false;
      if (trigon_on_host(r->ctx)) continue;
      s = next_sample(r, 1);
      if (!run_sample(r, s, NULL, &r->host[k], to) || !refresh(r, s, false, to)) return false;
    }
  return true;
}

static bool measure(runner *runners, int count, const bench_setup *setup, bench_row *row, const verdict *to) {
  double total = 0, first;
  int repeat = setup->repeat;
  for (int i = 0; i < count; i++) {
    if ((first = run_first(&runners[i], to)) < 0 || !choose_calls(&runners[i], first, to)) return false;
    total += first;
  }
  int least = trigon_on_host(runners->ctx) ? LEAST_REPEATS : LEAST_ON_DEVICE;
  if (repeat == 0) repeat = (int)fmin(fmax(setup->seconds / fmax(total, 1e-9), least), MOST_REPEATS);
  if (!run_turns(runners, count, repeat, to)) return false;
  summarize(runners, count, repeat, row);
  return true;
}

/* Makes the operands of the row's problem and, if `ceiling` is measured (has a context), those of the GEMM. */
static bool make_all_operands(operand_sets *own, operand_sets *ceiling, const verdict *to) {
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
  const verdict to = {why, why_size};
  const problem gemm = problem_gemm(&row->problem);
  operand_sets own = {.problem = &row->problem, .ctx = setup->home, .calls = 1};
  operand_sets ceiling = {.problem = &gemm, .ctx = setup->ctx[GEMM_IMPL] ? setup->home : NULL, .calls = 1};
  runner runners[IMPLS];
  double times[IMPLS][MOST_REPEATS_ALLOWED], host_times[IMPLS][MOST_REPEATS_ALLOWED];
  int count = 0;
  for (int i = 0; i < IMPLS; i++) {
    row->impl[i] = (measurement){.extra_bytes = -1};
    if (!setup->ctx[i]) continue;
    operand_sets *sets = i == GEMM_IMPL ? &ceiling : &own;
    routine_call *call = i == NATIVE_IMPL && setup->native_call ? setup->native_call : sets->problem->routine->call;
    const bool asked = setup->fp64.given && i != GEMM_IMPL, is_gemm = row->problem.routine == gemm.routine;
    runners[count++] =
        (runner){.impl = i,
                 .ctx = setup->ctx[i],
                 .call = call,
                 .sets = sets,
                 .reports = asked && i == TRIGON_IMPL,
                 .compares = asked && is_gemm,
                 .limit_factor = i == TRIGON_IMPL ? fp64_limit_factor(&setup->fp64, row->problem.type) : 1,
                 .seconds = times[i],
                 .host = host_times[i],
                 .result = &row->impl[i]};
  }
  if (count == 0) {
    snprintf(why, why_size, "no implementation is measured");
    return false;
  }
  if (setup->copy && !copy_rate_measure(setup->home, problem_bytes(&row->problem), setup->copy, &to)) return false;
  if (setup->copy) row->copy = *setup->copy;
  bool done = make_all_operands(&own, &ceiling, &to) && measure(runners, count, setup, row, &to);
  const trigon_fp64_report *fp64 = &row->impl[TRIGON_IMPL].fp64;
  if (done && fp64->moduli > 0)
    row->int8_floor = int8_floor_of(&row->problem, fp64->moduli, trigon_describe(setup->home));
  if (done) row->inverses = count_tile_inverses(&row->problem, &own.original[0]);
  done = operands_free(&own, done, &to);
  return operands_free(&ceiling, done, &to);
}

bool bench_supported(trigon_context *ctx, const problem *p, char *why, size_t why_size) {
  const verdict to = {why, why_size};
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
