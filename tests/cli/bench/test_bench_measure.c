/* test_bench_measure.c - samples of a benchmark: short calls are timed together, each on fresh operands of its own. */
#include "bench/measure/measure.h"
#include "bench_expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ORDER = 8, REPEAT = 20 };

/* ---------------------------------------------------------------------------- routines that watch their calls -- */

static double original[ORDER * ORDER];
static const double *last;
static int calls, stale, repeated;
static double how_long;

/* Takes `how_long` seconds, notes what it finds in A, and overwrites A. */
static trigon_status watch(trigon_context *ctx, const problem *p, const trigon_matrix *X) {
  double begun = seconds_now(), *A = X[0].data;
  size_t bytes = sizeof(double) * (size_t)(X[0].rows * X[0].cols);
  (void)ctx, (void)p;
  if (bytes <= sizeof original && calls == 0) memcpy(original, A, bytes);
  if (bytes <= sizeof original && memcmp(original, A, bytes) != 0) stale++;
  repeated += A == last;
  last = A;
  calls++;
  memset(A, 0, bytes);
  while (seconds_now() - begun < how_long) {
  }
  return TRIGON_OK;
}

static trigon_status watch_twice_as_long(trigon_context *ctx, const problem *p, const trigon_matrix *X) {
  how_long *= 2;
  trigon_status status = watch(ctx, p, X);
  how_long /= 2;
  return status;
}

/* Measures POTRF of this order, whose calls take `seconds`. With a second context native is twice as slow. */
static bench_row measured(trigon_context *ctx, trigon_context *native, int64_t order, double seconds) {
  static bench_routine watched;
  char why[256] = "";
  watched = *routine_find("potrf", 5);
  watched.call = watch;
  bench_row row = {.problem = {.routine = &watched, .type = TRIGON_D, .size = {0, order, 0}}};
  const bench_setup setup = {.home = ctx, .ctx = {ctx, native}, .native_call = watch_twice_as_long, .repeat = REPEAT};
  problem_set_variant(&row.problem, "L");
  calls = stale = repeated = 0, last = NULL, how_long = seconds;
  expect(bench_measure(&setup, &row, why, sizeof why), why, 0);
  return row;
}

int main(void) {
  trigon_context *ctx, *native;
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK || trigon_create("cpu", &native, NULL, 0) != TRIGON_OK) return 1;

  bench_row row = measured(ctx, NULL, ORDER, 1e-6);
  double seconds = row.impl[TRIGON_IMPL].seconds;
  expect(calls > 8 * REPEAT, "short calls: a sample has several", calls);
  expect(stale == 0, "short calls: each call finds fresh operands", stale);
  expect(repeated <= REPEAT, "short calls: the calls of a sample have operands of their own", repeated);
  expect(seconds >= 1e-6 && seconds < 2e-6, "short calls: the time is that of one call", seconds);
  expect(isnan(row.ratio), "no ratio without native", row.ratio);
  expect(!row.impl[TRIGON_IMPL].ok, "the residual judges what a call of a sample left", row.impl[TRIGON_IMPL].error);

  row = measured(ctx, native, ORDER, 1e-6);
  expect(stale == 0, "two implementations: each call finds fresh operands", stale);
  expect(row.ratio > 1.5 && row.ratio < 2.5, "two implementations: the ratio is that of the calls", row.ratio);

  measured(ctx, NULL, ORDER, 2e-3);
  expect(calls == 2 + REPEAT, "long calls: a sample is a call", calls);
  expect(stale == 0, "long calls: each call finds fresh operands", stale);

  measured(ctx, NULL, 300, 1e-6); /* one set has 720 kB */
  expect(calls <= 2 + 3 * (REPEAT + 3), "large operands: few sets, so that samples are short", calls);

  char why[256];
  bench_row none = {.problem = row.problem};
  const bench_setup nothing = {.home = ctx, .repeat = 1};
  expect(!bench_measure(&nothing, &none, why, sizeof why) && strstr(why, "no implementation"), "nothing to measure", 0);

  trigon_destroy(native);
  trigon_destroy(ctx);
  return expected();
}
