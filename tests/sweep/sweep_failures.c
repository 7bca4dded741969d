/* sweep_failures.c - calls that fail: matrices that are not positive definite, singular triangles, late infos.
 *
 * The tests check what a failure leaves in the matrices. Only trigon_finish returns a late info. */
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LARGEST = 40 };

static int64_t sum(const int64_t *values, size_t count) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) total += values[i];
  return total;
}

/* ------------------------------------------------------------------------------------- failing factorizations -- */

/* The defect at the failing position j. The pivot is -1 or exactly 0, or the diagonal element is NaN, or an element
 * left of the diagonal is NaN. */
enum defect { NEGATIVE, SINGULAR, NAN_DIAGONAL, NAN_LEFT, DEFECTS };

/* The factor L of A = L·D·Lᴴ. Small integers under a diagonal of ones make every factorization exact. */
typedef struct exact_factor {
  trigon_scalar L[LARGEST][LARGEST];
} exact_factor;

static void draw_factor(exact_factor *f, int64_t n, bool complex, random_stream *r) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++)
      f->L[i][j] = (trigon_scalar){(double)random_below(r, 3) - 1, complex ? (double)random_below(r, 3) - 1 : 0};
    f->L[i][i] = (trigon_scalar){1, 0};
  }
}

/* Stores A = L·D·Lᴴ. D is all ones except for the given pivot at j. */
static void store_product(trigon_matrix A, trigon_uplo uplo, const exact_factor *f, int64_t j, double pivot) {
  for (int64_t col = 0; col < A.cols; col++)
    for (int64_t row = col; row < A.rows; row++) {
      trigon_scalar sum = {0, 0};
      for (int64_t k = 0; k <= col; k++) {
        const trigon_scalar x = f->L[row][k], y = f->L[col][k];
        const double d = k == j ? pivot : 1;
        sum.re += d * (x.re * y.re + x.im * y.im);
        sum.im += d * (x.im * y.re - x.re * y.im);
      }
      if (row == col) sum.im = NAN; /* routines take this part as zero */
      triangle_put(A, uplo, row, col, sum);
    }
}

/* Describes the first element in the columns before j that differs from the factor. Row `except` may hold NaN.
 * Returns NULL if no element differs. `units` is that of sweep_roundoffs. */
static const char *wrong_factor(trigon_matrix A, trigon_uplo uplo, const exact_factor *f, int64_t j, int64_t except,
                                double units, char *text, size_t size) {
  const double u = units * epsilon_of(A.type);
  for (int64_t col = 0; col < j; col++)
    for (int64_t row = col; row < A.rows; row++) {
      const trigon_scalar x = triangle_get(A, uplo, row, col), y = f->L[row][col];
      const double error = fabs(x.re - y.re) + fabs(x.im - y.im);
      if (row == except || error <= 30 * u * (double)A.rows) continue;
      snprintf(text, size, "info %" PRId64 ", but L(%" PRId64 ", %" PRId64 ") is (%g, %g), must be (%g, %g)", j + 1,
               row, col, x.re, x.im, y.re, y.im);
      return text;
    }
  return NULL;
}

static void pivot_case(sweep *s, call *c, int64_t j, enum defect defect) {
  static exact_factor f;
  char text[160];
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  const trigon_matrix A = sweep_matrix(s, 0);
  draw_factor(&f, c->n, is_complex(c->type), &r);
  store_product(A, c->uplo, &f, j, defect == NEGATIVE ? -1 : defect == SINGULAR ? 0 : 1);
  if (defect == NAN_DIAGONAL) triangle_put(A, c->uplo, j, j, (trigon_scalar){NAN, 0});
  if (defect == NAN_LEFT) triangle_put(A, c->uplo, j, random_below(&r, j), (trigon_scalar){NAN, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++) {
    /* On the host POSV leaves B unchanged then. */
    if (!sweep_call(s, b, c, j + 1, c->routine == POSV ? 2 : 0)) continue;
    const char *wrong =
        wrong_factor(A, c->uplo, &f, j, defect == NAN_LEFT ? j : -1, sweep_roundoffs(s, c->type), text, sizeof text);
    sweep_score(s, b, c, sweep_fact(!wrong, wrong));
  }
}

void sweep_pivots(sweep *s, call *c) {
  static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 17, 33, 40};
  if (c->routine != POTRF && c->routine != POSV) return;
  c->k = 3;
  sweep_sample(s, c, DEFECTS * sum(orders, sizeof orders / sizeof *orders));
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    for (int64_t j = 0; j < orders[i]; j++)
      for (int defect = 0; defect < DEFECTS; defect++) {
        c->n = orders[i];
        if (defect == NAN_LEFT && j == 0) continue;
        if (sweep_takes(s)) pivot_case(s, c, j, (enum defect)defect);
      }
}

/* -------------------------------------------------------------------------------------- singular triangles -- */

/* Zeros of both signs at j, and at the end. If nan is set, a NaN comes before the zeros; a NaN is not a zero. */
static void singular_case(sweep *s, call *c, int64_t j, bool nan) {
  sweep_prepare(s, c, RANDOM);
  const trigon_matrix A = sweep_matrix(s, 0);
  if (nan) matrix_put(A, 0, 0, (trigon_scalar){NAN, 0});
  matrix_put(A, c->n - 1, c->n - 1, (trigon_scalar){0, 0});
  matrix_put(A, j, j, (trigon_scalar){j % 2 ? -0.0 : 0.0, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++)
    if (sweep_call(s, b, c, j + 1, 1)) sweep_score(s, b, c, sweep_fact(true, "singular"));
}

void sweep_singular(sweep *s, call *c) {
  static const int64_t orders[] = {1, 2, 3, 8, 9, 17, 33, 40};
  if ((c->routine != TRTRI && c->routine != POTRI) || c->diag == TRIGON_UNIT) return;
  sweep_sample(s, c, 2 * sum(orders, sizeof orders / sizeof *orders));
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    for (int64_t j = 0; j < orders[i]; j++)
      for (int nan = 0; nan < (j > 0 ? 2 : 1); nan++) {
        c->n = orders[i];
        if (sweep_takes(s)) singular_case(s, c, j, nan);
      }
}

/* ------------------------------------------------------------------------------------ info without a pointer -- */

/* Makes the call without an info pointer on a matrix that fails at `first`. Then makes a call with an info pointer
 * on a matrix that fails later. */
static int64_t finish_after(sweep *s, int backend, call *c, int64_t first, int64_t later) {
  int64_t info = -1, own = -1;
  const int64_t positions[] = {first, later, first};
  for (int i = 0; i < 3; i++) {
    sweep_prepare(s, c, RANDOM);
    const bool positive = routines[c->routine].operand[0].storage == POSITIVE;
    if (positions[i])
      matrix_put(sweep_matrix(s, 0), positions[i] - 1, positions[i] - 1, (trigon_scalar){positive ? -1 : 0, 0});
    c->info = i == 0 ? &own : NULL; /* a call with its own pointer does not count */
    const trigon_status status = call_on(&s->targets[backend], c, s->stored, i % 2);
    c->info = NULL;
    if (status != TRIGON_OK) return -1;
  }
  if (own != first || trigon_finish(s->targets[backend].ctx, &info) != TRIGON_OK) return -1;
  return info;
}

void sweep_late_info(sweep *s, call *c) {
  if (!takes(c->routine, "info") || c->diag == TRIGON_UNIT) return;
  c->n = 20;
  c->k = 2;
  for (int b = 0; b < s->backends; b++) {
    int64_t again = -1;
    s->blas = false;
    const bool first = finish_after(s, b, c, 3, 17) == 17;
    const bool cleared = trigon_finish(s->targets[b].ctx, &again) == TRIGON_OK && again == 0;
    const bool none = finish_after(s, b, c, 0, 0) == 0;
    sweep_score(s, b, c, sweep_fact(first, "trigon_finish must return the first info without a pointer"));
    sweep_score(s, b, c, sweep_fact(cleared, "trigon_finish must forget the info that it returned"));
    sweep_score(s, b, c, sweep_fact(none, "trigon_finish must return 0 if nothing failed"));
  }
}
