/* batch.c - batched routines: checks the arguments, and runs the batch where the matrices are.
 *
 * On a device the engine takes the batch whole. On the host each matrix is a call of its own (batch_host.c). */
#include "batch_call.h"

#include <stdio.h>

#include "batch_eigen.h"
#include "core/eigen_support.h"
#include "routines.h"

/* ------------------------------------------------------------------------------------------------- operands -- */

/* Tells the batch where LAPACK's list has the routine's sizes and operands, and what the shapes of operands are. */
static void describe_operand(const operation *o, const char *name, stored_shape is, batch_operand *X) {
  const bool transposed = is.transposed_by && (is.transposed_by == 'a' ? o->op : o->opB) != TRIGON_NOTRANS;
  const char order = o->side == TRIGON_RIGHT ? 'n' : 'm';
  X->position = is.rows ? position_among(routine_table[o->routine].blas, name) : 0;
  X->rows = transposed ? is.cols : is.rows, X->cols = transposed ? is.rows : is.cols;
  if (X->rows == 'o') X->rows = X->cols = order;
}

static void describe(const operation *o, matrix_batch *b) {
  const routine_spec *r = &routine_table[o->routine];
  b->m.position = position_among(r->blas, "m");
  b->n.position = position_among(r->blas, "n");
  b->k.position = position_among(r->blas, "k") + position_among(r->blas, "nrhs");
  describe_operand(o, "A", r->A, &b->A);
  describe_operand(o, "B", r->B, &b->B);
  describe_operand(o, "C", r->C, &b->C);
  b->w.position = position_among(r->blas, "w");
}

/* --------------------------------------------------------------------------------------------------- checks -- */

static void check_array(call *c, const char *name, const void *array, int64_t count) {
  if (!array && count > 0) bad_argument(c, name, "is NULL, must have %lld entries", (long long)count);
}

static void check_sizes(call *c, const char *name, const batch_size *s, int64_t count, bool strided) {
  if (s->position == 0) return;
  if (strided)
    check_size(c, name, NULL, s->all);
  else
    check_array(c, name, s->of, count);
}

/* Whether the stride leads from one element to another. */
static bool has_stride(const matrix_batch *b, const batch_operand *X) {
  return b->count > 1 && size_named(b, X->rows, 0) > 0 && size_named(b, X->cols, 0) > 0;
}

/* Matrices a stride apart. Matrices that are written must not overlap. */
static void check_strides(call *c, const char *const names[3], const matrix_batch *b, const batch_operand *X,
                          trigon_type type, bool written) {
  const int64_t rows = size_named(b, X->rows, 0), cols = size_named(b, X->cols, 0);
  const trigon_matrix first = {X->first, type, rows, b->count > 0 ? cols : 0, X->ld}; /* no matrix needs an address */
  if (c->status == TRIGON_OK) check_matrix(c, names[0], names[1], first, type, rows, first.cols);
  if (c->status != TRIGON_OK || !has_stride(b, X)) return;
  const int64_t least = written ? (cols - 1) * X->ld + rows : 0;
  if (X->stride < least)
    bad_argument(c, names[2], "is %lld, must be at least %lld", (long long)X->stride, (long long)least);
  else if (!fits_memory(X->stride, b->count))
    bad_argument(c, names[2], "is %lld: %lld matrices exceed the address space", (long long)X->stride,
                 (long long)b->count);
}

static void check_operands(call *c, const char *const names[3], const matrix_batch *b, const batch_operand *X,
                           trigon_type type, bool strided, bool written) {
  if (X->position == 0) return;
  if (strided) {
    check_strides(c, names, b, X, type, written);
    return;
  }
  check_array(c, names[0], X->at, b->count);
  check_array(c, names[1], X->lds, b->count);
}

/* Values a stride apart. */
static void check_values(call *c, const matrix_batch *b, bool strided) {
  const int64_t n = b->n.all;
  if (b->w.position == 0) return;
  if (!strided) {
    check_array(c, "w", b->w.at, b->count);
    return;
  }
  if (b->count > 0 && n > 0 && !b->w.first) bad_argument(c, "w", "is NULL, must point to %lld values", (long long)n);
  if (c->status != TRIGON_OK || b->count < 2 || n == 0) return;
  if (b->w.stride < n)
    bad_argument(c, "strideW", "is %lld, must be at least %lld", (long long)b->w.stride, (long long)n);
  else if (!fits_memory(b->w.stride, b->count))
    bad_argument(c, "strideW", "is %lld: %lld matrices exceed the address space", (long long)b->w.stride,
                 (long long)b->count);
}

static void check_batch(call *c, const operation *o, const matrix_batch *b, bool strided) {
  static const char *const A[] = {"A", "lda", "strideA"}, *const B[] = {"B", "ldb", "strideB"},
                           *const C[] = {"C", "ldc", "strideC"};
  const bool alone = o->routine == ROUTINE_POTRF || o->routine == ROUTINE_TRTRI || o->routine == ROUTINE_POTRI ||
                     o->routine == ROUTINE_SYEVD;
  const bool nrhs = o->routine == ROUTINE_POTRS || o->routine == ROUTINE_POSV;
  if (o->eigen) check_job(c, o->eigen);
  check_flags(c, &routine_table[o->routine], o);
  check_size(c, "count", NULL, b->count);
  if (b->count > PTRDIFF_MAX / (int64_t)sizeof(int64_t))
    bad_argument(c, "count", "is %lld: so many entries exceed the address space", (long long)b->count);
  check_size(c, "max_n", NULL, b->max_n);
  check_sizes(c, "m", &b->m, b->count, strided);
  check_sizes(c, "n", &b->n, b->count, strided);
  check_sizes(c, nrhs ? "nrhs" : "k", &b->k, b->count, strided);
  check_operands(c, A, b, &b->A, o->A.type, strided, alone || o->routine == ROUTINE_POSV);
  check_operands(c, B, b, &b->B, o->A.type, strided, o->routine != ROUTINE_GEMM);
  check_operands(c, C, b, &b->C, o->A.type, strided, true);
  check_values(c, b, strided);
  if (position_among(c->arguments, "info") > 0) check_array(c, "info", b->info, b->count);
}

/* ---------------------------------------------------------------------------------------------------- calls -- */

/* Runs the batch as one operation of the engine. */
static trigon_status run_on_device(call *c, const operation *o) {
  bool begun;
  const trigon_status status = compute(c->ctx->engine, o, &begun);
  if (status == TRIGON_OK) return status;
  return refused_call(c, begun && status != TRIGON_DEVICE_FAILED ? TRIGON_INCOMPLETE : status);
}

static trigon_status run_in_turns(call *c, const operation *o) {
  bool started = false;
  const trigon_status status = solve_in_turns(c->ctx->engine, o, &started);
  if (status == TRIGON_OK) return status;
  return refused_call(c, started && status != TRIGON_DEVICE_FAILED ? TRIGON_INCOMPLETE : status);
}

static trigon_status run_on_host(call *c, const operation *o) {
  trigon_context *ctx = c->ctx;
  reason why;
  int64_t failed;
  const trigon_status status = run_batch_on_host(ctx->engine, o, &failed, &why);
  if (failed < 0) return status == TRIGON_OK ? status : refused_call(c, status);
  ctx->why.argument = NULL;
  snprintf(ctx->why.text, sizeof ctx->why.text, "matrix %lld: %.250s", (long long)failed, why.text);
  return refused_call(c, status == TRIGON_DEVICE_FAILED ? status : TRIGON_INCOMPLETE);
}

trigon_status call_batch(trigon_context *ctx, const char *name, const char *arguments, operation *o, matrix_batch *b) {
  call c = enter_call(ctx, name, arguments);
  if (check_one_process(&c) != TRIGON_OK) return c.status;
  const bool strided = position_among(arguments, "strideA") > 0;
  const int64_t element = type_size(o->A.type);
  describe(o, b);
  check_batch(&c, o, b, strided);
  if (c.status == TRIGON_OK && o->eigen) check_support(&c);
  if (c.status != TRIGON_OK || b->count == 0) return c.status;
  batch_operand *const all[] = {&b->A, &b->B, &b->C};
  for (int i = 0; i < 3 && strided; i++) all[i]->stride = has_stride(b, all[i]) ? all[i]->stride * element : 0;
  b->w.stride = b->count > 1 ? b->w.stride * b->w.size : 0;
  if (strided) b->max_n = b->n.all;
  o->A.count = 1, o->batch = b;
  normalize_operation(o);
  const bool in_turns = o->eigen && strided && b->n.all > ctx->machine->eigen->batch_order;
  if (in_turns && !ctx->machine->ops->on_host) return run_in_turns(&c, o);
  return ctx->machine->ops->on_host ? run_on_host(&c, o) : run_on_device(&c, o);
}
