/* batch_host.c - a batch on the host: spreads the matrices over the engine's threads. Each matrix is a call of the
 * single routine, or the engine computes several small calls at once.
 *
 * Large matrices come first, those with more work before the others, so that all threads end together. A large matrix
 * that would keep one thread busy longer than the others is computed by all threads together, before the others. The
 * other matrices follow in pieces of the batch. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "batch_call.h"
#include "batch_eigen.h"
#include "core/sizes.h"
#include "routines.h"

enum { not_computed = -100 }; /* info of a matrix, if the engine failed */

/* How a batch is shared, and the first matrix that could not be computed. */
typedef struct batch_job {
  const operation *call;
  const matrix_batch *batch;
  small_call small;          /* with the flags of the call */
  small_batch_limits limits; /* of what the engine computes at once */
  const int64_t *large;      /* the large matrices, those with more work before the others */
  int64_t large_count;       /* 0 if there is no memory for the list: then the pieces have all matrices */
  int64_t piece;             /* matrices of a piece */
  engine *const *workers;    /* engines for threads, or NULL: the caller's engine computes all */
  eigen_slices slices;       /* memory of eigensolvers */
  double team_flops;         /* a large matrix with more flops is for the team */
  atomic_flag lock;          /* guards what follows */
  int64_t stopped;           /* the matrix, or -1 */
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
  case ROUTINE_SYEVD: return 9 * n * n * n;
  case ROUTINE_GEMM: return 2 * n * (double)size_at(&b->m, i) * (double)size_at(&b->k, i);
  default: return n * (double)size_at(&b->m, i) * (double)size_named(b, b->A.rows, i);
  }
}

/* Whether a size may exceed the integers of a BLAS. The engines of the threads have no decorator that would cut it. */
static bool is_long(const matrix_batch *b, int64_t i) {
  return (size_at(&b->m, i) | size_at(&b->n, i) | size_at(&b->k, i)) > INT32_MAX;
}

enum { least_flops = 1 << 16 }; /* of a matrix that is taken by itself, because taking one costs time, too */

/* Whether matrix i, whose work is `flops`, is taken by itself. */
static bool is_large(const batch_job *j, int64_t i, double flops) {
  const bool fits_group = size_at(&j->batch->n, i) <= j->limits.order && size_at(&j->batch->k, i) <= most_small_columns;
  return (flops >= least_flops && !fits_group) || is_long(j->batch, i);
}

/* Whether a large matrix is for the team. */
static bool is_for_team(const batch_job *j, int64_t i) {
  return flops_of(j, i) > j->team_flops || is_long(j->batch, i);
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

static small_call small_member(const operation *o) {
  return (small_call){.routine = o->routine,
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
}

static bool run_small_member(engine *e, const operation *o) {
  const small_call small = small_member(o);
  return may_be_small(o) && e->small && e->small->run && is_plain(&small) && e->small->run(e, &small);
}

/* The position of the leading dimension that does not fit the BLAS's integers. */
static int64_t refused_position(const matrix_batch *b, const reason *why) {
  const char *argument = why->argument ? why->argument : "A";
  return 1 + (*argument == 'A' ? b->A : *argument == 'B' ? b->B : b->C).position;
}

static operation member_operation(const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  operation o = over(j->call, operand_view(j, &b->A, i), operand_view(j, &b->B, i), operand_view(j, &b->C, i));
  o.batch = NULL, o.in_batch = true;
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

/* The memory of an engine's thread. The caller's own engine has the first slice: it computes before the others, or
 * alone. */
static void *memory_of(const batch_job *j, const engine *e) {
  int64_t number = 0;
  while (j->workers && j->workers[number] != e) number++;
  return (char *)j->slices.memory + number * j->slices.bytes;
}

/* Computes matrix i. Returns a failure of the engine. */
static trigon_status compute_member(engine *e, const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  if (j->call->eigen) return solve_member(e, j->call, i, memory_of(j, e));
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

/* ------------------------------------------------------------------------------------------- several at once -- */

enum { most_of_piece = 256 }; /* matrices of a piece */

/* The matrices of a piece that the engine may compute with others at once. */
typedef struct grouped {
  int count;
  int64_t matrix[most_of_piece];
} grouped;

/* Sorts by orders, so that the matrices of a group have similar ones. */
static void sort_grouped(const batch_job *j, grouped *g) {
  int64_t sorted[most_of_piece];
  int start[most_small_batch_order + 1] = {0}, at = 0;
  for (int k = 0; k < g->count; k++) start[size_at(&j->batch->n, g->matrix[k])]++;
  for (int n = most_small_batch_order; n >= 0; n--) {
    const int size = start[n];
    start[n] = at, at += size;
  }
  for (int k = 0; k < g->count; k++) sorted[start[size_at(&j->batch->n, g->matrix[k])]++] = g->matrix[k];
  memcpy(g->matrix, sorted, (size_t)g->count * sizeof *sorted);
}

/* Computes so many matrices. What a call costs beside its arithmetic counts, so no view is made. */
static void take_at_once(engine *e, const int64_t *matrix, int count, batch_job *j) {
  const matrix_batch *b = j->batch;
  small_call calls[most_small_batch];
  eigen_problem p = {0};
  if (j->call->eigen) p = *j->call->eigen, p.memory = memory_of(j, e);
  for (int k = 0; k < count; k++) {
    calls[k] = j->small;
    if (j->call->eigen) calls[k].eigen = &p, calls[k].values = values_at(&b->w, matrix[k]);
    calls[k].A = address_at(&b->A, matrix[k]), calls[k].lda = ld_at(&b->A, matrix[k]);
    calls[k].n = size_at(&b->n, matrix[k]), calls[k].info = &b->info[matrix[k]];
    if (b->B.position == 0) continue;
    calls[k].B = address_at(&b->B, matrix[k]), calls[k].ldb = ld_at(&b->B, matrix[k]);
    calls[k].width = size_at(&b->k, matrix[k]);
  }
  if (e->small && e->small->run_batch(e, calls, count)) return;
  for (int k = 0; k < count; k++) take(e, matrix[k], j);
}

static void take_grouped(engine *e, grouped *g, batch_job *j) {
  sort_grouped(j, g);
  for (int k = 0; k < g->count; k += j->limits.count) {
    const int rest = g->count - k;
    take_at_once(e, g->matrix + k, rest < j->limits.count ? rest : j->limits.count, j);
  }
}

static bool may_be_grouped(const batch_job *j, int64_t i) {
  const matrix_batch *b = j->batch;
  const int64_t n = size_at(&b->n, i), columns = size_at(&b->k, i);
  const bool solves = b->B.position > 0;
  if (n <= 0 || n > j->limits.order || (solves && (columns <= 0 || columns > most_small_columns))) return false;
  return ld_at(&b->A, i) <= INT32_MAX && (!solves || ld_at(&b->B, i) <= INT32_MAX) && entry_fault(b, i, 1) == 0;
}

/* ------------------------------------------------------------------------------------------------- the batch -- */

/* A large matrix, or the small ones of a piece; the team has taken some. */
static void take_piece(engine *e, int64_t number, batch_job *j) {
  if (number < j->large_count) {
    const int64_t i = j->large[number];
    if (!is_for_team(j, i)) take(e, i, j);
    return;
  }
  const int64_t first = (number - j->large_count) * j->piece, end = least(first + j->piece, j->batch->count);
  grouped g = {0};
  for (int64_t i = first; i < end; i++)
    if (may_be_grouped(j, i))
      g.matrix[g.count++] = i;
    else if (j->large_count == 0 || !is_large(j, i, flops_of(j, i)))
      take(e, i, j);
  take_grouped(e, &g, j);
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

/* Stores the numbers of the large matrices, the higher classes first. */
static void list_large(const batch_job *j, int64_t *list) {
  int64_t start[classes] = {0}, at = 0;
  for (int64_t i = 0; i < j->batch->count; i++)
    if (is_large(j, i, flops_of(j, i))) start[class_of(j, i)]++;
  for (int c = classes - 1; c >= 0; c--) {
    const int64_t size = start[c];
    start[c] = at, at += size;
  }
  for (int64_t i = 0; i < j->batch->count; i++)
    if (is_large(j, i, flops_of(j, i))) list[start[class_of(j, i)]++] = i;
}

/* The pieces that no worker has taken yet. */
typedef struct piece_queue {
  batch_job *job;
  atomic_llong next;
  int64_t count;
} piece_queue;

static void run_worker(int64_t number, void *shared) {
  piece_queue *q = shared;
  for (;;) {
    const int64_t piece = atomic_fetch_add_explicit(&q->next, 1, memory_order_relaxed);
    if (piece >= q->count) return;
    take_piece(q->job->workers[number], piece, q->job);
  }
}

/* Runs the batch on so many threads at most. */
static void run_pieces(engine *e, batch_job *j, int threads) {
  piece_queue q = {.job = j, .count = j->large_count + parts_of(j->batch->count, j->piece)};
  for (int64_t at = 0; at < j->large_count; at++)
    if (is_for_team(j, j->large[at])) take(e, j->large[at], j);
  /* A matrix for the team may have been the first one that is large, for which the engine has loaded a BLAS. */
  const int workers = (int)least(q.count, least(threads, machine_threads(e->machine)));
  if (workers > 1) j->workers = e->small->workers(e, workers);
  if (j->workers)
    machine_parallel_for(e->machine, workers, run_worker, &q);
  else
    for (int64_t number = 0; number < q.count; number++) take_piece(e, number, j);
}

/* Adds up the flops. Returns the number of large matrices. */
static int64_t count_large(const batch_job *j, double *flops) {
  int64_t large = 0;
  *flops = 0;
  for (int64_t i = 0; i < j->batch->count; i++) {
    const double of_matrix = flops_of(j, i);
    *flops += of_matrix, large += is_large(j, i, of_matrix);
  }
  return large;
}

/* Several pieces for each thread, of whole groups, but not so small that taking them costs more than their work. The
 * bits do not depend on the pieces. */
static int64_t piece_size(const batch_job *j, int threads, double flops) {
  enum { pieces_of_thread = 8, least_size = 16 };
  const int64_t count = j->batch->count, share = parts_of(count, (int64_t)pieces_of_thread * threads);
  const int64_t together = j->limits.count > 0 ? j->limits.count : 1;
  const bool costs_much = flops >= least_flops * (double)count;
  const int64_t size = up_to_multiple(share, costs_much ? together : least_size);
  return size < 1 ? 1 : least(size, most_of_piece); /* an empty batch has no pieces */
}

trigon_status run_batch_on_host(engine *e, const operation *o, int64_t *failed, reason *why) {
  enum { cost_of_matrix = 300, least_cost = 200000 }; /* in flops; what starting the threads must pay for */
  const int64_t count = o->batch->count;
  const small_ops *small = e->small;
  int threads = small ? machine_threads(e->machine) : 1;
  batch_job j = {.call = o, .batch = o->batch, .lock = ATOMIC_FLAG_INIT, .stopped = -1, .why = why};
  double flops;
  *failed = -1;
  if (!o->batch->A.at && count > 0) TRY(ask_engine(e, &j));
  if (small && small->batch_limits) j.limits = small->batch_limits(e, o->routine, o->A.type), j.small = small_member(o);
  if (count < 2 * j.limits.count) j.limits = (small_batch_limits){0}; /* one group would keep the other threads idle */
  if (o->eigen) TRY(take_slices(e, o, &threads, &j.limits, &j.slices));
  j.large_count = count_large(&j, &flops);
  j.team_flops = flops / (4 * threads); /* less work leaves the threads at most a quarter of their time apart */
  j.piece = piece_size(&j, threads, flops);
  int64_t *large = j.large_count > 0 ? malloc((size_t)j.large_count * sizeof *large) : NULL;
  /* Without memory for the list, this engine computes all: those of the threads cannot cut long matrices. */
  const bool has_list = large || j.large_count == 0;
  if (large)
    list_large(&j, large);
  else
    j.large_count = 0;
  j.large = large;
  const bool shared = has_list && count > 1 && flops + cost_of_matrix * (double)count > least_cost;
  run_pieces(e, &j, shared ? threads : 1);
  give_slices(e, &j.slices);
  free(large);
  *failed = j.stopped;
  return j.status;
}
