/* test_solver_threads.c - two threads, each with a context of its own, find bitwise what one thread finds alone. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "solver_calls.h"
#include "spectra.h"
#include "support/check.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { rounds = 1 };
#else
enum { rounds = 4 };
#endif

enum { order = 150, cases = 16 }; /* threads share a merge of this order */

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};

/* The work of a thread, and a fingerprint of each of its results. */
typedef struct job {
  const char *context;
  uint64_t seed, sums[cases];
  bool failed;
} job;

/* FNV-1a */
static uint64_t fingerprint(uint64_t sum, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (size_t i = 0; i < bytes; i++) sum = (sum ^ p[i]) * UINT64_C(1099511628211);
  return sum;
}

/* Every type with each job, by SYEVD and by SYGVD. */
static void solve(job *j, trigon_context *ctx, int number) {
  random_stream r = {j->seed + (uint64_t)number};
  const trigon_type type = types[number % 4];
  solver_case one = {.call = {.routine = number / 8 ? SYGVD : SYEVD, .type = type, .itype = 1, .n = order}};
  one.call.uplo = number % 3 ? TRIGON_LOWER : TRIGON_UPPER;
  one.call.job = number / 4 % 2 ? TRIGON_VECTORS : TRIGON_VALUES;
  dense A = random_matrix(order, type, &r), B = positive_matrix(order, type, &r);
  case_fill(&one, &A, number / 8 ? &B : NULL);
  if (case_run(ctx, &one) != TRIGON_OK || one.info != 0) j->failed = true;
  j->sums[number] = fingerprint(fingerprint(1, one.A.block, one.A.bytes), one.w.block, one.w.bytes);
  dense_free(&A), dense_free(&B), case_free(&one);
}

static void *run(void *argument) {
  job *j = argument;
  trigon_context *ctx;
  j->failed = trigon_create(j->context, &ctx, NULL, 0) != TRIGON_OK;
  for (int i = 0; i < cases && !j->failed; i++) solve(j, ctx, i);
  if (!j->failed) trigon_destroy(ctx);
  return NULL;
}

static void check_round(const job *alone) {
  job beside[2];
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) {
    beside[i] = (job){.context = alone[i].context, .seed = alone[i].seed};
    if (pthread_create(&thread[i], NULL, run, &beside[i]) != 0) exit(2);
  }
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++) {
    check_that(!beside[i].failed, "\"%s\" beside another thread failed", alone[i].context);
    for (int k = 0; k < cases; k++)
      check_that(beside[i].sums[k] == alone[i].sums[k], "case %d on \"%s\" has other bits beside another thread", k,
                 alone[i].context);
  }
}

int main(void) {
  static const char *const pairs[][2] = {{"cpu", "cpu"}, {"cpu?threads=3", "cpu?threads=2&stop=16&dirty=1"}};
  for (int p = 0; p < 2; p++) {
    static job alone[2];
    for (int i = 0; i < 2; i++) {
      alone[i] = (job){.context = pairs[p][i], .seed = 100 * (uint64_t)(i + 1)};
      run(&alone[i]);
      check_that(!alone[i].failed, "\"%s\" failed", pairs[p][i]);
    }
    for (int k = 0; k < rounds; k++) check_round(alone);
  }
  return checked();
}
