/* batch_groups.c - POTRF of small matrices that share vectors: each is factored as if it was alone, at every order, and
 * whatever its neighbours are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batches.h"
#include "support/matrices.h"

enum { ORDERS = 46 }; /* of a batch: not whole groups, and three quarters of them are two groups of 16 or more */

/* What a batch has made of its matrices. */
typedef struct results {
  unsigned char *block[ORDERS];
} results;

static void keep(const batch *b, results *r) {
  for (int64_t i = 0; i < b->count; i++) {
    r->block[i] = malloc(b->stored[i].bytes);
    if (!r->block[i]) abort();
    memcpy(r->block[i], b->stored[i].block, b->stored[i].bytes);
  }
}

static void forget(const batch *b, results *r) {
  for (int64_t i = 0; i < b->count; i++) free(r->block[i]);
}

/* Whether matrix i equals the kept bytes in the first columns of its factor, and its snapshot in the others. */
static bool is_factored_before(const batch *b, int64_t i, const results *r, int64_t columns) {
  const guarded *g = &b->stored[i];
  const size_t size = element_size(b->type);
  const unsigned char *data = g->matrix.data;
  for (int64_t j = 0; j < b->n[i]; j++)
    for (int64_t row = 0; row < b->n[i]; row++) {
      const size_t at = (size_t)(data - g->block) + (size_t)(j * g->matrix.ld + row) * size;
      const bool in_triangle = b->uplo == TRIGON_LOWER ? row >= j : row <= j;
      const bool is_factor = in_triangle && (b->uplo == TRIGON_LOWER ? j : row) < columns;
      if (memcmp(g->block + at, (is_factor ? r->block[i] : g->copy) + at, size) != 0) return false;
    }
  return true;
}

static void restore(batch *b) {
  for (int64_t i = 0; i < b->count; i++) guarded_restore(&b->stored[i]), b->info[i] = BATCH_UNTOUCHED;
}

/* The matrices in reverse, without every fourth one: groups are others, and the bits stay. */
static void test_neighbours(trigon_context *ctx, batch *b, const results *r) {
  int64_t n[ORDERS], ld[ORDERS], info[ORDERS];
  void *A[ORDERS];
  batch fewer = {.type = b->type, .uplo = b->uplo};
  for (int64_t i = b->count - 1; i >= 0; i--)
    if (i % 4 != 0) n[fewer.count] = b->n[i], ld[fewer.count] = b->ld[i], A[fewer.count++] = b->A[i];
  restore(b);
  batch_check(batch_factor_there(ctx, &fewer, 0, n, A, ld, info) == TRIGON_OK, "a part of a batch runs");
  for (int64_t i = 0; i < b->count; i++)
    batch_check(memcmp(b->stored[i].block, i % 4 != 0 ? r->block[i] : b->stored[i].copy, b->stored[i].bytes) == 0,
                "what a matrix becomes does not depend on its neighbours");
}

/* Every second matrix is not positive definite. */
static void test_failing_neighbours(trigon_context *ctx, batch *b, const results *r) {
  restore(b);
  for (int64_t i = 0; i < b->count; i += 2)
    if (b->n[i] > 0) {
      const int64_t bad = 5 * i % b->n[i];
      matrix_put(b->stored[i].matrix, bad, bad, (trigon_scalar){i % 4 ? NAN : -1, 0});
      guarded_snapshot(&b->stored[i]);
    }
  batch_check(batch_factor(ctx, b, 0) == TRIGON_OK, "a batch with failures runs");
  for (int64_t i = 0; i < b->count; i++) {
    const bool fails = i % 2 == 0 && b->n[i] > 0;
    const int64_t sound = fails ? 5 * i % b->n[i] : b->n[i];
    batch_check(b->info[i] == (fails ? sound + 1 : 0), "info is the first pivot that is not positive");
    batch_check(is_factored_before(b, i, r, sound), "the columns before that pivot hold the factor, others stay");
    batch_check(batch_is_within(b, i), "nothing outside the triangle has changed");
  }
}

/* The orders first .. first + ORDERS - 1, in no order. */
static void test_orders(trigon_context *ctx, trigon_context *alone, trigon_type type, trigon_uplo uplo, int64_t first) {
  int64_t orders[ORDERS];
  batch b = {0};
  results r;
  for (int64_t i = 0; i < ORDERS; i++) orders[i] = first + i * 17 % ORDERS;
  batch_fill(&b, type, uplo, ORDERS, orders);
  batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK, "a batch of small orders runs");
  for (int64_t i = 0; i < b.count; i++) batch_check(batch_is_factored(&b, i), "each small matrix holds its factor");
  keep(&b, &r);
  test_neighbours(alone, &b, &r);
  test_failing_neighbours(ctx, &b, &r);
  forget(&b, &r);
  batch_free(&b);
}

void test_groups(const char *kernels) {
  char name[100];
  snprintf(name, sizeof name, "cpu?leaf=packed&arch=%s&threads=2&dirty=1", kernels);
  trigon_context *ctx = batch_context(name);
  snprintf(name, sizeof name, "cpu?leaf=packed&arch=%s&threads=1", kernels);
  trigon_context *alone = batch_context(name);
  for (const char *type = "sdcz"; ctx && alone && *type; type++)
    for (int64_t first = 0; first < 3 * ORDERS; first += ORDERS)
      test_orders(ctx, alone, (trigon_type)*type, first % 4 ? TRIGON_UPPER : TRIGON_LOWER, first),
          test_orders(ctx, alone, (trigon_type)*type, first % 4 ? TRIGON_LOWER : TRIGON_UPPER, first);
  trigon_destroy(ctx), trigon_destroy(alone);
}
