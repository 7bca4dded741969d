/* test_solver_matrices.c - the spelling over trigon_matrix stores the bits that the functions with LAPACK's arguments
 * store, and names what is wrong with a matrix. */
#include <stdlib.h>
#include <string.h>

#include "solver_calls.h"
#include "spectra.h"
#include "support/check.h"

enum { order = 37 };

static trigon_context *ctx;
static solver_case one;

static trigon_status call_over_matrices(const solver_call *c) {
  const trigon_matrix A = one.A.matrix, B = one.B.matrix;
  switch (c->routine) {
  case SYEVD: return trigon_syevd(ctx, c->job, c->uplo, A, c->w, c->info);
  case SYEVDX:
    return trigon_syevdx(ctx, c->job, c->range, c->uplo, A, c->vl, c->vu, c->il, c->iu, c->found, c->w, c->info);
  case SYGST: return trigon_sygst(ctx, c->itype, c->uplo, A, B);
  default: return trigon_sygvd(ctx, c->itype, c->job, c->uplo, A, B, c->w, c->info);
  }
}

/* A copy of what an operand holds, in memory that the caller frees. */
static void *copy_of(const guarded *g) {
  void *copy = malloc(g->bytes);
  if (!copy) exit(2);
  return memcpy(copy, g->block, g->bytes);
}

static void check_routine(solver_routine routine, trigon_type type) {
  random_stream r = {7};
  dense A = random_matrix(order, type, &r), B = positive_matrix(order, type, &r);
  one.gap = 2;
  one.call = (solver_call){.routine = routine,
                           .type = type,
                           .itype = 1,
                           .job = TRIGON_VECTORS,
                           .range = routine == SYEVDX ? TRIGON_RANGE_INDICES : TRIGON_RANGE_ALL,
                           .il = 3,
                           .iu = 9,
                           .uplo = TRIGON_UPPER,
                           .n = order};
  case_fill(&one, &A, &B);
  check_that(case_run(ctx, &one) == TRIGON_OK, "%s: %s", describe_solver_call(&one.call), trigon_message(ctx));
  const int64_t found = one.found;
  void *const due_A = copy_of(&one.A), *const due_B = copy_of(&one.B), *const due_w = copy_of(&one.w);
  guarded_restore(&one.A), guarded_restore(&one.B), guarded_restore(&one.w);
  one.found = one.info = -77;
  check_that(call_over_matrices(&one.call) == TRIGON_OK, "%s, over matrices: %s", describe_solver_call(&one.call),
             trigon_message(ctx));
  check_that(one.found == found && memcmp(due_A, one.A.block, one.A.bytes) == 0 &&
                 memcmp(due_B, one.B.block, one.B.bytes) == 0 && memcmp(due_w, one.w.block, one.w.bytes) == 0,
             "%s: other bits over matrices", describe_solver_call(&one.call));
  dense_free(&A), dense_free(&B);
  free(due_A), free(due_B), free(due_w);
}

static void check_refused(trigon_status status, const char *words) {
  check_that(status == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), words), "\"%s\" instead of \"%s\"",
             trigon_message(ctx), words);
}

static void check_bad_matrices(void) {
  double a[9] = {0}, w[3];
  float b[9] = {0};
  const trigon_matrix good = {a, TRIGON_D, 3, 3, 3}, thin = {a, TRIGON_D, 3, 2, 3}, dense_ld = {a, TRIGON_D, 3, 3, 2},
                      none = {NULL, TRIGON_D, 3, 3, 3}, odd = {a, (trigon_type)'q', 3, 3, 3},
                      single = {b, TRIGON_S, 3, 3, 3};
  int64_t info;
  check_refused(trigon_syevd(ctx, TRIGON_VALUES, TRIGON_LOWER, thin, w, &info), "argument 3 (A) is 3");
  check_refused(trigon_syevd(ctx, TRIGON_VALUES, TRIGON_LOWER, dense_ld, w, &info), "argument 3 (A) has leading");
  check_refused(trigon_syevd(ctx, TRIGON_VALUES, TRIGON_LOWER, none, w, &info), "argument 3 (A) is NULL");
  check_refused(trigon_syevd(ctx, TRIGON_VALUES, TRIGON_LOWER, odd, w, &info), "argument 3 (A) has type");
  check_refused(trigon_syevd(ctx, TRIGON_VALUES, TRIGON_LOWER, good, NULL, &info), "argument 4 (w) is NULL");
  check_refused(trigon_sygst(ctx, 1, TRIGON_LOWER, good, single), "argument 4 (B) has type 's'");
  check_refused(trigon_sygvd(ctx, 4, TRIGON_VALUES, TRIGON_LOWER, good, good, w, &info), "argument 1 (itype) is 4");
}

int main(void) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  check(trigon_create("cpu", &ctx, NULL, 0) == TRIGON_OK, "a context");
  for (int t = 0; t < 4; t++)
    for (int routine = SYEVD; routine <= SYGVD; routine++) check_routine((solver_routine)routine, types[t]);
  check_bad_matrices();
  case_free(&one);
  trigon_destroy(ctx);
  return checked();
}
