/* batch.c - POTRF for batches: many matrices of different orders in one call.
 *
 * Matrices are independent. The engine spreads them over its threads, and each matrix is a call of the single routine.
 * A large matrix would keep one thread busy long after the others have ended: all threads factor it together. */
#include "batch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../algo/algo.h"

/* How a batch is shared, and the first matrix that could not be factored. */
typedef struct batch_job {
  const potrf_batch *batch;
  double most_flops; /* of a matrix that one thread factors */
  atomic_flag lock;  /* guards what follows */
  int64_t stopped;   /* the matrix, or -1 */
  trigon_status status;
  char why[sizeof((reason){0}.text)];
} batch_job;

static double flops_of(int64_t n) { return (double)n * (double)n * (double)n / 3; }

/* Whether one thread would be left with this matrix alone. Small matrices are never shared by threads. */
static bool is_for_team(const batch_job *j, int64_t n) {
  enum { least_order = 512 };
  return n >= least_order && flops_of(n) > j->most_flops;
}

/* What is wrong with the entry of matrix i, as LAPACK's info counts the arguments of POTRF; 0 if nothing is. */
static int64_t fault_of(const potrf_batch *b, int64_t i) {
  const int64_t n = b->n[i], ld = b->ld[i];
  int64_t elements;
  if (n < 0 || (b->max_n > 0 && n > b->max_n)) return -2;
  if (n > 0 && !b->A[i]) return -3;
  if (ld < n) return -4;
  return __builtin_mul_overflow(ld, n, &elements) || elements > PTRDIFF_MAX / 16 ? -4 : 0;
}

/* Factors matrix i. Returns a failure of the engine. */
static trigon_status factor(engine *e, const potrf_batch *b, int64_t i) {
  const int64_t n = b->n[i];
  const small_call small = {.routine = ROUTINE_POTRF,
                            .type = b->type,
                            .uplo = b->uplo,
                            .A = b->A[i],
                            .n = n,
                            .lda = b->ld[i],
                            .info = &b->info[i]};
  if (e->run_small && is_plain(&small) && e->run_small(e, &small)) return TRIGON_OK;
  const trigon_matrix A = {b->A[i], b->type, n, n, b->ld[i]};
  const operation o = {.routine = ROUTINE_POTRF, .uplo = b->uplo, .A = view_of(A), .info = &b->info[i]};
  engine *work = NULL;
  const trigon_status refused = e->begin(e, &o, &work);
  if (refused == TRIGON_NOT_SUPPORTED) { /* the leading dimension does not fit the BLAS's integers */
    b->info[i] = -4;
    return TRIGON_OK;
  }
  TRY(refused);
  const trigon_status status = work ? algo_run(work, &o) : TRIGON_OK, ended = e->end(e, status == TRIGON_OK);
  return status != TRIGON_OK ? status : ended;
}

/* Keeps the failure of the first matrix that could not be factored. */
static void keep_failure(batch_job *j, int64_t i, trigon_status status, const reason *why) {
  while (atomic_flag_test_and_set_explicit(&j->lock, memory_order_acquire)) continue;
  if (j->stopped < 0 || i < j->stopped) {
    j->stopped = i, j->status = status;
    memcpy(j->why, why->text, sizeof j->why);
  }
  atomic_flag_clear_explicit(&j->lock, memory_order_release);
}

static void take(engine *e, int64_t i, batch_job *j) {
  const potrf_batch *b = j->batch;
  const int64_t fault = fault_of(b, i);
  if (fault != 0 || b->n[i] == 0) {
    b->info[i] = fault;
    return;
  }
  const trigon_status status = factor(e, b, i);
  if (status != TRIGON_OK) keep_failure(j, i, status, e->machine->why);
}

/* Takes a matrix that the team has not taken. */
static void take_alone(engine *e, int64_t i, void *job) {
  batch_job *j = job;
  if (fault_of(j->batch, i) != 0 || !is_for_team(j, j->batch->n[i])) take(e, i, j);
}

static void run_batch(engine *e, batch_job *j) {
  enum { least_parts = 16 }; /* a matrix with more than this part of the work is for the team */
  const potrf_batch *b = j->batch;
  double flops = 0;
  int64_t largest = 0;
  for (int64_t i = 0; i < b->count; i++) flops += fault_of(b, i) == 0 ? flops_of(b->n[i]) : 0;
  j->most_flops = flops / least_parts;
  for (int64_t i = 0; i < b->count; i++) {
    if (fault_of(b, i) != 0) continue;
    if (is_for_team(j, b->n[i]))
      take(e, i, j);
    else
      largest = b->n[i] > largest ? b->n[i] : largest;
  }
  if (e->each && e->each(e, b->count, largest, take_alone, j)) return;
  for (int64_t i = 0; i < b->count; i++) take_alone(e, i, j);
}

static void check_array(call *c, const char *name, const void *array, int64_t count) {
  if (!array && count > 0) bad_argument(c, name, "is NULL, must have %lld entries", (long long)count);
}

trigon_status call_potrf_batch(trigon_context *ctx, const char *name, const potrf_batch *b) {
  call c = enter_call(ctx, name, "uplo count max_n n A ld info");
  if (c.status != TRIGON_OK) return c.status;
  check_uplo(&c, b->uplo);
  check_size(&c, "count", NULL, b->count);
  check_size(&c, "max_n", NULL, b->max_n);
  check_array(&c, "n", b->n, b->count);
  check_array(&c, "A", b->A, b->count);
  check_array(&c, "ld", b->ld, b->count);
  check_array(&c, "info", b->info, b->count);
  if (c.status != TRIGON_OK) return c.status;
  if (!ctx->machine->ops->on_host) {
    snprintf(ctx->why.text, sizeof ctx->why.text, "batches run on the CPU only so far");
    return refused_call(&c, TRIGON_NOT_SUPPORTED);
  }
  batch_job j = {.batch = b, .lock = ATOMIC_FLAG_INIT, .stopped = -1};
  run_batch(ctx->engine, &j);
  if (j.stopped < 0) return TRIGON_OK;
  ctx->why.argument = NULL;
  snprintf(ctx->why.text, sizeof ctx->why.text, "matrix %lld: %.250s", (long long)j.stopped, j.why);
  return refused_call(&c, j.status == TRIGON_DEVICE_FAILED ? j.status : TRIGON_INCOMPLETE);
}
