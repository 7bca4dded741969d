/* test_batch.c - POTRF of batches: every matrix is factored as POTRF factors it, and gets its own info, whatever the
 * others are, however many threads share the batch. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "check.h"
#include "guarded.h"
#include "matrices.h"
#include "reference.h"

enum { MOST = 64, UNTOUCHED = -77 };

/* A batch with a guard around every matrix. Infos hold UNTOUCHED before a call. */
typedef struct batch {
  trigon_type type;
  trigon_uplo uplo;
  int64_t count, n[MOST], ld[MOST], info[MOST];
  void *A[MOST];
  guarded stored[MOST];
} batch;

static arena scratch;

/* Makes positive definite matrices of these orders. */
static void fill(batch *b, trigon_type type, trigon_uplo uplo, int64_t count, const int64_t *orders) {
  static uint64_t seed; /* each batch has other matrices */
  random_stream r = {++seed};
  b->type = type, b->uplo = uplo, b->count = count;
  for (int64_t i = 0; i < count; i++) {
    guarded *g = &b->stored[i];
    guarded_shape(g, type, orders[i], orders[i], i % 4);
    matrix_fill(g->matrix, POSITIVE, uplo, TRIGON_NONUNIT, RANDOM, &r);
    guarded_snapshot(g);
    b->n[i] = orders[i], b->ld[i] = g->matrix.ld, b->A[i] = g->matrix.data, b->info[i] = UNTOUCHED;
  }
}

static trigon_status factor_there(trigon_context *ctx, const batch *b, int64_t max_n, const int64_t *n, void *const *A,
                                  const int64_t *ld, int64_t *info) {
  switch (b->type) {
  case TRIGON_S: return trigon_spotrf_batch(ctx, b->uplo, b->count, max_n, n, (float *const *)A, ld, info);
  case TRIGON_D: return trigon_dpotrf_batch(ctx, b->uplo, b->count, max_n, n, (double *const *)A, ld, info);
  case TRIGON_C: return trigon_cpotrf_batch(ctx, b->uplo, b->count, max_n, n, A, ld, info);
  default: return trigon_zpotrf_batch(ctx, b->uplo, b->count, max_n, n, A, ld, info);
  }
}

/* Whether the test has a device, where the matrices and the arrays go for each call. */
static bool on_device;

/* Bytes as a matrix with one column. */
static trigon_matrix bytes_at(const void *data, size_t bytes) {
  return (trigon_matrix){(void *)(uintptr_t)data, TRIGON_S, (int64_t)(bytes / 4), 1, (int64_t)(bytes / 4)};
}

static void *send(trigon_context *ctx, const void *from, size_t bytes) {
  void *to = NULL;
  if (bytes == 0) return NULL;
  if (trigon_alloc(ctx, (int64_t)bytes, &to) != TRIGON_OK ||
      trigon_upload(ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK)
    check(false, trigon_message(ctx));
  return to;
}

static void receive(trigon_context *ctx, void *from, void *to, size_t bytes) {
  if (bytes == 0) return;
  if (trigon_download(ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK ||
      trigon_free(ctx, from) != TRIGON_OK)
    check(false, trigon_message(ctx));
}

/* Each matrix goes with its guards. The arrays come back, too. */
static trigon_status factor_on_device(trigon_context *ctx, batch *b, int64_t max_n) {
  void *blocks[MOST], *A[MOST];
  const size_t entries = (size_t)b->count * sizeof(int64_t);
  for (int64_t i = 0; i < b->count; i++) {
    const guarded *g = &b->stored[i];
    blocks[i] = send(ctx, g->block, g->bytes);
    A[i] = b->A[i] ? (char *)blocks[i] + ((unsigned char *)g->matrix.data - g->block) : NULL;
  }
  void *n = send(ctx, b->n, entries), *places = send(ctx, A, entries), *ld = send(ctx, b->ld, entries),
       *info = send(ctx, b->info, entries);
  const trigon_status status = factor_there(ctx, b, max_n, n, places, ld, info);
  receive(ctx, n, b->n, entries), receive(ctx, ld, b->ld, entries), receive(ctx, info, b->info, entries);
  void *kept[MOST];
  receive(ctx, places, kept, entries);
  check(memcmp(kept, A, entries) == 0, "the addresses stay as they were");
  for (int64_t i = 0; i < b->count; i++) receive(ctx, blocks[i], b->stored[i].block, b->stored[i].bytes);
  return status;
}

static trigon_status factor(trigon_context *ctx, batch *b, int64_t max_n) {
  return on_device ? factor_on_device(ctx, b, max_n) : factor_there(ctx, b, max_n, b->n, b->A, b->ld, b->info);
}

/* Whether matrix i holds its factor, and nothing else has changed. */
static bool is_factored(const batch *b, int64_t i) {
  const guarded *g = &b->stored[i];
  char stray[128];
  const call after = {.routine = POTRF, .type = b->type, .uplo = b->uplo, .n = b->n[i], .stored = {g->matrix}};
  call before = after;
  before.stored[0] = guarded_before(g);
  const region triangle = {b->uplo == TRIGON_LOWER ? REGION_LOWER : REGION_UPPER, false};
  if (b->info[i] != 0 || guarded_stray(g, triangle, stray, sizeof stray)) return false;
  scratch.used = 0;
  return b->n[i] == 0 || reference_for(b->type)->judge(&scratch, &before, &after, NULL).held;
}

static bool is_untouched(const batch *b, int64_t i) {
  char stray[128];
  return !guarded_stray(&b->stored[i], (region){REGION_NONE, false}, stray, sizeof stray);
}

static void free_batch(batch *b) {
  for (int64_t i = 0; i < b->count; i++) guarded_free(&b->stored[i]);
}

/* Orders around those at which the leaves change, in no order. The last one is most of the work. */
static const int64_t mixed[] = {17, 0, 1, 130, 2, 64, 33, 0, 129, 5, 8, 65, 16, 3, 100, 31, 9, 48, 257, 515};
enum { MIXED = sizeof mixed / sizeof *mixed };

static void test_mixed_orders(trigon_context *ctx, trigon_type type, trigon_uplo uplo, int64_t count) {
  batch b = {0}, given;
  for (int again = 0; again < 2; again++) {
    fill(&b, type, uplo, count, mixed);
    given = b;
    check(factor(ctx, &b, again ? mixed[MIXED - 1] : 0) == TRIGON_OK, "a batch of mixed orders runs");
    for (int64_t i = 0; i < b.count; i++) check(is_factored(&b, i), "each matrix of a batch holds its factor");
    check(memcmp(given.n, b.n, sizeof b.n) == 0 && memcmp(given.A, b.A, sizeof b.A) == 0 &&
              memcmp(given.ld, b.ld, sizeof b.ld) == 0,
          "the caller's arrays stay as they were");
  }
  free_batch(&b);
}

/* A bad entry is told in the matrix's info, as LAPACK counts POTRF's arguments; all others are factored. */
static void test_bad_entries(trigon_context *ctx, trigon_type type) {
  static const int64_t orders[] = {20, 40, 30, 50, 60, 10, 0, 70, 2};
  const int64_t due[] = {0, -2, -3, -4, 0, -2, 0, -4, on_device ? 0 : -4};
  batch b = {0};
  fill(&b, type, TRIGON_LOWER, 9, orders);
  b.n[1] = -1, b.A[2] = NULL, b.ld[3] = 49, b.n[5] = 71;
  b.A[6] = NULL, b.ld[6] = 0;                 /* an empty matrix has no elements */
  b.ld[7] = INT64_MAX / 8;                    /* beyond the address space */
  if (!on_device) b.ld[8] = INT64_C(1) << 40; /* beyond the BLAS's integers */
  check(factor(ctx, &b, 70) == TRIGON_OK, "a batch with bad entries runs");
  for (int64_t i = 0; i < b.count; i++) {
    check(b.info[i] == due[i], "a bad entry is told by info");
    if (due[i] != 0) check(is_untouched(&b, i), "a matrix with a bad entry is not touched");
    if (i == 0 || i == 4) check(is_factored(&b, i), "the matrices beside a bad entry are factored");
  }
  free_batch(&b);
}

/* A matrix that is not positive definite stops at its own pivot, and a NaN is not positive. */
static void test_failures(trigon_context *ctx, trigon_type type, trigon_uplo uplo) {
  static const int64_t orders[] = {40, 7, 150, 33, 1, 300, 20, 530}, bad[] = {12, -1, 149, 0, 0, -1, 19, 400};
  batch b = {0};
  fill(&b, type, uplo, 8, orders);
  for (int64_t i = 0; i < b.count; i++)
    if (bad[i] >= 0) matrix_put(b.stored[i].matrix, bad[i], bad[i], (trigon_scalar){i % 2 ? NAN : -1, 0});
  check(factor(ctx, &b, 0) == TRIGON_OK, "a batch with failures runs");
  for (int64_t i = 0; i < b.count; i++) {
    if (bad[i] >= 0)
      check(b.info[i] == bad[i] + 1, "info is the first pivot that is not positive");
    else
      check(is_factored(&b, i), "the matrices beside a failure are factored");
  }
  free_batch(&b);
}

/* One large matrix among very many of order 0 to 3. */
static void test_many(trigon_context *ctx) {
  enum { COUNT = 1 << 17, LARGE = 600, PLACE = 9 };
  int64_t *n = malloc(3 * COUNT * sizeof *n), *ld = n + COUNT, *info = n + 2 * COUNT, wrong = 0;
  double *elements = malloc(COUNT * PLACE * sizeof *elements), **A = malloc(COUNT * sizeof *A);
  batch large = {0};
  if (!n || !elements || !A) abort();
  fill(&large, TRIGON_D, TRIGON_LOWER, 1, &(int64_t){LARGE});
  for (int64_t i = 0; i < COUNT; i++) {
    n[i] = i % 4, ld[i] = 3, info[i] = UNTOUCHED, A[i] = elements + i * PLACE;
    for (int e = 0; e < PLACE; e++) A[i][e] = e % 4 == 0 ? 4 : 0;
  }
  const int64_t at = COUNT / 3;
  n[at] = LARGE, ld[at] = large.ld[0], A[at] = large.A[0];
  check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, COUNT, LARGE, n, A, ld, info) == TRIGON_OK, "2^17 matrices run");
  for (int64_t i = 0; i < COUNT; i++)
    for (int64_t e = 0; e < PLACE && i != at; e++)
      wrong += info[i] != 0 || A[i][e] != (e % 4 != 0 ? 0 : e / 4 < n[i] ? 2 : 4);
  check(wrong == 0, "each of 2^17 matrices holds its factor");
  large.info[0] = info[at];
  check(is_factored(&large, 0), "the large matrix among small ones holds its factor");
  free_batch(&large);
  free(n), free(elements), free(A);
}

/* The first batch gives the threads their buffers, and the second one takes no more. */
static void test_memory(trigon_context *ctx, bool threads) {
  int64_t before = 0, first = 0, second = 0;
  batch b = {0};
  check(trigon_memory(ctx, &before) == TRIGON_OK, "the memory is told");
  for (int again = 0; again < 2; again++) {
    fill(&b, TRIGON_S, TRIGON_LOWER, MIXED - 2, mixed);
    check(factor(ctx, &b, 0) == TRIGON_OK && trigon_memory(ctx, again ? &second : &first) == TRIGON_OK, "a batch runs");
  }
  check(threads ? first > before : first == before, "each of several threads has buffers");
  check(second == first, "the buffers stay");
  free_batch(&b);
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
  machine host = {&ops, &ctx.why};
  engine failing = {.begin = begin_small, .end = end_well, .machine = &host};
  static const int64_t orders[] = {20, 0, 40, 10, 30, 50}, due[] = {0, 0, -5, 0, -5, -5};
  batch b = {0};
  ctx.engine = &failing, ctx.machine = &host;
  fill(&b, TRIGON_D, TRIGON_LOWER, 6, orders);
  check(factor(&ctx, &b, 0) == TRIGON_INCOMPLETE, "a batch tells that the engine failed");
  check(strstr(trigon_message(&ctx), "trigon_dpotrf_batch: matrix 2: no room for order 40"),
        "the message names a matrix");
  for (int64_t i = 0; i < b.count; i++)
    check(b.info[i] == due[i], "the infos name the matrices that were not factored");
  free_batch(&b);
}

/* A batch of a caller that is a thread of OpenMP itself. */
static void test_inside_parallel(trigon_context *ctx) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp single
#endif
  test_mixed_orders(ctx, TRIGON_D, TRIGON_LOWER, MIXED - 2);
}

/* Each call names the first bad argument, and leaves all infos alone. */
static void test_arguments(trigon_context *ctx) {
  double a = 4, *A[1] = {&a};
  int64_t n[1] = {1}, ld[1] = {1}, info[1] = {UNTOUCHED};
#define REFUSED(words, ...)                                                                                            \
  check(trigon_dpotrf_batch(__VA_ARGS__) == TRIGON_BAD_ARGUMENT && (!ctx || strstr(trigon_message(ctx), words)), words)
  REFUSED("trigon_dpotrf_batch: argument 1 (uplo) is 9", ctx, (trigon_uplo)9, 1, 1, n, A, ld, info);
  REFUSED("argument 2 (count) is -1", ctx, TRIGON_LOWER, -1, 1, n, A, ld, info);
  REFUSED("argument 3 (max_n) is -1", ctx, TRIGON_LOWER, 1, -1, n, A, ld, info);
  REFUSED("argument 4 (n) is NULL", ctx, TRIGON_LOWER, 1, 1, NULL, A, ld, info);
  REFUSED("argument 5 (A) is NULL", ctx, TRIGON_LOWER, 1, 1, n, NULL, ld, info);
  REFUSED("argument 6 (ld) is NULL", ctx, TRIGON_LOWER, 1, 1, n, A, NULL, info);
  REFUSED("argument 7 (info) is NULL", ctx, TRIGON_LOWER, 1, 1, n, A, ld, NULL);
  REFUSED("", NULL, TRIGON_LOWER, 1, 1, n, A, ld, info);
#undef REFUSED
  check(a == 4 && info[0] == UNTOUCHED, "a refused call touches nothing");
  check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, 0, 0, NULL, NULL, NULL, NULL) == TRIGON_OK, "an empty batch is legal");
}

static trigon_context *context(const char *name) {
  trigon_context *ctx = NULL;
  char why[200];
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_NOT_FOUND)
    printf("skipped: %s: %s\n", name, why);
  else
    check(status == TRIGON_OK, why);
  return ctx;
}

static void test_context(const char *name, const char *types, bool large, trigon_uplo uplo, trigon_uplo other) {
  trigon_context *ctx = context(name);
  if (!ctx) return;
  test_memory(ctx, !strstr(name, "threads=1") && !strstr(name, "trace"));
  for (const char *type = types; *type; type++) {
    const trigon_type t = (trigon_type)*type;
    const bool with_large = large && t == TRIGON_D; /* judges take long */
    test_mixed_orders(ctx, t, uplo, with_large ? MIXED : MIXED - 2);
    test_bad_entries(ctx, t);
    test_failures(ctx, t, other);
  }
  test_arguments(ctx);
  if (large) test_many(ctx), test_inside_parallel(ctx);
  trigon_destroy(ctx);
}

/* Arrays that are not where the matrices are. */
static void test_host_arrays(trigon_context *ctx) {
  batch b = {0};
  fill(&b, TRIGON_D, TRIGON_LOWER, 1, &(int64_t){4});
  check(factor_there(ctx, &b, 0, b.n, b.A, b.ld, b.info) == TRIGON_BAD_ARGUMENT, "a device refuses arrays of the host");
  check(strstr(trigon_message(ctx), "trigon_dpotrf_batch: argument 4 (n)") != NULL, "the message names the argument");
  check(b.info[0] == UNTOUCHED && is_untouched(&b, 0), "a refused call touches nothing");
  free_batch(&b);
}

/* Orders around the classes of the kernels: one of each, in several blocks. */
static void test_classes(trigon_context *ctx, trigon_type type, trigon_uplo uplo) {
  static const int64_t bounds[] = {16, 32, 33, 0};
  int64_t orders[MOST];
  batch b = {0};
  for (int k = 0; k < 4; k++) {
    for (int64_t i = 0; i < MOST; i++) orders[i] = bounds[k] > 0 ? (i * 7 + 3) % (bounds[k] + 1) : (i * 5) % 70;
    fill(&b, type, uplo, MOST, orders);
    check(factor(ctx, &b, bounds[k]) == TRIGON_OK, "a batch of small orders runs");
    for (int64_t i = 0; i < b.count; i++) check(is_factored(&b, i), "each small matrix holds its factor");
  }
  free_batch(&b);
}

/* One matrix for each way through the kernels: for detectors of races, which take long. */
static int test_part(const char *name) {
  static const int64_t orders[] = {20, 3, 90, 60, 200};
  trigon_context *ctx = context(name);
  on_device = true;
  for (const char *type = "cd"; ctx && *type; type++) {
    batch b = {0};
    fill(&b, (trigon_type)*type, TRIGON_UPPER, 5, orders);
    check(factor(ctx, &b, 0) == TRIGON_OK, "a batch runs");
    for (int64_t i = 0; i < b.count; i++) check(is_factored(&b, i), "each matrix holds its factor");
    free_batch(&b);
  }
  trigon_destroy(ctx);
  arena_free(&scratch);
  return checked();
}

/* `small`: a simulated GPU, which takes long. */
static int test_device(const char *name, bool small) {
  trigon_context *ctx = context(name);
  on_device = true;
  if (!ctx) return checked();
  test_host_arrays(ctx);
  for (const char *type = "sdcz"; *type; type++) {
    const trigon_type t = (trigon_type)*type;
    const trigon_uplo uplo = *type == 's' || *type == 'z' ? TRIGON_LOWER : TRIGON_UPPER,
                      other = uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER;
    test_mixed_orders(ctx, t, uplo, small ? MIXED - 2 : MIXED);
    test_classes(ctx, t, other);
    test_bad_entries(ctx, t);
    test_failures(ctx, t, other);
  }
  trigon_destroy(ctx);
  arena_free(&scratch);
  return checked();
}

/* With the argument `threads`: a part of the test, for the thread sanitizer. With the name of a device: that device.
 * With `part` behind the name: a part of that. */
int main(int argc, char **argv) {
  scratch = arena_make(64 << 20);
  if (argc > 2) return test_part(argv[1]);
  if (argc > 1 && strcmp(argv[1], "threads") != 0) return test_device(argv[1], strstr(argv[1], "sim") != NULL);
  test_context("cpu?threads=3&dirty=1", argc > 1 ? "d" : "sdcz", argc == 1, TRIGON_LOWER, TRIGON_UPPER);
  test_context("cpu?leaf=packed&threads=3&dirty=1", argc > 1 ? "d" : "sdcz", argc == 1, TRIGON_UPPER, TRIGON_LOWER);
  if (argc == 1) {
    test_engine_failure();
    test_context("cpu?threads=2", "sdcz", true, TRIGON_UPPER, TRIGON_LOWER);
    test_context("cpu?threads=1", "sdcz", false, TRIGON_UPPER, TRIGON_LOWER);
    test_context("cpu?threads=2&stop=24&trace=1", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
    test_context("cpu?leaf=vendor&threads=400", "d", false, TRIGON_LOWER, TRIGON_UPPER); /* more than OpenBLAS serves */
    test_context("cpu:libblis.so.4?threads=2", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
    test_context("cpu?leaf=packed&kernels=portable&threads=2", "sdcz", false, TRIGON_LOWER, TRIGON_UPPER);
  }
  arena_free(&scratch);
  return checked();
}
