/* batch_host.c - a batch on the host: spreads the matrices over the engine's threads. Each matrix is a call of the
 * single routine.
 *
 * Matrices with much work come first, so that all threads end together. A matrix that would keep one thread busy longer
 * than the others is computed by all threads together, before the others. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "routines.h"

enum { not_computed = -100 }; /* info of a matrix, if the engine failed */

/* How a batch is shared, and the first matrix that could not be computed. */
typedef struct batch_job {
  const operation *call;
  const matrix_batch *batch;
  const int64_t *order;  /* the matrices, those with more work before the others */
  int64_t alone, groups; /* the first `alone` of them are taken one by one, and the others in groups */
  double team_flops;     /* a matrix with more flops is for the team */
  atomic_flag lock;      /* guards what follows */
  int64_t stopped;       /* the matrix, or -1 */
  trigon_status status;
  reason *why;
} batch_job;

/* The flops of matrix i, for a real type; 0 if its entries are wrong. */
static double flops_of(const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  if (entry_fault(b, i, 1) != 0) return 0;
  const double n = (double)size_at(&b->n, i);
  switch (j->call->routine) {
  case ROUTINE_POTRF:
  case ROUTINE_TRTRI: return n * n * n / 3;
  case ROUTINE_POTRI: return n * n * n * 2 / 3;
  case ROUTINE_POTRS: return 2 * n * n * (double)size_at(&b->k, i);
  case ROUTINE_POSV: return n * n * (n / 3 + 2 * (double)size_at(&b->k, i));
  case ROUTINE_SYRK: return n * n * (double)size_at(&b->k, i);
  case ROUTINE_GEMM: return 2 * n * (double)size_at(&b->m, i) * (double)size_at(&b->k, i);
  default: return n * (double)size_at(&b->m, i) * (double)size_named(b, b->A.rows, i);
  }
}

/* Whether a size may exceed the integers of a BLAS. The engines of the threads have no decorator that would cut it. */
static bool is_long(const matrix_batch *b, int64_t i) {
  return (size_at(&b->m, i) | size_at(&b->n, i) | size_at(&b->k, i)) > INT32_MAX;
}

/* Matrices with less work are taken in groups, because taking one costs time, too. */
enum { group_size = 16 };
static const double least_alone = 1 << 16; /* a power of two, so that no class has both kinds */

static bool is_alone(const batch_job *j, int64_t i) { return flops_of(j, i) >= least_alone || is_long(j->batch, i); }
static bool is_for_team(const batch_job *j, int64_t i) {
  const double flops = flops_of(j, i);
  return (flops >= least_alone && flops > j->team_flops) || is_long(j->batch, i);
}

/* ------------------------------------------------------------------------------------------------ one matrix -- */

static view operand_view(const batch_job *j, const batch_operand *X, int64_t i) {
  if (X->position == 0) return (view){0};
  const int64_t ld = ld_at(X, i);
  return (view){.base = address_at(X, i),
                .type = j->call->A.type,
                .m = size_named(j->batch, X->rows, i),
                .n = size_named(j->batch, X->cols, i),
                .ld = ld > 1 ? ld : 1,
                .count = 1};
}

/* Whether the routine consists of one triangle A and perhaps B, as in a small call. */
static bool may_be_small(const operation *o) {
  return o->routine != ROUTINE_GEMM && o->routine != ROUTINE_SYRK && !o->both;
}

static bool run_small_member(engine *e, const operation *o) {
  const small_call small = {.routine = o->routine,
                            .type = o->A.type,
                            .side = o->side,
                            .uplo = o->uplo,
                            .op = o->op,
                            .diag = o->diag,
                            .alpha = o->alpha,
                            .A = o->A.base,
                            .B = o->B.base,
                            .n = o->A.n,
                            .width = o->side == TRIGON_RIGHT ? o->B.m : o->B.n,
                            .lda = o->A.ld,
                            .ldb = o->B.ld,
                            .info = o->info};
  return may_be_small(o) && e->run_small && is_plain(&small) && e->run_small(e, &small);
}

/* The position of the leading dimension that does not fit the BLAS's integers. */
static int64_t refused_position(const matrix_batch *b, const reason *why) {
  const char *argument = why->argument ? why->argument : "A";
  return 1 + (*argument == 'A' ? b->A : *argument == 'B' ? b->B : b->C).position;
}

static operation member_operation(const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  operation o = over(j->call, operand_view(j, &b->A, i), operand_view(j, &b->B, i), operand_view(j, &b->C, i));
  o.batch = NULL;
  o.info = b->info && is_factorization(o.routine) ? &b->info[i] : NULL;
  return o;
}

/* Whether the engine refuses matrices that are a stride apart, for a reason that all of them have in common. */
static trigon_status ask_engine(engine *e, const batch_job *j) {
  const operation o = member_operation(j, 0);
  engine *work;
  const trigon_status status = e->begin(e, &o, &work);
  return status == TRIGON_OK ? e->end(e, false) : status;
}

/* Computes matrix i. Returns a failure of the engine. */
static trigon_status compute_member(engine *e, const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  const operation o = member_operation(j, i);
  if (run_small_member(e, &o)) return TRIGON_OK;
  bool begun;
  const trigon_status status = compute(e, &o, &begun);
  if (begun || status != TRIGON_NOT_SUPPORTED || !b->info) return status;
  b->info[i] = -refused_position(b, e->machine->why);
  return TRIGON_OK;
}

/* Keeps the failure of the first matrix that could not be computed. */
static void keep_failure(batch_job *j, int64_t i, trigon_status status, const reason *why) {
  if (j->batch->info) j->batch->info[i] = not_computed;
  while (atomic_flag_test_and_set_explicit(&j->lock, memory_order_acquire)) continue;
  if (j->stopped < 0 || i < j->stopped) j->stopped = i, j->status = status, *j->why = *why;
  atomic_flag_clear_explicit(&j->lock, memory_order_release);
}

static void take(engine *e, int64_t i, batch_job *j) {
  const matrix_batch *b = j->batch;
  const int64_t fault = entry_fault(b, i, 1);
  if (b->info) b->info[i] = fault;
  if (fault != 0) return;
  const trigon_status status = compute_member(e, j, i);
  if (status != TRIGON_OK) keep_failure(j, i, status, e->machine->why);
}

/* ------------------------------------------------------------------------------------------------- the batch -- */

/* Takes what the team has not taken of a group. */
static void take_group(engine *e, int64_t group, void *job) {
  batch_job *j = job;
  const int64_t first = group < j->alone ? group : j->alone + (group - j->alone) * group_size;
  const int64_t size = group < j->alone ? 1 : group_size, rest = j->batch->count - first;
  for (int64_t at = first; at < first + (rest < size ? rest : size); at++)
    if (!is_for_team(j, j->order[at])) take(e, j->order[at], j);
}

/* The work of a class differs by a factor of two at most. The last class is for long matrices. */
enum { classes = 128 };
static int class_of(const batch_job *j, int64_t i) {
  const double flops = flops_of(j, i);
  uint64_t bits;
  memcpy(&bits, &flops, sizeof bits);
  const int exponent = (int)(bits >> 52) - 1023; /* of flops, which is not negative */
  if (is_long(j->batch, i)) return classes - 1;
  return exponent < 0 ? 0 : exponent < classes - 1 ? exponent : classes - 2;
}

/* Stores the numbers of the matrices, the higher classes first. */
static void sort(const batch_job *j, int64_t *order) {
  int64_t place[classes] = {0};
  for (int64_t i = 0; i < j->batch->count; i++) place[class_of(j, i)]++;
  int64_t at = 0;
  for (int c = classes - 1; c >= 0; c--) {
    const int64_t size = place[c];
    place[c] = at, at += size;
  }
  for (int64_t i = 0; i < j->batch->count; i++) order[place[class_of(j, i)]++] = i;
}

/* Runs the batch on several threads. Returns false if there is no memory for the order; then nothing is done yet. */
static bool run_shared(engine *e, batch_job *j) {
  const int64_t count = j->batch->count;
  int64_t *order = malloc((size_t)count * sizeof *order);
  if (!order) return false;
  sort(j, order);
  j->order = order;
  while (j->alone < count && is_alone(j, order[j->alone])) j->alone++;
  j->groups = j->alone + (count - j->alone + group_size - 1) / group_size;
  for (int64_t at = 0; at < j->alone; at++)
    if (is_for_team(j, order[at])) take(e, order[at], j);
  if (!e->each(e, j->groups, take_group, j))
    for (int64_t group = 0; group < j->groups; group++) take_group(e, group, j);
  free(order);
  return true;
}

trigon_status run_batch_on_host(engine *e, const operation *o, int64_t *failed, reason *why) {
  enum { cost_of_matrix = 300, least_cost = 200000 }; /* in flops; what starting the threads must pay for */
  const int64_t count = o->batch->count;
  const int threads = e->threads ? e->threads(e) : 1;
  batch_job j = {.call = o, .batch = o->batch, .lock = ATOMIC_FLAG_INIT, .stopped = -1, .why = why};
  double flops = 0;
  *failed = -1;
  if (!o->batch->A.at) TRY(ask_engine(e, &j));
  for (int64_t i = 0; i < count; i++) flops += flops_of(&j, i);
  /* Matrices with less work leave the threads at most a quarter of their time apart. */
  j.team_flops = flops / (4 * threads);
  const bool pays = threads > 1 && count > 1 && flops + cost_of_matrix * (double)count > least_cost;
  if (!pays || !run_shared(e, &j))
    for (int64_t i = 0; i < count; i++) take(e, i, &j);
  *failed = j.stopped;
  return j.status;
}
