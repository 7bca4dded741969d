/* test_crowd.c - 64 threads call at once, each with a context of its own: every result has the bits of one thread, and
 * the process never has more threads than callers and processors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/processors.h"
#include "support/check.h"
#include "support/process_threads.h"
#include "support/results.h"

/* Sanitizers are slow, and need no lucky timing. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { calls_each = 2 };
#else
enum { calls_each = 16 };
#endif

#ifdef __SANITIZE_THREAD__ /* it has a thread of its own */
enum { other_threads = 2 };
#else
enum { other_threads = 1 };
#endif

enum { callers = 64, sizes = 2 };

/* Small calls, which one thread computes, and calls that want a team. */
static const double scale[sizes] = {0.3, 1};

static uint64_t alone[sizes][tested_calls]; /* what one thread computes */
static pthread_barrier_t start;
static atomic_int finished, wrong;

static uint64_t seed_of(int number) { return 11 + (uint64_t)number; }

/* Caller i begins with call i, so that different routines run at the same time. */
static void *call_often(void *number) {
  const int first = *(const int *)number;
  trigon_context *ctx = NULL;
  if (trigon_create("cpu?threads=4&blas=none", &ctx, NULL, 0) != TRIGON_OK) abort();
  pthread_barrier_wait(&start);
  for (int i = 0; i < calls_each; i++) {
    const int at = (first + i * 7) % tested_calls, size = i % sizes;
    uint64_t found;
    if (!result_of(ctx, at, scale[size], seed_of(at), &found) || found != alone[size][at]) atomic_fetch_add(&wrong, 1);
  }
  trigon_destroy(ctx);
  atomic_fetch_add(&finished, 1);
  return NULL;
}

static void compute_alone(void) {
  trigon_context *ctx = NULL;
  if (trigon_create("cpu?threads=1&blas=none", &ctx, NULL, 0) != TRIGON_OK) abort();
  bool right = true;
  for (int size = 0; size < sizes; size++)
    for (int at = 0; at < tested_calls; at++)
      right = result_of(ctx, at, scale[size], seed_of(at), &alone[size][at]) && right;
  check(right, "one thread computes every routine");
  trigon_destroy(ctx);
}

/* The largest number of threads while the callers compute. */
static int most_threads(void) {
  int most = 0;
  while (atomic_load(&finished) < callers) {
    const int now = threads_of_process();
    most = now > most ? now : most;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return most;
}

/* A thread that has been joined may be listed a little longer. */
static bool threads_become(int count) {
  enum { tries = 1000 };
  for (int i = 0; i < tries && threads_of_process() != count; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return threads_of_process() == count;
}

int main(void) {
  static pthread_t thread[callers];
  static int number[callers];
  compute_alone();
  check(threads_of_process() <= other_threads, "a context of one thread starts no other");
  if (pthread_barrier_init(&start, NULL, callers) != 0) abort();
  for (int i = 0; i < callers; i++) {
    number[i] = i;
    if (pthread_create(&thread[i], NULL, call_often, &number[i]) != 0) abort();
  }
  const int most = most_threads();
  for (int i = 0; i < callers; i++) pthread_join(thread[i], NULL);
  check(most <= other_threads + callers + processors - 1, "there are never more threads than callers and processors");
  check(threads_become(other_threads + processors - 1), "the workers have started, and stay");
  check(atomic_load(&wrong) == 0, "each caller gets the bits of one thread");
  return checked();
}
