/* test_libraries.c - BLAS libraries loaded by name: which are accepted, which are refused, and how many can be loaded.
 *
 * `test_libraries limit` tests only the number. `test_libraries threads` loads nothing before several threads load
 * at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/small_system.h"

/* The linker's --wrap puts this in the place of pthread_setspecific. Call number `fail_at`, from 1, fails. */
static int values_set, fail_at;
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
  return ++values_set == fail_at ? 12 : __real_pthread_setspecific(key, value);
}

static void expect(const char *name, trigon_status expected, const char *words) {
  char why[400];
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status != expected || !strstr(why, words)) printf("%s: \"%s\" expected in: %s\n", name, words, why);
  check(status == expected && strstr(why, words) && (status != TRIGON_OK || solves(ctx)), name);
  trigon_destroy(ctx);
}

/* Returns whether the machine has a library, which then stays loaded: an OpenMP runtime frees nothing in the end. */
static bool has_library(const char *file) {
  void *handle = dlopen(file, RTLD_LAZY | RTLD_NODELETE);
  if (handle) return dlclose(handle) == 0;
  printf("skipped: no %s; the tests of this library are left out\n", file);
  return false;
}

/* A refused library leaves nothing behind. The loader has 16 namespaces. The process has 1024 keys, and a library
 * takes 8. */
static void test_refused(void) {
  const bool openblas = has_library("libopenblas.so.0");
  for (int i = 0; i < 70; i++) {
    expect("cpu:libm.so.6", TRIGON_NOT_FOUND, "\"libm.so.6\" is not a BLAS: this library has no idamax_");
    expect("cpu:libnosuch.so", TRIGON_NOT_FOUND, "cannot load the library: libnosuch.so: cannot open");
    if (openblas) expect("cpu64:libopenblas.so.0", TRIGON_NOT_FOUND, "use \"cpu:libopenblas.so.0\"");
  }
  if (openblas) expect("cpu:libopenblas.so.0", TRIGON_OK, "");
}

/* The names of a library that a Python package bundles are found, up to the first one that is missing. */
static void test_bundled(void) {
  expect("cpu64:" TRIGON_BUNDLED_BLAS, TRIGON_NOT_FOUND, "this BLAS has no scipy_sgemm_64_: ");
  expect("cpu:" TRIGON_BUNDLED_BLAS, TRIGON_NOT_FOUND, "this library has 64-bit integers, use \"cpu64:");
}

/* A process has a limited number of thread-specific keys. A thread may have no memory for a value. */
static void test_keys(void) {
  static pthread_key_t keys[PTHREAD_KEYS_MAX];
  if (!has_library("libblas.so.3")) return;
  int count = 0;
  while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0) count++;
  for (int left = 0; left <= 7; left += 7) {
    for (int i = 0; i < left; i++) pthread_key_delete(keys[--count]);
    expect("cpu:libblas.so.3", TRIGON_NOT_FOUND, "the process has no 8 thread-specific keys left");
  }
  for (int i = 0; i < 7; i++)
    check(pthread_key_create(&keys[count++], NULL) == 0, "a refused library gives its keys back");
  while (count > 0) pthread_key_delete(keys[--count]);
  int needed = 0;
  do {
    values_set = 0, fail_at = ++needed;
    trigon_context *ctx;
    trigon_status status = trigon_create("cpu:libblas.so.3", &ctx, NULL, 0);
    trigon_destroy(ctx);
    if (values_set < fail_at) check(status == TRIGON_OK, "a library after failures");
    if (values_set >= fail_at) check(status == TRIGON_NO_MEMORY, "a thread without memory for a value");
  } while (values_set >= fail_at);
  fail_at = 0;
  check(needed > 1, "a library takes values");
}

static void *call_without_memory(void *ctx) {
  values_set = 0, fail_at = 1;
  trigon_status status = trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, 1, 1, 1,
                                      (double[]){1}, 1, (double[]){1}, 1);
  fail_at = 0;
  bool refused = status == TRIGON_NO_MEMORY && strstr(trigon_message(ctx), "trigon_dtrsm: out of memory");
  return refused && solves(ctx) ? ctx : NULL;
}

/* A context is used in another thread. */
static void test_other_thread(void) {
  trigon_context *ctx;
  pthread_t thread;
  void *result;
  if (!has_library("libopenblas.so.0")) return;
  if (trigon_create("cpu:libopenblas.so.0", &ctx, NULL, 0) != TRIGON_OK) abort();
  if (pthread_create(&thread, NULL, call_without_memory, ctx) != 0) abort();
  check(pthread_join(thread, &result) == 0 && result, "a new thread without memory for its values gets a message");
  trigon_destroy(ctx);
}

/* Libraries of this machine are accepted. A library with the wrong width of integers, or without a BLAS, is refused. */
static void test_names(void) {
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
    check(strstr(why, names[i]) != NULL, "the message has the right name");
  }
  trigon_context *ctx;
  /* More contexts than namespaces of the loader. */
  for (int i = 0; i < 40; i++) {
    if (trigon_create("cpu:libopenblas.so.0", &ctx, why, sizeof why) != TRIGON_OK) {
      check(i == 0, why);
      break;
    }
    check(solves(ctx), "one of many contexts on a loaded library");
    trigon_destroy(ctx);
  }
}

/* The description is one line, whatever the file's name is. */
static void test_odd_name(void) {
  static const char file[] = TRIGON_TEST_LIBRARIES "/blas/libblas.so.3";
  char folder[] = "/tmp/trigon-libraries-XXXXXX", link[80], name[100];
  trigon_context *ctx;
  if (access(file, R_OK) != 0) {
    printf("skipped: no %s; a BLAS whose name has a line break is left out\n", file);
    return;
  }
  if (!mkdtemp(folder)) abort();
  snprintf(link, sizeof link, "%s/odd\n\x1b.so", folder);
  snprintf(name, sizeof name, "cpu:%s", link);
  if (symlink(file, link) != 0 || trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) abort();
  check(strstr(trigon_describe(ctx), "/odd\\x0a\\x1b.so, 32-bit") != NULL, trigon_describe(ctx));
  trigon_destroy(ctx);
  unlink(link);
  rmdir(folder);
}

/* Loading by name does not lock the loader for other threads. Several threads may load at once. */
static void *load_another(void *unused) {
  (void)unused;
  void *handle = dlopen("libm.so.6", RTLD_NOW);
  if (handle) dlclose(handle);
  return handle;
}

static void *create_and_solve(void *name) {
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, NULL, 0);
  if (status == TRIGON_NOT_FOUND) return name; /* the library is not on this machine */
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

/* Loads one library by as many names as the loader accepts. The message then says why, and what the user can do.
 * Libraries that are loaded still work. */
static void test_limit(void) {
  static const char file[] = TRIGON_TEST_LIBRARIES "/libblas.so.3";
  const bool roomy = getenv("GLIBC_TUNABLES") && strstr(getenv("GLIBC_TUNABLES"), "glibc.rtld.nns=16");
  char name[200], why[400] = "";
  int loaded = 0;
  trigon_context *ctx;
  if (access(file, R_OK) != 0) {
    printf("skipped: no %s; the test of the number of libraries is left out\n", file);
    return;
  }
  for (; loaded < 40; loaded++) {
    snprintf(name, sizeof name, "cpu:%.*s%s", loaded, "////////////////////////////////////////", file);
    if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) break;
    trigon_destroy(ctx);
  }
  printf("%d more libraries, then: %s\n", loaded, why);
  check(loaded < 40 && strstr(why, "cannot load the library: "), "the number of libraries has a limit");
  bool namespaces = strstr(why, "namespace") && strstr(why, "the loader has 16)");
  bool variables =
      strstr(why, "static TLS block (too many libraries") && strstr(why, "GLIBC_TUNABLES=glibc.rtld.nns=16");
  check(namespaces || variables, "the message says what the user can do");
  check(!roomy || (namespaces && loaded == 15), "the advice makes room for all of glibc's namespaces");
  snprintf(name, sizeof name, "cpu:%s", file);
  if (loaded > 0) expect(name, TRIGON_OK, "");
}

int main(int count, char **words) {
  const bool all = count == 1, threads_alone = count > 1 && strcmp(words[1], "threads") == 0;
  if (all) {
    test_refused();
    test_bundled();
    test_keys();
    test_other_thread();
    test_names();
    test_odd_name();
  }
  if (all || threads_alone) test_loading_threads();
  if (!threads_alone) test_limit();
  return checked();
}
