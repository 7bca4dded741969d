/* test_dropin_wheel.c - the drop-in for wheels, which finds its host among the libraries that the process has loaded.
 *   test_dropin_wheel LIBRARY HOST     the drop-in, and a library that stands in for the BLAS of a wheel */
#define _GNU_SOURCE /* fork */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../dropin/names.h"
#include "support/check.h"

typedef const blas_int *size;
typedef void potrf_function(const char *, size n, double *, size lda, blas_int *info, size_t);
typedef void gemm_function(const char *, const char *, size m, size n, size k, const double *, const double *, size lda,
                           const double *, size ldb, const double *, double *, size ldc, size_t, size_t);
typedef void gemv_function(const char *, size m, size n, const double *, const double *, size lda, const double *,
                           size incx, const double *, double *, size incy, size_t);
typedef void cblas_gemm_function(int, int, int, blas_int m, blas_int n, blas_int k, double, const double *,
                                 blas_int lda, const double *, blas_int ldb, double, double *, blas_int ldc);
typedef blas_int lapacke_function(int, char, blas_int n, double *, blas_int lda);

static potrf_function *potrf;
static gemm_function *gemm;
static gemv_function *gemv;
static cblas_gemm_function *cblas_gemm;
static lapacke_function *lapacke, *lapacke_work;

/* Stores a symbol's address in a pointer. */
static void find(void *handle, const char *name, void *pointer) {
  void *const address = handle ? dlsym(handle, name) : NULL;
  if (!address) printf("there is no %s\n", name);
  check(address, "the library has the symbol");
  memcpy(pointer, &address, sizeof address);
}

static void *load(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  find(handle, QUOTE(FORTRAN(d, potrf)), &potrf), find(handle, QUOTE(FORTRAN(d, gemm)), &gemm);
  find(handle, QUOTE(FORTRAN(d, gemv)), &gemv), find(handle, QUOTE(CBLAS(d, gemm)), &cblas_gemm);
  find(handle, QUOTE(LAPACKE(d, potrf)), &lapacke), find(handle, QUOTE(LAPACKE_WORK(d, potrf)), &lapacke_work);
  if (failed) exit(checked());
  return handle;
}

static void test_results(void) {
  const blas_int n = 2, step = 1;
  const double one = 1, none = 0;
  double A[] = {4, 2, 77, 10}, C[4], D[4];
  blas_int info = 99;
  potrf("L", &n, A, &n, &info, 1);
  check(info == 0 && A[0] == 2 && A[1] == 1 && A[2] == 77 && A[3] == 3, "POTRF computes");
  A[2] = 0;
  gemm("N", "T", &n, &n, &n, &one, A, &n, A, &n, &none, C, &n, 1, 1);
  cblas_gemm(102, 111, 112, n, n, n, 1, A, n, A, n, 0, D, n);
  check(C[0] == 4 && C[1] == 2 && C[2] == 2 && C[3] == 10, "GEMM computes");
  check(memcmp(C, D, sizeof C) == 0, "GEMM of CBLAS computes");
  double y[] = {77, 77};
  gemv("T", &n, &n, &one, A, &n, A, &step, &none, y, &step, 1);
  check(y[0] == 5 && y[1] == 3, "GEMV computes");
  check(lapacke(102, 'L', n, C, n) == 0 && C[0] == 2 && C[1] == 1 && C[2] == 2 && C[3] == 3, "LAPACKE computes");
  check(lapacke_work(101, 'U', n, D, n) == 0 && D[0] == 2 && D[1] == 1 && D[2] == 2 && D[3] == 3,
        "LAPACKE computes by rows");
}

/* Large enough that threads could help. */
static void test_larger(void) {
  enum { order = 40 };
  const blas_int n = order;
  static double A[order * order];
  blas_int info = 99;
  for (int i = 0; i < order; i++) A[i + i * order] = 9;
  potrf("U", &n, A, &n, &info, 1);
  check(info == 0 && A[order * order - 1] == 3, "a larger POTRF computes");
}

/* A bad argument and no host: a line is printed, and nothing else happens. */
static void test_without_host(void) {
  const blas_int n = 2, small = 1;
  double A[] = {4, 2, 2, 10};
  blas_int info = 99;
  potrf("L", &n, A, &small, &info, 1);
  check(A[0] == 4 && A[3] == 10, "without a host, a bad argument writes nothing");
  check(lapacke(7, 'L', n, A, n) == -1, "without a host, LAPACKE returns that the layout is bad");
  check(lapacke_work(101, 'L', n, A, small) == -5, "without a host, LAPACKE returns that a matrix by rows is bad");
}

static void test_host(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int *calls, *asked;
  find(handle, "wheel_calls", &calls), find(handle, "wheel_asked_threads", &asked);
  if (failed) return;
  test_results();
  check(*calls == 0, "the host does not compute what Trigon does");
  test_larger();
  check(*asked > 0, "the host is asked for its threads");
  const blas_int n = 2, small = 1;
  double A[] = {4, 2, 2, 10};
  blas_int info = 99;
  potrf("L", &n, A, &small, &info, 1);
  check(*calls == 1 && info == -4, "a bad argument goes to the host");
  check(lapacke(102, 'L', n, A, small) == -5 && *calls == 2, "a bad argument of LAPACKE goes to the host");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    printf("usage: test_dropin_wheel LIBRARY HOST\n");
    return 2;
  }
  load(argv[1]);
  const pid_t child = fork();
  if (child == 0) {
    test_results();
    test_without_host();
    exit(failed ? 1 : 0);
  }
  int status = -1;
  check(child > 0 && waitpid(child, &status, 0) == child, "a process without a host");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "all checks without a host passed");
  test_host(argv[2]);
  return checked();
}
