/* test_syevd.c - all values and vectors of random matrices: every type, triangle, job and awkward order, in guarded and
 * poisoned memory, against values in long double, on contexts that take every way through the library.
 *
 * usage: test_syevd [--all] [CONTEXT...] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opened_context.h"
#include "solver_judge.h"
#include "spectra.h"
#include "support/check.h"

enum { most_exact = 129 }; /* beyond, values in long double take too long: sums of values are compared */

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx;
static const char *context_name;
static solver_case one; /* the operands of all calls */
static figures worst[4];

static const char *title(void) {
  static char text[400];
  snprintf(text, sizeof text, "%s: %s", context_name, describe_solver_call(&one.call));
  return text;
}

/* A matrix of a test, with its values in long double if the order allows it. */
typedef struct matrix_case {
  dense A; /* as the type stores it */
  long double *exact;
} matrix_case;

static matrix_case make_matrix(trigon_type type, int64_t n) {
  random_stream r = {(uint64_t)(17 * n + type)};
  matrix_case m = {random_matrix(n, type, &r), NULL};
  one.call = (solver_call){.type = type, .n = n, .uplo = TRIGON_LOWER};
  case_fill(&one, &m.A, NULL);
  dense_free(&m.A);
  m.A = dense_of_triangle(one.A.matrix, TRIGON_LOWER);
  if (n > most_exact) return m;
  m.exact = malloc((size_t)(n + 1) * sizeof *m.exact);
  if (!m.exact) exit(2);
  exact_values(&m.A, m.exact);
  return m;
}

static void free_matrix(matrix_case *m) {
  dense_free(&m->A);
  free(m->exact);
}

/* Runs and judges one call; returns its values. */
static double *check_call(const matrix_case *m, trigon_job job, int kind) {
  char text[200];
  one.call.job = job;
  case_fill(&one, &m->A, NULL);
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK && one.info == 0, "%s: status %d, info %d: %s", title(), (int)status, (int)one.info,
             trigon_message(ctx));
  const char *stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s", title(), stray);
  const figures f = judge_case(&one, &m->A, m->exact);
  check_that(!fault_of(f), "%s: %s", title(), fault_of(f));
  worst[kind] = worst_of(worst[kind], f);
  return case_values(&one, one.call.n);
}

static void check_matrix(const matrix_case *m, trigon_uplo uplo, int kind) {
  const int64_t n = m->A.rows;
  one.call = (solver_call){.type = types[kind], .n = n, .uplo = uplo};
  one.gap = uplo == TRIGON_LOWER ? n % 3 : 5;
  double *values = check_call(m, TRIGON_VALUES, kind), *with_vectors = check_call(m, TRIGON_VECTORS, kind);
  const double apart =
      judge_values(one.call.type, n, n > 0 ? norm_of_values(&m->A, values) : 0, n, values, with_vectors);
  check_that(apart <= judged_bound, "%s: values with and without vectors are %.3g apart", title(), apart);
  free(values), free(with_vectors);
}

static void check_order(int64_t n, bool both_triangles) {
  for (int kind = 0; kind < 4; kind++) {
    matrix_case m = make_matrix(types[kind], n);
    check_matrix(&m, TRIGON_LOWER, kind);
    if (both_triangles) check_matrix(&m, TRIGON_UPPER, kind);
    free_matrix(&m);
  }
}

/* Without info, trigon_finish tells what info would have been. */
static void check_missing_info(void) {
  double a[4] = {2, 1, 1, 2}, w[2];
  int64_t info = 5;
  check_that(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 2, a, 2, w, NULL) == TRIGON_OK &&
                 trigon_finish(ctx, &info) == TRIGON_OK && info == 0,
             "%s: without info: %s, %d", context_name, trigon_message(ctx), (int)info);
  a[0] = NAN, a[1] = a[3] = 1;
  check_that(trigon_dsyevd(ctx, TRIGON_VALUES, TRIGON_LOWER, 2, a, 2, w, NULL) == TRIGON_OK &&
                 trigon_finish(ctx, &info) == TRIGON_OK && info == 1,
             "%s: a NaN in column 1 without info: %s, %d", context_name, trigon_message(ctx), (int)info);
}

/* A 2 × 2 example that can be checked by hand: the values of [2 1; 1 2] are 1 and 3. */
static void check_example(void) {
  double a[4] = {2, 1, NAN, 2}, w[2];
  const double root = sqrt(0.5);
  int64_t info = -1;
  check_that(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 2, a, 2, w, &info) == TRIGON_OK && info == 0, "%s: %s",
             context_name, trigon_message(ctx));
  check_that(fabs(w[0] - 1) < 1e-15 && fabs(w[1] - 3) < 2e-15, "%s: the values are %.17g and %.17g, not 1 and 3",
             context_name, w[0], w[1]);
  check_that(fabs(fabs(a[0]) - root) < 1e-15 && fabs(a[0] + a[1]) < 1e-15 && fabs(a[2] - a[3]) < 1e-15,
             "%s: the vectors are (%.17g, %.17g) and (%.17g, %.17g)", context_name, a[0], a[1], a[2], a[3]);
}

/* Emulated products serve the solver, too, and take memory beside the solver's. */
static void check_emulated(void) {
  const trigon_status status = trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
  check_that(status == TRIGON_OK, "%s: emulated products: %s", context_name, trigon_message(ctx));
  check_order(130, false);
  check_that(trigon_set_fp64(ctx, TRIGON_FP64_NATIVE, 0) == TRIGON_OK, "%s", trigon_message(ctx));
}

/* The first context takes all orders; the others take those that their option concerns. */
static void check_context(const char *name, bool all) {
  static const int64_t orders[] = {0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 63, 64, 65, 97, 100, 129, 200, 300};
  const int count = (int)(sizeof orders / sizeof *orders), others = count - 2;
  context_name = name;
  if (!opens_context(name, &ctx)) return;
  const bool is_first = strcmp(name, "cpu") == 0;
  const bool on_host = trigon_on_host(ctx);
  if (on_host) check_example(), check_missing_info();
  const int64_t most = on_host ? INT64_MAX : all ? 129 : 65; /* the simulated GPU takes long */
  for (int i = 0; i < (all || is_first ? count : others) && orders[i] <= most; i++)
    check_order(orders[i], all || is_first || orders[i] < 64);
  if (is_first) check_emulated();
  if (all && on_host) check_order(600, true);
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  static const char *const contexts[] = {"cpu",
                                         "cpu?dirty=1&threads=2",
                                         "cpu?stop=8&dirty=1",
                                         "cpu?arch=avx2&dirty=1",
                                         "cpu?arch=portable&blas=none",
                                         "cpu:libopenblas.so.0?dirty=1",
                                         "sim:0?dirty=1&seed=1&together=64",
                                         "sim:0?seed=2&resident=1&together=0",
                                         "sim:0?seed=3&warp=64&stages=2",
                                         "sim:0?seed=4&stages=1"};
  const bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
  const int named = argc - 1 - all, count = named > 0 ? named : (int)(sizeof contexts / sizeof *contexts);
  for (int k = 0; k < 4; k++) worst[k].is_sorted = true;
  for (int i = 0; i < count; i++) check_context(named > 0 ? argv[1 + all + i] : contexts[i], all);
  for (int k = 0; k < 4; k++)
    printf("%c: residual %.2f, orthogonality %.2f, values %.2f units of u*sqrt(n)\n", (char)types[k], worst[k].residual,
           worst[k].overlap, worst[k].values);
  case_free(&one);
  return checked();
}
