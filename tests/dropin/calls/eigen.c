/* eigen.c - LAPACK's symmetric eigenproblem: values and vectors, answers to queries, lengths that are too small. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <complex.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { ORDER = 400, SMALL = 20, BETWEEN = 200 }; /* the host computes the last of these */
typedef const blas_int *size;
typedef void syevd_function(const char *, const char *, size n, double *, size lda, double *w, double *, size lwork,
                            blas_int *, size liwork, blas_int *info, size_t, size_t);

/* The host's function, or the one that the program finds first. */
static any_function *find(const char *symbol, bool is_ours) {
  union {
    void *data;
    any_function *any;
  } f = {.data = NULL};
  if (is_ours)
    f.data = dlsym(RTLD_DEFAULT, symbol);
  else
    f.any = host_function(symbol);
  return f.any;
}

/* Symmetric, and the same in each call. */
static void fill(blas_int n, double *A) {
  for (blas_int j = 0; j < n; j++)
    for (blas_int i = 0; i < n; i++) A[i + j * n] = cos((double)(i * j) + (double)(i + j) * 0.25);
}

/* The largest element of A·X - X·diag(w). */
static double residual(blas_int n, const double *A, const double *X, const double *w) {
  double largest = 0;
  for (blas_int j = 0; j < n; j++)
    for (blas_int i = 0; i < n; i++) {
      double sum = -w[j] * X[i + j * n];
      for (blas_int k = 0; k < n; k++) sum += A[i + k * n] * X[k + j * n];
      largest = fmax(largest, fabs(sum));
    }
  return largest;
}

static void test_order(blas_int n, const char *job, const char *uplo) {
  const blas_int lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
  const size_t bytes = (size_t)(n * n) * sizeof(double);
  double *A = malloc(bytes), *X = malloc(bytes), *work = malloc((size_t)lwork * sizeof(double));
  double w[2][ORDER];
  blas_int *iwork = malloc((size_t)liwork * sizeof(blas_int)), info[2] = {INFO_BEFORE, INFO_BEFORE};
  if (A && X && work && iwork) {
    fill(n, A);
    for (int who = 0; who < 2; who++) { /* the host, then the drop-in, whose vectors stay in X */
      memcpy(X, A, bytes);
      ((syevd_function *)find("dsyevd_", who))(job, uplo, &n, X, &n, w[who], work, &lwork, iwork, &liwork, &info[who],
                                               1, 1);
    }
    double difference = 0;
    const double limit = 10 * (double)(n * n) * DBL_EPSILON;
    for (blas_int i = 0; i < n; i++) difference = fmax(difference, fabs(w[0][i] - w[1][i]));
    check_result(info[0] == 0 && info[1] == 0, "SYEVD succeeds");
    check_result(difference <= limit, "SYEVD's values are the host's");
    if (*job == 'V') check_result(residual(n, A, X, w[1]) <= limit, "SYEVD's vectors belong to the values");
    check_result(work[0] >= (double)n && iwork[0] >= 1, "SYEVD tells lengths that suffice");
  } else
    check_result(false, "there is memory");
  free(A), free(X), free(work), free(iwork);
}

/* The other symbols that have vectors: SYEV, HEEV and HEEVD. Their complex matrices have the elements of `fill`, with
 * imaginary parts that change their sign across the diagonal. */
typedef void syev_function(const char *, const char *, size n, double *, size lda, double *w, double *, size lwork,
                           blas_int *info, size_t, size_t);
typedef void heev_function(const char *, const char *, size n, double complex *, size lda, double *w, double complex *,
                           size lwork, double *rwork, blas_int *info, size_t, size_t);
typedef void heevd_function(const char *, const char *, size n, double complex *, size lda, double *w, double complex *,
                            size lwork, double *rwork, size lrwork, blas_int *, size liwork, blas_int *info, size_t,
                            size_t);

static void fill_hermitian(blas_int n, double complex *A) {
  for (blas_int j = 0; j < n; j++)
    for (blas_int i = 0; i < n; i++)
      A[i + j * n] = cos((double)(i * j) + (double)(i + j) * 0.25) + (double)(i - j) / (double)n * I;
}

static double hermitian_residual(blas_int n, const double complex *A, const double complex *X, const double *w) {
  double largest = 0;
  for (blas_int j = 0; j < n; j++)
    for (blas_int i = 0; i < n; i++) {
      double complex sum = -w[j] * X[i + j * n];
      for (blas_int k = 0; k < n; k++) sum += A[i + k * n] * X[k + j * n];
      largest = fmax(largest, cabs(sum));
    }
  return largest;
}

enum { BESIDE = 130, LENGTH = 3 * BESIDE * BESIDE };

static void test_syev(void) {
  static double A[BESIDE * BESIDE], X[BESIDE * BESIDE], work[LENGTH];
  const blas_int n = BESIDE, lwork = LENGTH;
  double w[2][BESIDE], difference = 0;
  blas_int info[2] = {INFO_BEFORE, INFO_BEFORE};
  fill(n, A);
  for (int who = 0; who < 2; who++) {
    memcpy(X, A, sizeof A);
    ((syev_function *)find("dsyev_", who))("V", "U", &n, X, &n, w[who], work, &lwork, &info[who], 1, 1);
  }
  for (blas_int i = 0; i < n; i++) difference = fmax(difference, fabs(w[0][i] - w[1][i]));
  const double limit = 10 * (double)(n * n) * DBL_EPSILON;
  check_result(find("dsyev_", true) != find("dsyev_", false), "the drop-in has a SYEV of its own");
  check_result(info[0] == 0 && info[1] == 0 && difference <= limit, "SYEV's values are the host's");
  check_result(residual(n, A, X, w[1]) <= limit, "SYEV's vectors belong to the values");
}

static void test_heev(bool divides) {
  static double complex A[BESIDE * BESIDE], X[BESIDE * BESIDE], work[LENGTH];
  static double rwork[LENGTH];
  static blas_int iwork[LENGTH];
  const blas_int n = BESIDE, length = LENGTH;
  const char *const symbol = divides ? "zheevd_" : "zheev_";
  double w[2][BESIDE], difference = 0;
  blas_int info[2] = {INFO_BEFORE, INFO_BEFORE};
  fill_hermitian(n, A);
  for (int who = 0; who < 2; who++) {
    any_function *const f = find(symbol, who);
    memcpy(X, A, sizeof A);
    if (divides)
      ((heevd_function *)f)("V", "L", &n, X, &n, w[who], work, &length, rwork, &length, iwork, &length, &info[who], 1,
                            1);
    else
      ((heev_function *)f)("V", "L", &n, X, &n, w[who], work, &length, rwork, &info[who], 1, 1);
  }
  for (blas_int i = 0; i < n; i++) difference = fmax(difference, fabs(w[0][i] - w[1][i]));
  const double limit = 10 * (double)(n * n) * DBL_EPSILON;
  check_result(find(symbol, true) != find(symbol, false), "the drop-in has a HEEV and a HEEVD of its own");
  check_result(info[0] == 0 && info[1] == 0 && difference <= limit, "their values are the host's");
  check_result(hermitian_residual(n, A, X, w[1]) <= limit, "their vectors belong to the values");
}

/* A query, and lengths that are too small: the drop-in answers as the host does, and writes no matrix. */
static void test_lengths(blas_int lwork, blas_int liwork) {
  const blas_int n = 2;
  double answer[2];
  blas_int answer_of_integers[2], info[2];
  complaint heard[2];
  for (int who = 0; who < 2; who++) {
    double A[] = {1, 2, 2, 1}, w[2] = {77, 77}, work[64] = {0};
    blas_int iwork[64] = {0};
    info[who] = INFO_BEFORE;
    memset(&last_complaint, 0, sizeof last_complaint);
    ((syevd_function *)find("dsyevd_", who))("V", "L", &n, A, &n, w, work, &lwork, iwork, &liwork, &info[who], 1, 1);
    heard[who] = last_complaint;
    answer[who] = work[0], answer_of_integers[who] = iwork[0];
    check_result(w[0] == 77 && w[1] == 77 && A[0] == 1 && A[1] == 2, "SYEVD computes nothing without workspace");
  }
  check_result(info[0] == info[1], "SYEVD's info of a length is the host's");
  check_result(answer[0] == answer[1] && answer_of_integers[0] == answer_of_integers[1],
               "SYEVD answers as the host does");
  check_result(heard[0].count == heard[1].count && heard[0].position == heard[1].position &&
                   strcmp(heard[0].name, heard[1].name) == 0,
               "xerbla_ hears of SYEVD what the host says");
}

void test_eigen(void) {
  static const char *const jobs[] = {"N", "V"}, *const uplos[] = {"L", "U"};
  check_result(find("dsyevd_", true) != find("dsyevd_", false), "the drop-in has a SYEVD of its own");
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      test_order(SMALL, jobs[i], uplos[j]), test_order(ORDER, jobs[i], uplos[j]);
      test_order(BETWEEN, jobs[i], uplos[j]);
    }
  test_syev(), test_heev(false), test_heev(true);
  test_lengths(-1, 13), test_lengths(21, -1), test_lengths(20, 13), test_lengths(21, 12);
}
