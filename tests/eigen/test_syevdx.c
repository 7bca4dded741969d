/* test_syevdx.c - a part of the spectrum is the slice of all values and vectors: by indices and by intervals, with
 * multiple values, bounds that are values, and intervals without values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver_judge.h"
#include "spectra.h"
#include "support/check.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static const char *const contexts[] = {"cpu?dirty=1", "cpu?dirty=1&threads=2&stop=8", "sim:0?dirty=1&seed=7"};
static trigon_context *ctx;
static solver_case one;
static double worst_residual, worst_overlap;

/* A matrix with all its values, as SYEVD finds them on the same context with the same job. */
typedef struct whole {
  dense A;
  double *values, norm;
} whole;

static void find_all(whole *all, const solver_call *asked) {
  one.call = *asked;
  one.call.routine = SYEVD;
  case_fill(&one, &all->A, NULL);
  check_that(case_run(ctx, &one) == TRIGON_OK && one.info == 0, "%s: %s, info %d", describe_solver_call(&one.call),
             trigon_message(ctx), (int)one.info);
  all->values = case_values(&one, asked->n);
  all->norm = norm_of_values(&all->A, all->values);
}

/* The first columns of A are vectors of the values that were found. */
static void check_vectors(const whole *all) {
  const double unit = roundoff_of(one.call.type) * sqrt((double)one.call.n);
  dense Z = dense_of_columns(one.A.matrix, one.found);
  double *values = case_values(&one, one.found);
  const double residual = (double)dense_residual(&all->A, NULL, &Z, values, unit * all->norm, 0);
  const double overlap = (double)dense_overlap(&Z, &Z) / unit;
  check_that(residual <= judged_bound && overlap <= judged_bound, "%s: residual %.3g, orthogonality %.3g",
             describe_solver_call(&one.call), residual, overlap);
  worst_residual = fmax(worst_residual, residual), worst_overlap = fmax(worst_overlap, overlap);
  dense_free(&Z);
  free(values);
}

/* Runs a call whose part is set, and compares its values with those of the whole from `first` on. */
static void check_part(const whole *all, int64_t first, int64_t count) {
  char text[200];
  one.call.routine = SYEVDX;
  one.gap = 3;
  case_fill(&one, &all->A, NULL);
  const trigon_status status = case_run(ctx, &one);
  const char *const title = describe_solver_call(&one.call);
  check_that(status == TRIGON_OK && one.info == 0, "%s: %s, info %d", title, trigon_message(ctx), (int)one.info);
  check_that(one.found == count, "%s: found %d, not %d", title, (int)one.found, (int)count);
  if (one.found != count) return;
  double *values = case_values(&one, count);
  const double apart = judge_values(one.call.type, one.call.n, all->norm, count, values, all->values + first);
  check_that(apart <= judged_bound, "%s: values are %.3g units from those of the whole", title, apart);
  for (int64_t i = 0; i + 1 < count; i++) check_that(values[i] <= values[i + 1], "%s: not ascending", title);
  const char *stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s", title, stray);
  if (one.call.job == TRIGON_VECTORS) check_vectors(all);
  free(values);
}

/* ----------------------------------------------------------------------------------------------------- indices -- */

static void check_indices(const whole *all) {
  const int64_t n = one.call.n;
  const int64_t parts[][2] = {
      {1, n}, {1, 1}, {n, n}, {n / 2 + 1, n / 2 + 1}, {1, n / 5 + 1}, {n - n / 5, n}, {n / 3 + 1, 2 * n / 3 + 1}};
  one.call.range = TRIGON_RANGE_INDICES;
  one.call.vl = one.call.vu = (double)NAN; /* not read */
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    one.call.il = parts[i][0], one.call.iu = parts[i][1];
    check_part(all, one.call.il - 1, one.call.iu - one.call.il + 1);
  }
}

static void check_range_all(const whole *all) {
  one.call.range = TRIGON_RANGE_ALL;
  one.call.il = -5, one.call.iu = -7, one.call.vl = 2, one.call.vu = 1; /* not read */
  check_part(all, 0, one.call.n);
}

/* --------------------------------------------------------------------------------------------------- intervals -- */

static void check_interval(const whole *all, double low, double high) {
  int64_t first = 0, end = 0;
  one.call.range = TRIGON_RANGE_INTERVAL;
  one.call.il = one.call.iu = -1; /* not read */
  one.call.vl = low, one.call.vu = high;
  for (int64_t i = 0; i < one.call.n; i++) first += all->values[i] <= low, end += all->values[i] <= high;
  check_part(all, first, end - first);
}

/* The middle between two values, rounded to the type; or one of them. */
static double between(const whole *all, int64_t i, int64_t j) {
  const double middle = all->values[i] / 2 + all->values[j] / 2;
  return is_single(one.call.type) ? (double)(float)middle : middle;
}

/* Bounds between values. Values of a random matrix are apart. */
static void check_intervals(const whole *all) {
  const int64_t n = one.call.n;
  const double far = all->norm * 2;
  check_interval(all, -far, far);
  check_interval(all, far, 2 * far);
  check_interval(all, -2 * far, -far);
  check_interval(all, -(double)INFINITY, (double)INFINITY);
  if (n < 3) return;
  check_interval(all, between(all, 0, 1), far);
  check_interval(all, -far, between(all, n / 2, n / 2 + 1));
  check_interval(all, between(all, n / 3, n / 3 + 1), between(all, 2 * n / 3 - 1, 2 * n / 3));
  /* no value lies between these bounds */
  const double low = between(all, 0, 1), high = low / 2 + all->values[1] / 2;
  check_interval(all, low, is_single(one.call.type) ? (double)(float)high : high);
}

/* The same call finds the same bits, so that a bound may be a value: the lower one is out, the upper one is in. */
static void check_bounds_at_values(const whole *all) {
  const int64_t n = one.call.n, i = n / 4, j = n / 2;
  if (n < 4 || one.call.job == TRIGON_VECTORS) return; /* with vectors, rounding depends on what is wanted */
  check_interval(all, all->values[i], all->values[j]);
  check_interval(all, all->values[0], all->values[n - 1]);
}

/* ------------------------------------------------------------------------------------------------------- cases -- */

static void check_matrix(int kind, int64_t n, trigon_uplo uplo, trigon_job job) {
  random_stream r = {(uint64_t)(n * 31 + kind)};
  whole all = {.A = random_matrix(n, types[kind], &r)};
  const solver_call asked = {.type = types[kind], .n = n, .uplo = uplo, .job = job};
  one.call = asked;
  case_fill(&one, &all.A, NULL);
  dense_free(&all.A);
  all.A = dense_of_triangle(one.A.matrix, uplo);
  find_all(&all, &asked);
  check_range_all(&all);
  check_indices(&all);
  check_intervals(&all);
  check_bounds_at_values(&all);
  dense_free(&all.A);
  free(all.values);
}

/* Diagonal matrices have exact values: n / 3 times 1, 2 and 3. Bounds at multiple values take all or none of them. */
static void check_multiple(int kind, trigon_job job) {
  enum { n = 90 };
  whole all = {.A = dense_make(n, n), .values = malloc(n * sizeof(double)), .norm = 3};
  if (!all.values) exit(2);
  for (int i = 0; i < n; i++) all.values[i] = 1 + i / (n / 3), all.A.re[i * (n + 1)] = 1 + i % 3;
  one.call = (solver_call){.type = types[kind], .n = n, .uplo = TRIGON_UPPER, .job = job};
  check_interval(&all, 1, 2);
  check_interval(&all, 0, 1);
  check_interval(&all, 1.5, 2.5);
  check_interval(&all, 2, 3);
  check_interval(&all, 3, 4);
  check_interval(&all, 0.5, 0.75);
  one.call.range = TRIGON_RANGE_INDICES;
  one.call.il = 25, one.call.iu = 64; /* cuts clusters */
  check_part(&all, 24, 40);
  dense_free(&all.A);
  free(all.values);
}

/* Order 0: nothing is found, whatever the indices. `found` may be NULL. */
static void check_small(void) {
  double a = 4, w = 7;
  int64_t found = -1, info = -1;
  check(trigon_dsyevdx(ctx, TRIGON_VECTORS, TRIGON_RANGE_INDICES, TRIGON_LOWER, 0, NULL, 1, 0, 0, 1, 0, &found, NULL,
                       &info) == TRIGON_OK &&
            found == 0 && info == 0,
        "order 0 by indices");
  check(trigon_dsyevdx(ctx, TRIGON_VALUES, TRIGON_RANGE_INTERVAL, TRIGON_LOWER, 0, NULL, 1, 0, 1, 0, 0, &found, NULL,
                       &info) == TRIGON_OK &&
            found == 0 && info == 0,
        "order 0 by an interval");
  check(trigon_dsyevdx(ctx, TRIGON_VECTORS, TRIGON_RANGE_INTERVAL, TRIGON_LOWER, 1, &a, 1, 4, 5, 0, 0, &found, &w,
                       &info) == TRIGON_OK &&
            found == 0 && info == 0 && w == 7,
        "the value 4 is not in (4, 5]");
  a = 4;
  check(trigon_dsyevdx(ctx, TRIGON_VECTORS, TRIGON_RANGE_INTERVAL, TRIGON_LOWER, 1, &a, 1, 3, 4, 0, 0, NULL, &w,
                       &info) == TRIGON_OK &&
            info == 0 && w == 4 && fabs(a) == 1,
        "the value 4 is in (3, 4]");
}

static void check_on_host(void) {
  static const int64_t orders[] = {1, 2, 5, 32, 33, 65, 97, 130};
  check_small();
  for (int kind = 0; kind < 4; kind++)
    for (int job = 0; job < 2; job++) {
      for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        check_matrix(kind, orders[k], (k + (size_t)job) % 2 ? TRIGON_UPPER : TRIGON_LOWER,
                     job ? TRIGON_VECTORS : TRIGON_VALUES);
      check_multiple(kind, job ? TRIGON_VECTORS : TRIGON_VALUES);
    }
}

/* `found` must be where A is. */
static void check_found_on_host(void) {
  void *data = NULL;
  int64_t found = -1;
  check(trigon_alloc(ctx, 4 * sizeof(double), &data) == TRIGON_OK, "memory");
  double *A = data, *w = A + 1;
  check(trigon_dsyevdx(ctx, TRIGON_VALUES, TRIGON_RANGE_ALL, TRIGON_LOWER, 1, A, 1, 0, 1, 1, 1, &found, w, NULL) ==
                TRIGON_BAD_ARGUMENT &&
            found == -1 && strstr(trigon_message(ctx), "found"),
        "a GPU refuses an address on the host");
  check(trigon_free(ctx, data) == TRIGON_OK, "memory");
}

/* Fewer orders: the simulated GPU is slow. 96: all merges of a level are equal. */
static void check_on_device(void) {
  check_found_on_host();
  check_matrix(0, 33, TRIGON_LOWER, TRIGON_VECTORS);
  check_matrix(1, 96, TRIGON_UPPER, TRIGON_VECTORS);
  check_matrix(3, 35, TRIGON_LOWER, TRIGON_VECTORS);
  check_matrix(1, 20, TRIGON_UPPER, TRIGON_VALUES);
}

int main(void) {
  char why[400] = "";
  for (int i = 0; i < 3; i++) {
    const trigon_status status = trigon_create(contexts[i], &ctx, why, sizeof why);
    if (status == TRIGON_NOT_FOUND) printf("skipped: \"%s\": %s\n", contexts[i], why);
    if (status == TRIGON_NOT_FOUND) continue;
    if (status != TRIGON_OK) return puts(why), 1;
    trigon_on_host(ctx) ? check_on_host() : check_on_device();
    trigon_destroy(ctx);
  }
  printf("vectors of parts: residual %.2f, orthogonality %.2f units of u*sqrt(n)\n", worst_residual, worst_overlap);
  case_free(&one);
  return checked();
}
