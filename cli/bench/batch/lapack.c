/* lapack.c - the loop over LAPACK or a BLAS that a batch is compared with (lapack.h).
 *
 * All threads draw matrices from one counter. The caller draws, too, and then waits for the threads that still compute.
 * A thread that wakes up too late finds no matrices left, and nobody waits for it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "lapack.h"
#include "../lapack_eigen.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lapack_loop {
  void *library;
  pthread_mutex_t lock; /* guards the members below but `next` */
  pthread_cond_t begun, done;
  /* The present batch. Threads read it only while they are counted in `computing`. */
  direct_fn *routine;
  const batch_operands *batch;
  int64_t count; /* of its matrices */
  int64_t round; /* the number of batches so far */
  int computing; /* helpers that have begun, and not ended, their part of the present round */
  bool stops;
  atomic_int_fast64_t next; /* the first matrix that nobody has taken */
  int64_t taken;            /* so many are taken at once */
  int helpers;              /* threads beside the caller's */
  pthread_t helper[];
};

/* ---------------------------------------------------------------------------------------------------- calls -- */

typedef void factor_fn(const char *uplo, const int32_t *n, void *A, const int32_t *lda, int32_t *info, size_t);
typedef void trtri_fn(const char *uplo, const char *diag, const int32_t *n, void *A, const int32_t *lda, int32_t *info,
                      size_t, size_t);
typedef void solve_fn(const char *uplo, const int32_t *n, const int32_t *nrhs, void *A, const int32_t *lda, void *B,
                      const int32_t *ldb, int32_t *info, size_t);

direct_fn *batch_lapack_find(void *library, const batch_operands *b) {
  const bool fits = b->orders.largest <= INT32_MAX && b->columns <= INT32_MAX && b->inner <= INT32_MAX;
  const problem p = batch_problem_of_order(b, b->orders.largest);
  if (fits && b->batch->is_blas) return (direct_fn *)direct_call(library, NATIVE_DIRECT, &p);
  return fits ? direct_find(library, direct_name(&p), b->type) : NULL;
}

/* A thread that computes matrices of the present batch. */
typedef struct drawer {
  problem largest;             /* the problem of the largest matrix; of a BLAS's routine that of the present matrix */
  eigen_workspaces workspaces; /* of an eigensolver, for the largest matrix */
  bool is_ready;               /* the workspaces are there */
} drawer;

/* Computes matrix i by a routine of LAPACK. Returns LAPACK's info. */
static int32_t call_lapack(direct_fn *lapack, const batch_operands *b, int64_t i, const drawer *by) {
  const char *const uplo = by->largest.uplo == TRIGON_LOWER ? "L" : "U";
  const char *const diag = by->largest.diag == TRIGON_UNIT ? "U" : "N";
  const int32_t n = (int32_t)b->orders.n[i], columns = (int32_t)b->sizes[N][i];
  void *const A = b->operand[0].address[i];
  int32_t info;
  if (routine_has(b->routine, 'm')) /* POTRS and POSV have right-hand sides */
    ((solve_fn *)lapack)(uplo, &n, &columns, A, &n, b->operand[1].address[i], &n, &info, 1);
  else if (strcmp(b->routine->name, "trtri") == 0)
    ((trtri_fn *)lapack)(uplo, diag, &n, A, &n, &info, 1, 1);
  else
    ((factor_fn *)lapack)(uplo, &n, A, &n, &info, 1);
  return info;
}

static int32_t call_eigen(direct_fn *lapack, const batch_operands *b, int64_t i, const drawer *by) {
  enum { out_of_memory = -1010 }; /* LAPACKE's info */
  const int64_t n = b->orders.n[i];
  const trigon_matrix X[] = {{b->operand[0].address[i], b->type, n, n, n},
                             {b->operand[1].address[i], b->type, n, 1, n}};
  return by->is_ready ? lapack_eigen_call(lapack, &by->largest, X, &by->workspaces) : out_of_memory;
}

/* Routines of a BLAS do not fail. */
static int32_t call_blas(direct_fn *blas, const batch_operands *b, int64_t i, drawer *by) {
  trigon_matrix X[MOST_OPERANDS] = {0};
  batch_operands_single(b, i, &by->largest, X);
  ((routine_call *)blas)(NULL, &by->largest, X);
  return 0;
}

/* Computes matrix i. Returns its info. */
static int32_t call(direct_fn *routine, const batch_operands *b, int64_t i, drawer *by) {
  if (b->batch->is_blas) return call_blas(routine, b, i, by);
  return routine_is_eigen(b->routine) ? call_eigen(routine, b, i, by) : call_lapack(routine, b, i, by);
}

/* -------------------------------------------------------------------------------------------------- threads -- */

static void draw(lapack_loop *loop) {
  const batch_operands *const b = loop->batch;
  const bool is_eigen = routine_is_eigen(b->routine);
  int64_t *const info = b->info.data;
  const int64_t count = b->orders.count, taken = loop->taken;
  drawer by = {.largest = batch_problem_of_order(b, b->orders.largest)};
  if (is_eigen) by.is_ready = lapack_eigen_alloc(loop->routine, &by.largest, b->orders.largest, &by.workspaces);
  for (int64_t first; (first = atomic_fetch_add(&loop->next, taken)) < count;)
    for (int64_t i = first; i < first + taken && i < count; i++) info[i] = call(loop->routine, b, i, &by);
  if (is_eigen) lapack_eigen_free(&by.workspaces);
}

/* The lock is held. */
static void end_part(lapack_loop *loop) {
  if (--loop->computing == 0) pthread_cond_signal(&loop->done);
}

/* Waits for the helpers. The lock is held. */
static void await_parts(lapack_loop *loop) {
  while (loop->computing > 0) pthread_cond_wait(&loop->done, &loop->lock);
}

static void *help(void *argument) {
  lapack_loop *const loop = argument;
  pthread_mutex_lock(&loop->lock);
  direct_set_one_thread(loop->library);
  end_part(loop);
  for (int64_t round = 0;;) {
    while (loop->round == round && !loop->stops) pthread_cond_wait(&loop->begun, &loop->lock);
    if (loop->stops) break;
    round = loop->round;
    if (atomic_load(&loop->next) >= loop->count) continue; /* the caller may have freed the batch */
    loop->computing++;
    pthread_mutex_unlock(&loop->lock);
    draw(loop);
    pthread_mutex_lock(&loop->lock);
    end_part(loop);
  }
  pthread_mutex_unlock(&loop->lock);
  return NULL;
}

lapack_loop *lapack_loop_start(void *library, int threads) {
  lapack_loop *const loop = calloc(1, sizeof *loop + (size_t)threads * sizeof *loop->helper);
  if (!loop) return NULL;
  loop->library = library;
  pthread_mutex_init(&loop->lock, NULL);
  pthread_cond_init(&loop->begun, NULL);
  pthread_cond_init(&loop->done, NULL);
  pthread_mutex_lock(&loop->lock);
  direct_set_one_thread(library);
  while (loop->helpers < threads - 1 && pthread_create(&loop->helper[loop->helpers], NULL, help, loop) == 0)
    loop->helpers++, loop->computing++;
  await_parts(loop); /* no call may run while a helper changes the library's number of threads */
  pthread_mutex_unlock(&loop->lock);
  return loop;
}

void lapack_loop_stop(lapack_loop *loop) {
  if (!loop) return;
  pthread_mutex_lock(&loop->lock);
  loop->stops = true;
  pthread_cond_broadcast(&loop->begun);
  pthread_mutex_unlock(&loop->lock);
  for (int i = 0; i < loop->helpers; i++) pthread_join(loop->helper[i], NULL);
  pthread_cond_destroy(&loop->done);
  pthread_cond_destroy(&loop->begun);
  pthread_mutex_destroy(&loop->lock);
  free(loop);
}

/* A thread takes several small matrices at once, but not so many that another thread waits for it. */
static int64_t taken_at_once(int64_t count, int threads) {
  enum { most = 16, turns = 32 };
  const int64_t share = count / ((int64_t)turns * threads);
  return share < 1 ? 1 : share < most ? share : most;
}

void lapack_loop_run(lapack_loop *loop, direct_fn *routine, const batch_operands *b) {
  pthread_mutex_lock(&loop->lock);
  loop->routine = routine;
  loop->batch = b;
  loop->count = b->orders.count;
  loop->taken = taken_at_once(b->orders.count, 1 + loop->helpers);
  atomic_store(&loop->next, 0);
  loop->round++;
  pthread_cond_broadcast(&loop->begun);
  pthread_mutex_unlock(&loop->lock);
  draw(loop);
  pthread_mutex_lock(&loop->lock);
  await_parts(loop);
  pthread_mutex_unlock(&loop->lock);
}

/* --------------------------------------------------------------------------------------------------- number -- */

static int allowed_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set can hold */
  return online > 0 ? (int)online : 1;
}

int lapack_loop_threads(const char *backend) {
  static const char option[] = "threads=";
  const int processors = allowed_processors();
  const char *text = strstr(backend, option);
  if (text) text += strlen(option); /* trigon_create has checked the number */
  if (!text) text = getenv("TRIGON_NUM_THREADS");
  if (!text) text = getenv("OMP_NUM_THREADS");
  const int wanted = text ? atoi(text) : 0;
  return wanted > 0 && wanted < processors ? wanted : processors;
}
