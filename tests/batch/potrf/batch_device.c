/* batch_device.c - POTRF of batches on a device: its arrays, its classes of orders, pivots at the end of the range. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batches.h"
#include "support/matrices.h"

/* Each array in turn that is not where the matrices are, or not aligned. */
static void test_arrays_elsewhere(trigon_context *ctx) {
  static const char *const named[] = {"argument 4 (n)", "argument 5 (A)", "argument 6 (lda)", "argument 7 (info)"};
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
  int64_t *const info = (int64_t *)there + 1;
  batch_check(batch_factor_there(ctx, &b, 0, there, there, there, info) == TRIGON_OK, "device arrays are accepted");
  batch_receive(ctx, there, words, sizeof words);
  batch_check(words[1] == -2, "an order of -77 is told by info");
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

/* Row q = p + 1 of a lower triangle becomes nearly row p: the diagonal block that has both is badly conditioned, so
 * that products with its inverse would not be accurate. The matrix stays positive definite. */
static void make_alike(trigon_matrix A, int64_t p, double share) {
  const int64_t q = p + 1;
  const double pp = matrix_get(A, p, p).re, qp = matrix_get(A, q, p).re, qq = matrix_get(A, q, q).re;
  for (int64_t k = 0; k < A.rows; k++) {
    if (k == p || k == q) continue;
    const double kp = (k > p ? matrix_get(A, k, p) : matrix_get(A, p, k)).re,
                 kq = (k > q ? matrix_get(A, k, q) : matrix_get(A, q, k)).re;
    matrix_put(A, k > q ? k : q, k > q ? q : k, (trigon_scalar){kp + share * kq, 0});
  }
  matrix_put(A, q, p, (trigon_scalar){pp + share * qp, 0});
  matrix_put(A, q, q, (trigon_scalar){pp + 2 * share * qp + share * share * qq, 0});
}

/* Whether A = L·Lᵀ holds element by element: |A - L·Lᵀ| <= n·ε·|L|·|Lᵀ|, as for substitution. */
static bool is_accurate(const batch *b, int64_t i, long double rounding) {
  const trigon_matrix A = guarded_before(&b->stored[i]), L = b->stored[i].matrix;
  for (int64_t r = 0; r < A.rows; r++)
    for (int64_t c = 0; c <= r; c++) {
      long double rest = matrix_get(A, r, c).re, size = 0;
      for (int64_t k = 0; k <= c; k++) {
        const long double product = (long double)matrix_get(L, r, k).re * matrix_get(L, c, k).re;
        rest -= product, size += fabsl(product);
      }
      if (!(fabsl(rest) <= (long double)A.rows * rounding * size)) return false;
    }
  return true;
}

static void test_badly_conditioned(trigon_context *ctx, trigon_type type) {
  static const int64_t orders[] = {200, 136, 150};
  const double share = type == TRIGON_S ? 2e-3 : 1e-5;
  batch b = {0};
  batch_fill(&b, type, TRIGON_LOWER, 3, orders);
  for (int64_t i = 0; i < b.count; i++) {
    make_alike(b.stored[i].matrix, i, share);
    if (i < 2) make_alike(b.stored[i].matrix, 70, share);
    guarded_snapshot(&b.stored[i]);
  }
  batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK, "a batch of badly conditioned matrices runs");
  for (int64_t i = 0; i < b.count; i++)
    batch_check(batch_is_factored(&b, i) && is_accurate(&b, i, type == TRIGON_S ? 0x1p-24L : 0x1p-53L),
                "a badly conditioned matrix holds its factor");
  batch_free(&b);
}

/* A NaN stops the factorization in its row. The elements before it in the row are as if it were not there. */
static void test_nan(trigon_context *ctx, trigon_type type) {
  static const int64_t orders[] = {40, 100, 200}, rows[] = {30, 90, 150};
  batch b = {0};
  batch_fill(&b, type, TRIGON_LOWER, 3, orders);
  for (int64_t i = 0; i < b.count; i++) matrix_put(b.stored[i].matrix, rows[i], 5, (trigon_scalar){NAN, 0});
  batch_check(batch_factor(ctx, &b, 0) == TRIGON_OK, "a batch with NaNs runs");
  for (int64_t i = 0; i < b.count; i++) {
    batch_check(b.info[i] == rows[i] + 1, "a NaN is not positive");
    for (int64_t c = 0; c < 5; c++)
      batch_check(isfinite(matrix_get(b.stored[i].matrix, rows[i], c).re), "a NaN leaves the columns before it alone");
  }
  batch_free(&b);
}

/* More matrices than blocks. All elements are 0 but the diagonal, which is 4, and the first element of the last row. */
static void test_queue(trigon_context *ctx, int64_t count) {
  enum { LEAST = 33, KINDS = 68 };
  const size_t words = (size_t)count * sizeof(int64_t), most = (LEAST + KINDS) * (LEAST + KINDS);
  int64_t *n = malloc(2 * words), *info = n + count, wrong = 0;
  double *elements = calloc((size_t)count * most, sizeof *elements), **A = malloc((size_t)count * sizeof *A);
  if (!n || !elements || !A) abort();
  for (int64_t i = 0; i < count; i++) {
    double *a = elements + (size_t)i * most;
    n[i] = LEAST + i * 7 % KINDS, info[i] = BATCH_UNTOUCHED;
    for (int64_t c = 0; c < n[i]; c++) a[c * (n[i] + 1)] = 4;
    a[n[i] - 1] = 2;
  }
  double *there = batch_send(ctx, elements, (size_t)count * most * sizeof *elements);
  for (int64_t i = 0; i < count; i++) A[i] = there + (size_t)i * most;
  int64_t *sizes = batch_send(ctx, n, words), *infos = batch_send(ctx, info, words);
  double **addresses = batch_send(ctx, A, words);
  batch_check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, count, 0, sizes, addresses, sizes, infos) == TRIGON_OK,
              "a batch of more matrices than blocks runs");
  batch_receive(ctx, there, elements, (size_t)count * most * sizeof *elements), batch_receive(ctx, infos, info, words);
  for (int64_t i = 0; i < count; i++) {
    const double *a = elements + (size_t)i * most;
    for (int64_t e = 0; e < n[i] * n[i]; e++) {
      const bool last = e == n[i] * n[i] - 1;
      const double due = last ? sqrt(3) : e % (n[i] + 1) == 0 ? 2 : e == n[i] - 1 ? 1 : 0;
      wrong += !(fabs(a[e] - due) < 1e-14);
    }
    wrong += info[i] != 0;
  }
  batch_check(wrong == 0, "each of more matrices than blocks holds its factor");
  trigon_free(ctx, sizes), trigon_free(ctx, addresses);
  free(n), free(elements), free(A);
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
  batch_check(ctx != NULL, "the device is there");
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
  if (strstr(name, "sim") && !strstr(name, "schedule=")) test_shared(name, true);
  arena_free(&batch_scratch);
  return batch_checked();
}

/* Each of the operations of this kind that a call makes fails once. Then the call tells it, and the next call on the
 * context finds nothing of it. The context's creation makes `before` such operations. */
static void test_failed(const char *name, const char *kind, int before, int operations, int64_t max_n,
                        const int64_t *orders) {
  for (int k = 1; k <= operations + 1; k++) {
    char failing[100];
    batch b = {0};
    snprintf(failing, sizeof failing, "%s%cfail=%s:%d", name, strchr(name, '?') ? '&' : '?', kind, before + k);
    trigon_context *ctx = batch_context(failing);
    batch_fill(&b, TRIGON_D, TRIGON_LOWER, 2, orders);
    batch_check(batch_factor(ctx, &b, max_n) == (k <= operations ? TRIGON_DEVICE_FAILED : TRIGON_OK),
                "an operation fails");
    batch_free(&b);
    batch_fill(&b, TRIGON_D, TRIGON_LOWER, 2, (const int64_t[]){orders[1], orders[0]});
    if (k <= operations) /* otherwise the failure comes now */
      batch_check(batch_factor(ctx, &b, max_n) == TRIGON_OK && batch_is_factored(&b, 0) && batch_is_factored(&b, 1),
                  "the batch behind an operation that failed is factored");
    batch_free(&b);
    trigon_destroy(ctx);
  }
}

static void test_failed_launches(const char *name, int launches, int64_t max_n, const int64_t *orders) {
  test_failed(name, "launch", 0, launches, max_n, orders);
}

/* The launches behind the first one run beside each other. Each of these but one has a side stream: the stream waits
 * for an event, and is waited for, which takes a record and a wait. */
static void test_failed_events(const char *name, int launches, int64_t max_n, const int64_t *orders) {
  enum { CREATION = 6 };
  const int sides = launches > 2 ? (launches > 4 ? 2 : launches - 2) : 0; /* there are two */
  test_failed(name, "event", CREATION, sides > 0 ? 1 + 3 * sides : 0, max_n, orders);
}

/* Each query of a context's creation fails once; the queries that load kernels are among them. Creation tells each of
 * these failures. */
static void test_creation(const char *device) {
  enum { BEHIND = 8 }; /* a failure that is not told is followed by others that are */
  int failed = 0, sound = 0;
  for (int k = 1; k <= failed + BEHIND; k++) {
    char name[140];
    trigon_context *ctx = NULL;
    snprintf(name, sizeof name, "%s%cfail=query:%d", device, strchr(device, '?') ? '&' : '?', k);
    if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK)
      failed = k;
    else if (sound == 0)
      sound = k;
    trigon_destroy(ctx);
  }
  batch_check(failed > 0 && sound == failed + 1, "creation tells each failure");
  trigon_context *none = NULL;
  const trigon_status status = trigon_create("sim:0?schedule=device", &none, NULL, 0);
  batch_check(status == TRIGON_NOT_SUPPORTED && !none, "the simulated GPU cannot launch from kernels");
}

/* `small`: a simulated GPU, which takes long. */
int test_device(const char *name, bool small) {
  trigon_context *ctx = batch_context(name);
  batch_on_device = true;
  batch_check(ctx != NULL, "the device is there");
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
  test_badly_conditioned(ctx, TRIGON_S), test_badly_conditioned(ctx, TRIGON_D);
  test_nan(ctx, TRIGON_S), test_nan(ctx, TRIGON_D);
  test_queue(ctx, small ? 60 : 4000);
  trigon_destroy(ctx);
  if (small) test_creation(name);
  if (small) { /* a simulated GPU fails on demand. With warps of 64 it has no matrix units, and other classes */
    /* One launch makes the lists, and each class has one. Up to order 64 one launch takes all on matrix units. */
    const bool units = strstr(name, "warp") == NULL;
    const int classes = units ? 6 : 4, up_to_64 = units ? 1 : 3, above_96 = units ? 3 : 2;
    if (strstr(name, "schedule=")) { /* checks the entries, and launches for each panel of up to 96 rows */
      test_failed_launches(name, 1 + 96 / 8 + above_96, 0, (const int64_t[]){5, 200});
      test_failed_launches(name, 1 + 64 / 8, 64, (const int64_t[]){5, 40});
    } else {
      test_failed_launches(name, classes, 0, (const int64_t[]){5, 200});
      test_failed_events(name, classes, 0, (const int64_t[]){5, 200});
      test_failed_launches(name, up_to_64, 64, (const int64_t[]){5, 40});
      test_failed_events(name, up_to_64, 64, (const int64_t[]){5, 40});
      test_failed_launches(name, 1, 32, (const int64_t[]){5, 20});
      test_strided_launches(name);
      test_shared(name, false);
    }
  }
  arena_free(&batch_scratch);
  return batch_checked();
}
