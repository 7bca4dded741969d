/* batch.c - POTRF for batches: many matrices of different orders in one call.
 *
 * On a device the engine takes the batch whole. On the CPU it spreads the matrices over its threads, and each matrix
 * is a call of the single routine. Large matrices come first, so that all threads end together. A matrix that would
 * keep one thread busy longer than the others is factored by all threads together, before the others. */
#include "batch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routines.h"

enum { not_factored = -5 }; /* info of a matrix, if the engine failed */

/* How a batch is shared, and the first matrix that could not be factored. */
typedef struct batch_job {
  const matrix_batch *batch;
  trigon_type type;
  trigon_uplo uplo;
  const int64_t *order;  /* the matrices, the larger before the smaller */
  int64_t alone, groups; /* the first `alone` of them are taken one by one, and the others in groups */
  double team_flops;     /* a matrix with more flops is for the team */
  atomic_flag lock;      /* guards what follows */
  int64_t stopped;       /* the matrix, or -1 */
  trigon_status status;
  char why[sizeof((reason){0}.text)];
} batch_job;

static double flops_of(int64_t n) { return (double)n * (double)n * (double)n / 3; }

/* Smaller matrices, which are whole classes, are taken in groups, because taking one costs time, too. */
enum { least_alone = 64, group_size = 16 };

static bool is_alone(const matrix_batch *b, int64_t i) { return entry_fault(b, i, 1) == 0 && b->n[i] >= least_alone; }
static bool is_for_team(const batch_job *j, int64_t i) {
  return is_alone(j->batch, i) && flops_of(j->batch->n[i]) > j->team_flops;
}

/* ------------------------------------------------------------------------------------------------ one matrix -- */

/* Factors matrix i. Returns a failure of the engine. */
static trigon_status factor(engine *e, const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  const trigon_matrix A = {b->A[i], j->type, b->n[i], b->n[i], b->ld[i]};
  const small_call small = {.routine = ROUTINE_POTRF,
                            .type = j->type,
                            .uplo = j->uplo,
                            .A = A.data,
                            .n = A.rows,
                            .lda = A.ld,
                            .info = &b->info[i]};
  if (e->run_small && is_plain(&small) && e->run_small(e, &small)) return TRIGON_OK;
  const operation o = {.routine = ROUTINE_POTRF, .uplo = j->uplo, .A = view_of(A), .info = &b->info[i]};
  bool begun;
  const trigon_status status = compute(e, &o, &begun);
  if (begun || status != TRIGON_NOT_SUPPORTED) return status;
  b->info[i] = -4; /* the leading dimension does not fit the BLAS's integers */
  return TRIGON_OK;
}

/* Keeps the failure of the first matrix that could not be factored. */
static void keep_failure(batch_job *j, int64_t i, trigon_status status, const reason *why) {
  j->batch->info[i] = not_factored;
  while (atomic_flag_test_and_set_explicit(&j->lock, memory_order_acquire)) continue;
  if (j->stopped < 0 || i < j->stopped) {
    j->stopped = i, j->status = status;
    memcpy(j->why, why->text, sizeof j->why);
  }
  atomic_flag_clear_explicit(&j->lock, memory_order_release);
}

static void take(engine *e, int64_t i, batch_job *j) {
  const matrix_batch *b = j->batch;
  const int64_t fault = entry_fault(b, i, 1);
  b->info[i] = fault;
  if (fault != 0 || b->n[i] == 0) return;
  const trigon_status status = factor(e, j, i);
  if (status != TRIGON_OK) keep_failure(j, i, status, e->machine->why);
}

/* ----------------------------------------------------------------------------------------------- the batch -- */

/* Takes what the team has not taken of a group. */
static void take_group(engine *e, int64_t group, void *job) {
  batch_job *j = job;
  const matrix_batch *b = j->batch;
  const int64_t first = group < j->alone ? group : j->alone + (group - j->alone) * group_size;
  const int64_t size = group < j->alone ? 1 : group_size, end = b->count - first < size ? b->count : first + size;
  for (int64_t at = first; at < end; at++) {
    if (!is_for_team(j, j->order[at])) take(e, j->order[at], j);
  }
}

/* The orders of a class differ by a factor of two at most. Class 0 has all that is not factored, too. */
enum { classes = 64 };
static int class_of(const matrix_batch *b, int64_t i) {
  return entry_fault(b, i, 1) != 0 || b->n[i] == 0 ? 0 : classes - 1 - __builtin_clzll((unsigned long long)b->n[i]);
}

/* Stores the numbers of the matrices, the larger classes first. */
static void sort(const matrix_batch *b, int64_t *order) {
  int64_t place[classes] = {0};
  for (int64_t i = 0; i < b->count; i++) place[class_of(b, i)]++;
  int64_t at = 0;
  for (int c = classes - 1; c >= 0; c--) {
    const int64_t size = place[c];
    place[c] = at, at += size;
  }
  for (int64_t i = 0; i < b->count; i++) order[place[class_of(b, i)]++] = i;
}

/* Runs the batch on several threads. Returns false if there is no memory for the order; then nothing is done yet. */
static bool run_shared(engine *e, batch_job *j) {
  const matrix_batch *b = j->batch;
  int64_t *order = malloc((size_t)b->count * sizeof *order);
  if (!order) return false;
  sort(b, order);
  j->order = order;
  while (j->alone < b->count && is_alone(b, order[j->alone])) j->alone++;
  j->groups = j->alone + (b->count - j->alone + group_size - 1) / group_size;
  for (int64_t at = 0; at < j->alone; at++)
    if (is_for_team(j, order[at])) take(e, order[at], j);
  if (!e->each(e, j->groups, take_group, j))
    for (int64_t group = 0; group < j->groups; group++) take_group(e, group, j);
  free(order);
  return true;
}

static void run_batch(engine *e, batch_job *j) {
  enum { cost_of_matrix = 300, least_cost = 200000 }; /* in flops; what starting the threads must pay for */
  const matrix_batch *b = j->batch;
  const int threads = e->threads ? e->threads(e) : 1;
  double flops = 0;
  for (int64_t i = 0; i < b->count; i++) flops += entry_fault(b, i, 1) == 0 ? flops_of(b->n[i]) : 0;
  /* Matrices with less work leave the threads at most a quarter of their time apart. */
  j->team_flops = flops / (4 * threads);
  if (threads > 1 && b->count > 1 && flops + cost_of_matrix * (double)b->count > least_cost && run_shared(e, j)) return;
  for (int64_t i = 0; i < b->count; i++) take(e, i, j);
}

static void check_array(call *c, const char *name, const void *array, int64_t count) {
  if (!array && count > 0) bad_argument(c, name, "is NULL, must have %lld entries", (long long)count);
}

/* Runs the batch as one operation of the engine, which finds the arrays where the matrices are. */
static trigon_status run_on_device(call *c, trigon_type type, trigon_uplo uplo, const matrix_batch *b) {
  const operation o = {.routine = ROUTINE_POTRF, .uplo = uplo, .A = {.type = type, .count = 1}, .batch = b};
  bool begun;
  const trigon_status status = compute(c->ctx->engine, &o, &begun);
  if (status == TRIGON_OK) return status;
  return refused_call(c, begun && status != TRIGON_DEVICE_FAILED ? TRIGON_INCOMPLETE : status);
}

trigon_status call_potrf_batch(trigon_context *ctx, const char *name, trigon_type type, trigon_uplo uplo,
                               const matrix_batch *b) {
  call c = enter_call(ctx, name, "uplo count max_n n A ld info");
  if (c.status != TRIGON_OK) return c.status;
  check_uplo(&c, uplo);
  check_size(&c, "count", NULL, b->count);
  if (b->count > PTRDIFF_MAX / (int64_t)sizeof(int64_t))
    bad_argument(&c, "count", "is %lld: so many entries exceed the address space", (long long)b->count);
  check_size(&c, "max_n", NULL, b->max_n);
  check_array(&c, "n", b->n, b->count);
  check_array(&c, "A", b->A, b->count);
  check_array(&c, "ld", b->ld, b->count);
  check_array(&c, "info", b->info, b->count);
  if (c.status != TRIGON_OK || b->count == 0) return c.status;
  if (!ctx->machine->ops->on_host) return run_on_device(&c, type, uplo, b);
  batch_job j = {.batch = b, .type = type, .uplo = uplo, .lock = ATOMIC_FLAG_INIT, .stopped = -1};
  run_batch(ctx->engine, &j);
  if (j.stopped < 0) return TRIGON_OK;
  ctx->why.argument = NULL;
  snprintf(ctx->why.text, sizeof ctx->why.text, "matrix %lld: %.250s", (long long)j.stopped, j.why);
  return refused_call(&c, j.status == TRIGON_DEVICE_FAILED ? j.status : TRIGON_INCOMPLETE);
}
