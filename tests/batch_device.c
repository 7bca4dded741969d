/* batch_device.c - POTRF of batches on a device: its arrays, its classes of orders, pivots at the end of the range. */
#include <stdio.h>
#include <string.h>

#include "batches.h"
#include "matrices.h"

/* Each array in turn that is not where the matrices are, or not aligned. */
static void test_arrays_elsewhere(trigon_context *ctx) {
  static const char *const named[] = {"argument 4 (n)", "argument 5 (A)", "argument 6 (ld)", "argument 7 (info)"};
  int64_t words[2] = {BATCH_UNTOUCHED, BATCH_UNTOUCHED};
  batch b = {0};
  batch_fill(&b, TRIGON_D, TRIGON_LOWER, 1, &(int64_t){4});
  void *there = batch_send(ctx, words, sizeof words);
  void *const elsewhere[] = {words, (char *)there + 4};
  for (int kind = 0; kind < 2; kind++)
    for (int k = 0; k < 4; k++) {
      void *array[4] = {there, there, there, there};
      array[k] = elsewhere[kind];
      batch_check(batch_factor_there(ctx, &b, 0, array[0], array[1], array[2], array[3]) == TRIGON_BAD_ARGUMENT &&
                      strstr(trigon_message(ctx), named[k]) != NULL,
                  "an array elsewhere is refused by its name");
    }
  batch_check(batch_factor_there(ctx, &b, 0, there, there, there, there) == TRIGON_OK, "device arrays are accepted");
  batch_receive(ctx, there, words, sizeof words);
  batch_check(words[0] == -2, "an order of -77 is told by info");
  batch_free(&b);
}

/* A pivot so small that a division by it overflows, in matrices of several classes. */
static void test_small_pivots(trigon_context *ctx, trigon_type type) {
  static const int64_t orders[] = {2, 20, 40, 100, 140};
  const bool is_single = type == TRIGON_S || type == TRIGON_C;
  const double pivot = is_single ? 1.4e-43 : 1e-315, below = is_single ? 2.6e-3 : 2e-4, next = is_single ? 1e38 : 1e308;
  batch b = {0};
  batch_fill(&b, type, TRIGON_LOWER, 5, orders);
  for (int64_t i = 0; i < b.count; i++) {
    const trigon_matrix A = b.stored[i].matrix;
    for (int64_t c = 0; c < A.cols; c++)
      for (int64_t r = c; r < A.rows; r++)
        matrix_put(A, r, c, (trigon_scalar){r > c ? r == 1 ? below : 0 : c == 0 ? pivot : c == 1 ? next : 1, 0});
    guarded_snapshot(&b.stored[i]);
  }
  batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK, "a batch with small pivots runs");
  for (int64_t i = 0; i < b.count; i++)
    batch_check(b.info[i] == 0 && batch_is_within(&b, i), "a small pivot is positive");
  batch_free(&b);
}

/* An address that is not aligned to an element is a bad entry. */
static void test_alignment(trigon_context *ctx) {
  static const int64_t orders[] = {3, 4};
  batch b = {0};
  batch_fill(&b, TRIGON_Z, TRIGON_LOWER, 2, orders);
  b.A[0] = (char *)b.A[0] + 8;
  batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK && b.info[0] == -3 && batch_is_untouched(&b, 0),
              "an address that is not aligned");
  batch_check(batch_is_factored(&b, 1), "the matrix beside it is factored");
  batch_free(&b);
}

/* Orders around the classes of the kernels: one of each, in several blocks. */
static void test_classes(trigon_context *ctx, trigon_type type, trigon_uplo uplo) {
  static const int64_t bounds[] = {16, 32, 33, 0};
  int64_t orders[BATCH_MOST];
  batch b = {0};
  for (int k = 0; k < 4; k++) {
    for (int64_t i = 0; i < BATCH_MOST; i++) orders[i] = bounds[k] > 0 ? (i * 7 + 3) % (bounds[k] + 1) : (i * 5) % 70;
    batch_fill(&b, type, uplo, BATCH_MOST, orders);
    batch_check(batch_factor(ctx, &b, bounds[k]) == TRIGON_OK, "a batch of small orders runs");
    for (int64_t i = 0; i < b.count; i++) batch_check(batch_is_factored(&b, i), "each small matrix holds its factor");
  }
  batch_free(&b);
}

/* A few matrices for each way through the kernels: for detectors of races, which take long. */
int test_part(const char *name) {
  static const int64_t orders[] = {20, 3, 90, 60, 200, 5, 130, 40}, small[] = {9, 16, 31, 17, 2, 0, 32, 8};
  trigon_context *ctx = batch_context(name);
  batch_on_device = true;
  for (const char *type = "cd"; ctx && *type; type++)
    for (int turn = 0; turn < 4; turn++) {
      batch b = {0};
      batch_fill(&b, (trigon_type)*type, turn % 2 ? TRIGON_UPPER : TRIGON_LOWER, 8, turn < 2 ? orders : small);
      if (turn < 2) matrix_put(b.stored[6].matrix, 70, 70, (trigon_scalar){-1, 0});
      if (turn < 2) guarded_snapshot(&b.stored[6]);
      batch_check(batch_factor(ctx, &b, turn < 2 ? 0 : 32) == TRIGON_OK, "a batch runs");
      for (int64_t i = 0; i < b.count; i++)
        batch_check(turn < 2 && i == 6 ? b.info[i] == 71 : batch_is_factored(&b, i), "each matrix holds its factor");
      batch_free(&b);
    }
  trigon_destroy(ctx);
  arena_free(&batch_scratch);
  return batch_checked();
}

/* Each of the launches of a call fails once. Then the call tells it. */
static void test_failed_launches(const char *name, int launches, int64_t max_n, const int64_t *orders) {
  for (int k = 1; k <= launches + 1; k++) {
    char failing[100];
    batch b = {0};
    snprintf(failing, sizeof failing, "%s%cfail=launch:%d", name, strchr(name, '?') ? '&' : '?', k);
    trigon_context *ctx = batch_context(failing);
    batch_fill(&b, TRIGON_D, TRIGON_LOWER, 2, orders);
    batch_check(batch_factor(ctx, &b, max_n) == (k <= launches ? TRIGON_DEVICE_FAILED : TRIGON_OK), "a launch fails");
    batch_free(&b);
    trigon_destroy(ctx);
  }
}

/* `small`: a simulated GPU, which takes long. */
int test_device(const char *name, bool small) {
  trigon_context *ctx = batch_context(name);
  batch_on_device = true;
  if (!ctx) return batch_checked();
  test_arrays_elsewhere(ctx);
  test_alignment(ctx);
  for (const char *type = "sdcz"; *type; type++) {
    const trigon_type t = (trigon_type)*type;
    const trigon_uplo uplo = *type == 's' || *type == 'z' ? TRIGON_LOWER : TRIGON_UPPER,
                      other = uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER;
    test_mixed_orders(ctx, t, uplo, small ? BATCH_MIXED - 2 : BATCH_MIXED);
    test_classes(ctx, t, other);
    test_bad_entries(ctx, t);
    test_failures(ctx, t, other);
    test_small_pivots(ctx, t);
  }
  trigon_destroy(ctx);
  if (small) { /* a simulated GPU fails on demand. With warps of 64 it has no matrix units, and fewer classes */
    test_failed_launches(name, strstr(name, "warp") ? 2 : 4, 0, (const int64_t[]){5, 200});
    test_failed_launches(name, 2, 32, (const int64_t[]){5, 20});
  }
  arena_free(&batch_scratch);
  return batch_checked();
}
