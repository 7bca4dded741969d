/* test_threads.c - two threads, each with its own context, compute bitwise the same as one thread after the other.
 *
 * They leave the BLAS's number of threads unchanged. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/guarded.h"
#include "support/matrices.h"

enum { TYPES = 4, CALLS = TESTED_ROUTINES * TYPES };
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
  uint64_t sums[CALLS];
  bool failed;
} job;

/* FNV-1a over the whole buffer, guards included, by words of four bytes, because a sanitizer looks at every access. */
static uint64_t fingerprint(const guarded *g, uint64_t sum) {
  for (size_t i = 0; i < g->bytes; i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, g->block + i, sizeof word);
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
  }
  return sum;
}

/* Large enough that several threads share a leaf. */
static call large_call(enum tested_routine routine, trigon_type type, int64_t *info) {
  return (call){.routine = routine,
                .type = type,
                .side = TRIGON_LEFT,
                .uplo = TRIGON_LOWER,
                .op = TRIGON_NOTRANS,
                .opB = TRIGON_NOTRANS,
                .diag = TRIGON_NONUNIT,
                .m = 210,
                .n = 180,
                .k = 150,
                .alpha = {0.7, 0},
                .beta = {-1.3, 0},
                .info = info};
}

static void work(job *j, trigon_context *ctx) {
  static const char types[] = "sdcz";
  guarded stored[3] = {{0}};
  for (int at = 0; at < CALLS; at++) {
    int64_t info = -1;
    random_stream r = {j->seed};
    call c = large_call((enum tested_routine)(at / TYPES), (trigon_type)types[at % TYPES], &info);
    for (int i = 0; i < operands(c.routine); i++) {
      int64_t rows, cols;
      operand_shape(&c, i, &rows, &cols);
      guarded_shape(&stored[i], c.type, rows, cols, 3);
      c.stored[i] = stored[i].matrix;
      matrix_fill(c.stored[i], routines[c.routine].operand[i].storage, c.uplo, c.diag, RANDOM, &r);
    }
    if (call_matrix(ctx, &c) != TRIGON_OK || (takes(c.routine, "info") && info != 0)) j->failed = true;
    j->sums[at] = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < operands(c.routine); i++) j->sums[at] = fingerprint(&stored[i], j->sums[at]);
  }
  for (int i = 0; i < 3; i++) guarded_free(&stored[i]);
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
  for (int at = 0; at < CALLS; at++) {
    if (expected->sums[at] == found->sums[at]) continue;
    failures++;
    printf("FAIL %s %c on \"%s\" beside another thread: not what it computes alone\n", routines[at / TYPES].name,
           "sdcz"[at % TYPES], expected -> backend);
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
      checks += 2 * CALLS;
    }
  }
  printf("%" PRId64 " passed, %" PRId64 " failed\n", checks - failures, failures);
  return failures ? 1 : 0;
}
