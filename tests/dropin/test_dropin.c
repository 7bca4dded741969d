/* test_dropin.c - what netlib's programs do not test of the drop-in library: GEMMT, unblocked forms,
 * names of 64-bit interfaces, a program's own xerbla, many threads, forked children. The program is linked against the
 * library, as other programs are. */
#define _GNU_SOURCE /* fork, alarm */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../dropin/names.h"
#include "support/check.h"

enum { most = 150, guard = 7 };

/* ----------------------------------------------------------------------------------------- a program's xerbla -- */

static char told[16];
static blas_int told_argument;

/* The program's own: LAPACK's and BLAS's routines call it. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const blas_int *argument, size_t length) {
  const size_t most_letters = sizeof told - 1;
  memset(told, 0, sizeof told);
  memcpy(told, name, length < most_letters ? length : most_letters);
  told_argument = *argument;
}

static bool has_told(const char *name, blas_int argument) {
  const bool right = strncmp(told, name, strlen(name)) == 0 && told_argument == argument;
  if (!right) printf("told: \"%s\", argument %lld\n", told, (long long)told_argument);
  memset(told, 0, sizeof told);
  return right;
}

/* ------------------------------------------------------------------------------------------- in all precisions -- */

static double number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

#define LETTER s
#define PARTS 1
#define REAL float
#define UNIT 6e-8
#include "dropin_calls.inc"
#define LETTER d
#define PARTS 1
#define REAL double
#define UNIT 1.2e-16
#include "dropin_calls.inc"
#define LETTER c
#define PARTS 2
#define REAL float
#define UNIT 6e-8
#include "dropin_calls.inc"
#define LETTER z
#define PARTS 2
#define REAL double
#define UNIT 1.2e-16
#include "dropin_calls.inc"

/* ------------------------------------------------------------------------------------- threads and processes -- */

/* Factors a matrix, which the number of the caller chooses, and compares with the factor of A = 4·I + 1·1ᵀ. */
static bool factors(int number_of_caller) {
  const blas_int n = 20 + 37 * (number_of_caller % 8);
  double *A = malloc((size_t)n * (size_t)n * sizeof *A);
  blas_int info = -1;
  for (blas_int j = 0; A && j < n; j++)
    for (blas_int i = 0; i < n; i++) A[i + j * n] = i == j ? 5 : 1;
  if (A) d_potrf("L", &n, A, &n, &info, 1);
  bool right = A && info == 0;
  /* The pivots are d_k = 4·(4 + k + 1)/(4 + k). */
  for (blas_int k = 0; right && k < n; k++)
    right = fabs(A[k + k * n] * A[k + k * n] - 4.0 * (double)(5 + k) / (double)(4 + k)) < 1e-12;
  free(A);
  return right;
}

static void *run_caller(void *number_of_caller) {
  bool right = true;
  for (int i = 0; i < 20 && right; i++) right = factors((int)(intptr_t)number_of_caller + i);
  return right ? number_of_caller : NULL;
}

static void test_many_callers(void) {
  enum { callers = 64 };
  pthread_t thread[callers];
  bool right = true;
  for (intptr_t i = 0; i < callers; i++)
    if (pthread_create(&thread[i], NULL, run_caller, (void *)(i + 1)) != 0) abort();
  for (intptr_t i = 0; i < callers; i++) {
    void *result;
    pthread_join(thread[i], &result);
    right = right && result == (void *)(i + 1);
  }
  check(right, "64 threads that call at once get right results");
}

static void test_forked_child(void) {
  check(factors(7), "the parent computes");
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(factors(7) && factors(3) ? 0 : 1);
  }
  int status = -1;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  check(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child computes");
}

int main(void) {
  test_s_();
  test_d_();
  test_c_();
  test_z_();
  test_forked_child();
  test_many_callers();
  return checked();
}
