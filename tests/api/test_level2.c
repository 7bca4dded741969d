/* test_level2.c - the routines of BLAS's level 2: every type, flag and awkward size, increments of both signs, and
 * special scalars, against sums in long double, in guarded memory.
 *
 * usage: test_level2 [CONTEXT...]; the default is the CPU, the simulated GPU, and matrices in host memory */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"

typedef enum vector_routine { GEMV, SYMV, HEMV, TRMV, TRSV, GERU, GERC, SYR, HER, SYR2, HER2, ROUTINES } vector_routine;
static const char *const names[] = {"gemv", "symv", "hemv", "trmv", "trsv", "ger(u)",
                                    "gerc", "syr",  "her",  "syr2", "her2"};

typedef struct vector_case {
  vector_routine routine;
  trigon_type type;
  trigon_uplo uplo;
  trigon_op op;
  trigon_diag diag;
  int64_t m, n, lda, incx, incy;
  trigon_scalar alpha, beta;
} vector_case;

#define EACH_TYPE "api/test_level2.inc"
#include "support/each_type.inc"

static trigon_status run(trigon_context *c, const vector_case *v, void *A, void *x, void *y) {
  switch (v->type) {
  case TRIGON_S: return run_s(c, v, A, x, y);
  case TRIGON_D: return run_d(c, v, A, x, y);
  case TRIGON_C: return run_c(c, v, A, x, y);
  default: return run_z(c, v, A, x, y);
  }
}

/* --------------------------------------------------------------------------------------------- what is asked -- */

typedef long double _Complex number;

static trigon_context *ctx;
static const char *context_name;
static guarded A, x, y; /* a vector is a matrix of one row, whose leading dimension is the increment */
static bool adds_to_matrix(vector_routine r) { return r >= GERU; }
static bool is_general(vector_routine r) { return r == GEMV || r == GERU || r == GERC; }
static bool is_triangular(vector_routine r) { return r == TRMV || r == TRSV; }
static bool is_hermitian(vector_routine r) { return r == HEMV || r == HER || r == HER2; }
static bool has_y(vector_routine r) { return !is_triangular(r) && r != SYR && r != HER; }
static bool exists(vector_routine r, trigon_type t) { return is_complex(t) || (!is_hermitian(r) && r != GERC); }

static int64_t length_x(const vector_case *v) {
  if (v->routine == GEMV) return v->op == TRIGON_NOTRANS ? v->n : v->m;
  return is_general(v->routine) ? v->m : v->n;
}
static int64_t length_y(const vector_case *v) { return v->routine == GEMV && v->op == TRIGON_NOTRANS ? v->m : v->n; }

/* Not by `re + im * I`, which spoils one part where the other is Inf or NaN, nor by CMPLXL, which clang 14 lacks. */
static number wide(trigon_scalar s) {
  const long double parts[2] = {s.re, s.im};
  number wide;
  memcpy(&wide, parts, sizeof parts);
  return wide;
}

/* Element i of a vector; with a negative increment the first element is the last column. */
static number element(trigon_matrix vector, int64_t inc, int64_t i) {
  return wide(matrix_get(vector, 0, inc < 0 ? vector.cols - 1 - i : i));
}

/* Element (i, j) of the matrix that the routine reads, as it is before op. */
static number entry(const vector_case *v, trigon_matrix M, int64_t i, int64_t j) {
  const bool lower = v->uplo == TRIGON_LOWER, stored = i == j || (i > j) == lower;
  if (is_general(v->routine)) return wide(matrix_get(M, i, j));
  if (is_triangular(v->routine)) {
    if (i == j && v->diag == TRIGON_UNIT) return 1;
    return stored ? wide(matrix_get(M, i, j)) : 0;
  }
  const number a = wide(stored ? matrix_get(M, i, j) : matrix_get(M, j, i));
  if (!is_hermitian(v->routine)) return a;
  return i == j ? creall(a) : stored ? a : conjl(a);
}

static number op_entry(const vector_case *v, trigon_matrix M, int64_t i, int64_t j) {
  if (v->op == TRIGON_NOTRANS || !(v->routine == GEMV || is_triangular(v->routine))) return entry(v, M, i, j);
  const number a = entry(v, M, j, i);
  return v->op == TRIGON_CONJTRANS ? conjl(a) : a;
}

/* ---------------------------------------------------------------------------------------------------- judgement -- */

/* The largest error of a case in units of its bound; a NaN is larger than all. */
static long double worst;

static void judge(const vector_case *v, number got, number wanted, long double size, int64_t terms) {
  const long double bound = 4 * (long double)(terms + 4) * epsilon_of(v->type) * size;
  const long double error = cabsl(got - wanted), ratio = error == 0 ? 0 : error / bound;
  if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio;
}

static void check_worst(const vector_case *v) {
  check_that(worst <= 1,
             "%s: %c%s %dx%d, uplo %d, op %d, diag %d, lda %d, incx %d, incy %d, alpha %g %g, beta %g %g: %Lg times "
             "the bound",
             context_name, (char)v->type, names[v->routine], (int)v->m, (int)v->n, (int)v->uplo, (int)v->op,
             (int)v->diag, (int)v->lda, (int)v->incx, (int)v->incy, v->alpha.re, v->alpha.im, v->beta.re, v->beta.im,
             worst);
}

/* y = alpha·op(A)·x + beta·y. For TRMV y is x. */
static void judge_product(const vector_case *v) {
  const bool in_place = v->routine == TRMV;
  const trigon_matrix M = guarded_before(&A), in = guarded_before(&x), out = in_place ? x.matrix : y.matrix;
  const trigon_matrix before = in_place ? in : guarded_before(&y);
  const int64_t inc = in_place ? v->incx : v->incy, terms = length_x(v);
  const number alpha = in_place ? 1 : wide(v->alpha), beta = in_place ? 0 : wide(v->beta);
  for (int64_t i = 0; i < (in_place ? v->n : length_y(v)); i++) {
    number sum = beta != 0 ? beta * element(before, inc, i) : 0;
    long double size = cabsl(sum);
    for (int64_t j = 0; j < terms && alpha != 0; j++) {
      const number a = op_entry(v, M, i, j);
      if (is_triangular(v->routine) && a == 0) continue;
      sum += alpha * a * element(in, v->incx, j);
      size += cabsl(alpha * a * element(in, v->incx, j));
    }
    judge(v, element(out, inc, i), sum, size, terms);
  }
}

/* op(A)·x = b, by the residual. */
static void judge_solve(const vector_case *v) {
  const trigon_matrix M = guarded_before(&A), b = guarded_before(&x);
  for (int64_t i = 0; i < v->n; i++) {
    number sum = 0;
    long double size = cabsl(element(b, v->incx, i));
    for (int64_t j = 0; j < v->n; j++) {
      const number a = op_entry(v, M, i, j);
      if (a == 0) continue;
      sum += a * element(x.matrix, v->incx, j);
      size += cabsl(a * element(x.matrix, v->incx, j));
    }
    judge(v, sum, element(b, v->incx, i), size, v->n);
  }
}

/* A = A + alpha·x·yᵀ, and the others. */
static void judge_update(const vector_case *v) {
  const trigon_matrix M = guarded_before(&A), vx = guarded_before(&x), vy = guarded_before(&y);
  const number alpha = wide(v->alpha);
  const bool square = v->routine == SYR || v->routine == HER, two = v->routine == SYR2 || v->routine == HER2;
  const bool conjugates = is_hermitian(v->routine) || v->routine == GERC;
  for (int64_t j = 0; j < v->n; j++)
    for (int64_t i = 0; i < v->m; i++) {
      if (!is_general(v->routine) && i != j && (i > j) != (v->uplo == TRIGON_LOWER)) continue;
      const number right = square ? element(vx, v->incx, j) : element(vy, v->incy, j);
      const number first = alpha * element(vx, v->incx, i) * (conjugates ? conjl(right) : right);
      number second = 0;
      if (two) {
        const number xj = element(vx, v->incx, j);
        second = (conjugates ? conjl(alpha) : alpha) * element(vy, v->incy, i) * (conjugates ? conjl(xj) : xj);
      }
      number old = wide(matrix_get(M, i, j));
      if (is_hermitian(v->routine) && i == j && alpha == 0) continue; /* keeps its imaginary part */
      if (is_hermitian(v->routine) && i == j) old = creall(old);
      judge(v, wide(matrix_get(A.matrix, i, j)), old + first + second, cabsl(old) + cabsl(first) + cabsl(second), 2);
    }
}

/* -------------------------------------------------------------------------------------------------------- a case -- */

static trigon_scalar draw(trigon_type type, random_stream *r) {
  const double re = random_unit(r), im = random_unit(r);
  return (trigon_scalar){re, is_complex(type) ? im : 0};
}

static void fill_vector(guarded *g, const vector_case *v, int64_t n, int64_t inc, random_stream *r) {
  guarded_shape(g, v->type, 1, n, (inc < 0 ? -inc : inc) - 1);
  for (int64_t i = 0; i < n; i++) matrix_put(g->matrix, 0, i, draw(v->type, r));
}

/* What a routine must not read stays poison: the opposite triangle, a unit diagonal, and the imaginary part of a
 * Hermitian diagonal. A triangle is well conditioned. */
static void fill_matrix(vector_case *v, random_stream *r) {
  guarded_shape(&A, v->type, v->m, v->n, v->lda - (v->m > 1 ? v->m : 1));
  for (int64_t j = 0; j < v->n; j++)
    for (int64_t i = 0; i < v->m; i++) {
      const bool stored = is_general(v->routine) || i == j || (i > j) == (v->uplo == TRIGON_LOWER);
      trigon_scalar a = draw(v->type, r);
      if (!stored || (i == j && is_triangular(v->routine) && v->diag == TRIGON_UNIT)) continue;
      if (is_triangular(v->routine) && i != j) a.re /= (double)v->n, a.im /= (double)v->n;
      if (is_triangular(v->routine) && i == j) a.re += a.re < 0 ? -1 : 1;
      if (is_hermitian(v->routine) && i == j && is_complex(v->type)) a.im = NAN;
      matrix_put(A.matrix, i, j, a);
    }
}

static trigon_matrix whole(trigon_matrix M) {
  M.rows = M.ld;
  return M;
}

/* Where the context computes. */
static void *bring(const guarded *g) {
  void *data = NULL;
  if (trigon_on_host(ctx)) return g->matrix.data;
  trigon_matrix there = g->matrix;
  check_that(trigon_alloc(ctx, 16 * there.ld * (there.cols + 1), &data) == TRIGON_OK, "%s", trigon_message(ctx));
  there.data = data;
  if (data && there.cols > 0)
    check_that(trigon_upload(ctx, whole(g->matrix), whole(there)) == TRIGON_OK, "%s", trigon_message(ctx));
  return data;
}

static void take_back(const guarded *g, void *data) {
  if (trigon_on_host(ctx) || !data) return;
  trigon_matrix there = g->matrix;
  there.data = data;
  if (there.cols > 0)
    check_that(trigon_download(ctx, whole(there), whole(g->matrix)) == TRIGON_OK, "%s", trigon_message(ctx));
  trigon_free(ctx, data);
}

static void check_strays(const vector_case *v) {
  static const region none = {REGION_NONE, false}, all = {REGION_ALL, false};
  const region triangle = {v->uplo == TRIGON_LOWER ? REGION_LOWER : REGION_UPPER, false};
  const bool updates = adds_to_matrix(v->routine);
  char text[160];
  const char *stray = guarded_stray(&A, !updates ? none : is_general(v->routine) ? all : triangle, text, sizeof text);
  check_that(!stray, "%s: %s: A: %s", context_name, names[v->routine], stray);
  stray = guarded_stray(&x, is_triangular(v->routine) ? all : none, text, sizeof text);
  check_that(!stray, "%s: %s: x: %s", context_name, names[v->routine], stray);
  stray = guarded_stray(&y, has_y(v->routine) && !updates ? all : none, text, sizeof text);
  check_that(!stray, "%s: %s: y: %s", context_name, names[v->routine], stray);
}

static void check_case(vector_case v) {
  random_stream r = {(uint64_t)(v.m * 1000 + v.n)};
  const bool poisoned_y = v.beta.re == 0 && v.beta.im == 0 && !adds_to_matrix(v.routine);
  v.m = is_general(v.routine) ? v.m : v.n;
  v.lda += v.m > 1 ? v.m : 1;
  fill_matrix(&v, &r);
  fill_vector(&x, &v, length_x(&v), v.incx, &r);
  fill_vector(&y, &v, length_y(&v), v.incy, &r);
  if (poisoned_y) guarded_shape(&y, v.type, 1, length_y(&v), (v.incy < 0 ? -v.incy : v.incy) - 1);
  guarded_snapshot(&A), guarded_snapshot(&x), guarded_snapshot(&y);
  void *const data[] = {bring(&A), bring(&x), bring(&y)};
  const trigon_status status = run(ctx, &v, data[0], data[1], data[2]);
  check_that(status == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s: %s", context_name, trigon_message(ctx));
  take_back(&A, data[0]), take_back(&x, data[1]), take_back(&y, data[2]);
  check_strays(&v);
  if (v.m == 0 || v.n == 0) return;
  worst = 0;
  if (adds_to_matrix(v.routine))
    judge_update(&v);
  else if (v.routine == TRSV)
    judge_solve(&v);
  else
    judge_product(&v);
  check_worst(&v);
}

/* ------------------------------------------------------------------------------------------------------ the grid -- */

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};

/* All flags of a routine that has them. */
static void check_flags(vector_case v) {
  const bool sided = !is_general(v.routine), turned = v.routine == GEMV || is_triangular(v.routine);
  for (int u = 0; u < (sided ? 2 : 1); u++)
    for (int o = 0; o < (turned ? 3 : 1); o++)
      for (int d = 0; d < (is_triangular(v.routine) ? 2 : 1); d++) {
        v.uplo = u ? TRIGON_UPPER : TRIGON_LOWER, v.op = ops[o], v.diag = d ? TRIGON_UNIT : TRIGON_NONUNIT;
        check_case(v);
      }
}

/* Increments and scalars go around with the sizes. */
static void check_sizes(const int64_t *sizes, int count) {
  static const int64_t incs[] = {1, -1, 3, 1, -2, 1, 2};
  static const trigon_scalar alphas[] = {{1, 0}, {-0.75, 0.5}, {1, 0}, {0, 0}, {1.5, 0}};
  static const trigon_scalar betas[] = {{0, 0}, {1, 0}, {0.5, -0.25}, {-2, 0}};
  int turn = 0;
  for (int t = 0; t < 4; t++)
    for (int routine = 0; routine < ROUTINES; routine++)
      for (int a = 0; a < count && exists((vector_routine)routine, types[t]); a++)
        for (int b = 0; b < (is_general((vector_routine)routine) ? count : 1); b++, turn++) {
          vector_case v = {.routine = (vector_routine)routine, .type = types[t], .n = sizes[a], .m = sizes[b]};
          v.lda = turn % 3, v.incx = incs[turn % 7], v.incy = incs[turn / 2 % 7];
          v.alpha = alphas[turn % 5], v.beta = betas[turn / 3 % 4];
          if (!is_complex(types[t])) v.alpha.im = v.beta.im = 0;
          if (routine == HER) v.alpha.im = 0;
          check_flags(v);
        }
}

/* ------------------------------------------------------------------------------------------------- bad arguments -- */

static void refused(trigon_status status, const char *words) {
  check_that(status == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), words), "status %d, \"%s\" instead of \"%s\"",
             (int)status, trigon_message(ctx), words);
}

static void check_arguments(void) {
  double a[4] = {1, 2, 3, 4}, v[2] = {1, 2}, w[2] = {3, 4};
  const trigon_op bad = (trigon_op)7;
  refused(trigon_dgemv(ctx, bad, 2, 2, 1, a, 2, v, 1, 0, w, 1), "trigon_dgemv: argument 1 (op) is 7");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, -1, 2, 1, a, 2, v, 1, 0, w, 1), "argument 2 (m) is -1");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, -3, 1, a, 2, v, 1, 0, w, 1), "argument 3 (n) is -3");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, NULL, 2, v, 1, 0, w, 1), "argument 5 (A) is NULL");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 1, v, 1, 0, w, 1), "argument 6 (lda) is 1");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, NULL, 1, 0, w, 1), "argument 7 (x) is NULL");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, v, 0, 0, w, 1), "argument 8 (incx) is 0");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, v, 1, 0, w, 0), "argument 11 (incy) is 0");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, v, INT64_MIN, 0, w, 1),
          "argument 8 (incx) is -9223372036854775808");
  refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, v, 1, 0, w, INT64_MAX),
          "argument 11 (incy) is 9223372036854775807");
  refused(trigon_dger(ctx, 2, 2, 1, v, 1, w, 1, a, 1), "trigon_dger: argument 9 (lda) is 1");
  refused(trigon_dsymv(ctx, (trigon_uplo)3, 2, 1, a, 2, v, 1, 0, w, 1), "trigon_dsymv: argument 1 (uplo) is 3");
  refused(trigon_dtrsv(ctx, TRIGON_LOWER, TRIGON_TRANS, (trigon_diag)5, 2, a, 2, v, 1), "argument 3 (diag) is 5");
  refused(trigon_dsyr2(ctx, TRIGON_LOWER, 2, 1, v, 1, NULL, 1, a, 2), "trigon_dsyr2: argument 6 (y) is NULL");
  check_that(trigon_dgemv(NULL, TRIGON_TRANS, 2, 2, 1, a, 2, v, 1, 0, w, 1) == TRIGON_BAD_ARGUMENT, "no context");
  check_that(a[0] == 1 && a[3] == 4 && v[0] == 1 && w[0] == 3 && w[1] == 4, "a refused call has written");
  if (!trigon_on_host(ctx)) refused(trigon_dgemv(ctx, TRIGON_TRANS, 2, 2, 1, a, 2, v, 1, 0, w, 1), "argument 5 (A)");
}

/* y = A·x where a NaN or an infinity of A or x must arrive in y, though it meets a zero. */
static void check_special(void) {
  enum { n = 40 };
  static double a[n * n], v[n], w[n];
  if (!trigon_on_host(ctx)) return;
  for (int k = 0; k < 2; k++) {
    memset(a, 0, sizeof a), memset(v, 0, sizeof v);
    (k ? v : a + 7 * n)[3] = NAN;
    check_that(trigon_dgemv(ctx, TRIGON_NOTRANS, n, n, 1, a, n, v, 1, 0, w, 1) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(isnan(w[3]), "%s: a NaN in %s is lost: %g", context_name, k ? "x" : "A", w[3]);
  }
}

/* Scalars are rounded first: in single precision these are zero, so that a NaN is not read. Small orders have a way of
 * their own. */
static void check_rounded_scalars(void) {
  enum { most = 200 };
  static float a[2 * most * most], v[2 * most], w[2 * most];
  const trigon_scalar tiny = {1e-60, 0}, unit = {1, 0};
  if (!trigon_on_host(ctx)) return;
  for (int64_t n = 2; n <= most; n += most - 2) {
    memset(a, 0, sizeof a), memset(v, 0, sizeof v), memset(w, 0, sizeof w);
    a[0] = NAN, w[0] = 3;
    check_that(trigon_cgemv(ctx, TRIGON_NOTRANS, n, n, tiny, a, n, v, 1, unit, w, 1) == TRIGON_OK && w[0] == 3,
               "%s: order %d: a tiny alpha counts: %g", context_name, (int)n, (double)w[0]);
    a[0] = 1, v[0] = 1, w[0] = NAN;
    check_that(trigon_cgemv(ctx, TRIGON_NOTRANS, n, n, unit, a, n, v, 1, tiny, w, 1) == TRIGON_OK && w[0] == 1,
               "%s: order %d: a tiny beta counts: %g", context_name, (int)n, (double)w[0]);
    v[0] = NAN;
    check_that(trigon_csyr(ctx, TRIGON_LOWER, n, tiny, v, 1, a, n) == TRIGON_OK && a[0] == 1,
               "%s: order %d: a tiny alpha of SYR counts: %g", context_name, (int)n, (double)a[0]);
  }
}

int main(int argc, char **argv) {
  static const char *const contexts[] = {
      "cpu", "cpu?arch=portable", "cpu?threads=2", "cpu:libopenblas.so.0?leaf=vendor", "sim:0", "sim:0:host?stop=16"};
  static const int64_t small[] = {0, 1, 2, 5, 17}, medium[] = {33, 64, 70, 131}, large[] = {260, 601};
  const int count = argc > 1 ? argc - 1 : (int)(sizeof contexts / sizeof *contexts);
  for (int i = 0; i < count; i++) {
    char why[400] = "";
    context_name = argc > 1 ? argv[i + 1] : contexts[i];
    const trigon_status status = trigon_create(context_name, &ctx, why, sizeof why);
    if (status == TRIGON_NOT_FOUND) continue; /* no such library here */
    check_that(status == TRIGON_OK, "trigon_create(\"%s\"): %s", context_name, why);
    if (status != TRIGON_OK) continue;
    check_arguments();
    check_special();
    check_rounded_scalars();
    check_sizes(small, 5);
    check_sizes(medium, 4);
    if (i == 0 && trigon_on_host(ctx)) check_sizes(large, 2); /* several blocks of each kernel */
    trigon_destroy(ctx);
  }
  guarded_free(&A), guarded_free(&x), guarded_free(&y);
  return checked();
}
