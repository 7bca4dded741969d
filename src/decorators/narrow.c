/* narrow.c - a decorator that halves every dimension that the 32-bit integers of a BLAS cannot hold.
 *
 * If all sizes of a call fit, `narrow` steps aside. Dimensions of rectangles are halved here. The order of a triangle
 * or of a symmetric matrix is left to the algorithms, which cut where `cut` says so, also if the engine would not. */
#include <stdio.h>
#include <stdlib.h>

#include "algo/algo.h"
#include "core/decorator.h"
#include "core/tuning/cut_rule.h"
#include "narrow.h"

typedef struct narrow {
  decorator decorator; /* first: an engine * is a narrow * */
  int64_t int_max;
} narrow;

/* Whether all sizes fit. If a routine does not call the BLAS, every size fits. */
static bool fits(const narrow *n, const operation *o) {
  /* A quick check: the bitwise or of the sizes is at least as large as the largest. */
  if ((o->A.m | o->A.n | o->B.m | o->B.n | o->C.m | o->C.n) <= n->int_max) return true;
  const sizes s = sizes_of(o);
  const routine r = o->routine;
  const bool asks_blas = r != ROUTINE_LOGDET && r != ROUTINE_CHECK_DIAGONAL && r != ROUTINE_MIRROR;
  return !asks_blas || (s.m <= n->int_max && s.n <= n->int_max && s.k <= n->int_max);
}

/* Whether only an algorithm can cut the operation: the order of its triangle does not fit. Or it is a POSV whose
 * right-hand sides do not fit: a second half of them would factor A again. */
static bool needs_algorithm(const narrow *n, const operation *o) {
  if (o->routine == ROUTINE_GEMM || fits(n, o)) return false;
  return order_of(o) > n->int_max || o->routine == ROUTINE_POSV;
}

static int64_t narrow_cut(engine *e, const operation *o) {
  const narrow *n = (narrow *)e;
  const int64_t n1 = n->decorator.work->cut(n->decorator.work, o);
  if (n1 != 0 || !needs_algorithm(n, o)) return n1;
  return is_composite(o->routine) ? 1 : first_block(CUT_HALVES, n->int_max, order_of(o));
}

/* The operand A, with only `size` of the rows or columns that the size `letter` counts, from `first` on. */
static view extract_view(view A, stored_shape is, trigon_op op, char letter, int64_t first, int64_t size) {
  const bool transposed = is.transposed_by && op != TRIGON_NOTRANS;
  const char rows = transposed ? is.cols : is.rows, cols = transposed ? is.rows : is.cols;
  if (rows == letter) A = block(A, first, 0, size, A.n);
  if (cols == letter) A = block(A, 0, first, A.m, size);
  return A;
}

static operation extract(const operation *o, char letter, int64_t first, int64_t size) {
  const routine_spec *r = &routine_table[o->routine];
  return over(o, extract_view(o->A, r->A, o->op, letter, first, size),
              extract_view(o->B, r->B, r->B.transposed_by == 'b' ? o->opB : o->op, letter, first, size),
              extract_view(o->C, r->C, TRIGON_NOTRANS, letter, first, size));
}

/* Cuts one dimension that does not fit into two halves, and runs both. An operation that another decorator has left
 * whole goes to its algorithm first. If the dimension is k, the second half adds to
 * C, so its beta is one. */
static trigon_status narrow_run(engine *e, const operation *o) {
  const narrow *n = (narrow *)e;
  if (fits(n, o)) return n->decorator.work->run(n->decorator.work, o);
  if (needs_algorithm(n, o)) return algo_run(e, o);
  const sizes s = sizes_of(o);
  const char letter = s.m > n->int_max ? 'm' : s.n > n->int_max ? 'n' : 'k';
  const int64_t size = letter == 'm' ? s.m : letter == 'n' ? s.n : s.k, half = size / 2;
  operation first = extract(o, letter, 0, half), last = extract(o, letter, half, size - half);
  if (letter == 'k') last.beta = one;
  TRY(narrow_run(e, &first));
  return narrow_run(e, &last);
}

static trigon_status narrow_begin(engine *e, const operation *o, engine **work) {
  narrow *n = (narrow *)e;
  TRY(decorator_begin(e, o, work));
  if (*work && fits(n, o)) *work = n->decorator.work;
  return TRIGON_OK;
}

trigon_status narrow_create(engine *inner, int64_t int_max, engine **out) {
  narrow *n = malloc(sizeof *n);
  if (!n) {
    snprintf(inner->machine->why->text, sizeof inner->machine->why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  decorate(&n->decorator, inner);
  n->decorator.engine.begin = narrow_begin;
  n->decorator.engine.cut = narrow_cut;
  n->decorator.engine.run = narrow_run;
  n->int_max = int_max;
  *out = &n->decorator.engine;
  return TRIGON_OK;
}
