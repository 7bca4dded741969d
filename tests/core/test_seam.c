/* test_seam.c - what engines and machines offer beside the calls themselves: threads, workers, small calls, decorators
 * that pass them on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "core/decorator.h"
#include "cpu/team/team.h"
#include "decorators/fp64/fp64_decorator.h"
#include "decorators/trace.h"
#include "support/check.h"

enum { order = 8 };

/* A call of POTRF for a diagonal matrix of fours: its factor has twos on the diagonal. */
static small_call diagonal_call(double *A, int64_t *info) {
  memset(A, 0, order * order * sizeof *A);
  for (int i = 0; i < order; i++) A[i * (order + 1)] = 4;
  *info = -1;
  return (small_call){
      .routine = ROUTINE_POTRF, .type = TRIGON_D, .uplo = TRIGON_LOWER, .A = A, .n = order, .lda = order, .info = info};
}

static bool is_diagonal_factor(const double *A, int64_t info) {
  bool right = info == 0;
  for (int i = 0; i < order * order; i++) right = right && A[i] == (i % (order + 1) == 0 ? 2 : 0);
  return right;
}

/* Factors a diagonal matrix by a call that begins and ends, not by a small call. */
static bool runs_whole(engine *e) {
  double A[order * order];
  int64_t info;
  const small_call s = diagonal_call(A, &info);
  const operation o = {.routine = ROUTINE_POTRF,
                       .uplo = TRIGON_LOWER,
                       .adjoint = TRIGON_CONJTRANS,
                       .alpha = {1, 0},
                       .beta = {1, 0},
                       .A = {.base = A, .type = TRIGON_D, .m = s.n, .n = s.n, .ld = s.lda, .count = 1},
                       .info = &info};
  engine *work = NULL;
  if (e->begin(e, &o, &work) != TRIGON_OK || !work) return false;
  const bool ran = work->cut(work, &o) == 0 && work->need(work, &o) == 0 && work->run(work, &o) == TRIGON_OK &&
                   work->known_failure(work) == 0;
  return e->end(e, ran) == TRIGON_OK && ran && is_diagonal_factor(A, info);
}

static bool runs_small(engine *e) {
  double A[order * order];
  int64_t info;
  const small_call s = diagonal_call(A, &info);
  return e->small->run(e, &s) && is_diagonal_factor(A, info);
}

static bool runs_small_batch(engine *e) {
  double A[most_small_batch][order * order];
  int64_t info[most_small_batch];
  small_call calls[most_small_batch];
  const small_batch_limits limits = e->small->batch_limits(e, ROUTINE_POTRF, TRIGON_D);
  for (int i = 0; i < limits.count; i++) calls[i] = diagonal_call(A[i], &info[i]);
  if (limits.count < 2 || limits.order < order || !e->small->run_batch(e, calls, limits.count)) return false;
  for (int i = 0; i < limits.count; i++)
    if (!is_diagonal_factor(A[i], info[i])) return false;
  return e->small->batch_limits(e, ROUTINE_TRMM, TRIGON_D).count == 0;
}

/* ---------------------------------------------------------------------------------------------- small calls -- */

static engine *empty_decorator(engine *inner) {
  decorator *d = malloc(sizeof *d);
  if (!d) abort();
  decorate(d, inner);
  return &d->engine;
}

/* Two decorators that add nothing, around the engine of a context that has register kernels. */
static void test_pass_through(trigon_context *ctx) {
  engine *outer = empty_decorator(empty_decorator(ctx->engine));
  check(outer->small && outer->small == ctx->engine->small, "a decorator with nothing to add has the inner table");
  check(runs_small(ctx->engine) && runs_small(outer), "a small call finds its engine through decorators");
  check(runs_small_batch(ctx->engine) && runs_small_batch(outer), "so do several small calls at once");
  check(runs_whole(outer), "a call that begins and ends goes through decorators, too");
  ctx->engine = outer;
}

/* A trace sees all; the decorator of emulated products must not be passed by, but its workers may. */
static void test_decorators(trigon_context *ctx) {
  engine *fp64 = NULL, *traced = NULL;
  if (fp64_create(ctx->engine, 0, &fp64) != TRIGON_OK || trace_create(fp64, &traced) != TRIGON_OK) abort();
  check(fp64->small && !fp64->small->run && !fp64->small->run_batch && !fp64->small->batch_limits,
        "small calls do not pass by the decorator of emulated products");
  check(fp64->small->workers(fp64, 1) == ctx->engine->small->workers(ctx->engine, 1), "its workers are those inside");
  check(!traced->small, "nothing passes by a trace");
  check(runs_whole(traced), "a traced call");
  ctx->engine = traced;
}

/* -------------------------------------------------------------------------------------------------- threads -- */

enum { numbers = 1000 };

static void count_up(int64_t i, void *job) { ((int *)job)[i]++; }

static bool each_once(machine *m) {
  static int times[numbers + 1];
  bool right = true;
  memset(times, 0, sizeof times);
  machine_parallel_for(m, numbers, count_up, times);
  machine_parallel_for(m, 0, count_up, times + numbers);
  for (int i = 0; i < numbers; i++) right = right && times[i] == 1;
  return right && times[numbers] == 0;
}

/* The job is the number that is due. */
static void in_order(int64_t i, void *job) {
  int64_t *due = job;
  *due = i == *due ? i + 1 : -1;
}

static void test_no_threads(void) {
  static const machine_ops none = {.on_host = true};
  machine m = {.ops = &none};
  int64_t due = 0;
  machine_parallel_for(&m, numbers, in_order, &due);
  check(due == numbers && machine_threads(&m) == 1, "a machine without threads has the calling thread");
  due = 0;
  machine_parallel_for(NULL, numbers, in_order, &due);
  check(due == numbers, "so has no machine");
}

enum { most_threads = 8 };

typedef struct worker_job {
  engine *const *workers;
  bool ran[most_threads];
} worker_job;

static void run_worker(int64_t i, void *job) {
  worker_job *j = job;
  j->ran[i] = runs_whole(j->workers[i]) && runs_small(j->workers[i]) && runs_small_batch(j->workers[i]);
}

/* Each worker is an engine of its own, and all of them compute at once. */
static void test_workers(trigon_context *ctx, int threads) {
  engine *e = ctx->engine;
  if (threads > team_processors()) threads = team_processors();
  check(machine_threads(ctx->machine) == threads && each_once(ctx->machine), "each number is taken once");
  worker_job j = {.workers = e->small->workers(e, threads)};
  if (!j.workers) abort();
  machine_parallel_for(ctx->machine, threads, run_worker, &j);
  for (int i = 0; i < threads; i++) {
    check(j.ran[i], "a worker computes");
    check(j.workers[i] != e && j.workers[i]->machine != ctx->machine, "a worker has a machine of its own");
    for (int k = 0; k < i; k++) check(j.workers[i] != j.workers[k], "no two workers are one engine");
  }
  check(e->small->workers(e, 1)[0] == j.workers[0], "later calls get the same workers");
}

int main(void) {
  static const struct {
    const char *name;
    int threads;
  } contexts[] = {{"cpu?leaf=packed&threads=3", 3}, {"cpu?leaf=packed&threads=1", 1}};
  test_no_threads();
  for (size_t i = 0; i < sizeof contexts / sizeof contexts[0]; i++) {
    trigon_context *ctx = NULL;
    char why[200];
    if (trigon_create(contexts[i].name, &ctx, why, sizeof why) != TRIGON_OK) {
      printf("%s\n", why);
      return 1;
    }
    test_workers(ctx, contexts[i].threads);
    test_pass_through(ctx);
    test_decorators(ctx);
    trigon_destroy(ctx);
  }
  return checked();
}
