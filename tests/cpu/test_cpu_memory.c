/* test_cpu_memory.c - a context on the CPU, its batches and the workers hold no more memory than the documents say, and
 * trigon_memory tells what a context holds; batches on small buffers have the results of single calls. */
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/processors.h"
#include "support/check.h"
#include "support/results.h"

enum { KiB = 1 << 10, MiB = 1 << 20 };

/* docs/cpu.md, "Memory". */
static const int64_t most_of_two_threads = 12 * MiB, most_of_further_thread = 3 * MiB / 2;
static const int64_t most_of_worker = 1472 * KiB;

/* ----------------------------------------------------------------------------------------- bytes that are held -- */

static atomic_llong held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static void *counted(void *block) {
  if (block) atomic_fetch_add(&held, (long long)malloc_usable_size(block));
  return block;
}

static void *uncounted(void *block) {
  if (block) atomic_fetch_sub(&held, (long long)malloc_usable_size(block));
  return block;
}

void *__wrap_malloc(size_t size) { return counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return counted(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return counted(__real_aligned_alloc(alignment, size)); }
void __wrap_free(void *block) { __real_free(uncounted(block)); }
void *__wrap_realloc(void *block, size_t size) { return counted(__real_realloc(uncounted(block), size)); }

/* ------------------------------------------------------------------------------------------------------ batches -- */

/* Equal matrices, so many that each thread computes some, and one context computes one of them by itself. */
typedef struct batch {
  int64_t n, count;
  double *A, *B, *C; /* B: what the routine reads beside A */
} batch;

static double *doubles(int64_t count) {
  double *x = malloc((size_t)count * sizeof *x);
  if (!x) abort();
  return x;
}

/* A is symmetric, or Hermitian, and positive definite. Its lower triangle is a well-conditioned factor, too. `parts` is
 * 2 for a complex type. */
static void fill(batch *b, int parts) {
  const int64_t n = b->n, size = n * n * parts;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      for (int p = 0; p < parts; p++) {
        const int64_t low = i < j ? i : j, high = i < j ? j : i, at = (j * n + i) * parts + p;
        const double value = (double)((low * 37 + high * 101 + p * 13) % 211) / 211 - 0.5;
        b->A[at] = i == j ? (p == 0 ? (double)n : 0) : (p == 1 && i < j ? -value : value);
        b->B[at] = (double)((i * 53 + j * 19 + p * 7) % 97) / 97 - 0.5;
      }
  for (int64_t k = 1; k < b->count; k++) {
    memcpy(b->A + k * size, b->A, (size_t)size * sizeof *b->A);
    memcpy(b->B + k * size, b->B, (size_t)size * sizeof *b->B);
  }
}

enum batched { BATCH_GEMM, BATCH_TRSM, BATCH_POTRF, BATCH_POTRI, BATCH_ROUTINES };

/* The routine on `count` matrices, in place in C. */
static trigon_status call_batch(trigon_context *ctx, enum batched routine, bool z, batch *b, int64_t count,
                                int64_t *info) {
  const int64_t n = b->n, size = n * n, parts = z ? 2 : 1;
  const trigon_scalar one = {1, 0}, zero = {0, 0};
  const double *from = routine == BATCH_TRSM ? b->B : b->A;
  memcpy(b->C, from, (size_t)(size * parts * count) * sizeof *b->C);
  switch (routine) {
  case BATCH_GEMM:
    return z ? trigon_zgemm_strided(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, count, n, n, n, one, b->A, n, size, b->B, n,
                                    size, zero, b->C, n, size)
             : trigon_dgemm_strided(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, count, n, n, n, 1, b->A, n, size, b->B, n,
                                    size, 0, b->C, n, size);
  case BATCH_TRSM:
    return z ? trigon_ztrsm_strided(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, count, n, n, one,
                                    b->A, n, size, b->C, n, size)
             : trigon_dtrsm_strided(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, count, n, n, 1,
                                    b->A, n, size, b->C, n, size);
  case BATCH_POTRF:
    return z ? trigon_zpotrf_strided(ctx, TRIGON_LOWER, count, n, b->C, n, size, info)
             : trigon_dpotrf_strided(ctx, TRIGON_LOWER, count, n, b->C, n, size, info);
  default:
    return z ? trigon_zpotri_strided(ctx, TRIGON_LOWER, 0, count, n, b->C, n, size, info)
             : trigon_dpotri_strided(ctx, TRIGON_LOWER, 0, count, n, b->C, n, size, info);
  }
}

/* Whether each matrix of the batch is that of a single call, except for roundings. */
static bool is_right(trigon_context *ctx, enum batched routine, bool z, batch *b) {
  const int64_t size = b->n * b->n * (z ? 2 : 1);
  int64_t *info = calloc((size_t)b->count, sizeof *info);
  double *single = doubles(size), largest = 0, worst = 0;
  if (!info) abort();
  bool right = call_batch(ctx, routine, z, b, 1, info) == TRIGON_OK && info[0] == 0;
  memcpy(single, b->C, (size_t)size * sizeof *single);
  right = call_batch(ctx, routine, z, b, b->count, info) == TRIGON_OK && right;
  for (int64_t k = 0; k < b->count; k++) {
    right = right && info[k] == 0;
    for (int64_t i = 0; i < size; i++) {
      const double error = fabs(b->C[k * size + i] - single[i]);
      largest = fmax(largest, fabs(single[i]));
      worst = !(error <= worst) ? error : worst;
    }
  }
  free(single);
  free(info);
  return right && worst <= 1e-13 * (double)b->n * largest;
}

static void check_batches(trigon_context *ctx, bool z, int64_t n, int64_t count) {
  const int64_t elements = n * n * count * (z ? 2 : 1);
  batch b = {n, count, doubles(elements), doubles(elements), doubles(elements)};
  fill(&b, z ? 2 : 1);
  for (int r = 0; r < BATCH_ROUTINES; r++)
    check(is_right(ctx, (enum batched)r, z, &b), "a batch has the results of single calls");
  free(b.A), free(b.B), free(b.C);
}

/* Orders around what a member's buffers take whole, and small ones. */
static void compute_batches(trigon_context *ctx) {
  static const int64_t orders[2][4] = {{20, 100, 440, 530}, {30, 120, 310, 370}};
  for (int z = 0; z < 2; z++)
    for (int i = 0; i < 4; i++) check_batches(ctx, z, orders[z][i], orders[z][i] < 200 ? 40 : 18);
}

/* ------------------------------------------------------------------------------------------------- the bounds -- */

static int64_t told(const trigon_context *ctx) {
  int64_t bytes = -1;
  check(trigon_memory(ctx, &bytes) == TRIGON_OK, "trigon_memory succeeds");
  return bytes;
}

/* All that is held is the library's, because the test holds nothing now. */
static void check_memory(const trigon_context *ctx, int threads, const char *when) {
  enum { small_structs = 64 * KiB }; /* of a context, beside its buffers */
  const int64_t now = held, of_context = told(ctx);
  const int64_t further = threads > 2 ? threads - 2 : 0;
  check(now <= most_of_two_threads + further * most_of_further_thread, when);
  check(now >= of_context, "trigon_memory tells no more than what is held");
  check(now <= of_context + (threads - 1) * most_of_worker + small_structs, "trigon_memory tells what a context holds");
}

static void test_context(int threads) {
  char name[64];
  trigon_context *ctx = NULL;
  uint64_t fingerprint;
  snprintf(name, sizeof name, "cpu?threads=%d&blas=none", threads);
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) abort();
  check_memory(ctx, threads, "a new context is within the bound");
  for (int at = 0; at < tested_calls; at++) check(result_of(ctx, at, 1.5, 3, &fingerprint), "a call succeeds");
  check_memory(ctx, threads, "after calls of all routines a context is within the bound");
  if (threads > 1) compute_batches(ctx);
  check_memory(ctx, threads, "after batches a context is within the bound");
  trigon_destroy(ctx);
  check(held <= (threads - 1) * (most_of_worker + KiB), "of a context only the workers' buffers stay");
}

/* Two contexts share the workers' buffers. */
static void test_two_contexts(void) {
  trigon_context *ctx[2];
  for (int i = 0; i < 2; i++) {
    if (trigon_create("cpu?threads=4&blas=none", &ctx[i], NULL, 0) != TRIGON_OK) abort();
    check_batches(ctx[i], false, 100, 40);
  }
  check(held <= told(ctx[0]) + told(ctx[1]) + 3 * most_of_worker + 128 * KiB, "contexts share the workers' buffers");
  for (int i = 0; i < 2; i++) trigon_destroy(ctx[i]);
}

int main(void) {
  test_context(1);
  test_context(2);
  test_context(4);
  test_two_contexts();
  return checked();
}
