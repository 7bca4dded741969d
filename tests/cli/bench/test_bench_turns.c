/* test_bench_turns.c - the contenders for a batch are timed in turns, each call on fresh operands, and are judged. */
#include "bench/batch/interleave.h"
#include "bench_expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages of the command, which this test does not need. */
int failed(const char *command, const char *format, ...) { return (void)command, puts(format), EXIT_FAILED; }
int usage_error(const char *command, const char *format, ...) { return (void)command, puts(format), EXIT_USAGE; }

enum { ORDER = 4, MATRICES = 3, CONTENDERS = 3, REPEAT = 4, CALLS = CONTENDERS * (2 + REPEAT) };

/* The contexts in the order of their calls, and calls that did not find fresh operands. */
static trigon_context *caller[CALLS + 1];
static double original[ORDER * ORDER];
static int calls, stale;

/* How long a call for one matrix takes: the first contender's, and the others'. */
static trigon_context *quick;
static const double quick_seconds = 20e-6, slow_seconds = 200e-6;

/* Notes what it finds in A, and overwrites A. */
static trigon_status watch(trigon_context *ctx, const problem *p, const trigon_matrix *X) {
  const double begun = seconds_now();
  double *const A = X[0].data;
  if (calls == 0) memcpy(original, A, sizeof original);
  stale += p->size[N] != ORDER || memcmp(original, A, sizeof original) != 0;
  if (calls < MATRICES * CALLS && calls % MATRICES == 0) caller[calls / MATRICES] = ctx;
  calls++;
  memset(A, 0, sizeof original);
  while (seconds_now() - begun < (ctx == quick ? quick_seconds : slow_seconds)) {
  }
  return TRIGON_OK;
}

/* Measures a batch whose single calls are watched. The first contender's context has the operands, which the caller
 * frees. */
static void measure_watched(contenders *w, const batch_operands *shape, int repeat, batch_operands *on,
                            batch_result *result) {
  static bench_routine watched;
  char why[256] = "";
  const verdict to = {why, sizeof why};
  const batch_timing timing = {.repeat = repeat};
  *on = *shape, watched = *shape->routine;
  calls = 0, watched.call = watch, on->routine = &watched, on->ctx = w->contender[0].ctx;
  expect(orders_make("fixed:4x3", 0, &on->orders) == EXIT_DONE && batch_operands_make(on, &to), why, 0);
  expect(batch_measure(&timing, w, on, result, &to), why, 0);
}

/* Calls of three loops: each contender twice, then turns whose order alternates. */
static void test_turns(contenders *w, const batch_operands *shape) {
  batch_operands on;
  batch_result result[MOST_CONTENDERS];
  quick = w->contender[0].ctx;
  for (int i = 0; i < CONTENDERS; i++) w->contender[i].kind = LOOP_KIND;
  measure_watched(w, shape, REPEAT, &on, result);
  static const int order[CALLS] = {0, 0, 1, 1, 2, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0};
  for (int i = 0; i < CALLS; i++) expect(caller[i] == w->contender[order[i]].ctx, "whose turn it is", i);
  expect(calls == MATRICES * CALLS, "no more calls than these", calls);
  expect(stale == 0, "each call finds fresh operands", stale);
  for (int i = 0; i < CONTENDERS; i++) {
    const double least = MATRICES * (i == 0 ? quick_seconds : slow_seconds);
    expect(result[i].measured && !result[i].ok, "a wrong result is told", result[i].error);
    expect(result[i].seconds >= least, "the time of a call", result[i].seconds);
    expect(isnan(result[i].ratio), "rivals have no ratio", result[i].ratio);
  }
  batch_operands_free(&on);
  free(on.orders.n);
}

/* The library against the quicker and the slower of two loops. */
static void test_ratio(contenders *w, const batch_operands *shape) {
  batch_operands on;
  batch_result result[MOST_CONTENDERS];
  quick = w->contender[2].ctx;
  w->contender[0].kind = LIBRARY_KIND;
  measure_watched(w, shape, 20, &on, result);
  const double ratio = result[2].seconds / result[0].seconds;
  expect(result[0].ok && result[0].error < 1e-15, "the library's result is right", result[0].error);
  expect(result[2].seconds < result[1].seconds, "the second loop is quicker", result[1].seconds);
  expect(result[0].ratio > 0.3 * ratio && result[0].ratio < 3 * ratio, "the ratio to the quicker loop",
         result[0].ratio / ratio);
  batch_operands_free(&on);
  free(on.orders.n);
}

int main(void) {
  contenders w = {.count = CONTENDERS};
  const batch_operands shape = {
      .batch = batch_routine_find("potrf", 5), .routine = routine_find("potrf", 5), .type = TRIGON_D, .columns = 1};
  for (int i = 0; i < CONTENDERS; i++)
    if (trigon_create("cpu", &w.contender[i].ctx, NULL, 0) != TRIGON_OK) return 1;
  test_turns(&w, &shape);
  test_ratio(&w, &shape);
  contenders_free(&w);
  return expected();
}
