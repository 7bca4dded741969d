/* test_row_major.c - the recipes of docs/row-major.md: every routine on row-major matrices, with all flags, in all types,
 * against plain loops. What a routine must not touch (the opposite triangle, a unit diagonal, the ends of rows) holds NaN
 * and stays as it was. */
#include <complex.h>
#include <string.h>

#include "check.h"
#include "matrices.h"

enum { most = 6, spare = 2 }; /* the largest order; what rows have beyond their elements */
typedef double _Complex scalar;

/* CMPLX, which not every compiler has. */
static scalar make(double re, double im) {
  scalar x;
  memcpy(&x, (double[2]){re, im}, sizeof x);
  return x;
}

/* A matrix as mathematics sees it: all of its elements. */
typedef struct full {
  int64_t rows, cols;
  scalar at[most][most];
} full;

/* A matrix as it is stored. */
typedef struct stored {
  unsigned char bytes[most * (most + spare) * sizeof(scalar)];
  int64_t ld;
  bool by_columns;
} stored;

/* ------------------------------------------------------------------------------------- mathematics, in plain loops -- */

static double next(void) {
  static random_stream stream = {1};
  return random_unit(&stream) / 2;
}

static scalar random_scalar(trigon_type type) {
  const double re = next();
  return is_complex(type) ? make(re, next()) : re;
}

static full apply(trigon_op op, full A) {
  full result = {.rows = A.cols, .cols = A.rows};
  if (op == TRIGON_NOTRANS) return A;
  for (int64_t i = 0; i < A.rows; i++)
    for (int64_t j = 0; j < A.cols; j++) result.at[j][i] = op == TRIGON_TRANS ? A.at[i][j] : conj(A.at[i][j]);
  return result;
}

static full product(scalar alpha, full A, full B) {
  full C = {.rows = A.rows, .cols = B.cols};
  for (int64_t i = 0; i < A.rows; i++)
    for (int64_t j = 0; j < B.cols; j++)
      for (int64_t k = 0; k < A.cols; k++) C.at[i][j] += alpha * A.at[i][k] * B.at[k][j];
  return C;
}

static full sum(full A, scalar beta, full B) {
  for (int64_t i = 0; i < A.rows; i++)
    for (int64_t j = 0; j < A.cols; j++) A.at[i][j] += beta * B.at[i][j];
  return A;
}

/* Gauss and Jordan, without pivoting: the matrices are triangular or positive definite. */
static full inverse(full A) {
  full X = {.rows = A.rows, .cols = A.cols};
  for (int64_t i = 0; i < A.rows; i++) X.at[i][i] = 1;
  for (int64_t k = 0; k < A.rows; k++) {
    const scalar pivot = A.at[k][k];
    for (int64_t j = 0; j < A.cols; j++) A.at[k][j] /= pivot, X.at[k][j] /= pivot;
    for (int64_t i = 0; i < A.rows; i++) {
      const scalar factor = A.at[i][k];
      for (int64_t j = 0; i != k && j < A.cols; j++)
        A.at[i][j] -= factor * A.at[k][j], X.at[i][j] -= factor * X.at[k][j];
    }
  }
  return X;
}

static bool in_triangle(trigon_uplo uplo, int64_t i, int64_t j) { return uplo == TRIGON_LOWER ? i >= j : i <= j; }

static full random_matrix(trigon_type type, int64_t rows, int64_t cols) {
  full A = {.rows = rows, .cols = cols};
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) A.at[i][j] = random_scalar(type);
  return A;
}

static full random_triangle(trigon_type type, trigon_uplo uplo, int64_t n, trigon_diag diag, bool real_diagonal) {
  full A = random_matrix(type, n, n);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++)
      if (!in_triangle(uplo, i, j)) A.at[i][j] = 0;
    A.at[i][i] = diag == TRIGON_UNIT ? 1 : 2 + (real_diagonal ? creal(A.at[i][i]) : A.at[i][i]);
  }
  return A;
}

static full random_symmetric(trigon_type type, int64_t n, bool hermitian) {
  const full A = random_matrix(type, n, n);
  return sum(A, 1, apply(hermitian ? TRIGON_CONJTRANS : TRIGON_TRANS, A));
}

/* LLᴴ or UᴴU. */
static full squared(trigon_uplo uplo, full factor) {
  const full other = apply(TRIGON_CONJTRANS, factor);
  return uplo == TRIGON_LOWER ? product(1, factor, other) : product(1, other, factor);
}

/* The matrices of a call before and after it. */
typedef struct example {
  full before[3], after[3];
} example;

static full make_operand(const call *c, int index) {
  int64_t rows, cols;
  operand_shape(c, index, &rows, &cols);
  switch (routines[c->routine].operand[index].storage) {
  case TRIANGULAR: return random_triangle(c->type, c->uplo, rows, c->diag, false);
  case FACTOR: return random_triangle(c->type, c->uplo, rows, TRIGON_NONUNIT, true);
  case SYMMETRIC: return random_symmetric(c->type, rows, false);
  case HERMITIAN: return random_symmetric(c->type, rows, true);
  case POSITIVE: return squared(c->uplo, random_triangle(c->type, c->uplo, rows, TRIGON_NONUNIT, true));
  default: return random_matrix(c->type, rows, cols);
  }
}

static full sided(const call *c, scalar alpha, full A, full B) {
  return c->side == TRIGON_LEFT ? product(alpha, A, B) : product(alpha, B, A);
}

/* alpha·op(A)·op(B)ᵀ or ᴴ, where op is also the transposition that makes the result square. */
static full outer(const call *c, scalar alpha, full A, full B, trigon_op adjoint) {
  return c->op == TRIGON_NOTRANS ? product(alpha, A, apply(adjoint, B)) : product(alpha, apply(adjoint, A), B);
}

/* For solvers and factorizations the result comes first, and the operands are made from it. */
static void make_solution(const call *c, example *e) {
  full *before = e->before, *after = e->after;
  const scalar alpha = make(c->alpha.re, c->alpha.im);
  switch (c->routine) {
  case TRSM:
    before[1] = sided(c, 1, apply(c->op, before[0]), after[1]);
    after[1] = sum((full){.rows = c->m, .cols = c->n}, alpha, after[1]);
    break;
  case POTRS: before[1] = product(1, squared(c->uplo, before[0]), after[1]); break;
  case POSV: before[1] = product(1, before[0], after[1]); break;
  default: break; /* POTRF: A was made from its factor */
  }
}

static example make_example(const call *c) {
  example e = {0};
  const scalar alpha = make(c->alpha.re, c->alpha.im), beta = make(c->beta.re, c->beta.im);
  for (int i = 0; i < operands(c->routine); i++) e.before[i] = e.after[i] = make_operand(c, i);
  const full A = e.before[0], B = e.before[1], C = e.before[2];
  if (c->routine == POTRF || c->routine == POSV) {
    e.after[0] = random_triangle(c->type, c->uplo, c->n, TRIGON_NONUNIT, true);
    e.before[0] = squared(c->uplo, e.after[0]);
  }
  switch (c->routine) {
  case GEMM: e.after[2] = sum(product(alpha, apply(c->op, A), apply(c->opB, B)), beta, C); break;
  case TRMM: e.after[1] = sided(c, alpha, apply(c->op, A), B); break;
  case TRTRI: e.after[0] = inverse(A); break;
  case LAUUM: e.after[0] = squared(c->uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER, A); break;
  case SYRK: e.after[1] = sum(outer(c, alpha, A, A, TRIGON_TRANS), beta, B); break;
  case HERK: e.after[1] = sum(outer(c, creal(alpha), A, A, TRIGON_CONJTRANS), creal(beta), B); break;
  case SYR2K:
    e.after[2] = sum(outer(c, alpha, A, B, TRIGON_TRANS), 1, outer(c, alpha, B, A, TRIGON_TRANS));
    e.after[2] = sum(e.after[2], beta, C);
    break;
  case HER2K:
    e.after[2] = sum(outer(c, alpha, A, B, TRIGON_CONJTRANS), 1, outer(c, conj(alpha), B, A, TRIGON_CONJTRANS));
    e.after[2] = sum(e.after[2], creal(beta), C);
    break;
  case SYMM:
  case HEMM: e.after[2] = sum(sided(c, alpha, A, B), beta, C); break;
  case POTRI: e.after[0] = inverse(squared(c->uplo, A)); break;
  default: make_solution(c, &e);
  }
  return e;
}

/* ---------------------------------------------------------------------------------------------------- storage -- */

static size_t place(const stored *s, trigon_type type, int64_t i, int64_t j) {
  return (size_t)(s->by_columns ? j * s->ld + i : i * s->ld + j) * element_size(type);
}

/* What column-major routines see there: of a row-major matrix, the transpose. */
static trigon_matrix as_columns(const stored *s, trigon_type type) {
  return (trigon_matrix){(void *)s->bytes, type, most, most, s->ld};
}

static scalar get(const stored *s, trigon_type type, int64_t i, int64_t j) {
  const trigon_scalar x = matrix_get(as_columns(s, type), s->by_columns ? i : j, s->by_columns ? j : i);
  return make(x.re, x.im);
}

static void put(stored *s, trigon_type type, int64_t i, int64_t j, scalar x) {
  matrix_put(as_columns(s, type), s->by_columns ? i : j, s->by_columns ? j : i, (trigon_scalar){creal(x), cimag(x)});
}

/* Whether the call may read element (i, j) of its operand. */
static bool is_used(const call *c, int index, int64_t i, int64_t j) {
  const enum storage storage = routines[c->routine].operand[index].storage;
  if (storage == GENERAL) return true;
  return in_triangle(c->uplo, i, j) && !(i == j && storage == TRIANGULAR && c->diag == TRIGON_UNIT);
}

static stored store(const call *c, int index, const full *A, bool by_columns) {
  stored s = {.ld = (by_columns ? A->rows : A->cols) + spare, .by_columns = by_columns};
  memset(s.bytes, 0xFF, sizeof s.bytes); /* NaN */
  for (int64_t i = 0; i < A->rows; i++)
    for (int64_t j = 0; j < A->cols; j++)
      if (is_used(c, index, i, j)) put(&s, c->type, i, j, A->at[i][j]);
  return s;
}

/* Whether `s` holds A where the call may write, and is `old` elsewhere. */
static bool holds(const call *c, int index, stored s, const full *A, const stored *old) {
  const double tolerance = is_single(c->type) ? 1e-4 : 1e-12;
  bool good = true;
  for (int64_t i = 0; i < A->rows; i++)
    for (int64_t j = 0; j < A->cols; j++) {
      if (!routines[c->routine].operand[index].written || !is_used(c, index, i, j)) continue;
      good = good && cabs(get(&s, c->type, i, j) - A->at[i][j]) <= tolerance; /* false for NaN */
      memcpy(s.bytes + place(&s, c->type, i, j), old->bytes + place(&s, c->type, i, j), element_size(c->type));
    }
  return good && memcmp(s.bytes, old->bytes, sizeof s.bytes) == 0;
}

static void conjugate(stored *s, const full *shape, trigon_type type) {
  for (int64_t i = 0; i < shape->rows; i++)
    for (int64_t j = 0; j < shape->cols; j++) put(s, type, i, j, conj(get(s, type, i, j)));
}

/* ---------------------------------------------------------------------------------------- the recipes themselves -- */

static trigon_uplo other_uplo(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER; }
static trigon_side other_side(trigon_side side) { return side == TRIGON_LEFT ? TRIGON_RIGHT : TRIGON_LEFT; }
static trigon_op other_op(trigon_op op, trigon_op adjoint) { return op == TRIGON_NOTRANS ? adjoint : TRIGON_NOTRANS; }

/* The call to make for a call over row-major matrices; not for POTRS and POSV. `stored` is row-major: rows and cols as
 * the mathematics has them. */
static call column_major(const call *c) {
  call r = *c;
  for (int i = 0; i < operands(c->routine); i++) {
    r.stored[i].rows = c->stored[i].cols;
    r.stored[i].cols = c->stored[i].rows;
  }
  r.uplo = other_uplo(c->uplo);
  switch (c->routine) {
  case GEMM: {
    const trigon_matrix A = r.stored[0];
    r.stored[0] = r.stored[1];
    r.stored[1] = A;
    r.op = c->opB;
    r.opB = c->op;
    r.m = c->n;
    r.n = c->m;
    break;
  }
  case TRMM:
  case TRSM:
  case SYMM:
  case HEMM:
    r.side = other_side(c->side);
    r.m = c->n;
    r.n = c->m;
    break;
  case SYRK:
  case SYR2K: r.op = other_op(c->op, TRIGON_TRANS); break;
  case HER2K: r.alpha.im = -c->alpha.im; /* fall through */
  case HERK: r.op = other_op(c->op, TRIGON_CONJTRANS); break;
  default: break;
  }
  return r;
}

static bool ran(trigon_context *ctx, const call *c, bool blas) {
  return (blas && has_blas(c->routine, c->type) ? call_blas(ctx, c) : call_matrix(ctx, c)) == TRIGON_OK;
}

/* POTRS with a row-major B: the two solves with the factor. */
static bool solve_by_factor(trigon_context *ctx, const call *c, bool blas) {
  call first = {.routine = TRSM, .type = c->type, .side = TRIGON_LEFT, .uplo = c->uplo, .diag = TRIGON_NONUNIT};
  first.m = c->n;
  first.n = c->k;
  first.alpha.re = 1;
  memcpy(first.stored, c->stored, sizeof first.stored);
  first.op = c->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  call second = first;
  second.op = other_op(first.op, TRIGON_CONJTRANS);
  first = column_major(&first);
  second = column_major(&second);
  return ran(ctx, &first, blas) && ran(ctx, &second, blas);
}

static bool run_recipe(trigon_context *ctx, const call *c, bool blas, bool columns) {
  call r = column_major(c);
  if (c->routine == POTRS && !columns) return solve_by_factor(ctx, c, blas);
  if (c->routine == POSV && !columns) {
    r.routine = POTRF;
    return ran(ctx, &r, blas) && *c->info == 0 && solve_by_factor(ctx, c, blas);
  }
  if (columns) r.stored[1] = c->stored[1];
  return ran(ctx, &r, blas) && *c->info == 0;
}

/* `columns`: the right-hand sides of POTRS and POSV stand one after another. Only A is row-major then. */
static void try(trigon_context *ctx, call c, bool blas, bool columns) {
  int64_t info = 0;
  char text[256];
  const example e = make_example(&c);
  stored old[3], now[3];
  for (int i = 0; i < operands(c.routine); i++) {
    old[i] = now[i] = store(&c, i, &e.before[i], columns && i == 1);
    c.stored[i] = (trigon_matrix){now[i].bytes, c.type, e.before[i].rows, e.before[i].cols, now[i].ld};
  }
  c.info = &info;
  const bool around = columns && is_complex(c.type); /* conj(A)·conj(X) = conj(B) */
  if (around) conjugate(&now[1], &e.before[1], c.type);
  bool good = run_recipe(ctx, &c, blas, columns);
  if (around) conjugate(&now[1], &e.before[1], c.type);
  for (int i = 0; i < operands(c.routine); i++) good = good && holds(&c, i, now[i], &e.after[i], &old[i]);
  call_print(&c, text, sizeof text);
  check(good, text);
}

/* Flags are the digits of `code`; false if a flag that the routine does not take is not the first of its kind, or if the
 * routine refuses the flags. */
static bool set_flags(call *c, int code) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  const int side = code % 2, uplo = code / 2 % 2, diag = code / 4 % 2, op = code / 8 % 3, opB = code / 24 % 3;
  const enum tested_routine r = c->routine;
  c->side = side ? TRIGON_RIGHT : TRIGON_LEFT;
  c->uplo = uplo ? TRIGON_UPPER : TRIGON_LOWER;
  c->diag = diag ? TRIGON_UNIT : TRIGON_NONUNIT;
  c->op = ops[op];
  c->opB = ops[opB];
  return (!side || takes(r, "side")) && (!uplo || takes(r, "uplo")) && (!diag || takes(r, "diag")) &&
         (!op || takes(r, "op") || takes(r, "opA")) && (!opB || takes(r, "opB")) && op_allowed(r, c->type, c->op);
}

static void try_all(trigon_context *ctx) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  for (enum tested_routine routine = 0; routine < TESTED_ROUTINES; routine++)
    for (int t = 0; t < 4; t++)
      for (int code = 0; code < 72; code++) {
        call c = {.routine = routine, .type = types[t], .m = 4, .n = 5, .k = 3, .alpha = {0.7, 0}, .beta = {-0.3, 0}};
        if (is_complex(c.type)) c.alpha.im = -0.4, c.beta.im = 0.2;
        if (!set_flags(&c, code)) continue;
        for (int blas = 0; blas < 2; blas++) {
          try(ctx, c, blas, false);
          if (routine == POTRS || routine == POSV) try(ctx, c, blas, true);
        }
      }
}

int main(void) {
  static const char *const names[] = {"cpu", "cpu?stop=2"};
  for (int i = 0; i < 2; i++) {
    trigon_context *ctx;
    char why[256];
    check(trigon_create(names[i], &ctx, why, sizeof why) == TRIGON_OK, names[i]);
    if (ctx) try_all(ctx);
    trigon_destroy(ctx);
  }
  return checked();
}
