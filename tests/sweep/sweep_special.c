/* sweep_special.c - the sweep over special numbers: NaN, infinities, ones, divisors at the ends of the range. */
#include "sweep.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------- NaN and Inf -- */

/* Puts `value` into one component of one element that the routine reads. Returns false if the operand has no
 * suitable element: the divisors of a solve must not be infinite, because x / Inf is correctly zero. */
static bool plant(sweep *s, const call *c, int index, double value, random_stream *r) {
  const trigon_matrix A = sweep_matrix(s, index);
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

/* The value is in a matrix. If index is negative, the value is already in one of the scalars. */
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

/* Checks that every element of LᴴL that depends on L(i, j) is NaN: row j up to the diagonal, and column j from there
 * to row i. */
static verdict judge_factor_nan(trigon_matrix X, trigon_uplo uplo, int64_t i, int64_t j) {
  for (int64_t k = 0; k <= i; k++) {
    const trigon_scalar x = triangle_get(X, uplo, k > j ? k : j, k > j ? j : k);
    if (!isnan(x.re) && !isnan(x.im)) return sweep_fact(false, "a NaN that is multiplied by zero is lost");
  }
  return sweep_fact(true, "zero times NaN");
}

/* LAUUM multiplies each row left of the diagonal by the diagonal element. A zero on the diagonal must not hide a
 * NaN. The reference cannot judge this, because it takes such zeros for zeros of the opposite triangle. */
static void zero_times_nan_case(sweep *s, call *c) {
  if (c->routine != LAUUM || c->n < 2 || !sweep_takes(s)) return;
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  const int64_t i = 1 + random_below(&r, c->n - 1), j = random_below(&r, i);
  triangle_put(sweep_matrix(s, 0), c->uplo, i, i, (trigon_scalar){0, 0});
  triangle_put(sweep_matrix(s, 0), c->uplo, i, j, (trigon_scalar){NAN, 0});
  sweep_snapshot(s);
  for (int b = 0; b < s->backends; b++)
    if (sweep_call(s, b, c, 0, 0)) sweep_score(s, b, c, judge_factor_nan(sweep_matrix(s, 0), c->uplo, i, j));
}

/* Puts the value into each scalar, and into C if no product is added to C. */
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

/* The factorization has a test of its own: a NaN ends the factorization. */
void sweep_nonfinite(sweep *s, call *c) {
  /* The last order is several tiles of each kernel. */
  static const int64_t orders[] = {1, 5, 9, 17, 33, 140}, others[] = {3, 17, 1, 9, 8, 33};
  const int count = c->routine == TRSM ? 6 : 5;
  if (c->routine == POTRF || c->routine == POSV) return;
  c->alpha = (trigon_scalar){0.7, 0};
  c->beta = (trigon_scalar){-1.3, 0};
  sweep_sample(s, c, count * 2 * operands(c->routine)); /* and as many cases for the scalars */
  for (int i = 0; i < count; i++) {
    const bool right = c->side == TRIGON_RIGHT;
    c->m = right ? others[i] : orders[i];
    c->n = right || !takes(c->routine, "m") ? orders[i] : others[i];
    c->k = others[(i + 1) % count];
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

/* Returns the index of the last element of X that is solved for. No other element depends on this element. */
static int64_t last_solved(const call *c, int64_t n) {
  const bool left = c->side == TRIGON_LEFT, lower = c->uplo == TRIGON_LOWER;
  return left == (lower == (c->op == TRIGON_NOTRANS)) ? n - 1 : 0;
}

/* Finds a place in the written matrix from where an infinity reaches no other element. The place is below the
 * diagonal, if there is a diagonal. */
static void lonely_element(const call *c, trigon_matrix C, random_stream *r, int64_t *i, int64_t *j) {
  *i = random_below(r, C.rows);
  *j = random_below(r, C.cols);
  if (c->routine == TRSM && c->side == TRIGON_LEFT) *i = last_solved(c, C.rows);
  if (c->routine == TRSM && c->side == TRIGON_RIGHT) *j = last_solved(c, C.cols);
  if (!takes(c->routine, "uplo") || takes(c->routine, "side")) return;
  const int64_t above = random_below(r, C.rows - 1), below = above + 1 + random_below(r, C.rows - 1 - above);
  *i = c->uplo == TRIGON_LOWER ? below : above;
  *j = c->uplo == TRIGON_LOWER ? above : below;
}

/* All other elements must be finite. In a sum, the other component of the element must be finite, too, because an
 * infinity times one is not multiplied. */
static verdict judge_lonely(const call *c, trigon_matrix C, int64_t i0, int64_t j0, bool im) {
  const bool triangle = takes(c->routine, "uplo") && !takes(c->routine, "side");
  for (int64_t j = 0; j < C.cols; j++)
    for (int64_t i = 0; i < C.rows; i++) {
      const trigon_scalar x = matrix_get(C, i, j);
      if (triangle && i != j && (i > j) != (c->uplo == TRIGON_LOWER)) continue;
      if (i != i0 || j != j0) {
        if (!isfinite(x.re) || !isfinite(x.im)) return sweep_fact(false, "an infinity spreads to other elements");
      } else if (!isinf(im ? x.im : x.re))
        return sweep_fact(false, "an infinity times one is not infinite");
      else if (c->routine != TRSM && !isfinite(im ? x.re : x.im))
        return sweep_fact(false, "an infinity times one spreads to the other part");
    }
  return sweep_fact(true, "one");
}

/* Puts an infinity into the matrix that is multiplied by one. Only for Trigon's own products; a vendor's BLAS may
 * multiply. */
static void one_case(sweep *s, call *c) {
  const int index = operands(c->routine) - 1;
  random_stream r = sweep_stream(s, c);
  int64_t i, j;
  sweep_prepare(s, c, RANDOM);
  const trigon_matrix C = sweep_matrix(s, index);
  lonely_element(c, C, &r, &i, &j);
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

/* ------------------------------------------------------------------------------------- the ends of the range -- */

/* Sizes of a divisor's components, times 1/2 to 1: in the middle of the range, at its upper end, at its lower end,
 * and below the normal range. */
enum size { MIDDLE, LARGE, SMALL, SUBNORMAL, SIZES };

static double size_of(trigon_type type, enum size size) {
  const bool single = is_single(type);
  switch (size) {
  case LARGE: return single ? FLT_MAX : DBL_MAX;
  case SMALL: return single ? FLT_MIN : DBL_MIN;
  case SUBNORMAL: return 256 * (single ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN);
  default: return 1;
  }
}

/* Returns a number of size 1/2 to 1, of either sign. */
static double random_factor(random_stream *r) {
  const double x = random_unit(r) / 2;
  return x < 0 ? x - 0.5 : x + 0.5;
}

static trigon_scalar random_divisor(trigon_type type, int sizes, random_stream *r) {
  const double re = size_of(type, (enum size)random_below(r, sizes)) * random_factor(r);
  const double im = size_of(type, (enum size)random_below(r, sizes)) * random_factor(r);
  return (trigon_scalar){re, is_complex(type) ? im : 0};
}

/* Returns x·y - z relative to z. Below the normal range, x has an error of its own. */
static double division_error(trigon_type type, trigon_scalar x, trigon_scalar y, trigon_scalar z) {
  const long double re = (long double)x.re * y.re - (long double)x.im * y.im - z.re;
  const long double im = (long double)x.re * y.im + (long double)x.im * y.re - z.im;
  const long double lost =
      hypotl(y.re, y.im) * (is_single(type) ? (long double)FLT_TRUE_MIN : (long double)DBL_TRUE_MIN);
  const long double found = hypotl(re, im);
  return (double)((found > lost || isnan(found) ? found - lost : 0) / hypotl(z.re, z.im));
}

/* Stores a diagonal matrix D, so that every element of the result is one quotient, or one square root. For TRSM, B is D
 * times numbers of size 1/4 to 1. */
static void store_diagonal(sweep *s, const call *c, random_stream *r) {
  const trigon_matrix A = sweep_matrix(s, 0);
  for (int64_t j = 0; j < A.cols; j++)
    for (int64_t i = j; i < A.rows; i++) triangle_put(A, c->uplo, i, j, (trigon_scalar){0, 0});
  for (int64_t i = 0; i < A.rows; i++) {
    const trigon_scalar d = random_divisor(c->type, c->routine == TRTRI ? SUBNORMAL : SIZES, r);
    matrix_put(A, i, i, c->routine == POTRF ? (trigon_scalar){fabs(d.re), 0} : d);
  }
  if (c->routine != TRSM) return;
  const trigon_matrix B = sweep_matrix(s, 1);
  for (int64_t j = 0; j < B.cols; j++)
    for (int64_t i = 0; i < B.rows; i++) {
      const int64_t at = c->side == TRIGON_LEFT ? i : j;
      const trigon_scalar d = matrix_get(A, at, at);
      const double re = random_factor(r) / 2, im = is_complex(c->type) ? random_factor(r) / 2 : 0;
      matrix_put(B, i, j, (trigon_scalar){d.re * re - d.im * im, d.re * im + d.im * re});
    }
}

/* Checks X·op(D) = B, X·D = I, or X·X = D. Each element must be right within a few roundings of its size. */
static verdict judge_quotients(const call *before, const call *after) {
  const bool solves = before->routine == TRSM;
  const trigon_matrix A = before->stored[0], B = before->stored[solves], X = after->stored[solves];
  const double u = epsilon_of(A.type) / 2;
  verdict v = {0, 16, true, "quotients"};
  for (int64_t j = 0; j < X.cols; j++)
    for (int64_t i = 0; i < X.rows; i++) {
      if (!solves && i != j) continue;
      const int64_t at = before->side == TRIGON_LEFT ? i : j;
      trigon_scalar d = matrix_get(before->routine == POTRF ? X : A, at, at);
      if (before->op == TRIGON_CONJTRANS) d.im = -d.im;
      const trigon_scalar z = before->routine == TRTRI ? (trigon_scalar){1, 0} : matrix_get(B, i, j);
      const double error = division_error(A.type, matrix_get(X, i, j), d, z) / u;
      if (!(error <= v.residual)) v.residual = error;
      v.held = v.held && error <= v.threshold;
    }
  return v;
}

/* On devices, and by the CPU's packed leaves: a CPU's BLAS has its own rules. */
static void division_case(sweep *s, call *c) {
  random_stream r = sweep_stream(s, c);
  sweep_prepare(s, c, RANDOM);
  store_diagonal(s, c, &r);
  sweep_snapshot(s);
  const call before = sweep_before(s, c);
  for (int b = 0; b < s->backends; b++) {
    const bool packed = strstr(s->names[b], "leaf=packed"), device = !trigon_on_host(s->targets[b].ctx);
    if ((packed || device) && sweep_call(s, b, c, 0, 0)) sweep_score(s, b, c, judge_quotients(&before, c));
  }
}

void sweep_divisions(sweep *s, call *c) {
  static const int64_t orders[] = {1, 2, 3, 8, 9, 17, 33, 40};
  if ((c->routine != TRSM && c->routine != TRTRI && c->routine != POTRF) || c->diag == TRIGON_UNIT) return;
  c->alpha = (trigon_scalar){1, 0};
  sweep_sample(s, c, sizeof orders / sizeof *orders);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    c->m = c->n = orders[i];
    if (c->routine == TRSM) *(c->side == TRIGON_LEFT ? &c->n : &c->m) = 9;
    if (sweep_takes(s)) division_case(s, c);
  }
}
