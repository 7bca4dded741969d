/* sweep_special.c - NaN and Inf, the ends of the range, matrices that are not positive definite, singular triangles. */
#include "sweep.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 40 };

static trigon_matrix matrix_of(const sweep *s, int index) { return s->stored[index].matrix; }

/* A verdict without a residual. */
static verdict fact(bool held, const char *what) { return (verdict){held ? 0 : INFINITY, 0, held, what}; }

/* Stores value at (i, j), i >= j, of the lower triangle, or its conjugate at (j, i) of the upper one. */
static void put(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j, trigon_scalar value) {
  if (uplo == TRIGON_LOWER)
    matrix_put(A, i, j, value);
  else
    matrix_put(A, j, i, (trigon_scalar){value.re, -value.im});
}

static trigon_scalar get(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j) {
  if (uplo == TRIGON_LOWER) return matrix_get(A, i, j);
  const trigon_scalar x = matrix_get(A, j, i);
  return (trigon_scalar){x.re, -x.im};
}

static int64_t sum(const int64_t *values, size_t count) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) total += values[i];
  return total;
}

/* -------------------------------------------------------------------------------------------- NaN and Inf -- */

/* Puts value into one part of one element that the routine reads. False where the operand has none that will do: the
 * divisors of a solve must not be infinite, for x / Inf is an honest zero. */
static bool plant(sweep *s, const call *c, int index, double value, random_stream *r) {
  const trigon_matrix A = matrix_of(s, index);
  const enum storage storage = routines[c->routine].operand[index].storage;
  const bool divisors = !is_product(c->routine) && (storage == TRIANGULAR || storage == FACTOR);
  const bool no_diagonal = (divisors && !isnan(value)) || (storage == TRIANGULAR && c->diag == TRIGON_UNIT);
  if (A.rows == 0 || A.cols == 0 || (no_diagonal && A.rows < 2)) return false;
  int64_t i, j;
  do {
    i = random_below(r, A.rows);
    j = random_below(r, A.cols);
  } while ((storage != GENERAL && i < j) || (no_diagonal && i == j));
  const bool real = i == j && (storage == HERMITIAN || storage == FACTOR);
  const bool transposed = storage != GENERAL && c->uplo == TRIGON_UPPER;
  trigon_scalar x = transposed ? matrix_get(A, j, i) : matrix_get(A, i, j);
  if (is_complex(c->type) && !real && random_below(r, 2))
    x.im = value;
  else
    x.re = value;
  matrix_put(A, transposed ? j : i, transposed ? i : j, x);
  return true;
}

/* The value stands in a matrix, or where index is negative already in one of the scalars. */
static void nonfinite_case(sweep *s, call *c, int index, double value) {
  if (!sweep_takes(s)) return;
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  if (index >= 0 && !plant(s, c, index, value, &r)) return;
  sweep_snapshot(s);
  const call before = sweep_before(s, c);
  for (int b = 0; b < s->backends; b++) {
    s->scratch.used = 0;
    if (sweep_call(s, b, c, 0, 0))
      sweep_score(s, b, c, reference_for(c->type)->judge_nonfinite(&s->scratch, &before, c, isnan(value)));
  }
}

/* Whether every element of LᴴL that depends on L(i, j) is NaN: row j up to the diagonal, column j from there to row i. */
static verdict judge_factor_nan(trigon_matrix X, trigon_uplo uplo, int64_t i, int64_t j) {
  for (int64_t k = 0; k <= i; k++) {
    const trigon_scalar x = get(X, uplo, k > j ? k : j, k > j ? j : k);
    if (!isnan(x.re) && !isnan(x.im)) return fact(false, "a NaN that is multiplied by zero is lost");
  }
  return fact(true, "zero times NaN");
}

/* LAUUM multiplies each row left of the diagonal by the diagonal element: a zero there must not hide a NaN. The
 * reference takes zeros for the opposite triangle's, so it cannot judge this. */
static void zero_times_nan_case(sweep *s, call *c) {
  if (c->routine != LAUUM || c->n < 2 || !sweep_takes(s)) return;
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  const int64_t i = 1 + random_below(&r, c->n - 1), j = random_below(&r, i);
  put(matrix_of(s, 0), c->uplo, i, i, (trigon_scalar){0, 0});
  put(matrix_of(s, 0), c->uplo, i, j, (trigon_scalar){NAN, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++)
    if (sweep_call(s, b, c, 0, 0)) sweep_score(s, b, c, judge_factor_nan(matrix_of(s, 0), c->uplo, i, j));
}

/* In each scalar; and in C where no product is added to it. */
static void nonfinite_scalars(sweep *s, call *c, double value) {
  const trigon_scalar alpha = c->alpha, beta = c->beta;
  c->alpha = (trigon_scalar){0, 0};
  if (takes(c->routine, "beta")) nonfinite_case(s, c, operands(c->routine) - 1, value);
  c->alpha = alpha;
  c->alpha.re = value;
  if (takes(c->routine, "alpha")) nonfinite_case(s, c, -1, value);
  c->alpha = alpha;
  c->beta.re = value;
  if (takes(c->routine, "beta")) nonfinite_case(s, c, -1, value);
  c->beta = beta;
  if (!is_complex(c->type) || c->routine == HERK) return;
  for (int re = 0; re < 2; re++) {
    c->alpha = (trigon_scalar){re ? alpha.re : 0, value};
    if (takes(c->routine, "alpha")) nonfinite_case(s, c, -1, value);
  }
  c->alpha = alpha;
  c->beta.im = value;
  if (takes(c->routine, "beta") && c->routine != HER2K) nonfinite_case(s, c, -1, value);
  c->beta = beta;
}

/* The factorization has its own part: there a NaN ends it. */
void sweep_nonfinite(sweep *s, call *c) {
  static const int64_t orders[] = {1, 5, 9, 17, 33}, others[] = {3, 17, 1, 9, 8};
  if (c->routine == POTRF || c->routine == POSV) return;
  c->alpha = (trigon_scalar){0.7, 0};
  c->beta = (trigon_scalar){-1.3, 0};
  sweep_sample(s, c, 5 * 2 * operands(c->routine)); /* and as many again for the scalars */
  for (int i = 0; i < 5; i++) {
    const bool right = c->side == TRIGON_RIGHT;
    c->m = right ? others[i] : orders[i];
    c->n = right || !takes(c->routine, "m") ? orders[i] : others[i];
    c->k = others[(i + 1) % 5];
    random_stream draw = sweep_stream(s, c);
    const double infinity = random_below(&draw, 2) ? INFINITY : -INFINITY;
    for (int index = 0; index < operands(c->routine); index++) {
      nonfinite_case(s, c, index, NAN);
      nonfinite_case(s, c, index, infinity);
    }
    zero_times_nan_case(s, c);
    nonfinite_scalars(s, c, NAN);
    nonfinite_scalars(s, c, infinity);
  }
}

/* ---------------------------------------------------------------------------------------- scalars that are one -- */

/* Where the last element of X is solved for: no other depends on it. */
static int64_t last_solved(const call *c, int64_t n) {
  const bool left = c->side == TRIGON_LEFT, lower = c->uplo == TRIGON_LOWER;
  return left == (lower == (c->op == TRIGON_NOTRANS)) ? n - 1 : 0;
}

/* Where an infinity of the written matrix reaches no other element; below the diagonal, if there is one. */
static void lonely_place(const call *c, trigon_matrix C, random_stream *r, int64_t *i, int64_t *j) {
  *i = random_below(r, C.rows);
  *j = random_below(r, C.cols);
  if (c->routine == TRSM && c->side == TRIGON_LEFT) *i = last_solved(c, C.rows);
  if (c->routine == TRSM && c->side == TRIGON_RIGHT) *j = last_solved(c, C.cols);
  if (!takes(c->routine, "uplo") || takes(c->routine, "side")) return;
  const int64_t above = random_below(r, C.rows - 1), below = above + 1 + random_below(r, C.rows - 1 - above);
  *i = c->uplo == TRIGON_LOWER ? below : above;
  *j = c->uplo == TRIGON_LOWER ? above : below;
}

/* Everything else is finite: of a sum both parts, for an infinity times one is not multiplied. */
static verdict judge_lonely(const call *c, trigon_matrix C, int64_t i0, int64_t j0, bool im) {
  const bool triangle = takes(c->routine, "uplo") && !takes(c->routine, "side");
  for (int64_t j = 0; j < C.cols; j++)
    for (int64_t i = 0; i < C.rows; i++) {
      const trigon_scalar x = matrix_get(C, i, j);
      if (triangle && i != j && (i > j) != (c->uplo == TRIGON_LOWER)) continue;
      if (i != i0 || j != j0) {
        if (!isfinite(x.re) || !isfinite(x.im)) return fact(false, "an infinity spreads to other elements");
      } else if (!isinf(im ? x.im : x.re))
        return fact(false, "an infinity times one is none");
      else if (c->routine != TRSM && !isfinite(im ? x.re : x.im))
        return fact(false, "an infinity times one spreads to the other part");
    }
  return fact(true, "one");
}

/* An infinity in the matrix that is multiplied by one. For products of our own: a vendor's may multiply. */
static void one_case(sweep *s, call *c) {
  const int index = operands(c->routine) - 1;
  random_stream r = sweep_stream(s, c);
  int64_t i, j;
  sweep_prepare(s, c, RANDOM);
  const trigon_matrix C = matrix_of(s, index);
  lonely_place(c, C, &r, &i, &j);
  const bool im = is_complex(c->type) && c->routine != TRSM && random_below(&r, 2);
  trigon_scalar x = matrix_get(C, i, j);
  *(im ? &x.im : &x.re) = random_below(&r, 2) ? INFINITY : -INFINITY;
  matrix_put(C, i, j, x);
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++)
    if (strstr(s->names[b], "gemm=own") && sweep_call(s, b, c, 0, 0))
      sweep_score(s, b, c, judge_lonely(c, C, i, j, im));
}

void sweep_ones(sweep *s, call *c) {
  static const int64_t orders[] = {2, 9, 17, 33}, others[] = {9, 3, 33, 17};
  if (c->routine != TRSM && !takes(c->routine, "beta")) return;
  c->alpha = (trigon_scalar){c->routine == TRSM ? 1 : 0.7, 0};
  c->beta = (trigon_scalar){1, 0};
  sweep_sample(s, c, 4);
  for (int i = 0; i < 4; i++) {
    c->m = c->side == TRIGON_LEFT ? orders[i] : others[i];
    c->n = c->side == TRIGON_LEFT && takes(c->routine, "m") ? others[i] : orders[i];
    c->k = others[i];
    if (sweep_takes(s)) one_case(s, c);
  }
}

/* ------------------------------------------------------------------------------------- failing factorizations -- */

/* What is wrong at the failing position j: the pivot comes out as -1 or as exactly 0, the diagonal element is NaN, or
 * an element left of it is. */
enum defect { NEGATIVE, SINGULAR, NAN_DIAGONAL, NAN_LEFT, DEFECTS };

/* The factor L of A = L·D·Lᴴ: small integers under a diagonal of ones, so that every factorization is exact. */
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

/* Stores A = L·D·Lᴴ, D all ones but for the given pivot at j. */
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
      if (row == col) sum.im = NAN; /* to be taken as zero */
      put(A, uplo, row, col, sum);
    }
}

/* Describes the first element in the columns before j that is not the factor's; row `except` may hold NaN. NULL where
 * all are. */
static const char *wrong_factor(trigon_matrix A, trigon_uplo uplo, const exact_factor *f, int64_t j, int64_t except,
                                char *text, size_t size) {
  const double u = A.type == TRIGON_S || A.type == TRIGON_C ? FLT_EPSILON : DBL_EPSILON;
  for (int64_t col = 0; col < j; col++)
    for (int64_t row = col; row < A.rows; row++) {
      const trigon_scalar x = get(A, uplo, row, col), y = f->L[row][col];
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
  const trigon_matrix A = matrix_of(s, 0);
  draw_factor(&f, c->n, is_complex(c->type), &r);
  store_product(A, c->uplo, &f, j, defect == NEGATIVE ? -1 : defect == SINGULAR ? 0 : 1);
  if (defect == NAN_DIAGONAL) put(A, c->uplo, j, j, (trigon_scalar){NAN, 0});
  if (defect == NAN_LEFT) put(A, c->uplo, j, random_below(&r, j), (trigon_scalar){NAN, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++) {
    /* on the host POSV leaves B alone then */
    if (!sweep_call(s, b, c, j + 1, c->routine == POSV ? 2 : 0)) continue;
    const char *wrong = wrong_factor(A, c->uplo, &f, j, defect == NAN_LEFT ? j : -1, text, sizeof text);
    sweep_score(s, b, c, fact(!wrong, wrong));
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

/* Zeros at j, of either sign, and at the end; where nan is set a NaN stands before them, which is not a zero. */
static void singular_case(sweep *s, call *c, int64_t j, bool nan) {
  sweep_prepare(s, c, RANDOM);
  const trigon_matrix A = matrix_of(s, 0);
  if (nan) matrix_put(A, 0, 0, (trigon_scalar){NAN, 0});
  matrix_put(A, c->n - 1, c->n - 1, (trigon_scalar){0, 0});
  matrix_put(A, j, j, (trigon_scalar){j % 2 ? -0.0 : 0.0, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++)
    if (sweep_call(s, b, c, j + 1, 1)) sweep_score(s, b, c, fact(true, "singular"));
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

/* ------------------------------------------------------------------------------------- the ends of the range -- */

/* Components of divisors, times 1/2 to 1: in the middle of the range, at its upper end, at its lower end, and below. */
enum size { MIDDLE, LARGE, SMALL, SUBNORMAL, SIZES };

static double size_of(trigon_type type, enum size size) {
  const bool single = type == TRIGON_S || type == TRIGON_C;
  switch (size) {
  case LARGE: return single ? FLT_MAX : DBL_MAX;
  case SMALL: return single ? FLT_MIN : DBL_MIN;
  case SUBNORMAL: return 256 * (single ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN);
  default: return 1;
  }
}

/* Of size 1/2 to 1, of either sign. */
static double random_factor(random_stream *r) {
  const double x = random_unit(r) / 2;
  return x < 0 ? x - 0.5 : x + 0.5;
}

static trigon_scalar random_divisor(trigon_type type, int sizes, random_stream *r) {
  const double re = size_of(type, (enum size)random_below(r, sizes)) * random_factor(r);
  const double im = size_of(type, (enum size)random_below(r, sizes)) * random_factor(r);
  return (trigon_scalar){re, is_complex(type) ? im : 0};
}

/* x·y - z, relative to z; below the normal range x has an error of its own. */
static double division_error(trigon_type type, trigon_scalar x, trigon_scalar y, trigon_scalar z) {
  const bool single = type == TRIGON_S || type == TRIGON_C;
  const long double re = (long double)x.re * y.re - (long double)x.im * y.im - z.re;
  const long double im = (long double)x.re * y.im + (long double)x.im * y.re - z.im;
  const long double lost = hypotl(y.re, y.im) * (single ? (long double)FLT_TRUE_MIN : (long double)DBL_TRUE_MIN);
  const long double found = hypotl(re, im);
  return (double)((found > lost || isnan(found) ? found - lost : 0) / hypotl(z.re, z.im));
}

/* A diagonal D, so that every element is one quotient; for TRSM B is D times numbers of size 1/4 to 1. */
static void store_diagonal(sweep *s, const call *c, random_stream *r) {
  const trigon_matrix A = matrix_of(s, 0), B = matrix_of(s, 1);
  for (int64_t j = 0; j < A.cols; j++)
    for (int64_t i = j; i < A.rows; i++) put(A, c->uplo, i, j, (trigon_scalar){0, 0});
  for (int64_t i = 0; i < A.rows; i++)
    matrix_put(A, i, i, random_divisor(c->type, c->routine == TRTRI ? SUBNORMAL : SIZES, r));
  if (c->routine == TRTRI) return;
  for (int64_t j = 0; j < B.cols; j++)
    for (int64_t i = 0; i < B.rows; i++) {
      const int64_t at = c->side == TRIGON_LEFT ? i : j;
      const trigon_scalar d = matrix_get(A, at, at);
      const double re = random_factor(r) / 2, im = is_complex(c->type) ? random_factor(r) / 2 : 0;
      matrix_put(B, i, j, (trigon_scalar){d.re * re - d.im * im, d.re * im + d.im * re});
    }
}

/* X·op(D) = B, or X·D = I, each element within a few roundings of its size. */
static verdict judge_quotients(const call *before, const call *after) {
  const bool inverse = before->routine == TRTRI;
  const trigon_matrix A = before->stored[0], B = before->stored[!inverse], X = after->stored[!inverse];
  const double u = (A.type == TRIGON_S || A.type == TRIGON_C ? FLT_EPSILON : DBL_EPSILON) / 2;
  verdict v = {0, 16, true, "quotients"};
  for (int64_t j = 0; j < X.cols; j++)
    for (int64_t i = 0; i < X.rows; i++) {
      if (inverse && i != j) continue;
      const int64_t at = before->side == TRIGON_LEFT ? i : j;
      trigon_scalar d = matrix_get(A, at, at);
      if (before->op == TRIGON_CONJTRANS) d.im = -d.im;
      const trigon_scalar z = inverse ? (trigon_scalar){1, 0} : matrix_get(B, i, j);
      const double error = division_error(A.type, matrix_get(X, i, j), d, z) / u;
      if (!(error <= v.residual)) v.residual = error;
      v.held = v.held && error <= v.threshold;
    }
  return v;
}

/* On devices: a CPU's BLAS does what it does. */
static void division_case(sweep *s, call *c) {
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  store_diagonal(s, c, &r);
  sweep_snapshot(s);
  const call before = sweep_before(s, c);
  for (int b = 0; b < s->backends; b++)
    if (!trigon_on_host(s->places[b].ctx) && sweep_call(s, b, c, 0, 0))
      sweep_score(s, b, c, judge_quotients(&before, c));
}

void sweep_divisions(sweep *s, call *c) {
  static const int64_t orders[] = {1, 2, 3, 8, 9, 17, 33, 40};
  if ((c->routine != TRSM && c->routine != TRTRI) || c->diag == TRIGON_UNIT) return;
  c->alpha = (trigon_scalar){1, 0};
  sweep_sample(s, c, sizeof orders / sizeof *orders);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    c->m = c->n = orders[i];
    if (c->routine == TRSM) *(c->side == TRIGON_LEFT ? &c->n : &c->m) = 9;
    if (sweep_takes(s)) division_case(s, c);
  }
}

/* ------------------------------------------------------------------------------------ info without a pointer -- */

/* Makes the call on a matrix that fails at `first`, without an info pointer, then on one that fails later with one. */
static int64_t finish_after(sweep *s, int backend, call *c, int64_t first, int64_t later) {
  int64_t info = -1, own = -1;
  const int64_t positions[] = {first, later, first};
  for (int i = 0; i < 3; i++) {
    sweep_prepare(s, c, RANDOM);
    const bool positive = routines[c->routine].operand[0].storage == POSITIVE;
    if (positions[i])
      matrix_put(matrix_of(s, 0), positions[i] - 1, positions[i] - 1, (trigon_scalar){positive ? -1 : 0, 0});
    c->info = i == 0 ? &own : NULL; /* a call with its own pointer does not count */
    const trigon_status status = call_on(&s->places[backend], c, s->stored, i % 2);
    c->info = NULL;
    if (status != TRIGON_OK) return -1;
  }
  if (own != first || trigon_finish(s->places[backend].ctx, &info) != TRIGON_OK) return -1;
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
    const bool cleared = trigon_finish(s->places[b].ctx, &again) == TRIGON_OK && again == 0;
    const bool none = finish_after(s, b, c, 0, 0) == 0;
    sweep_score(s, b, c, fact(first, "trigon_finish must return the first info without a pointer"));
    sweep_score(s, b, c, fact(cleared, "trigon_finish must forget the info that it returned"));
    sweep_score(s, b, c, fact(none, "trigon_finish must return 0 where nothing failed"));
  }
}
