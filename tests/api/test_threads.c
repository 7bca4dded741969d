/* test_threads.c - two threads, each with its own context, compute bitwise the same as one thread after the other.
 *
 * They leave the BLAS's number of threads unchanged. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "support/results.h"

/* Sanitizers are slow. But the thread sanitizer sees a race without lucky timing, so fewer rounds are enough. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { rounds = 1 };
#else
enum { rounds = 4 };
#endif

/* The work of one thread: every routine over every type, on matrices of its own. `sums` are fingerprints of the
 * results. */
typedef struct job {
  const char *backend;
  uint64_t seed;
  uint64_t sums[tested_calls];
  bool failed;
} job;

static void work(job *j, trigon_context *ctx) {
  for (int at = 0; at < tested_calls; at++)
    if (!result_of(ctx, at, 1, j->seed, &j->sums[at])) j->failed = true;
}

static void *run(void *argument) {
  job *j = argument;
  trigon_context *ctx;
  j->failed = trigon_create(j->backend, &ctx, NULL, 0) != TRIGON_OK;
  if (j->failed) return NULL;
  work(j, ctx);
  trigon_destroy(ctx);
  return NULL;
}

static int64_t compare(const job *expected, const job *found) {
  int64_t failures = found->failed ? 1 : 0;
  for (int at = 0; at < tested_calls; at++) {
    if (expected->sums[at] == found->sums[at]) continue;
    failures++;
    printf("FAIL %s %c on \"%s\" beside another thread: not what it computes alone\n", result_routine(at),
           result_type(at), expected->backend);
  }
  return failures;
}

int main(void) {
  static const char *const pairs[][2] = {{"cpu", "cpu?stop=32"}, {"cpu", "cpu"}, {"cpu?stop=16&split=power", "cpu"}};
  static job alone[2], beside[2];
  int64_t checks = 0, failures = 0;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    for (int i = 0; i < 2; i++) {
      alone[i] = (job){.backend = pairs[p][i], .seed = 11 + (uint64_t)i};
      run(&alone[i]);
      failures += alone[i].failed;
    }
    for (int round = 0; round < rounds; round++) {
      pthread_t thread[2];
      for (int i = 0; i < 2; i++) {
        beside[i] = (job){.backend = pairs[p][i], .seed = alone[i].seed};
        if (pthread_create(&thread[i], NULL, run, &beside[i]) != 0) return 2;
      }
      for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
      for (int i = 0; i < 2; i++) failures += compare(&alone[i], &beside[i]);
      checks += 2 * tested_calls;
    }
  }
  printf("%" PRId64 " passed, %" PRId64 " failed\n", checks - failures, failures);
  return failures ? 1 : 0;
}
