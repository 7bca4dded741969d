/* test_dropin_loaders.c - the drop-in as programs load it: by dlopen, in forked children, from many threads at
 * once, and inside parallel regions of OpenMP. The program is linked with no BLAS.
 *   test_dropin_loaders LIBRARY 32|64     the library, and the bits of its integers */
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* An integer of the library, with guards. One of 32 bits lies in the first bytes of the value. */
typedef struct integer {
  int64_t before, value, after;
} integer;
static const int64_t guard = 0x5a5a5a5a5a5a5a5a;

static bool is_wide; /* the library's integers have 64 bits */

static integer make_integer(int64_t value) {
  integer n = {guard, guard, guard};
  const int32_t narrow = (int32_t)value;
  if (is_wide)
    n.value = value;
  else
    memcpy(&n.value, &narrow, sizeof narrow);
  return n;
}

static int64_t value_of(const integer *n) {
  int32_t narrow;
  memcpy(&narrow, &n->value, sizeof narrow);
  return is_wide ? n->value : narrow;
}

static bool is_guarded(const integer *n) {
  const size_t narrow = sizeof(int32_t);
  return n->before == guard && n->after == guard &&
         (is_wide || memcmp((const char *)&n->value + narrow, &guard, sizeof guard - narrow) == 0);
}

/* Fortran's integers go by their addresses, whatever their width is. */
typedef const void *in;
typedef void *out;
typedef void gemm_function(const char *, const char *, in m, in n, in k, const double *, const double *, in lda,
                           const double *, in ldb, const double *, double *, in ldc, size_t, size_t);
typedef void potrf_function(const char *, in n, double *, in lda, out info, size_t);
typedef float sdot_function(in n, const float *, in incx, const float *, in incy);
typedef double _Complex zdotc_function(in n, const double *, in incx, const double *, in incy);
typedef void ilaver_function(out major, out minor, out patch);
typedef int32_t isamax_function(in n, const float *, in incx); /* or int64_t, whose low half is this */

/* What a loaded library has. */
typedef struct library {
  void *handle;
  gemm_function *gemm;
  potrf_function *potrf;
  sdot_function *sdot;
  zdotc_function *zdotc;
  ilaver_function *ilaver;
  isamax_function *isamax;
} library;

/* Stores a symbol's address in a pointer to a function. */
static void find(void *handle, const char *name, void *function) {
  void *const address = dlsym(handle, name);
  if (!address) printf("%s\n", dlerror());
  check(address, "the library has the symbol, or its host");
  memcpy(function, &address, sizeof address);
}

static library load(const char *path, int mode) {
  library l = {.handle = dlopen(path, mode)};
  if (!l.handle) {
    printf("FAILED: %s\n", dlerror());
    exit(1);
  }
  find(l.handle, "dgemm_", &l.gemm), find(l.handle, "dpotrf_", &l.potrf);
  find(l.handle, "sdot_", &l.sdot), find(l.handle, "zdotc_", &l.zdotc);
  find(l.handle, "ilaver_", &l.ilaver), find(l.handle, "isamax_", &l.isamax);
  if (failed) exit(checked());
  return l;
}

static const char *file_of(const void *symbol) {
  Dl_info info;
  void *address;
  memcpy(&address, symbol, sizeof address);
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

static void test_who(const library *l) {
  check(strstr(file_of(&l->gemm), "trigon-blas"), "dgemm_ is the drop-in's");
  check(strstr(file_of(&l->potrf), "trigon-blas"), "dpotrf_ is the drop-in's");
  check(strstr(file_of(&l->sdot), "openblas"), "sdot_ is the host's");
  check(strstr(file_of(&l->isamax), "openblas"), "isamax_ is the host's");
}

static void test_host(const library *l) {
  const integer n = make_integer(3), one = make_integer(1);
  const float x[] = {1, -5, 2}, y[] = {2, 1, 4};
  const double v[] = {1, 2, 0, 1, 3, 0}, w[] = {1, 1, 2, 0, 0, 1};
  check(l->sdot(&n.value, x, &one.value, y, &one.value) == 5, "sdot_ computes");
  check(l->isamax(&n.value, x, &one.value) == 2, "isamax_ computes");
  const double _Complex dot = l->zdotc(&n.value, v, &one.value, w, &one.value); /* (1-2i)(1+i) + (-i)·2 + 3i */
  check(creal(dot) == 3 && cimag(dot) == 0, "zdotc_ computes");
  integer part[3] = {make_integer(-1), make_integer(-1), make_integer(-1)};
  l->ilaver(&part[0].value, &part[1].value, &part[2].value);
  check(value_of(&part[0]) >= 3 && value_of(&part[1]) >= 0 && value_of(&part[2]) >= 0, "ilaver_ tells a version");
}

static void test_info(const library *l) {
  double A[] = {7, 8, 9};
  const integer n = make_integer(1), none = make_integer(0), one = make_integer(1);
  integer info = make_integer(99);
  l->potrf("L", &n.value, A + 1, &none.value, &info.value, 1);
  check(value_of(&info) == -4, "dpotrf_ with lda = 0 stores info = -4");
  check(is_guarded(&info), "dpotrf_ stores info in its own width");
  check(A[0] == 7 && A[1] == 8 && A[2] == 9, "a refused matrix is not written");
  info = make_integer(99), A[1] = 4;
  l->potrf("L", &n.value, A + 1, &one.value, &info.value, 1);
  check(value_of(&info) == 0 && is_guarded(&info) && A[1] == 2, "dpotrf_ stores info = 0 in its own width");
  info = make_integer(99), A[1] = -4;
  l->potrf("U", &n.value, A + 1, &one.value, &info.value, 1);
  check(value_of(&info) == 1 && is_guarded(&info), "dpotrf_ stores info = 1 in its own width");
}

/* ---------------------------------------------------------------------------------------------- computing -- */

/* The element (i, j) of a matrix of small integers. `seed` tells matrices apart. */
static double small(int i, int j, int seed) { return (i * 7 + j * 5 + seed * 3) % 9 - 4; }

/* A = L·Lᵀ of integers is exact. Its factor is L. */
static double factor(int i, int j, int seed) { return i == j ? 40 : i > j ? small(i, j, seed) : 0; }

/* Multiplies matrices of order n, and factors L·Lᵀ, which the drop-in's dgemm_ makes. */
static bool computes(const library *l, int n, int seed) {
  const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  double *A = calloc(1, bytes), *B = calloc(1, bytes), *C = calloc(1, bytes);
  const integer order = make_integer(n);
  const double one = 1, none = 0;
  integer info = make_integer(99);
  bool is_right = true;
  if (!A || !B || !C) abort();
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) A[i + j * n] = small(i, j, seed), B[i + j * n] = small(i, j, seed + 1);
  l->gemm("N", "T", &order.value, &order.value, &order.value, &one, A, &order.value, B, &order.value, &none, C,
          &order.value, 1, 1);
  for (int j = 0; j < n; j += 3)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += small(i, k, seed) * small(j, k, seed + 1);
      is_right &= C[i + j * n] == sum;
    }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) A[i + j * n] = factor(i, j, seed);
  l->gemm("N", "T", &order.value, &order.value, &order.value, &one, A, &order.value, A, &order.value, &none, C,
          &order.value, 1, 1);
  l->potrf("L", &order.value, C, &order.value, &info.value, 1);
  is_right &= value_of(&info) == 0 && is_guarded(&info);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) is_right &= fabs(C[i + j * n] - factor(i, j, seed)) < 1e-9;
  free(A), free(B), free(C);
  return is_right;
}

static void test_forked(const library *l) {
  enum { children = 5, patience = 30 }; /* seconds */
  check(computes(l, 200, 1), "a parent computes");
  for (int i = 0; i < children; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(patience); /* a child that waits for ever is a failure, not a test that hangs */
      _exit(computes(l, 150 + i, i) ? 0 : 1);
    }
    int status = -1;
    check(child > 0 && waitpid(child, &status, 0) == child, "a parent forks");
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child computes");
  }
  check(computes(l, 200, 2), "a parent computes after its children");
}

enum { THREADS = 64, ROUNDS = 4 };
typedef struct work {
  const library *of;
  int number;
  bool is_right;
} work;

static void *work_rounds(void *of) {
  work *w = of;
  w->is_right = true;
  for (int i = 0; i < ROUNDS; i++) w->is_right &= computes(w->of, 3 + (w->number * 37 + i * 53) % 190, w->number);
  return NULL;
}

static void test_threads(const library *l) {
  pthread_t thread[THREADS];
  work works[THREADS];
  bool has_begun[THREADS];
  for (int i = 0; i < THREADS; i++) {
    works[i] = (work){l, i, false};
    has_begun[i] = pthread_create(&thread[i], NULL, work_rounds, &works[i]) == 0;
    check(has_begun[i], "a thread begins");
  }
  for (int i = 0; i < THREADS; i++) {
    if (has_begun[i]) pthread_join(thread[i], NULL);
    check(works[i].is_right, "64 threads compute at once");
  }
}

static void test_parallel(const library *l) {
#ifdef _OPENMP
  enum { calls = 12 };
  bool is_right[calls] = {false};
#pragma omp parallel for num_threads(4) schedule(dynamic)
  for (int i = 0; i < calls; i++) is_right[i] = computes(l, 20 + 17 * i, i);
  for (int i = 0; i < calls; i++) check(is_right[i], "a parallel region of OpenMP computes");
#else
  (void)l;
  printf("skipped: the compiler has no OpenMP; calls in parallel regions are left out\n");
#endif
}

static void test_library(const char *path, int mode) {
  const library l = load(path, mode);
  test_who(&l);
  test_host(&l);
  test_info(&l);
  test_forked(&l);
  test_threads(&l);
  test_parallel(&l);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    printf("usage: test_dropin_loaders LIBRARY 32|64\n");
    return 2;
  }
  is_wide = strcmp(argv[2], "64") == 0;
  const pid_t child = fork(); /* a process of its own for each way, because a library is loaded once */
  if (child == 0) {
    test_library(argv[1], RTLD_NOW | RTLD_LOCAL);
    exit(checked());
  }
  int status = -1;
  check(child > 0 && waitpid(child, &status, 0) == child, "a process for the first way");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "all checks of the first way passed");
#ifdef SANITIZED
  printf("skipped: sanitizers do not support RTLD_DEEPBIND\n");
#else
  test_library(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#endif
  return checked();
}
