/* routines.c - runs a call of a routine: checks the arguments, begins the call in the engine, runs the algorithm or the
 * quick return, and ends the call in the engine. */
#include "routines.h"

#include "algo/algo.h"

/* Fails a call that has begun. TRIGON_INCOMPLETE replaces the statuses that would tell the caller that nothing was
 * written. */
static void stopped_call(call *c, trigon_status cause) {
  refused_call(c, cause == TRIGON_DEVICE_FAILED ? cause : TRIGON_INCOMPLETE);
}

/* A vector with an increment as a row of a matrix, maybe from its end. */
static view as_row(view x) {
  const int64_t inc = increment_of(x), size = type_size(x.type);
  char *first = (char *)x.base + (inc < 0 ? (x.m - 1) * inc * size : 0);
  return view_of((trigon_matrix){first, x.type, 1, x.m, inc < 0 ? -inc : inc});
}

/* X = alpha·X, for all of X, by a product without terms. */
static trigon_status scale(engine *e, trigon_scalar alpha, view X) {
  if (X.m == 0 || X.n == 0 || is_one(alpha)) return TRIGON_OK;
  if (X.gap != 0) X = as_row(X);
  return run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, zero, block(X, 0, 0, X.m, 0), block(X, 0, 0, 0, X.n), alpha, X));
}

/* C = beta·C, for one triangle of C, by an update without terms. */
static trigon_status scale_triangle(engine *e, const operation *o) {
  const bool plain = o->op == TRIGON_NOTRANS;
  if (o->C.n == 0 || is_one(o->beta)) return TRIGON_OK;
  return run(e, over(o, block(o->A, 0, 0, plain ? o->A.m : 0, plain ? 0 : o->A.n),
                     block(o->B, 0, 0, plain ? o->B.m : 0, plain ? 0 : o->B.n), o->C));
}

/* Does what reference BLAS does in a quick return. */
static trigon_status run_trivial(engine *e, const operation *o) {
  switch (o->routine) {
  case ROUTINE_GEMM:
  case ROUTINE_SYMM: return scale(e, o->beta, o->C);
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return scale(e, zero, o->B);
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return scale_triangle(e, o);
  case ROUTINE_CHECK_DIAGONAL:
  case ROUTINE_LOGDET: return algo_run(e, o);
  default: return TRIGON_OK;
  }
}

void normalize_operation(operation *o) {
  if (type_is_single(o->A.type)) o->alpha = rounded(o->alpha, o->A.type), o->beta = rounded(o->beta, o->A.type);
  if (o->adjoint && o->op != TRIGON_NOTRANS) o->op = o->adjoint;
}

trigon_status compute(engine *e, const operation *o, bool *begun) {
  engine *work = NULL;
  trigon_status status = e->begin(e, o, &work);
  *begun = status == TRIGON_OK;
  if (!*begun) return status;
  if (work) status = is_trivial(o) ? run_trivial(work, o) : algo_run(work, o);
  /* The first failure counts: if the algorithm has failed, a failure of `end` is not reported. */
  const trigon_status ended = e->end(e, status == TRIGON_OK);
  return status != TRIGON_OK ? status : ended;
}

trigon_status run_call(call *c, const operation *o) {
  bool begun;
  const trigon_status status = compute(c->ctx->engine, o, &begun);
  if (status != TRIGON_OK) begun ? stopped_call(c, status) : (void)refused_call(c, status);
  return c->status;
}

trigon_status call_routine(trigon_context *ctx, spelling as, operation *o) {
  call c = enter_routine(ctx, as, o);
  if (c.status == TRIGON_OK) check_operation(&c, o);
  if (c.status != TRIGON_OK) {
    return ctx && ctx->machine->ops->withdraw ? ctx->machine->ops->withdraw(ctx->machine) : c.status;
  }
  normalize_operation(o);
  return run_call(&c, o);
}
