/* test_row_major.c - the recipes of docs/row-major.md for row-major matrices.
 *
 * The test calls every routine with all flags, in all types. Each matrix is made and judged by columns, as in the
 * sweep, and is stored by rows only for the call. Elements that a routine must not touch (the opposite triangle, a
 * unit diagonal, the ends of rows) are NaN and must stay unchanged. */
#include <string.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"
#include "support/reference.h"

/* ---------------------------------------------------------------------------------------- the recipes themselves -- */

static trigon_uplo other_uplo(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER; }
static trigon_side other_side(trigon_side side) { return side == TRIGON_LEFT ? TRIGON_RIGHT : TRIGON_LEFT; }
static trigon_op other_op(trigon_op op, trigon_op adjoint) { return op == TRIGON_NOTRANS ? adjoint : TRIGON_NOTRANS; }

/* Returns the column-major call for a call over row-major matrices; not for POTRS and POSV. `stored` is row-major;
 * its rows and cols are those of the mathematics. */
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

/* POTRS with a row-major B. The two solves with the factor replace the call. */
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

/* ---------------------------------------------------------------------------------------------------- a call -- */

/* The matrices of a call by columns, before and after the call, and as stored in memory. */
typedef struct example {
  trigon_context *ctx;
  guarded plain[3], stored[3];
  random_stream random;
  arena scratch;
} example;

/* Copies the elements bit by bit, so that poison stays poison. */
static void copy_elements(trigon_matrix from, trigon_matrix to, bool transposed) {
  const size_t size = element_size(from.type);
  for (int64_t j = 0; j < from.cols; j++)
    for (int64_t i = 0; i < from.rows; i++) {
      const int64_t at = transposed ? j + i * to.ld : i + j * to.ld;
      memcpy((char *)to.data + (size_t)at * size, (const char *)from.data + (size_t)(i + j * from.ld) * size, size);
    }
}

static void conjugate(trigon_matrix A) {
  for (int64_t j = 0; j < A.cols; j++)
    for (int64_t i = 0; i < A.rows; i++) {
      const trigon_scalar x = matrix_get(A, i, j);
      matrix_put(A, i, j, (trigon_scalar){x.re, -x.im});
    }
}

/* Makes matrix `index` of the call. Stores the matrix in rows or in columns. */
static void make_operand(example *e, call *c, int index, bool in_rows) {
  enum { spare = 2 };
  int64_t rows, cols;
  guarded *plain = &e->plain[index], *stored = &e->stored[index];
  operand_shape(c, index, &rows, &cols);
  guarded_shape(plain, c->type, rows, cols, 0);
  matrix_fill(plain->matrix, routines[c->routine].operand[index].storage, c->uplo, c->diag, RANDOM, &e->random);
  guarded_snapshot(plain);
  guarded_shape(stored, c->type, in_rows ? cols : rows, in_rows ? rows : cols, spare);
  copy_elements(plain->matrix, stored->matrix, in_rows);
  guarded_snapshot(stored);
  c->stored[index] = (trigon_matrix){stored->matrix.data, c->type, rows, cols, stored->matrix.ld};
}

/* Returns whether the call has written only what it may write. Copies the result back to where it is judged. */
static bool take_result(example *e, const call *c, int index, bool in_rows) {
  char stray[128];
  region allowed = written_region(c, index);
  if (in_rows && allowed.shape == REGION_LOWER)
    allowed.shape = REGION_UPPER;
  else if (in_rows && allowed.shape == REGION_UPPER)
    allowed.shape = REGION_LOWER;
  copy_elements(e->stored[index].matrix, e->plain[index].matrix, in_rows);
  return !guarded_stray(&e->stored[index], allowed, stray, sizeof stray);
}

static bool judge(example *e, const call *c) {
  call before = *c, after = *c;
  const reference_of_type *reference = reference_for(c->type);
  for (int i = 0; i < operands(c->routine); i++) {
    before.stored[i] = guarded_before(&e->plain[i]);
    after.stored[i] = e->plain[i].matrix;
  }
  e->scratch.used = 0;
  const expectation *expected = reference->expect(&e->scratch, &before);
  return reference->judge(&e->scratch, &before, &after, expected).held;
}

/* If `columns` is set, the right-hand sides of POTRS and POSV are stored one after another, and only A is row-major. */
static void try(example *e, call c, bool blas, bool columns) {
  int64_t info = 0;
  char text[256];
  for (int i = 0; i < operands(c.routine); i++) make_operand(e, &c, i, !(columns && i == 1));
  c.info = &info;
  const bool around = columns && is_complex(c.type); /* conj(A)·conj(X) = conj(B) */
  if (around) conjugate(e->stored[1].matrix);
  bool good = run_recipe(e->ctx, &c, blas, columns);
  if (around) conjugate(e->stored[1].matrix);
  for (int i = 0; i < operands(c.routine); i++) good = take_result(e, &c, i, !(columns && i == 1)) && good;
  call_print(&c, text, sizeof text);
  check(good && judge(e, &c), text);
}

/* Sets the flags from the digits of `code`. Returns false if the routine does not take a flag and the flag is not
 * the first of its kind, or if the routine refuses the flags. */
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

static void try_all(example *e) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  for (enum tested_routine routine = 0; routine < TESTED_ROUTINES; routine++)
    for (int t = 0; t < 4; t++)
      for (int code = 0; code < 72; code++) {
        call c = {.routine = routine, .type = types[t], .m = 4, .n = 5, .k = 3, .alpha = {0.7, 0}, .beta = {-0.3, 0}};
        if (is_complex(c.type) && routine != HERK) c.alpha.im = -0.4;
        if (is_complex(c.type) && routine != HERK && routine != HER2K) c.beta.im = 0.2;
        if (!set_flags(&c, code)) continue;
        for (int blas = 0; blas < 2; blas++) {
          try(e, c, blas, false);
          if (routine == POTRS || routine == POSV) try(e, c, blas, true);
        }
      }
}

int main(void) {
  static const char *const names[] = {"cpu", "cpu?stop=2"};
  example e = {.random = {1}, .scratch = arena_make((size_t)1 << 20)};
  for (int i = 0; i < 2; i++) {
    char why[256];
    check(trigon_create(names[i], &e.ctx, why, sizeof why) == TRIGON_OK, names[i]);
    if (e.ctx) try_all(&e);
    trigon_destroy(e.ctx);
  }
  for (int i = 0; i < 3; i++) guarded_free(&e.plain[i]), guarded_free(&e.stored[i]);
  arena_free(&e.scratch);
  return checked();
}
