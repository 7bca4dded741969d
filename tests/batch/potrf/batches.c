/* batches.c - batches for tests, and the tests that hold on every machine. */
#include "batches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/matrices.h"

void batch_check(bool held, const char *what) { check(held, what); }
int batch_checked(void) { return checked(); }

arena batch_scratch;

/* Makes positive definite matrices of these orders. */
void batch_fill(batch *b, trigon_type type, trigon_uplo uplo, int64_t count, const int64_t *orders) {
  static uint64_t seed; /* each batch has other matrices */
  random_stream r = {++seed};
  b->type = type, b->uplo = uplo, b->count = count;
  for (int64_t i = 0; i < count; i++) {
    guarded *g = &b->stored[i];
    guarded_shape(g, type, orders[i], orders[i], i % 4);
    matrix_fill(g->matrix, POSITIVE, uplo, TRIGON_NONUNIT, RANDOM, &r);
    guarded_snapshot(g);
    b->n[i] = orders[i], b->ld[i] = g->matrix.ld, b->A[i] = g->matrix.data, b->info[i] = BATCH_UNTOUCHED;
  }
}

trigon_status batch_factor_there(trigon_context *ctx, const batch *b, int64_t max_n, const int64_t *n, void *const *A,
                                 const int64_t *ld, int64_t *info) {
  switch (b->type) {
  case TRIGON_S: return trigon_spotrf_batch(ctx, b->uplo, b->count, max_n, n, (float *const *)A, ld, info);
  case TRIGON_D: return trigon_dpotrf_batch(ctx, b->uplo, b->count, max_n, n, (double *const *)A, ld, info);
  case TRIGON_C: return trigon_cpotrf_batch(ctx, b->uplo, b->count, max_n, n, A, ld, info);
  default: return trigon_zpotrf_batch(ctx, b->uplo, b->count, max_n, n, A, ld, info);
  }
}

/* Whether the test has a device, where the matrices and the arrays go for each call. */
bool batch_on_device;

/* Bytes as a matrix with one column. */
static trigon_matrix bytes_at(const void *data, size_t bytes) {
  return (trigon_matrix){(void *)(uintptr_t)data, TRIGON_S, (int64_t)(bytes / 4), 1, (int64_t)(bytes / 4)};
}

void *batch_send(trigon_context *ctx, const void *from, size_t bytes) {
  void *to = NULL;
  if (bytes == 0) return NULL;
  if (trigon_alloc(ctx, (int64_t)bytes, &to) != TRIGON_OK ||
      trigon_upload(ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK)
    check(false, trigon_message(ctx));
  return to;
}

void batch_receive(trigon_context *ctx, void *from, void *to, size_t bytes) {
  if (bytes == 0) return;
  if (trigon_download(ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK ||
      trigon_free(ctx, from) != TRIGON_OK)
    check(false, trigon_message(ctx));
}

/* Each matrix goes with its guards. The arrays come back, too. */
static trigon_status factor_on_device(trigon_context *ctx, batch *b, int64_t max_n) {
  void *blocks[BATCH_MOST], *A[BATCH_MOST];
  const size_t entries = (size_t)b->count * sizeof(int64_t);
  for (int64_t i = 0; i < b->count; i++) {
    const guarded *g = &b->stored[i];
    blocks[i] = batch_send(ctx, g->block, g->bytes);
    A[i] = b->A[i] ? (char *)blocks[i] + ((unsigned char *)b->A[i] - g->block) : NULL;
  }
  void *n = batch_send(ctx, b->n, entries), *addresses = batch_send(ctx, A, entries),
       *ld = batch_send(ctx, b->ld, entries), *info = batch_send(ctx, b->info, entries);
  const trigon_status status = batch_factor_there(ctx, b, max_n, n, addresses, ld, info);
  batch_receive(ctx, n, b->n, entries), batch_receive(ctx, ld, b->ld, entries),
      batch_receive(ctx, info, b->info, entries);
  void *kept[BATCH_MOST];
  batch_receive(ctx, addresses, kept, entries);
  check(memcmp(kept, A, entries) == 0, "the addresses stay as they were");
  for (int64_t i = 0; i < b->count; i++) batch_receive(ctx, blocks[i], b->stored[i].block, b->stored[i].bytes);
  return status;
}

trigon_status batch_factor(trigon_context *ctx, batch *b, int64_t max_n) {
  return batch_on_device ? factor_on_device(ctx, b, max_n)
                         : batch_factor_there(ctx, b, max_n, b->n, b->A, b->ld, b->info);
}

/* Whether nothing but the triangle of matrix i has changed. */
bool batch_is_within(const batch *b, int64_t i) {
  const region triangle = {b->uplo == TRIGON_LOWER ? REGION_LOWER : REGION_UPPER, false};
  char stray[128];
  return !guarded_stray(&b->stored[i], triangle, stray, sizeof stray);
}

/* Whether matrix i holds its factor, and nothing else has changed. */
bool batch_is_factored(const batch *b, int64_t i) {
  const guarded *g = &b->stored[i];
  const call after = {.routine = POTRF, .type = b->type, .uplo = b->uplo, .n = b->n[i], .stored = {g->matrix}};
  call before = after;
  before.stored[0] = guarded_before(g);
  if (b->info[i] != 0 || !batch_is_within(b, i)) return false;
  batch_scratch.used = 0;
  return b->n[i] == 0 || reference_for(b->type)->judge(&batch_scratch, &before, &after, NULL).held;
}

bool batch_is_untouched(const batch *b, int64_t i) {
  char stray[128];
  return !guarded_stray(&b->stored[i], (region){REGION_NONE, false}, stray, sizeof stray);
}

void batch_free(batch *b) {
  for (int64_t i = 0; i < b->count; i++) guarded_free(&b->stored[i]);
}

void test_mixed_orders(trigon_context *ctx, trigon_type type, trigon_uplo uplo, int64_t count) {
  batch b = {0}, given;
  for (int again = 0; again < 2; again++) {
    batch_fill(&b, type, uplo, count, mixed);
    given = b;
    check(batch_factor(ctx, &b, again ? mixed[BATCH_MIXED - 1] : 0) == TRIGON_OK, "a batch of mixed orders runs");
    for (int64_t i = 0; i < b.count; i++) check(batch_is_factored(&b, i), "each matrix of a batch holds its factor");
    check(memcmp(given.n, b.n, sizeof b.n) == 0 && memcmp(given.A, b.A, sizeof b.A) == 0 &&
              memcmp(given.ld, b.ld, sizeof b.ld) == 0,
          "the caller's arrays stay as they were");
  }
  batch_free(&b);
}

/* A bad entry is told in the matrix's info, as LAPACK counts POTRF's arguments; all others are factored. */
void test_bad_entries(trigon_context *ctx, trigon_type type) {
  static const int64_t orders[] = {20, 40, 30, 50, 60, 10, 0, 70, 2};
  const bool narrow = strstr(trigon_describe(ctx), "32-bit integers") != NULL; /* of a BLAS */
  const int64_t due[] = {0, -2, -3, -4, 0, -2, 0, -4, narrow ? -4 : 0};
  batch b = {0};
  batch_fill(&b, type, TRIGON_LOWER, 9, orders);
  b.n[1] = -1, b.A[2] = NULL, b.ld[3] = 49, b.n[5] = 71;
  b.A[6] = NULL, b.ld[6] = 0;             /* an empty matrix has no elements */
  b.ld[7] = INT64_MAX / 8;                /* beyond the address space */
  if (narrow) b.ld[8] = INT64_C(1) << 40; /* beyond the BLAS's integers */
  check(batch_factor(ctx, &b, 70) == TRIGON_OK, "a batch with bad entries runs");
  for (int64_t i = 0; i < b.count; i++) {
    check(b.info[i] == due[i], "a bad entry is told by info");
    if (due[i] != 0) check(batch_is_untouched(&b, i), "a matrix with a bad entry is not touched");
    if (i == 0 || i == 4) check(batch_is_factored(&b, i), "the matrices beside a bad entry are factored");
  }
  batch_free(&b);
}

/* A matrix that is not positive definite stops at its own pivot, and a NaN is not positive. */
void test_failures(trigon_context *ctx, trigon_type type, trigon_uplo uplo) {
  static const int64_t orders[] = {40, 7, 150, 33, 1, 300, 20, 530, 20, 100, 200, 129},
                       bad[] = {12, -1, 149, 0, 0, -1, 19, 400, 3, 70, 5, 66},
                       later[] = {14, -1, -1, 30, -1, -1, -1, 500, 17, 75, 150, 70};
  batch b = {0};
  batch_fill(&b, type, uplo, sizeof orders / sizeof *orders, orders);
  for (int64_t i = 0; i < b.count; i++) {
    if (bad[i] >= 0) matrix_put(b.stored[i].matrix, bad[i], bad[i], (trigon_scalar){i % 2 ? NAN : -1, 0});
    if (later[i] >= 0) matrix_put(b.stored[i].matrix, later[i], later[i], (trigon_scalar){-1, 0});
    guarded_snapshot(&b.stored[i]);
  }
  check(batch_factor(ctx, &b, 0) == TRIGON_OK, "a batch with failures runs");
  for (int64_t i = 0; i < b.count; i++) {
    if (bad[i] < 0) check(batch_is_factored(&b, i), "the matrices beside a failure are factored");
    if (bad[i] < 0) continue;
    check(b.info[i] == bad[i] + 1, "info is the first pivot that is not positive");
    check(batch_is_within(&b, i), "nothing outside the triangle has changed");
  }
  batch_free(&b);
}

trigon_context *batch_context(const char *name) {
  trigon_context *ctx = NULL;
  char why[200];
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_NOT_FOUND || (status == TRIGON_NOT_SUPPORTED && strstr(name, "arch=")))
    printf("skipped: %s: %s\n", name, why);
  else
    check(status == TRIGON_OK, why);
  return ctx;
}
