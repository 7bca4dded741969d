/* test_fp64_allocations.c - emulated products on the CPU when each allocation fails in turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trigon.h>

#include "check.h"

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
static bool fails(void) {
  allocations++;
  return allocations >= fail_at && allocations <= fail_until;
}
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
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

int main(void) {
  for (int i = 0; i < ELEMENTS; i++) A[i] = sin(1 + i);
  for (int j = 0; j < ORDER; j++)
    for (int i = 0; i < ORDER; i++)
      for (int l = 0; l < ORDER; l++) due[i + j * ORDER] += A[i + l * ORDER] * A[l + j * ORDER];
  setting("cpu"), setting("cpu?trace=1"), setting("cpu?leaf=packed");
  calling("cpu"), calling("cpu?trace=1");
  return checked();
}
