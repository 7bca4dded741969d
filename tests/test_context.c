/* test_context.c - what surrounds the routines: creation under failing allocations, several contexts, finish, workspace
 * caps, BLAS libraries by name, views that pair up. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "view.h"

/* The linker puts these in the allocators' places (--wrap): the call number `fail_at`, from 1, fails. */
static int allocations, fail_at;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
static bool fails(void) { return ++allocations == fail_at; }
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }

/* Solves a small system; whether the solution is right. */
static bool solves(trigon_context *ctx) {
  double A[] = {4, 2, 2, 5}, B[] = {8, 12};
  int64_t info = -1;
  return trigon_dposv(ctx, TRIGON_LOWER, 2, 1, A, 2, B, 2, &info) == TRIGON_OK && info == 0 && B[0] == 1 && B[1] == 2;
}

static void test_allocations(void) {
  char why[200];
  int needed = 0;
  for (fail_at = 1;; fail_at++) {
    allocations = 0;
    trigon_context *ctx = (trigon_context *)why;
    trigon_status status = trigon_create("cpu?trace=1", &ctx, why, sizeof why);
    if (allocations < fail_at) {
      check(status == TRIGON_OK && solves(ctx), "creation without a failing allocation");
      trigon_destroy(ctx);
      break;
    }
    needed++;
    check(status == TRIGON_NO_MEMORY && !ctx && strstr(why, "out of memory"), "a failing allocation gives a status");
  }
  fail_at = 0;
  check(needed == 4, "context, backend, leaf buffer and trace allocate once each");

  trigon_context *ctx;
  check(trigon_create("cpu", &ctx, NULL, 0) == TRIGON_OK, "create");
  allocations = 0;
  check(solves(ctx) && allocations == 0, "a routine on the CPU allocates nothing");
  trigon_destroy(ctx);
}

static void test_finish(void) {
  trigon_context *ctx;
  if (trigon_create("cpu?stop=2", &ctx, NULL, 0) != TRIGON_OK) abort();
  double bad3[] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, bad1[] = {-1}, good[] = {1};
  int64_t info = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, good, 1, NULL) == TRIGON_OK, "potrf without info");
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 3, bad3, 3, NULL) == TRIGON_OK, "a failed factorization is no error");
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, NULL) == TRIGON_OK, "another");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 3, "finish tells the first failure");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "and only once");
  bad1[0] = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, &info) == TRIGON_OK && info == 1, "info of one's own");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "is not told again");
  bad1[0] = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, NULL) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK,
        "finish without info");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "forgets too");
  trigon_destroy(ctx);
}

static void test_workspace(void) {
  static const int64_t caps[] = {0, 1, 1 << 20, INT64_MAX};
  static double buffer[8];
  trigon_context *ctx;
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK) abort();
  for (int i = 0; i < 4; i++) check(trigon_set_workspace(ctx, NULL, caps[i]) == TRIGON_OK && solves(ctx), "any cap");
  check(trigon_set_workspace(ctx, buffer, sizeof buffer) == TRIGON_OK && solves(ctx), "a buffer of the caller's");
  check(trigon_set_workspace(ctx, NULL, -5) == TRIGON_BAD_ARGUMENT, "a negative cap is refused");
  check(strstr(trigon_message(ctx), "argument 2 (bytes) is -5") != NULL, "and named");
  check(solves(ctx), "and changes nothing");
  trigon_destroy(ctx);
}

/* Libraries that stand on the machine serve; the wrong width, and what is no BLAS, are refused. */
static void test_libraries(void) {
  static const char *const names[] = {"cpu:libopenblas.so.0", "cpu:libblis.so.4", "cpu:libblas.so.3",
                                      "cpu64:libopenblas64.so.0", "cpu64:libblis64.so.4"};
  char why[400], other[80];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    trigon_context *ctx;
    if (trigon_create(names[i], &ctx, why, sizeof why) != TRIGON_OK) {
      printf("skipped: %s\n", why);
      continue;
    }
    printf("%s: %s\n", names[i], trigon_describe(ctx));
    check(solves(ctx), names[i]);
    trigon_destroy(ctx);
    bool wide = strncmp(names[i], "cpu64", 5) == 0;
    snprintf(other, sizeof other, "%s%s", wide ? "cpu" : "cpu64", strchr(names[i], ':'));
    check(trigon_create(other, &ctx, why, sizeof why) == TRIGON_NOT_FOUND && !ctx, "the wrong width is refused");
    check(strstr(why, names[i]) != NULL, "with its right name");
  }
  trigon_context *ctx;
  check(trigon_create("cpu:libm.so.6", &ctx, why, sizeof why) == TRIGON_NOT_FOUND && strstr(why, "is no BLAS"),
        "a library that is no BLAS");
  /* More contexts than the loader has namespaces. */
  for (int i = 0; i < 40; i++) {
    if (trigon_create("cpu:libopenblas.so.0", &ctx, why, sizeof why) != TRIGON_OK) {
      check(i == 0, why);
      break;
    }
    check(solves(ctx), "one of many contexts on a loaded library");
    trigon_destroy(ctx);
  }
}

/* Loading by name leaves the loader usable for other threads, and several threads may load at once. */
static void *load_another(void *unused) {
  (void)unused;
  void *handle = dlopen("libm.so.6", RTLD_NOW);
  if (handle) dlclose(handle);
  return handle;
}

static void *create_and_solve(void *name) {
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, NULL, 0);
  if (status == TRIGON_NOT_FOUND) return name; /* not on this machine */
  bool right = status == TRIGON_OK && solves(ctx);
  trigon_destroy(ctx);
  return right ? name : NULL;
}

static void test_loading_threads(void) {
  static char names[][32] = {"cpu:libopenblas.so.0", "cpu:libblis.so.4", "cpu64:libopenblas64.so.0", "cpu:libblis.so.4",
                             "cpu:libopenblas.so.0"};
  enum { threads = 5 };
  pthread_t thread[threads];
  void *result;
  if (pthread_create(&thread[0], NULL, load_another, NULL) != 0) abort();
  check(pthread_join(thread[0], &result) == 0 && result, "another thread can load a library of its own");
  for (int i = 0; i < threads; i++)
    if (pthread_create(&thread[i], NULL, create_and_solve, names[i]) != 0) abort();
  for (int i = 0; i < threads; i++)
    check(pthread_join(thread[i], &result) == 0 && result, "several threads load by name at once");
}

static void test_views(void) {
  double A[1];
  view all = {.base = A, .type = TRIGON_D, .m = 16, .n = 16, .ld = 16, .count = 1}, two, four;
  check(pair_up(block(all, 0, 0, 8, 8), block(all, 8, 8, 8, 8), &two), "two halves of a diagonal pair up");
  check(two.count == 2 && two.row_step == 8 && two.col_step == 8, "a step of half the order apart");
  check(pair_up(block(two, 0, 0, 4, 4), block(two, 4, 4, 4, 4), &four), "their halves, interleaved, too");
  check(four.count == 4 && four.row_step == 4 && four.col_step == 4 && four.row == 0, "as four quarters");
  check(!pair_up(block(all, 0, 0, 9, 9), block(all, 9, 9, 7, 7), &two), "unequal sizes do not");
  check(!pair_up(block(four, 0, 0, 1, 1), block(four, 1, 1, 1, 1), &two), "nor uneven steps");
}

int main(void) {
  test_allocations();
  test_finish();
  test_workspace();
  test_libraries();
  test_loading_threads();
  test_views();
  check(strcmp(trigon_version(), "0.1.0") == 0, "version");
  check(strcmp(trigon_status_string((trigon_status)99), "unknown status") == 0, "a status that is none");
  check(trigon_finish(NULL, NULL) == TRIGON_BAD_ARGUMENT && *trigon_message(NULL), "a NULL context");
  trigon_destroy(NULL);
  return checked();
}
