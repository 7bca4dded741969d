/* small.c - public calls of small orders: the register kernels compute them on the calling thread, without packing.
 * What such a call costs beside its arithmetic counts, so nothing is looked up and no view is cut. */
#include "../core/fold.h"
#include "cpu.h"
#include "own_leaves.h"

/* Such calls store the number of the failure themselves. */
static void tell(cpu *c, const operation *o, int64_t failure) {
  if (o->info)
    *o->info = failure;
  else if (c->kept == 0)
    c->kept = failure;
}

/* The triangle as a lower one. An upper triangle becomes the lower one of Aᵀ. */
static operand lower_of(const operation *o) {
  const operand L = {o->A.base, 1, o->A.ld, 0, false};
  return o->uplo == TRIGON_LOWER ? L : transposed(L);
}

/* Up to this order, factors and inverses take less time element after element than by vectors. */
enum { element_order = 8 };

static int64_t factor(const cpu *c, const operation *o) {
  const operand L = lower_of(o);
  if (o->A.n > element_order) return packed_potrf(c->packed, o->A.type, &L, o->A.n);
  return own_leaves_for(o->A.type)->potrf(o->uplo, o->A.n, o->A.base, o->A.ld);
}

static int64_t invert(const cpu *c, const operation *o, trigon_diag diag) {
  const own_leaves *own = own_leaves_for(o->A.type);
  const operand L = lower_of(o);
  const int64_t n = o->A.n;
  const int64_t singular = diag == TRIGON_UNIT ? 0 : own->zero_pivot(n, o->A.base, o->A.ld);
  if (singular > 0) return singular;
  if (n <= element_order || !packed_invert(c->packed, o->A.type, &L, n, diag == TRIGON_UNIT))
    own->trtri(o->uplo, diag, n, o->A.base, o->A.ld);
  return 0;
}

static void square(const cpu *c, const operation *o) {
  const operand L = lower_of(o);
  if (o->A.n > element_order)
    packed_lauum(c->packed, o->A.type, &L, o->A.n);
  else
    own_leaves_for(o->A.type)->lauum(o->uplo, o->A.n, o->A.base, o->A.ld);
}

static void solve_with_factor(const cpu *c, const operation *o) {
  if (o->B.n == 1) {
    operand L = lower_of(o);
    L.conjugate = o->uplo == TRIGON_UPPER;
    packed_potrs_column(c->packed, o->A.type, &L, o->A.n, o->B.base);
    return;
  }
  operation part = trsm(TRIGON_LEFT, o->uplo, TRIGON_NOTRANS, TRIGON_NONUNIT, one, o->A, o->B);
  for (int second = 0; second < 2; second++) {
    part.op = (o->uplo == TRIGON_LOWER) == (second == 0) ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
    const triangular t = fold_triangular(&part);
    packed_trsm(c->packed, 1, o->A.type, &t);
  }
}

static void solve_or_multiply(const cpu *c, const operation *o) {
  const triangular t = fold_triangular(o);
  if (o->routine == ROUTINE_TRSM)
    packed_trsm(c->packed, 1, o->A.type, &t);
  else
    packed_trmm(c->packed, 1, o->A.type, &t);
}

static void run(cpu *c, const operation *o) {
  int64_t failure = 0;
  switch (o->routine) {
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: solve_or_multiply(c, o); return;
  case ROUTINE_POTRS: solve_with_factor(c, o); return;
  case ROUTINE_LAUUM: square(c, o); return;
  case ROUTINE_POTRF: failure = factor(c, o); break;
  case ROUTINE_TRTRI: failure = invert(c, o, o->diag); break;
  case ROUTINE_POSV:
    failure = factor(c, o);
    if (failure == 0) solve_with_factor(c, o);
    break;
  default:
    failure = invert(c, o, TRIGON_NONUNIT);
    if (failure == 0) square(c, o);
  }
  tell(c, o, failure);
}

bool cpu_run_small(engine *e, const operation *o) {
  cpu *c = cpu_of(e);
  const int64_t n = o->A.n, width = o->side == TRIGON_RIGHT ? o->B.m : o->B.n;
  if (n > c->small_order[o->routine][type_index(o->A.type)] || !packed_is_small(n, width)) return false;
  if ((o->A.ld | o->B.ld) > c->lib.int_max || is_trivial(o)) return false;
  if (c->options.dirty) packed_make_dirty(c->packed);
  run(c, o);
  return true;
}
