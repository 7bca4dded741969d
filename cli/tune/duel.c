/* duel.c - makes two contexts with their tables, and measures with them as `trigon bench` does. */
#define _GNU_SOURCE /* memfd_create */
#include "duel.h"
#include "../bench/batch/interleave.h"
#include "../bench/measure/measure.h"
#include "../bench/operands.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const double duel_noise = 0.02;

enum { LEAST_CALLS = 5, MOST_CALLS = 100, FIRST_CALLS = 2 };

/* Making two contexts, and what bench_measure does around the calls. */
static const double overhead = 20e-3;

/* Bytes of operands that are made, copied and checked in a second. */
static const double bytes_per_second = 1e9;

/* duel_context, but returns the status. */
static trigon_status create(const char *backend, const table *t, trigon_context **ctx, char *why, size_t why_size) {
  char name[2048];
  const int fd = memfd_create("table", MFD_CLOEXEC);
  const bool written = fd >= 0 && write(fd, t->text, t->length) == (ssize_t)t->length;
  if (!written) snprintf(why, why_size, "cannot make a table in memory: %s", strerror(errno));
  snprintf(name, sizeof name, "%s%ctuning=/proc/self/fd/%d", backend, strchr(backend, '?') ? '&' : '?', fd);
  const trigon_status status = written ? trigon_create(name, ctx, why, why_size) : TRIGON_NOT_FOUND;
  if (fd >= 0) close(fd);
  return status;
}

bool duel_context(const char *backend, const table *t, trigon_context **ctx, char *why, size_t why_size) {
  return create(backend, t, ctx, why, why_size) == TRIGON_OK;
}

static int calls_of(const duel *d) {
  const double calls = d->seconds / (2 * d->guess);
  return (int)fmin(fmax(calls, LEAST_CALLS), MOST_CALLS);
}

double duel_cost(const duel *d, const problem *p) {
  const double sets = 4; /* the originals, and those that the calls take in turns */
  return overhead + 2 * (FIRST_CALLS + calls_of(d)) * d->guess + sets * operand_bytes(p) / bytes_per_second;
}

bool duel_run(const duel *d, const problem *p, duel_result *result, char *why, size_t why_size) {
  bench_setup setup = {.repeat = calls_of(d)};
  bench_row row = {.problem = *p};
  const bool made = duel_context(d->backend, d->candidate, &setup.ctx[TRIGON_IMPL], why, why_size) &&
                    duel_context(d->backend, d->champion, &setup.ctx[NATIVE_IMPL], why, why_size);
  setup.home = setup.ctx[TRIGON_IMPL];
  const bool done = made && bench_measure(&setup, &row, why, why_size);
  for (int i = 0; i < IMPLS; i++) trigon_destroy(setup.ctx[i]);
  if (done) *result = (duel_result){row.impl[TRIGON_IMPL].ok ? row.ratio : 0, row.impl[TRIGON_IMPL].seconds};
  return done;
}

/* The first contender is the candidate, the second one the champion. */
static bool measure_batch(const duel *d, const batch_case *of, contenders *who, duel_result *result,
                          const verdict *to) {
  const batch_timing timing = {.seconds = d->seconds, .tells_largest = of->told};
  batch_operands on = {.ctx = who->contender[0].ctx};
  batch_result found[MOST_CONTENDERS];
  const bool done = batch_case_make(of, &on, to) && batch_measure(&timing, who, &on, found, to);
  batch_case_free(&on);
  if (done) *result = (duel_result){found[0].ok ? found[0].ratio : 0, found[0].seconds};
  return done;
}

bool duel_run_batch(const duel *d, const batch_case *of, duel_result *result, char *why, size_t why_size) {
  contenders who = {.count = 2, .contender = {{.kind = LIBRARY_KIND}, {.kind = TABLE_KIND}}};
  trigon_context **const candidate = &who.contender[0].ctx, **const champion = &who.contender[1].ctx;
  const trigon_status status = create(d->backend, d->candidate, candidate, why, why_size);
  bool done = status == TRIGON_OK || status == TRIGON_BAD_ARGUMENT;
  *result = (duel_result){0, 0};
  if (status == TRIGON_OK)
    done = duel_context(d->backend, d->champion, champion, why, why_size) &&
           measure_batch(d, of, &who, result, &(verdict){why, why_size});
  trigon_destroy(*candidate);
  trigon_destroy(*champion);
  return done;
}

static double difference(double ratio) { return fabs(log(fmax(ratio, 1e-9))); }

/* A problem or a batch, of which the other one is NULL. */
static bool run_any(const duel *d, const problem *p, const batch_case *of, duel_result *result, char *why,
                    size_t why_size) {
  return p ? duel_run(d, p, result, why, why_size) : duel_run_batch(d, of, result, why, why_size);
}

static bool confirm(const duel *d, const problem *p, const batch_case *of, duel_result *result, char *why,
                    size_t why_size) {
  duel_result again;
  if (!run_any(d, p, of, result, why, why_size)) return false;
  if (fabs(result->ratio - 1) <= duel_noise || result->ratio <= 0) return true;
  if (!run_any(d, p, of, &again, why, why_size)) return false;
  if (difference(again.ratio) < difference(result->ratio)) *result = again;
  return true;
}

bool duel_confirm(const duel *d, const problem *p, duel_result *result, char *why, size_t why_size) {
  return confirm(d, p, NULL, result, why, why_size);
}

bool duel_confirm_batch(const duel *d, const batch_case *of, duel_result *result, char *why, size_t why_size) {
  return confirm(d, NULL, of, result, why, why_size);
}
