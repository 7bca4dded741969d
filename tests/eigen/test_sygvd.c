/* test_sygvd.c - the generalized problem: its three types, both triangles, residuals and normalization; matrices B that
 * are not positive definite; and its reduction to the standard problem (SYGST) against explicit products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver_judge.h"
#include "spectra.h"
#include "support/check.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx, *host;
static const char *context_name;
static solver_case one;
static guarded factor; /* B's factor, from POTRF */
static double worst[4][3];

static const char *title(void) {
  static char text[300];
  snprintf(text, sizeof text, "%s: %s", context_name, describe_solver_call(&one.call));
  return text;
}

/* A figure in units of u·sqrt(n), which must be at most `bound`. */
static void judge(int kind, int figure, const char *what, long double value, double bound) {
  const double units = (double)value / (roundoff_of(types[kind]) * sqrt((double)(one.call.n > 0 ? one.call.n : 1)));
  check_that(units <= bound, "%s: %s: %.3g units, at most %g", title(), what, units, bound);
  if (!(units <= worst[kind][figure])) worst[kind][figure] = units;
}

/* For a device the factor comes from the host. */
static trigon_status potrf(trigon_matrix A, int64_t *info) {
  return trigon_potrf(trigon_on_host(ctx) ? ctx : host, one.call.uplo, A, info);
}

/* A and B as the type stores them; `factor` becomes B's factor. */
typedef struct pair {
  dense A, B, L; /* L: the triangle of the factor, as it is stored */
} pair;

static dense stored(const guarded *g, dense *from) {
  dense_free(from);
  return dense_of_triangle(g->matrix, one.call.uplo);
}

static pair make_pair(int kind, int64_t n) {
  random_stream r = {(uint64_t)(n * 41 + kind)};
  pair p = {.A = random_matrix(n, types[kind], &r), .B = positive_matrix(n, types[kind], &r)};
  int64_t info = -1;
  const solver_routine routine = one.call.routine;
  one.call.routine = SYGVD; /* the imaginary parts of B's diagonal are NaN for POTRF, too */
  case_fill(&one, &p.A, &p.B);
  one.call.routine = routine;
  p.A = stored(&one.A, &p.A), p.B = stored(&one.B, &p.B);
  guarded_shape(&factor, types[kind], n, n, one.gap);
  memcpy(factor.block, one.B.block, factor.bytes);
  check_that(potrf(factor.matrix, &info) == TRIGON_OK && info == 0, "%s: POTRF: %s", title(), trigon_message(ctx));
  p.L = dense_of_factor(factor.matrix, one.call.uplo);
  return p;
}

static void free_pair(pair *p) { dense_free(&p->A), dense_free(&p->B), dense_free(&p->L); }

/* --------------------------------------------------------------------------------------------------------- SYGST -- */

/* Lᴴ, whatever the triangle: the upper factor is that already. */
static dense upper_factor(const pair *p) {
  if (one.call.uplo == TRIGON_LOWER) return dense_adjoint(&p->L);
  dense same = dense_adjoint(&p->L), U = dense_adjoint(&same);
  dense_free(&same);
  return U;
}

/* XᴴMX. M is Hermitian. */
static dense congruence(const dense *M, const dense *X) {
  dense MX = dense_product(M, X), result = dense_product(X, &MX);
  dense_free(&MX);
  return result;
}

/* itype 1: L·C·Lᴴ = A; itypes 2 and 3: C = LᴴAL. */
static void check_sygst(int kind, int64_t n, int itype) {
  char text[200];
  one.call.routine = SYGST, one.call.itype = itype;
  pair p = make_pair(kind, n);
  case_fill(&one, &p.A, &p.L);
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK, "%s: %s", title(), trigon_message(ctx));
  const char *stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s", title(), stray);
  dense C = dense_of_triangle(one.A.matrix, one.call.uplo), U = upper_factor(&p), L = dense_adjoint(&U);
  dense product = itype == 1 ? congruence(&C, &U) : congruence(&p.A, &L);
  const long double apart = dense_distance(&product, itype == 1 ? &p.A : &C);
  judge(kind, 0, "SYGST", n > 0 ? apart / dense_frobenius(&p.A) : 0, 10);
  dense_free(&C), dense_free(&U), dense_free(&L), dense_free(&product);
  free_pair(&p);
}

/* --------------------------------------------------------------------------------------------------------- SYGVD -- */

/* The residuals of A·x = λ·B·x; of A·B·x = λ·x, as of B·(A·B·x) = λ·B·x; of B·A·x = λ·x, as of A·(B·A·x) = λ·A·x. */
static long double residual_of(const pair *p, const dense *X, const double *values) {
  const double a = (double)dense_frobenius(&p->A);
  if (one.call.itype == 1) return dense_residual(&p->A, &p->B, X, values, a, (double)dense_frobenius(&p->B));
  const bool second = one.call.itype == 2;
  dense inner = dense_product(second ? &p->B : &p->A, X); /* both are Hermitian */
  dense outer = dense_product(second ? &p->A : &p->B, &inner);
  long double worst_column = 0;
  for (int64_t j = 0; j < X->cols; j++) {
    long double square = 0, size = 0;
    for (int64_t i = j * X->rows; i < (j + 1) * X->rows; i++) {
      const double re = outer.re[i] - values[j] * X->re[i], im = outer.im[i] - values[j] * X->im[i];
      square += (long double)re * re + (long double)im * im;
      size += (long double)X->re[i] * X->re[i] + (long double)X->im[i] * X->im[i];
    }
    const long double column = sqrtl(square / size) / (2 * a); /* ‖B‖ is about 2 */
    if (!(column <= worst_column)) worst_column = column;
  }
  dense_free(&inner), dense_free(&outer);
  return worst_column;
}

/* |XᴴBX - I| for itypes 1 and 2. For itype 3 X·Xᴴ = B tells the same as XᴴB⁻¹X = I. */
static long double normalization_of(const pair *p, const dense *X) {
  if (one.call.itype != 3) {
    dense BX = dense_product(&p->B, X);
    const long double overlap = dense_overlap(X, &BX);
    dense_free(&BX);
    return overlap;
  }
  dense adjoint = dense_adjoint(X), B = dense_product(&adjoint, &adjoint);
  const long double distance = dense_distance(&B, &p->B);
  dense_free(&adjoint), dense_free(&B);
  return distance;
}

/* B holds the bits that POTRF stores. */
static bool has_factor(void) {
  const trigon_matrix B = one.B.matrix, F = factor.matrix;
  const size_t size = element_size(B.type);
  for (int64_t j = 0; j < B.cols; j++)
    for (int64_t i = 0; i < B.rows; i++) {
      const bool in_triangle = one.call.uplo == TRIGON_LOWER ? i >= j : i <= j;
      const char *b = (const char *)B.data + (size_t)(i + j * B.ld) * size;
      const char *f = (const char *)F.data + (size_t)(i + j * F.ld) * size;
      if (in_triangle && memcmp(b, f, size) != 0) return false;
    }
  return true;
}

static double *run_problem(const pair *p, trigon_job job) {
  char text[200];
  one.call.job = job;
  case_fill(&one, &p->A, &p->B);
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK && one.info == 0, "%s: %s, info %d", title(), trigon_message(ctx), (int)one.info);
  const char *stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s", title(), stray);
  check_that(!trigon_on_host(ctx) || has_factor(), "%s: B is not what POTRF makes of it", title());
  double *values = case_values(&one, one.call.n);
  for (int64_t i = 0; i + 1 < one.call.n; i++) check_that(values[i] <= values[i + 1], "%s: not ascending", title());
  return values;
}

static void check_sygvd(int kind, int64_t n, int itype) {
  one.call.routine = SYGVD, one.call.itype = itype;
  pair p = make_pair(kind, n);
  double *alone = run_problem(&p, TRIGON_VALUES), *values = run_problem(&p, TRIGON_VECTORS);
  double norm = 0, apart = 0;
  for (int64_t i = 0; i < n; i++) norm = fmax(norm, fabs(values[i]));
  for (int64_t i = 0; i < n; i++) apart = fmax(apart, fabs(values[i] - alone[i]));
  judge(kind, 1, "values with and without vectors", norm > 0 ? apart / norm : 0, judged_bound);
  dense X = dense_of_columns(one.A.matrix, n);
  judge(kind, 1, "residual", residual_of(&p, &X, values), judged_bound);
  judge(kind, 2, "normalization", normalization_of(&p, &X), judged_bound);
  dense_free(&X), free_pair(&p);
  free(alone), free(values);
}

/* B whose leading block of order `bad` is not positive definite. A stays on the host, and info tells n + bad. */
static void check_indefinite(int kind, int64_t n, int64_t bad, double element) {
  char text[200];
  one.call.routine = SYGVD, one.call.itype = 1 + (int)(bad % 3), one.call.job = TRIGON_VECTORS;
  pair p = make_pair(kind, n);
  p.B.re[(bad - 1) * (n + 1)] = element;
  case_fill(&one, &p.A, &p.B);
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK && one.info == n + bad, "%s: info is %d, not %d: %s", title(), (int)one.info,
             (int)(n + bad), trigon_message(ctx));
  const region of_A = {trigon_on_host(ctx) ? REGION_NONE : REGION_ALL, false};
  const char *stray = guarded_stray(&one.A, of_A, text, sizeof text);
  check_that(!stray, "%s: B is not positive definite, but A is %s", title(), stray);
  stray = case_stray(&one, text, sizeof text);
  check_that(!stray, "%s: %s", title(), stray);
  free_pair(&p);
}

/* A NaN in A is not lost. */
static void check_nan(int kind, int64_t n, trigon_job job) {
  one.call.routine = SYGVD, one.call.itype = 1, one.call.job = job;
  pair p = make_pair(kind, n);
  p.A.re[n / 2 * (n + 1)] = (double)NAN;
  case_fill(&one, &p.A, &p.B);
  const trigon_status status = case_run(ctx, &one);
  check_that(status == TRIGON_OK && one.info > 0 && one.info <= n, "%s: a NaN in A, info %d: %s", title(),
             (int)one.info, trigon_message(ctx));
  free_pair(&p);
}

/* [2 1; 1 2]·x = λ·[2 0; 0 1]·x: λ² - 3λ + 3/2 = 0. */
static void check_example(void) {
  double a[4] = {2, 1, 0, 2}, b[4] = {2, 0, 0, 1}, w[2];
  int64_t info = -1;
  check_that(trigon_dsygvd(ctx, 1, TRIGON_VECTORS, TRIGON_LOWER, 2, a, 2, b, 2, w, &info) == TRIGON_OK && info == 0,
             "%s", trigon_message(ctx));
  check_that(fabs(w[0] - (3 - sqrt(3)) / 2) < 1e-15 && fabs(w[1] - (3 + sqrt(3)) / 2) < 2e-15, "values %.17g, %.17g",
             w[0], w[1]);
  for (int j = 0; j < 2; j++)
    check_that(fabs(2 * a[2 * j] * a[2 * j] + a[2 * j + 1] * a[2 * j + 1] - 1) < 1e-15, "vector %d is not of length 1",
               j);
}

static void check_context(const char *name, bool is_first) {
  static const int64_t orders[] = {0, 1, 2, 3, 31, 33, 64, 65, 100, 129};
  char why[400] = "";
  context_name = name;
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_NOT_FOUND) printf("skipped: \"%s\": %s\n", name, why);
  check_that(status == TRIGON_OK || status == TRIGON_NOT_FOUND, "trigon_create(\"%s\"): %s", name, why);
  if (status != TRIGON_OK) return;
  if (trigon_on_host(ctx)) check_example();
  for (int kind = 0; kind < 4; kind++)
    for (int u = 0; u < 2; u++) {
      for (int k = 0; k < (is_first ? 10 : trigon_on_host(ctx) ? 8 : 6); k++)
        for (int itype = 1; itype <= 3; itype++) {
          one.call = (solver_call){.type = types[kind], .n = orders[k], .uplo = u ? TRIGON_UPPER : TRIGON_LOWER};
          one.gap = (k + u) % 3;
          check_sygst(kind, orders[k], itype);
          check_sygvd(kind, orders[k], itype);
        }
      one.call.n = 40;
      check_indefinite(kind, 40, 1, -1), check_indefinite(kind, 40, 17, 0);
      check_indefinite(kind, 40, 40, -2), check_indefinite(kind, 40, 5, (double)NAN);
      check_nan(kind, 40, TRIGON_VALUES), check_nan(kind, 40, TRIGON_VECTORS);
    }
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  if (trigon_create("cpu", &host, NULL, 0) != TRIGON_OK) return 1;
  if (argc > 1) check_context(argv[1], false);
  if (argc > 1) return trigon_destroy(host), checked();
  check_context("cpu?dirty=1", true);
  check_context("cpu?stop=8&dirty=1&threads=2", false);
  check_context("cpu?arch=portable&blas=none", false);
  check_context("sim:0?dirty=1&seed=5", false);
  trigon_destroy(host);
  for (int k = 0; k < 4; k++)
    printf("%c: SYGST %.2f, residual %.2f, normalization %.2f units of u*sqrt(n)\n", (char)types[k], worst[k][0],
           worst[k][1], worst[k][2]);
  case_free(&one), guarded_free(&factor);
  return checked();
}
