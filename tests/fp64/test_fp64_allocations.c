/* test_fp64_allocations.c - emulated products on the CPU when each allocation fails in turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trigon.h>

#include "support/check.h"

/* The linker's --wrap replaces the allocators by these functions. Calls number `fail_at` to `fail_until`, from 1,
 * fail. */
static int allocations, fail_at, fail_until;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *data);
void __wrap_free(void *data);

/* Only this thread's allocations fail and are counted. A worker of the pool takes its buffer when it draws its first
 * task, at a time that nobody knows, and the buffer is the process's, under no context's cap. */
static _Thread_local bool is_caller;

/* The blocks that are allocated, and the most bytes that they have had together. */
enum { MOST_BLOCKS = 1000 };
static struct {
  void *data;
  int64_t bytes;
} blocks[MOST_BLOCKS];
static int64_t live, peak;

static void *taken(void *data, size_t bytes) {
  int i = 0;
  if (!data || !is_caller) return data;
  while (i < MOST_BLOCKS && blocks[i].data) i++;
  if (i == MOST_BLOCKS) abort();
  blocks[i].data = data, blocks[i].bytes = (int64_t)bytes;
  live += (int64_t)bytes;
  if (live > peak) peak = live;
  return data;
}

static void given_back(const void *data) {
  for (int i = 0; data && is_caller && i < MOST_BLOCKS; i++)
    if (blocks[i].data == data) {
      live -= blocks[i].bytes, blocks[i].data = NULL;
      return;
    }
}

static bool fails(void) {
  if (!is_caller) return false;
  allocations++;
  return allocations >= fail_at && allocations <= fail_until;
}
void *__wrap_malloc(size_t size) { return fails() ? NULL : taken(__real_malloc(size), size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : taken(__real_calloc(count, size), count * size);
}
void *__wrap_realloc(void *old, size_t size) {
  if (fails()) return NULL;
  given_back(old);
  return taken(__real_realloc(old, size), size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : taken(__real_aligned_alloc(alignment, size), size);
}
void __wrap_free(void *data) {
  given_back(data);
  __real_free(data);
}

enum { ORDER = 40, ELEMENTS = ORDER * ORDER };
static double A[ELEMENTS], due[ELEMENTS], C[ELEMENTS];

static trigon_context *create(const char *name) {
  trigon_context *ctx;
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) abort();
  return ctx;
}

/* C = A·A */
static trigon_status multiply(trigon_context *ctx) {
  for (int i = 0; i < ELEMENTS; i++) C[i] = NAN;
  return trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, ORDER, ORDER, ORDER, 1, A, ORDER, A, ORDER, 0, C, ORDER);
}

static bool is_right(void) {
  for (int i = 0; i < ELEMENTS; i++)
    if (!(fabs(C[i] - due[i]) < 1e-12)) return false;
  return true;
}

/* An emulated product that works. */
static bool works(trigon_context *ctx) {
  trigon_fp64_report report;
  return trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK && multiply(ctx) == TRIGON_OK &&
         is_right() && trigon_last_fp64(ctx, &report) == TRIGON_OK && report.emulated == 1 && !report.why;
}

/* Every allocation of trigon_set_fp64 fails. The context stays native, and the next call may try again. */
static void setting(const char *name) {
  for (fail_at = fail_until = 1;; fail_until = ++fail_at) {
    trigon_fp64_report report;
    const int failing = fail_at;
    fail_at = fail_until = 0;
    trigon_context *ctx = create(name);
    allocations = 0, fail_at = fail_until = failing;
    const trigon_status status = trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
    fail_at = fail_until = 0;
    const bool complete = allocations < failing;
    check(status == (complete ? TRIGON_OK : TRIGON_NO_MEMORY), "a failing allocation gives a status");
    check(complete || strstr(trigon_message(ctx), "trigon_set_fp64: out of memory"), "the message says so");
    if (!complete) {
      check(trigon_last_fp64(ctx, &report) == TRIGON_OK && report.mode == TRIGON_FP64_NATIVE, "the mode is native");
      check(multiply(ctx) == TRIGON_OK && is_right(), "the context computes natively");
    }
    check(works(ctx), "the context emulates after a failure");
    trigon_destroy(ctx);
    fail_at = failing;
    if (complete) break;
  }
  check(fail_at > 1, "trigon_set_fp64 allocates");
  fail_at = fail_until = 0;
}

/* The allocations of a call fail. The call computes natively and says why. The next call emulates. */
static void calling(const char *name) {
  trigon_context *ctx = create(name);
  trigon_fp64_report report;
  check(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "int8");
  allocations = 0, fail_at = 1, fail_until = 1000;
  check(multiply(ctx) == TRIGON_OK && is_right(), "without memory a call computes");
  fail_at = fail_until = 0;
  check(allocations > 0, "an emulated call allocates");
  check(trigon_last_fp64(ctx, &report) == TRIGON_OK && report.products == 1 && report.emulated == 0 && report.why &&
            strstr(report.why, "workspace is too small"),
        "without memory nothing is emulated, and the report says why");
  check(works(ctx), "the next call emulates");
  allocations = 0;
  check(works(ctx) && allocations == 0, "a further call allocates nothing");
  trigon_destroy(ctx);
}

/* ------------------------------------------------------------------------------------------------------ caps -- */

enum { LARGE = 200, MIB = 1 << 20, PAIRS = -1 };
static double X[LARGE * LARGE], Y[LARGE * LARGE], Z[LARGE * LARGE];

/* Y = X·X, or Y = the factor of X. */
static trigon_status compute(trigon_context *ctx, bool factors) {
  memcpy(Y, X, sizeof X);
  if (factors) return trigon_dpotrf(ctx, TRIGON_LOWER, LARGE, Y, LARGE, NULL);
  return trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, LARGE, LARGE, LARGE, 1, X, LARGE, X, LARGE, 0, Y, LARGE);
}

static bool is_near(void) {
  for (int i = 0; i < LARGE * LARGE; i++)
    if (!(fabs(Y[i] - Z[i]) <= 1e-8 * (1 + fabs(Z[i])))) return false;
  return true;
}

static trigon_status set_accuracy(trigon_context *ctx, int accuracy) {
  return accuracy == PAIRS ? trigon_set_fp64(ctx, TRIGON_FP64_DOUBLE_FLOAT, 0)
                           : trigon_set_fp64(ctx, TRIGON_FP64_INT8, accuracy);
}

static void expect_cap(trigon_context *ctx, int64_t cap, int64_t held_before, int64_t live_before, const char *name,
                       bool factors, int accuracy) {
  char what[160];
  int64_t held = -1;
  trigon_fp64_report report = {0};
  peak = live;
  const bool ran = compute(ctx, factors) == TRIGON_OK && trigon_memory(ctx, &held) == TRIGON_OK &&
                   trigon_last_fp64(ctx, &report) == TRIGON_OK;
  snprintf(what, sizeof what, "%s, %s, accuracy %d, a cap of %lld bytes: %lld held, %lld taken, %lld of %lld emulated",
           name, factors ? "potrf" : "gemm", accuracy, (long long)cap, (long long)(held - held_before),
           (long long)(peak - live_before), (long long)report.emulated, (long long)report.products);
  check(ran && is_near(), what);
  check(held - held_before <= cap && peak - live_before <= cap, what);
  check(report.products > 0 && (report.emulated == report.products) == !report.why, what);
  check(cap > 0 || report.emulated == 0, what);
  check(cap < 5 * MIB || report.emulated == report.products, what);
}

/* No cap is exceeded, neither by what trigon_memory tells, nor by what is allocated; and results stay right. */
static void caps(const char *name, bool factors, int accuracy) {
  static const int64_t all[] = {0, 1, 1000, 47 * 1024, MIB, 3 * MIB / 2, 5 * MIB, 35 * MIB, 5 * MIB, 0, INT64_MAX};
  trigon_context *native = create(name), *ctx = create(name);
  int64_t before = -1;
  check(compute(native, factors) == TRIGON_OK, "natively");
  memcpy(Z, Y, sizeof Z);
  check(compute(ctx, factors) == TRIGON_OK && trigon_memory(ctx, &before) == TRIGON_OK, "natively");
  check(set_accuracy(ctx, accuracy) == TRIGON_OK, "a mode");
  const int64_t live_before = live;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    check(trigon_set_workspace(ctx, NULL, all[i]) == TRIGON_OK, "a cap");
    expect_cap(ctx, all[i], before, live_before, name, factors, accuracy);
  }
  trigon_destroy(ctx), trigon_destroy(native);
}

/* The workspace is the caller's buffer, aligned or not. Nothing else is taken, and nothing beside it is written. */
static void callers_buffer(const char *name) {
  enum { BYTES = 6 * MIB, BESIDE = 64 };
  trigon_context *ctx = create(name);
  trigon_fp64_report report;
  unsigned char *buffer = malloc(BYTES + 2 * BESIDE);
  if (!buffer) abort();
  check(compute(ctx, false) == TRIGON_OK && set_accuracy(ctx, 14) == TRIGON_OK, "natively");
  memcpy(Z, Y, sizeof Z);
  for (int shift = 1; shift <= BESIDE; shift += 21) {
    bool kept = true;
    memset(buffer, 0x5a, BYTES + 2 * BESIDE);
    check(trigon_set_workspace(ctx, buffer + shift, BYTES) == TRIGON_OK, "a buffer");
    allocations = 0;
    check(compute(ctx, false) == TRIGON_OK && is_near() && allocations == 0, "with a buffer nothing is allocated");
    check(trigon_last_fp64(ctx, &report) == TRIGON_OK && report.emulated == 1, "with a buffer a product is emulated");
    for (int i = 0; i < BYTES + 2 * BESIDE; i++)
      kept = kept && ((i >= shift && i < shift + BYTES) || buffer[i] == 0x5a);
    check(kept, "nothing beside the buffer is written");
  }
  trigon_destroy(ctx);
  free(buffer);
}

/* Products that cannot be emulated take nothing, however large the default cap is. */
static void nothing_in_vain(void) {
  enum { TERMS = (1 << 20) - 1 };
  trigon_context *ctx = create("cpu");
  trigon_fp64_report report;
  double *x = calloc(TERMS, sizeof *x), c = 1;
  int64_t before = -1, after = -1;
  if (!x) abort();
  check(set_accuracy(ctx, TRIGON_FP64_GUARANTEED) == TRIGON_OK && trigon_memory(ctx, &before) == TRIGON_OK, "int8");
  check(trigon_dgemm(ctx, TRIGON_TRANS, TRIGON_NOTRANS, 1, 1, TERMS, 1, x, TERMS, x, TERMS, 1, &c, 1) == TRIGON_OK &&
            c == 1 && trigon_memory(ctx, &after) == TRIGON_OK && trigon_last_fp64(ctx, &report) == TRIGON_OK,
        "a product with many terms");
  check(report.emulated == 0 && report.why && strstr(report.why, "too small") && after == before,
        "a product that needs more than the cap takes nothing");
  free(x);
  trigon_destroy(ctx);
}

int main(void) {
  is_caller = true;
  for (int i = 0; i < LARGE * LARGE; i++) X[i] = i % (LARGE + 1) == 0 ? LARGE : cos(i / LARGE + i % LARGE);
  for (int i = 0; i < ELEMENTS; i++) A[i] = sin(1 + i);
  for (int j = 0; j < ORDER; j++)
    for (int i = 0; i < ORDER; i++)
      for (int l = 0; l < ORDER; l++) due[i + j * ORDER] += A[i + l * ORDER] * A[l + j * ORDER];
  setting("cpu"), setting("cpu?trace=1"), setting("cpu?leaf=packed");
  calling("cpu"), calling("cpu?trace=1");
  static const char *const names[] = {"cpu?threads=3&stop=64", "cpu?threads=1&stop=64",
                                      "cpu?leaf=packed&threads=3&stop=64"};
  for (int i = 0; i < 3; i++)
    for (int accuracy = PAIRS; accuracy <= TRIGON_FP64_FAST; accuracy++)
      caps(names[i], false, accuracy), caps(names[i], true, accuracy);
  caps("cpu?threads=2", false, 14);
  callers_buffer("cpu"), callers_buffer("cpu?leaf=packed&threads=2");
  nothing_in_vain();
  return checked();
}
