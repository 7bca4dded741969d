/* routines.h - call_routine, behind both spellings of every routine: checks the arguments of a call and runs the
 * call. */
#ifndef TRIGON_ROUTINES_H
#define TRIGON_ROUTINES_H

#include "checks.h"

/* Runs a call that is plain and small. Returns whether it did. */
static inline bool ran_small(trigon_context *ctx, const small_call *s) {
  const small_ops *small = ctx ? ctx->engine->small : NULL;
  if (!small || !small->run || !is_plain(s)) return false;
  ctx->message[0] = '\0';
  return small->run(ctx->engine, s);
}

static inline bool ran_small_product(trigon_context *ctx, const small_product_call *s) {
  const small_ops *small = ctx ? ctx->engine->small : NULL;
  if (!small || !small->run_product || !is_plain_product(s)) return false;
  ctx->message[0] = '\0';
  return small->run_product(ctx->engine, s);
}

static inline bool ran_small_with_vectors(trigon_context *ctx, const vectors_call *s) {
  const small_ops *small = ctx ? ctx->engine->small : NULL;
  if (!small || !small->run_vectors || !is_plain_with_vectors(s)) return false;
  ctx->message[0] = '\0';
  return small->run_vectors(ctx->engine, s);
}

/* The view of a matrix that is given by pointer, sizes and leading dimension. Inputs lose their const here, but are
 * never written. */
static inline view matrix_at(trigon_type type, const void *data, int64_t rows, int64_t cols, int64_t ld) {
  return view_of((trigon_matrix){(void *)data, type, rows, cols, ld});
}

static inline trigon_scalar real(double x) { return (trigon_scalar){x, 0}; }

/* Gives the members of an operation the form that algorithms expect: scalars are rounded, and the op of a symmetric
 * update becomes NOTRANS or the operation's `adjoint`. */
void normalize_operation(operation *o);

/* Begins, runs and ends a call whose members have the form that algorithms expect. *begun: the engine has not refused
 * the call. */
trigon_status compute(engine *e, const operation *o, bool *begun);

/* Runs a call whose arguments are checked, and whose members have the form that algorithms expect. */
trigon_status run_call(call *c, const operation *o);

/* Checks all members of the operation, and runs the operation. Before the run, members get the form that algorithms
 * expect. */
trigon_status call_routine(trigon_context *ctx, spelling as, operation *o);

#endif
