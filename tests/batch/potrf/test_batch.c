/* test_batch.c - POTRF of batches: every matrix is factored as POTRF factors it, and gets its own info, whatever the
 * others are, however many threads share the batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "batches.h"
#include "cpu/processors.h"

/* One large matrix among very many of order 0 to 3. */
static void test_many(trigon_context *ctx) {
  enum { COUNT = 1 << 17, LARGE = 600, PLACE = 9 };
  int64_t *n = malloc(3 * COUNT * sizeof *n), *ld = n + COUNT, *info = n + 2 * COUNT, wrong = 0;
  double *elements = malloc(COUNT * PLACE * sizeof *elements), **A = malloc(COUNT * sizeof *A);
  batch large = {0};
  if (!n || !elements || !A) abort();
  batch_fill(&large, TRIGON_D, TRIGON_LOWER, 1, &(int64_t){LARGE});
  for (int64_t i = 0; i < COUNT; i++) {
    n[i] = i % 4, ld[i] = 3, info[i] = BATCH_UNTOUCHED, A[i] = elements + i * PLACE;
    for (int e = 0; e < PLACE; e++) A[i][e] = e % 4 == 0 ? 4 : 0;
  }
  const int64_t at = COUNT / 3;
  n[at] = LARGE, ld[at] = large.ld[0], A[at] = large.A[0];
  batch_check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, COUNT, LARGE, n, A, ld, info) == TRIGON_OK, "2^17 matrices run");
  for (int64_t i = 0; i < COUNT; i++)
    for (int64_t e = 0; e < PLACE && i != at; e++)
      wrong += info[i] != 0 || A[i][e] != (e % 4 != 0 ? 0 : e / 4 < n[i] ? 2 : 4);
  batch_check(wrong == 0, "each of 2^17 matrices holds its factor");
  large.info[0] = info[at];
  batch_check(batch_is_factored(&large, 0), "the large matrix among small ones holds its factor");
  batch_free(&large);
  free(n), free(elements), free(A);
}

/* The first batch gives the threads their buffers, and the second one takes no more. */
static void test_memory(trigon_context *ctx, bool threads) {
  int64_t before = 0, first = 0, second = 0;
  batch b = {0};
  batch_check(trigon_memory(ctx, &before) == TRIGON_OK, "the memory is told");
  for (int again = 0; again < 2; again++) {
    batch_fill(&b, TRIGON_S, TRIGON_LOWER, BATCH_MIXED - 2, mixed);
    batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK && trigon_memory(ctx, again ? &second : &first) == TRIGON_OK,
                "a batch runs");
  }
  batch_check(threads ? first > before : first == before, "each of several threads has buffers");
  batch_check(second == first, "the buffers stay");
  batch_free(&b);
}

/* An engine that can begin no call of order 30 or more. */
static trigon_status begin_small(engine *e, const operation *o, engine **work) {
  snprintf(e->machine->why->text, sizeof e->machine->why->text, "no room for order %d", (int)o->A.n);
  *work = NULL;
  return o->A.n < 30 ? TRIGON_OK : TRIGON_NO_MEMORY;
}

static trigon_status end_well(engine *e, bool succeeded) { return (void)e, (void)succeeded, TRIGON_OK; }

/* If the engine fails, each matrix concerned has an info that says so, the message names the first of them, and the
 * others are computed. */
static void test_engine_failure(void) {
  static const machine_ops ops = {.on_host = true};
  static trigon_context ctx;
  machine host = {.ops = &ops, .why = &ctx.why};
  engine failing = {.begin = begin_small, .end = end_well, .machine = &host};
  static const int64_t orders[] = {20, 0, 40, 10, 30, 50}, due[] = {0, 0, -100, 0, -100, -100};
  batch b = {0};
  ctx.engine = &failing, ctx.machine = &host;
  batch_fill(&b, TRIGON_D, TRIGON_LOWER, 6, orders);
  batch_check(batch_factor(&ctx, &b, 0) == TRIGON_INCOMPLETE, "a batch tells that the engine failed");
  batch_check(strstr(trigon_message(&ctx), "trigon_dpotrf_batch: matrix 2: no room for order 40"),
              "the message names a matrix");
  for (int64_t i = 0; i < b.count; i++)
    batch_check(b.info[i] == due[i], "the infos name the matrices that were not factored");
  batch_free(&b);
}

/* A batch of a caller that is a thread of OpenMP itself. */
static void test_inside_parallel(trigon_context *ctx) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp single
#endif
  test_mixed_orders(ctx, TRIGON_D, TRIGON_LOWER, BATCH_MIXED - 2);
}

/* A context that was made inside a parallel region has as many threads, and gives them buffers, as any other. */
static void test_created_inside_parallel(void) {
  trigon_context *outside = batch_context("cpu"), *inside = NULL;
  if (!outside) abort();
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp single
#endif
  inside = batch_context("cpu");
  if (!inside) abort();
  const int due = machine_threads(outside->machine), threads = machine_threads(inside->machine);
  if (due == 1) printf("skipped: contexts have one thread, inside of parallel regions and outside\n");
  batch_check(threads == due, "a context made inside a parallel region has all threads");
  test_memory(inside, due > 1);
  test_mixed_orders(inside, TRIGON_D, TRIGON_LOWER, BATCH_MIXED - 2);
  trigon_destroy(outside), trigon_destroy(inside);
}

/* Each call names the first bad argument, and leaves all infos alone. */
static void test_arguments(trigon_context *ctx) {
  double a = 4, *A[1] = {&a};
  int64_t n[1] = {1}, ld[1] = {1}, info[1] = {BATCH_UNTOUCHED};
#define REFUSED(words, ...)                                                                                            \
  batch_check(trigon_dpotrf_batch(__VA_ARGS__) == TRIGON_BAD_ARGUMENT && (!ctx || strstr(trigon_message(ctx), words)), \
              words)
  REFUSED("trigon_dpotrf_batch: argument 1 (uplo) is 9", ctx, (trigon_uplo)9, 1, 1, n, A, ld, info);
  REFUSED("argument 2 (count) is -1", ctx, TRIGON_LOWER, -1, 1, n, A, ld, info);
  REFUSED("argument 2 (count) is 2305843009213693953", ctx, TRIGON_LOWER, (INT64_C(1) << 61) + 1, 1, n, A, ld, info);
  REFUSED("argument 3 (max_n) is -1", ctx, TRIGON_LOWER, 1, -1, n, A, ld, info);
  REFUSED("argument 4 (n) is NULL", ctx, TRIGON_LOWER, 1, 1, NULL, A, ld, info);
  REFUSED("argument 5 (A) is NULL", ctx, TRIGON_LOWER, 1, 1, n, NULL, ld, info);
  REFUSED("argument 6 (lda) is NULL", ctx, TRIGON_LOWER, 1, 1, n, A, NULL, info);
  REFUSED("argument 7 (info) is NULL", ctx, TRIGON_LOWER, 1, 1, n, A, ld, NULL);
  REFUSED("", NULL, TRIGON_LOWER, 1, 1, n, A, ld, info);
#undef REFUSED
  batch_check(a == 4 && info[0] == BATCH_UNTOUCHED, "a refused call touches nothing");
  batch_check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, 0, 0, NULL, NULL, NULL, NULL) == TRIGON_OK,
              "an empty batch is legal");
}

static void test_context(const char *name, const char *types, bool large, trigon_uplo uplo, trigon_uplo other) {
  trigon_context *ctx = batch_context(name);
  if (!ctx) return;
  test_memory(ctx, !strstr(name, "threads=1") && !strstr(name, "trace"));
  for (const char *type = types; *type; type++) {
    const trigon_type t = (trigon_type)*type;
    const bool with_large = large && t == TRIGON_D; /* judges take long */
    test_mixed_orders(ctx, t, uplo, with_large ? BATCH_MIXED : BATCH_MIXED - 2);
    test_bad_entries(ctx, t);
    test_failures(ctx, t, other);
  }
  test_arguments(ctx);
  if (large) test_many(ctx), test_inside_parallel(ctx);
  trigon_destroy(ctx);
}

/* With the argument `threads`: a part of the test, for the thread sanitizer. With the name of a device: that device.
 * With `part` behind the name: a part of that. */
int main(int argc, char **argv) {
  batch_scratch = arena_make(256 << 20); /* unused memory costs nothing */
  if (argc > 2) return test_part(argv[1]);
  if (argc > 1 && strcmp(argv[1], "threads") != 0) return test_device(argv[1], strstr(argv[1], "sim") != NULL);
  test_context("cpu?threads=3&dirty=1", argc > 1 ? "d" : "sdcz", argc == 1, TRIGON_LOWER, TRIGON_UPPER);
  test_context("cpu?leaf=packed&threads=3&dirty=1", argc > 1 ? "d" : "sdcz", argc == 1, TRIGON_UPPER, TRIGON_LOWER);
  if (argc == 1) {
    test_engine_failure();
    test_created_inside_parallel();
    test_context("cpu?threads=2", "sdcz", true, TRIGON_UPPER, TRIGON_LOWER);
    test_context("cpu?threads=1", "sdcz", false, TRIGON_UPPER, TRIGON_LOWER);
    test_context("cpu?threads=2&stop=24&trace=1", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
    test_context("cpu:libopenblas.so.0?threads=400", "d", false, TRIGON_LOWER, TRIGON_UPPER);
    test_context("cpu:libblis.so.4?threads=2", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
    test_context("cpu?leaf=packed&arch=portable&threads=2", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
    test_groups("portable"), test_groups("avx2"), test_groups("avx512"), test_groups("neon");
  }
  arena_free(&batch_scratch);
  return batch_checked();
}
