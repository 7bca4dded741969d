/* test_stedc.c - a tridiagonal matrix has the values that bisection in long double finds, orthonormal vectors, and
 * parts of its spectrum; its diagonals are not changed, but for d by STEDC. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opened_context.h"
#include "solver_judge.h"
#include "support/check.h"
#include "support/matrices.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D};
static trigon_context *ctx;
static const char *context_name;
static solver_case one;

/* ---------------------------------------------------------------------------------------------------- matrices -- */

static double uniform(random_stream *r) { return (double)random_below(r, 2001) / 1000 - 1; }

/* Element i of the diagonal and the element beside it. */
typedef void element_fn(int64_t i, int64_t n, random_stream *, double *d, double *e);

static void any(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)i, (void)n;
  *d = uniform(r), *e = uniform(r);
}
static void second_difference(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)i, (void)n, (void)r;
  *d = 2, *e = -1;
}
/* Wilkinson's matrix: pairs of values that agree in many digits. */
static void wilkinson(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)r;
  *d = fabs((double)(2 * i - n + 1)) / 2, *e = 1;
}
static void diagonal(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)r;
  *d = (double)(7 * i % (n + 1)), *e = 0;
}
static void zeros(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)i, (void)n, (void)r;
  *d = *e = 0;
}
static void blocks(int64_t i, int64_t n, random_stream *r, double *d, double *e) {
  (void)n;
  *d = (double)(1 + i % 3), *e = i % 4 == 3 ? 0 : uniform(r);
}

static element_fn *const kinds[] = {any, second_difference, wilkinson, diagonal, zeros, blocks};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Rounded to the type, with elements near `size`. */
static dense tridiagonal(element_fn *fill, int64_t n, trigon_type type, double size) {
  random_stream r = {(uint64_t)n};
  dense T = dense_make(n, n);
  for (int64_t i = 0; i < n; i++) {
    double d, e;
    fill(i, n, &r, &d, &e);
    d *= size, e *= size;
    T.re[i + i * n] = type == TRIGON_S ? (double)(float)d : d;
    if (i + 1 < n) T.re[i + 1 + i * n] = T.re[i + (i + 1) * n] = type == TRIGON_S ? (double)(float)e : e;
  }
  return T;
}

/* ------------------------------------------------------------------------------------------------------- calls -- */

static void run(const char *what) {
  char text[200];
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK && one.info == 0, "%s: %s, %s: %s, info %lld", context_name,
             describe_solver_call(&one.call), what, trigon_message(ctx), (long long)one.info);
  const char *stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s, %s: %s", context_name, describe_solver_call(&one.call), what, stray);
}

static void check_all(const dense *T, const long double *exact, trigon_type type, const char *what) {
  for (int job = 0; job < 2; job++) {
    one.gap = 3;
    one.call = (solver_call){.routine = STEDC, .type = type, .n = T->rows, .range = TRIGON_RANGE_ALL};
    one.call.job = job ? TRIGON_VECTORS : TRIGON_VALUES;
    case_fill_tridiagonal(&one, T);
    run(what);
    const char *fault = fault_of(judge_case(&one, T, exact));
    check_that(!fault, "%s: %s, %s: %s", context_name, describe_solver_call(&one.call), what, fault);
  }
}

static void check_part(const dense *T, const long double *exact, trigon_type type, const char *what, int64_t first,
                       int64_t last) {
  const int64_t n = T->rows;
  one.gap = 1;
  one.call = (solver_call){.routine = STEBZ,
                           .type = type,
                           .n = n,
                           .job = TRIGON_VALUES,
                           .range = first == 0 ? TRIGON_RANGE_ALL : TRIGON_RANGE_INDICES,
                           .il = first,
                           .iu = last};
  if (first == 0) first = 1, last = n;
  case_fill_tridiagonal(&one, T);
  run(what);
  check_that(one.found == last - first + 1, "%s: %s: found %d", context_name, describe_solver_call(&one.call),
             (int)one.found);
  double *values = case_values(&one, last - first + 1), *due = malloc((size_t)(n + 1) * sizeof *due);
  if (!due) exit(2);
  double norm = 0;
  for (int64_t i = 0; i < n; i++) due[i] = (double)exact[i], norm = fmax(norm, fabs(due[i]));
  const double apart = judge_values(type, n, norm, last - first + 1, values, due + first - 1);
  check_that(apart <= judged_bound, "%s: %s, %s: values are %.3g units off", context_name,
             describe_solver_call(&one.call), what, apart);
  free(values);
  free(due);
}

static void check_order(int64_t n, trigon_type type) {
  const double far = type == TRIGON_S ? 1e30 : 1e290;
  const double sizes[] = {1, far, 1 / far};
  long double *exact = malloc((size_t)(n + 1) * sizeof *exact);
  if (!exact) exit(2);
  for (int k = 0; k < KINDS; k++)
    for (int s = 0; s < (k == 0 ? 3 : 1); s++) {
      char what[40];
      dense T = tridiagonal(kinds[k], n, type, sizes[s]);
      snprintf(what, sizeof what, "matrix %d of size %g", k, sizes[s]);
      exact_values(&T, exact);
      check_all(&T, exact, type, what);
      check_part(&T, exact, type, what, 0, 0);
      if (n > 1) check_part(&T, exact, type, what, 2, (n + 3) / 2);
      dense_free(&T);
    }
  free(exact);
}

/* The row of the first element that is not finite is told. */
static void check_special(double value, int64_t row, bool is_beside) {
  enum { n = 40 };
  for (int job = 0; job < 2; job++) {
    dense T = tridiagonal(any, n, TRIGON_D, 1);
    one.call = (solver_call){.routine = STEDC, .type = TRIGON_D, .n = n, .range = TRIGON_RANGE_ALL};
    one.call.job = job ? TRIGON_VECTORS : TRIGON_VALUES;
    T.re[row + is_beside + row * n] = value;
    case_fill_tridiagonal(&one, &T);
    const trigon_status status = case_run(ctx, &one);
    check_that(status == TRIGON_OK && one.info == row + 1, "%s: %g in row %d: %s: status %d, info %lld", context_name,
               value, (int)row, describe_solver_call(&one.call), (int)status, (long long)one.info);
    dense_free(&T);
  }
}

static void check_specials(void) {
  check_special(NAN, 0, false), check_special(INFINITY, 39, false);
  check_special(-INFINITY, 17, true), check_special(NAN, 38, true);
}

/* ------------------------------------------------------------------------------------- intervals and arguments -- */

static void check_interval(void) {
  const double d[] = {2, 2, 2}, e[] = {-1, -1}; /* the values are 2 - sqrt(2), 2, 2 + sqrt(2) */
  double w[3] = {0};
  int64_t found = -1, info = -1;
  check(trigon_dstebz(ctx, TRIGON_RANGE_INTERVAL, 3, 1.0, 3.0, 0, 0, d, e, &found, w, &info) == TRIGON_OK && info == 0,
        "an interval");
  check_that(found == 1 && fabs(w[0] - 2) < 4e-15, "found %d values in (1, 3], the first one is %.17g", (int)found,
             w[0]);
}

static void check_refused(trigon_status status, const char *name) {
  const char *message = trigon_message(ctx);
  check_that(status == TRIGON_BAD_ARGUMENT && strstr(message, name), "no error that names %s: %s", name, message);
}

static void check_arguments(void) {
  double d[4] = {1, 1, 1, 1}, e[3] = {0}, Z[16], w[4];
  int64_t found, info;
  check_refused(trigon_dstedc(ctx, (trigon_job)0, 4, d, e, Z, 4, &info), "job");
  check_refused(trigon_dstedc(ctx, TRIGON_VECTORS, -1, d, e, Z, 4, &info), "n");
  check_refused(trigon_dstedc(ctx, TRIGON_VECTORS, 4, NULL, e, Z, 4, &info), "d");
  check_refused(trigon_dstedc(ctx, TRIGON_VECTORS, 4, d, NULL, Z, 4, &info), "e");
  check_refused(trigon_dstedc(ctx, TRIGON_VECTORS, 4, d, e, NULL, 4, &info), "Z");
  check_refused(trigon_dstedc(ctx, TRIGON_VECTORS, 4, d, e, Z, 3, &info), "ldz");
  check_refused(trigon_dstebz(ctx, TRIGON_RANGE_INDICES, 4, 0, 0, 0, 2, d, e, &found, w, &info), "il");
  check_refused(trigon_dstebz(ctx, TRIGON_RANGE_INDICES, 4, 0, 0, 3, 5, d, e, &found, w, &info), "iu");
  check_refused(trigon_dstebz(ctx, TRIGON_RANGE_INTERVAL, 4, 1, 1, 0, 0, d, e, &found, w, &info), "vu");
  check_refused(trigon_dstebz(ctx, TRIGON_RANGE_ALL, 4, 0, 0, 0, 0, d, e, &found, NULL, &info), "w");
  check(trigon_dstedc(ctx, TRIGON_VALUES, 1, d, NULL, NULL, 1, &info) == TRIGON_OK && d[0] == 1, "order 1 has no e");
}

static void check_context(const char *name, int64_t most) {
  static const int64_t orders[] = {0, 1, 2, 3, 31, 33, 64, 70, 150};
  context_name = name;
  if (!opens_context(name, &ctx)) return;
  for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= most; i++)
    for (int t = 0; t < 2; t++) check_order(orders[i], types[t]);
  check_specials();
  if (trigon_on_host(ctx)) check_interval(), check_arguments();
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) check_context(argv[i], INT64_MAX);
  if (argc == 1) {
    check_context("cpu?dirty=1", INT64_MAX);
    check_context("cpu?threads=2&stop=8", 70);
    check_context("sim:0?dirty=1&seed=1", 70); /* the simulated GPU takes long */
    check_context("sim:0?seed=2&warp=64&resident=1", 33);
  }
  case_free(&one);
  return checked();
}
