/* test_spectra.c - spectra and structures that break eigensolvers: LAPACK's test types, matrices of testers of
 * tridiagonal solvers, tiny and huge ones, and matrices that hold NaN or infinity.
 *
 * usage: test_spectra [--all] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver_judge.h"
#include "spectra.h"
#include "support/check.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx;
static solver_case one;
static figures worst[4];

/* What the largest element becomes. 0: the matrix stays as it is. */
typedef struct magnitude {
  const char *name;
  double single_size, double_size;
} magnitude;
static const magnitude magnitudes[] = {{"as it is", 0, 0},
                                       {"huge", 1e30, 1e300},
                                       {"the largest possible", 1e36, 1e306},
                                       {"large, but not scaled", 2.8e15, 6e145},
                                       {"small, but not scaled", 4e-16, 2e-146},
                                       {"tiny", 1e-30, 1e-300},
                                       {"of the smallest normal numbers", 2e-38, 3e-308},
                                       {"denormal", 1e-41, 1e-319}};
enum { magnitude_count = sizeof magnitudes / sizeof *magnitudes };

static char title[500];

static void judge(const dense *A, const long double *exact, int kind) {
  for (int job = 0; job < 2; job++) {
    char text[200];
    one.call.job = job ? TRIGON_VECTORS : TRIGON_VALUES;
    case_fill(&one, A, NULL);
    const trigon_status status = case_run(ctx, &one);
    check_that(status == TRIGON_OK && one.info == 0, "%s: %s: status %d, info %d: %s", title,
               describe_solver_call(&one.call), (int)status, (int)one.info, trigon_message(ctx));
    const char *stray = case_stray(&one, text, sizeof text);
    check_that(!stray, "%s: %s: %s", title, describe_solver_call(&one.call), stray);
    const figures f = judge_case(&one, A, exact);
    check_that(!fault_of(f), "%s: %s: %s", title, describe_solver_call(&one.call), fault_of(f));
    worst[kind] = worst_of(worst[kind], f);
  }
}

static void check_spectrum(const spectrum *s, const magnitude *size, int64_t n, int kind) {
  random_stream r = {(uint64_t)(n + 1)};
  const trigon_uplo uplo = (n + kind + (s - spectra)) % 2 ? TRIGON_LOWER : TRIGON_UPPER;
  const double largest = is_single(types[kind]) ? size->single_size : size->double_size;
  dense A = spectrum_matrix(s, n, types[kind], &r);
  if (largest > 0) scale_to(&A, largest);
  one.call = (solver_call){.type = types[kind], .n = n, .uplo = uplo};
  one.gap = n % 4;
  case_fill(&one, &A, NULL);
  dense_free(&A);
  A = dense_of_triangle(one.A.matrix, uplo); /* rounded to the type */
  long double *exact = malloc((size_t)(n + 1) * sizeof *exact);
  if (!exact) exit(2);
  exact_values(&A, exact);
  snprintf(title, sizeof title, "%s, %s", s->name, size->name);
  judge(&A, exact, kind);
  dense_free(&A);
  free(exact);
}

static void check_spectra(int64_t n, int first, int count) {
  for (int s = 0; s < spectra_count; s++)
    for (int m = first; m < first + count; m++)
      for (int kind = 0; kind < 4; kind++) check_spectrum(&spectra[s], &magnitudes[m], n, kind);
}

/* ------------------------------------------------------------------------------------------- NaN and infinity -- */

/* Puts a number in row i and column j of the triangle of a random matrix. */
static void check_special(int kind, int64_t n, int64_t row, int64_t column, double value, bool in_imaginary) {
  char text[200];
  const trigon_type type = types[kind];
  random_stream r = {(uint64_t)(n + row)};
  dense A = random_matrix(n, type, &r);
  for (int uplo = 0; uplo < 2; uplo++)
    for (int job = 0; job < 2; job++) {
      const int64_t i = uplo ? column : row, j = uplo ? row : column; /* row >= column */
      one.call = (solver_call){.type = type, .n = n, .uplo = uplo ? TRIGON_UPPER : TRIGON_LOWER};
      one.call.job = job ? TRIGON_VECTORS : TRIGON_VALUES;
      case_fill(&one, &A, NULL);
      trigon_scalar x = matrix_get(one.A.matrix, i, j);
      *(in_imaginary ? &x.im : &x.re) = value;
      matrix_put(one.A.matrix, i, j, x);
      const trigon_status status = case_run(ctx, &one);
      check_that(status == TRIGON_OK && one.info == j + 1, "%g in (%d, %d): %s: status %d, info %d instead of %d",
                 value, (int)i, (int)j, describe_solver_call(&one.call), (int)status, (int)one.info, (int)j + 1);
      const char *stray = case_stray(&one, text, sizeof text);
      check_that(!stray, "%g in (%d, %d): %s: %s", value, (int)i, (int)j, describe_solver_call(&one.call), stray);
    }
  dense_free(&A);
}

static void check_specials(void) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (int kind = 0; kind < 4; kind++)
    for (int v = 0; v < 3; v++) {
      check_special(kind, 1, 0, 0, values[v], false);
      check_special(kind, 40, 0, 0, values[v], false);
      check_special(kind, 40, 39, 39, values[v], false);
      check_special(kind, 40, 39, 0, values[v], false);
      check_special(kind, 40, 39, 38, values[v], false);
      check_special(kind, 70, 33, 17, values[v], false);
      if (is_complex(types[kind])) check_special(kind, 70, 33, 17, values[v], true);
      if (is_complex(types[kind])) check_special(kind, 3, 2, 0, values[v], true);
    }
}

/* After a matrix with NaN the same context solves a good one. */
static void check_recovery(void) {
  double a[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, w[3];
  int64_t info = -1;
  check(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 3, a, 3, w, &info) == TRIGON_OK && info == 2, "a NaN");
  memset(a, 0, sizeof a);
  a[0] = 3, a[4] = 2, a[8] = 1;
  check(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 3, a, 3, w, &info) == TRIGON_OK && info == 0,
        "a good matrix after one with a NaN");
  check(w[0] == 1 && w[1] == 2 && w[2] == 3, "the values of a diagonal matrix are not exact after a NaN");
}

/* ---------------------------------------------------------------------------------------------- exact answers -- */

/* A diagonal matrix has its diagonal as values, exactly, and unit vectors. */
static void check_diagonal(void) {
  enum { n = 50 };
  double a[n * n] = {0}, w[n];
  int64_t info = -1;
  for (int i = 0; i < n; i++) a[i * (n + 1)] = 7 * i % n - 20;
  check(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_UPPER, n, a, n, w, &info) == TRIGON_OK && info == 0, "a diagonal");
  double apart = 0, off = 0;
  for (int i = 0; i < n; i++) apart = fmax(apart, fabs(w[i] - (i - 20)));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) off = fmax(off, fabs(fabs(a[i + j * n]) - (7 * i % n == j)));
  check_that(apart <= 1e-13, "the values of a diagonal matrix are off by %g", apart);
  check_that(off <= 1e-13, "the vectors of a diagonal matrix are off by %g", off);
}

/* A pair of equal rows among unit vectors has the values 0 and 2, to the last digit: programs tell a singular matrix by
 * that 0. */
static void check_singular_pair(void) {
  enum { most = 24 };
  double a[most * most], w[most];
  for (int64_t n = 2; n <= most; n += 11)
    for (int64_t first = 0; first + 1 < n; first++)
      for (int vectors = 0; vectors < 2; vectors++) {
        int64_t info = -1;
        memset(a, 0, sizeof a);
        for (int64_t i = 0; i < n; i++) a[i * (n + 1)] = 1;
        a[first + 1 + first * n] = 1;
        check(trigon_dsyevd(ctx, vectors ? TRIGON_VECTORS : TRIGON_VALUES, TRIGON_LOWER, n, a, n, w, &info) ==
                  TRIGON_OK,
              "a singular pair");
        check_that(info == 0 && w[0] == 0 && w[n - 1] == 2,
                   "a singular pair at row %d of %d has the values %g and 2 + %g", (int)first, (int)n, w[0],
                   w[n - 1] - 2);
      }
}

/* On a device the operands of the examples would have to be copied, and large orders take long on the simulated one. */
static bool check_context(const char *name, bool all) {
  char why[400] = "";
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_NOT_FOUND) printf("skipped: \"%s\": %s\n", name, why);
  if (status == TRIGON_NOT_FOUND) return true;
  if (status != TRIGON_OK) return puts(why), false;
  const bool on_host = trigon_on_host(ctx);
  if (on_host) check_diagonal(), check_singular_pair(), check_recovery();
  check_specials();
  check_spectra(2, 0, magnitude_count);
  check_spectra(on_host ? 40 : 20, 0, on_host ? magnitude_count : 2);
  if (on_host) check_spectra(100, 0, 1);
  if (all && on_host)
    check_spectra(3, 0, magnitude_count), check_spectra(24, 0, magnitude_count), check_spectra(33, 0, magnitude_count);
  if (all && !on_host) check_spectra(33, 0, 2);
  if (all && on_host) check_spectra(65, 0, magnitude_count), check_spectra(131, 0, 3), check_spectra(257, 0, 1);
  trigon_destroy(ctx);
  return true;
}

/* test_spectra [--all] [CONTEXT] */
int main(int argc, char **argv) {
  static const char *const contexts[] = {"cpu?dirty=1", "sim:0?dirty=1&seed=4"};
  const bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
  const int named = argc - 1 - all, count = named > 0 ? named : 2;
  for (int k = 0; k < 4; k++) worst[k].is_sorted = true;
  for (int i = 0; i < count; i++)
    if (!check_context(named > 0 ? argv[1 + all + i] : contexts[i], all)) return 1;
  for (int k = 0; k < 4; k++)
    printf("%c: residual %.2f, orthogonality %.2f, values %.2f units of u*sqrt(n)\n", (char)types[k], worst[k].residual,
           worst[k].overlap, worst[k].values);
  case_free(&one);
  return checked();
}
