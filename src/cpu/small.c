/* small.c - public calls of small orders: the register kernels compute them on the calling thread.
 * What such a call costs beside its arithmetic counts, so nothing is looked up and no view is cut. */
#include "common/fold.h"
#include "core/sizes.h"
#include "cpu.h"
#include "cpu/kernels/unblocked.h"

static operand lower_of(const small_call *s) { return as_lower(s->uplo, s->A, s->lda); }

static int64_t factor(const cpu *c, const small_call *s) {
  const operand L = lower_of(s);
  return packed_potrf(c->packed, 1, s->type, &L, s->n);
}

static int64_t invert(const cpu *c, const small_call *s, trigon_diag diag) {
  const unblocked *own = unblocked_for(s->type);
  const operand L = lower_of(s);
  const int64_t n = s->n;
  const int64_t singular = diag == TRIGON_UNIT ? 0 : own->zero_pivot(n, s->A, s->lda);
  if (singular > 0) return singular;
  if (n <= element_order || !packed_invert(c->packed, 1, s->type, &L, n, diag == TRIGON_UNIT))
    own->trtri(s->uplo, diag, n, s->A, s->lda);
  return 0;
}

static void square(const cpu *c, const small_call *s) {
  const operand L = lower_of(s);
  if (s->n > element_order)
    packed_lauum(c->packed, 1, s->type, &L, s->n);
  else
    unblocked_for(s->type)->lauum(s->uplo, s->n, s->A, s->lda);
}

/* A solve or a product with the triangle. */
static triangular folded(const small_call *s, trigon_side side, trigon_op op) {
  const triangular stored = {.n = s->n,
                             .width = s->width,
                             .count = 1,
                             .unit = s->diag == TRIGON_UNIT,
                             .alpha = s->alpha,
                             .L = {.data = s->A, .row = 1, .col = s->lda},
                             .B = {.data = s->B, .row = 1, .col = s->ldb}};
  return fold_triangle_flags(type_size(s->type), side, s->uplo, op, stored);
}

static void solve_with_factor(const cpu *c, const small_call *s) {
  const trigon_op inner = s->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  const trigon_op outer = s->uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
  if (s->width == 1) {
    operand L = lower_of(s);
    L.conjugate = s->uplo == TRIGON_UPPER;
    packed_potrs_column(c->packed, s->type, &L, s->n, s->B);
    return;
  }
  triangular first = folded(s, TRIGON_LEFT, inner), second = folded(s, TRIGON_LEFT, outer);
  first.alpha = second.alpha = one;
  packed_small_triangle(c->packed, s->type, &first, true);
  packed_small_triangle(c->packed, s->type, &second, true);
}

static void solve_or_multiply(const cpu *c, const small_call *s) {
  const triangular t = folded(s, s->side, s->op);
  packed_small_triangle(c->packed, s->type, &t, s->routine == ROUTINE_TRSM);
}

static void run(cpu *c, const small_call *s) {
  int64_t failure = 0;
  switch (s->routine) {
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: solve_or_multiply(c, s); return;
  case ROUTINE_POTRS: solve_with_factor(c, s); return;
  case ROUTINE_LAUUM: square(c, s); return;
  case ROUTINE_POTRF: failure = factor(c, s); break;
  case ROUTINE_TRTRI: failure = invert(c, s, s->diag); break;
  case ROUTINE_POSV:
    failure = factor(c, s);
    if (failure == 0) solve_with_factor(c, s);
    break;
  default:
    failure = invert(c, s, TRIGON_NONUNIT);
    if (failure == 0) square(c, s);
  }
  c->info = s->info, c->failure = failure;
  cpu_engine.end(&c->engine, true);
}

bool cpu_run_small(engine *e, const small_call *s) {
  cpu *c = cpu_on(e->machine);
  if (s->n > c->small_order[s->routine][type_index(s->type)] || !packed_is_small(s->n, s->width)) return false;
  if ((s->lda | s->ldb) > c->int_max) return false;
  if (c->options.dirty) packed_make_dirty(c->packed);
  run(c, s);
  return true;
}

/* --------------------------------------------------------------------------------------------------- products -- */

/* The operands without flags. Tiles are stored fast along rows of C, so a C that is stored by columns is turned. */
static inline small_product without_flags(const small_product_call *s) {
  const operand A = {s->A, 1, s->lda, 0, false}, B = {s->B, 1, s->ldb, 0, false}, C = {s->C, 1, s->ldc, 0, false};
  product p = {.A = A, .B = B, .C = C};
  if (s->routine == ROUTINE_GEMM) {
    p = fold_gemm_flags(s->op, s->opB, p);
  } else {
    p.B = A;
    p = fold_update_flags(s->uplo, s->op == TRIGON_NOTRANS ? s->op : s->adjoint, s->adjoint, false, p);
  }
  const bool by_rows = p.C.col == 1 && p.C.row != 1;
  return (small_product){.m = by_rows ? s->m : s->n,
                         .n = by_rows ? s->n : s->m,
                         .k = s->k,
                         .alpha = s->alpha,
                         .beta = s->beta,
                         .X = by_rows ? p.A : transposed(p.B),
                         .Y = by_rows ? transposed(p.B) : p.A,
                         .C = s->C,
                         .row = s->ldc,
                         .col = 1,
                         .computed = p.computed,
                         .upper = !by_rows};
}

bool cpu_run_small_product(engine *e, const small_product_call *s) {
  cpu *c = cpu_on(e->machine);
  const int64_t most = c->small_order[s->routine][type_index(s->type)];
  if (s->m > most || s->n > most || s->k > most) return false;
  if ((s->lda | s->ldb | s->ldc) > c->int_max) return false;
  if (c->options.dirty) packed_make_dirty(c->packed);
  const small_product p = without_flags(s);
  return packed_small_product(c->packed, s->type, &p);
}

/* ---------------------------------------------------------------------------------------------- calls at once -- */

_Static_assert((int)most_lanes <= (int)most_small_batch && (int)group_order <= (int)most_small_batch_order,
               "small_ops.h knows the largest group");

/* The eigenproblems of a group. */
static small_batch_limits limits_of_solvers(const cpu *c, trigon_type type) {
  const int lanes = c->arch->eigen->lanes[type_index(type)];
  if (lanes == 0) return (small_batch_limits){0};
  return (small_batch_limits){lanes, small_lanes_order,
                              small_group_elements(small_lanes_order, lanes) * type_size(type)};
}

static void solve_group(const cpu *c, const small_call *calls, int count) {
  const int kind = type_index(calls->type);
  small_problem p[most_small_batch] = {0};
  int64_t infos[most_small_batch];
  for (int l = 0; l < count; l++)
    p[l] = (small_problem){.lower = calls[l].uplo == TRIGON_LOWER,
                           .vectors = wants_vectors(calls[l].eigen),
                           .n = calls[l].n,
                           .lda = calls[l].lda,
                           .A = calls[l].A,
                           .values = calls[l].values,
                           .memory = calls[l].eigen->memory};
  c->arch->eigen->group[kind](count, p, infos);
  for (int l = 0; l < count; l++) *calls[l].info = infos[l];
}

/* POTRF has kernels for groups, and SYEVD. POSV solves for each matrix by itself. */
small_batch_limits cpu_small_batch_limits(engine *e, routine r, trigon_type type) {
  const cpu *c = cpu_on(e->machine);
  const int64_t order = least(c->small_order[r][type_index(type)], group_order);
  if (r == ROUTINE_SYEVD) return limits_of_solvers(c, type);
  if ((r != ROUTINE_POTRF && r != ROUTINE_POSV) || !c->packed || order < 1) return (small_batch_limits){0};
  return (small_batch_limits){.count = packed_lanes(c->packed, type), .order = order};
}

bool cpu_run_small_batch(engine *e, const small_call *calls, int count) {
  const cpu *c = cpu_on(e->machine);
  potrf_group g = {.count = count, .by_columns = calls->uplo == TRIGON_LOWER};
  for (int l = 0; l < count; l++) {
    if ((calls[l].lda | calls[l].ldb) > c->int_max) return false;
    g.A[l] = lower_of(&calls[l]), g.n[l] = calls[l].n;
  }
  if (calls->routine == ROUTINE_SYEVD) return solve_group(c, calls, count), true;
  if (c->options.dirty) packed_make_dirty(c->packed);
  packed_potrf_group(c->packed, calls->type, &g);
  for (int l = 0; l < count; l++) {
    *calls[l].info = g.failure[l];
    if (calls->routine == ROUTINE_POSV && g.failure[l] == 0) solve_with_factor(c, &calls[l]);
  }
  return true;
}
