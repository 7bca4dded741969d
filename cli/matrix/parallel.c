/* parallel.c - starts a thread for each worker, and waits for all of them. */
#include "parallel.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

/* The arguments of one worker, and its thread if it has one of its own. */
typedef struct worker_thread {
  column_work *work;
  void *data;
  int number, workers;
  bool has_thread;
  pthread_t thread;
} worker_thread;

static void *run_worker(void *argument) {
  worker_thread *w = argument;
  w->work(w->data, w->number, w->workers);
  return NULL;
}

static int count_workers(const trigon_matrix *A) {
  const double worth = 1 << 20; /* elements that are worth a thread: a millisecond's work, far more than its start */
  double workers = fmin((double)A->rows * (double)A->cols / worth, (double)sysconf(_SC_NPROCESSORS_ONLN));
  return workers < 1 ? 1 : workers > MOST_WORKERS ? MOST_WORKERS : (int)workers;
}

void parallel_columns(const trigon_matrix *A, column_work *work, void *data) {
  worker_thread all[MOST_WORKERS];
  int workers = count_workers(A);
  for (int i = 0; i < workers; i++) {
    all[i] = (worker_thread){.work = work, .data = data, .number = i, .workers = workers};
    all[i].has_thread = i > 0 && pthread_create(&all[i].thread, NULL, run_worker, &all[i]) == 0;
  }
  for (int i = 0; i < workers; i++) /* the first one, and those whose thread could not be created */
    if (!all[i].has_thread) run_worker(&all[i]);
  for (int i = 0; i < workers; i++)
    if (all[i].has_thread) pthread_join(all[i].thread, NULL);
}
