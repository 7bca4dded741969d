/* eigen_calls.c - the public functions of trigon_eigen.h: checks, and the call. eigen_calls.inc has the functions of
 * one precision. */
#include <stdio.h>
#include <string.h>

#include "algo/algo.h"
#include "batch_call.h"
#include "core/eigen_support.h"
#include "routines.h"

/* ----------------------------------------------------------------------------------------------------- checks -- */

/* Whether the function has an argument. */
static bool has(const call *c, const char *name) { return position_among(c->arguments, name) > 0; }

static void check_itype(call *c, const eigen_problem *p) {
  if (has(c, "itype") && (p->itype < 1 || p->itype > 3)) bad_argument(c, "itype", "is %d, must be 1, 2 or 3", p->itype);
}

void check_job(call *c, const eigen_problem *p) {
  if (has(c, "job") && p->job != TRIGON_VALUES && p->job != TRIGON_VECTORS)
    bad_argument(c, "job", "is %d, must be TRIGON_VALUES (%d) or TRIGON_VECTORS (%d)", (int)p->job, TRIGON_VALUES,
                 TRIGON_VECTORS);
}

static void check_range(call *c, const eigen_problem *p) {
  if (has(c, "range") && (p->range < TRIGON_RANGE_ALL || p->range > TRIGON_RANGE_INDICES))
    bad_argument(c, "range", "is %d, must be one of trigon_range (%d to %d)", (int)p->range, TRIGON_RANGE_ALL,
                 TRIGON_RANGE_INDICES);
}

/* The ends of a range. */
static void check_part(call *c, const eigen_problem *p, int64_t n) {
  if (p->range == TRIGON_RANGE_INTERVAL && !(p->lower < p->upper))
    bad_argument(c, "vu", "is %g, must be greater than vl (%g)", p->upper, p->lower);
  if (p->range != TRIGON_RANGE_INDICES || n == 0) return;
  if (p->first < 1 || p->first > n)
    bad_argument(c, "il", "is %lld, must be from 1 to n (%lld)", (long long)p->first, (long long)n);
  if (p->last < p->first || p->last > n)
    bad_argument(c, "iu", "is %lld, must be from il (%lld) to n (%lld)", (long long)p->last, (long long)p->first,
                 (long long)n);
}

static trigon_matrix matrix_of(view A) { return (trigon_matrix){A.base, A.type, A.m, A.n, A.ld}; }

/* A vector of `count` real elements. */
static void check_reals(call *c, const char *name, view x, int64_t count) {
  if (has(c, name) && count > 0 && !x.base)
    bad_argument(c, name, "is NULL, must point to %lld elements", (long long)count);
}

/* The arguments of STEDC and STEBZ. Z is not read without vectors. */
static void check_tridiagonal(call *c, const operation *o) {
  const eigen_problem *p = o->eigen;
  const int64_t n = o->A.m;
  check_job(c, p);
  check_range(c, p);
  check_size(c, "n", "T", n);
  if (has(c, "range")) check_part(c, p, n);
  check_reals(c, "d", o->A, n);
  check_reals(c, "e", o->B, n - 1);
  check_reals(c, "w", p->values, n);
  if (wants_vectors(p)) check_matrix(c, "Z", "ldz", matrix_of(o->C), o->C.type, n, n);
}

/* Checks the arguments in their order. */
static void check_arguments(call *c, const operation *o) {
  const eigen_problem *p = o->eigen;
  const int64_t n = o->A.n;
  if (o->routine == ROUTINE_STEDC) {
    check_tridiagonal(c, o);
    return;
  }
  check_itype(c, p);
  check_job(c, p);
  check_range(c, p);
  check_flags(c, &(routine_spec){.takes = TAKES_UPLO}, o);
  check_size(c, "n", "A", n);
  check_matrix(c, "A", "lda", matrix_of(o->A), o->A.type, n, n);
  if (has(c, "B")) check_matrix(c, "B", "ldb", matrix_of(o->B), o->A.type, n, n);
  if (has(c, "range")) check_part(c, p, n);
  check_reals(c, "w", p->values, n);
}

/* -------------------------------------------------------------------------------------------------- functions -- */

trigon_status check_support(call *c) {
  if (c->ctx->machine->eigen) return TRIGON_OK;
  snprintf(c->ctx->why.text, sizeof c->ctx->why.text,
           "this context has no eigensolver yet; those on the CPU and on one GPU have one");
  return refused_call(c, TRIGON_NOT_SUPPORTED);
}

/* Takes the workspace before the call begins: if it is missing, nothing has been written. */
static trigon_status run_with_memory(call *c, operation *o, eigen_problem *p) {
  const eigen_support *support = c->ctx->machine->eigen;
  p->bytes = o->routine == ROUTINE_SYGST ? algo_sygst_workspace(support, o) : algo_syevd_workspace(support, o);
  if (o->A.m == 0 || p->bytes == 0) return run_call(c, o);
  const trigon_status taken = support->take(c->ctx->machine, p->bytes, &p->memory);
  if (taken != TRIGON_OK) return refused_call(c, taken);
  (void)run_call(c, o);
  support->give(c->ctx->machine, p->memory);
  return c->status;
}

/* Checks and runs a call. */
static trigon_status solve_eigen(trigon_context *ctx, const char *name, const char *arguments, operation *o,
                                 eigen_problem *p) {
  static const char *const diagonals[operands_of_call] = {"d", "e", "Z"};
  call c = enter_call(ctx, name, arguments);
  if (o->routine == ROUTINE_STEDC) c.operands = diagonals;
  o->eigen = p, o->adjoint = TRIGON_CONJTRANS, o->op = TRIGON_NOTRANS;
  if (c.status == TRIGON_OK) check_arguments(&c, o);
  if (c.status == TRIGON_OK) check_support(&c);
  if (c.status != TRIGON_OK) return c.status;
  return run_with_memory(&c, o, p);
}

/* A caller's buffer may begin anywhere, but the memory begins at an aligned address of the buffer. */
enum { before_aligned = 256 };

trigon_status trigon_eigen_workspace(trigon_context *ctx, trigon_type type, trigon_job job, int64_t n, int64_t *bytes) {
  call c = enter_call(ctx, __func__, "type job n bytes");
  const eigen_problem problem = {.job = job};
  if (!type_is_valid(type)) bad_argument(&c, "type", "is %d, must be one of trigon_type", (int)type);
  check_job(&c, &problem);
  check_size(&c, "n", "A", n);
  if (!bytes) bad_argument(&c, "bytes", "is NULL, must point to an integer");
  if (c.status == TRIGON_OK) check_support(&c);
  if (c.status != TRIGON_OK || !bytes) return c.status;
  const operation o = {.routine = ROUTINE_SYEVD, .A = matrix_at(type, NULL, n, n, n > 1 ? n : 1), .eigen = &problem};
  const int64_t taken = algo_syevd_workspace(ctx->machine->eigen, &o);
  *bytes = taken < INT64_MAX - before_aligned ? taken + before_aligned : INT64_MAX;
  return TRIGON_OK;
}

/* ----------------------------------------------------------------------------------------- over trigon_matrix -- */

#define SOLVE(routine_of, arguments_of, B_, info_, ...)                                                                \
  solve_eigen(                                                                                                         \
      ctx, __func__, arguments_of,                                                                                     \
      &(operation){.routine = ROUTINE_##routine_of, .uplo = uplo, .A = view_of(A), .B = (B_), .info = (info_)},        \
      &(eigen_problem){__VA_ARGS__})
#define VALUES matrix_at(real_type_of(A.type), w, A.cols, 1, A.cols > 1 ? A.cols : 1)
#define NONE ((view){.type = A.type})

trigon_status trigon_syevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, trigon_matrix A, void *w,
                           int64_t *info) {
  return SOLVE(SYEVD, "job uplo A w info", NONE, info, .job = job, .range = TRIGON_RANGE_ALL, .values = VALUES);
}

trigon_status trigon_syevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo, trigon_matrix A,
                            double vl, double vu, int64_t il, int64_t iu, int64_t *found, void *w, int64_t *info) {
  return SOLVE(SYEVD, "job range uplo A vl vu il iu found w info", NONE, info, .job = job, .range = range, .lower = vl,
               .upper = vu, .first = il, .last = iu, .found = found, .values = VALUES);
}

trigon_status trigon_sygst(trigon_context *ctx, int itype, trigon_uplo uplo, trigon_matrix A, trigon_matrix B) {
  return SOLVE(SYGST, "itype uplo A B", view_of(B), NULL, .itype = itype);
}

trigon_status trigon_sygvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, trigon_matrix A,
                           trigon_matrix B, void *w, int64_t *info) {
  return SOLVE(SYGVD, "itype job uplo A B w info", view_of(B), info, .itype = itype, .job = job,
               .range = TRIGON_RANGE_ALL, .values = VALUES);
}
#undef NONE
#undef VALUES
#undef SOLVE

#define CALLS "eigen_calls.inc"
#include "each_type.inc"
