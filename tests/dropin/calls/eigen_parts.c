/* eigen_parts.c - LAPACK's SYEVR and SYEVX, HEEVR and HEEVX: values and vectors, all and a part of them, the support
 * and the failures of vectors, queries, and bad arguments. */
#define _GNU_SOURCE /* RTLD_DEFAULT, setenv */
#include <complex.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { MOST = 61, LENGTH = 64 * MOST, UNTOUCHED = 77 };
typedef const blas_int *size;

/* The arguments of a call. */
typedef struct part {
  bool is_bisection; /* SYEVX */
  const char *job, *range, *uplo;
  blas_int n, lda, ldz, il, iu, lwork, lrwork, liwork;
  double vl, vu;
} part;

/* What a call has written: A before and after, in doubles. `support` is ISUPPZ or IFAIL. */
typedef struct outcome {
  double A[2 * MOST * MOST], after[2 * MOST * MOST], Z[2 * (MOST + 1) * MOST], w[MOST];
  double lwork, lrwork, liwork, unit;
  blas_int m, info, support[2 * MOST];
  int parts;
  complaint heard;
} outcome;

static any_function *find(const char *symbol, bool is_ours) {
  union {
    void *data;
    any_function *any;
  } f = {.data = is_ours ? dlsym(RTLD_DEFAULT, symbol) : NULL};
  return is_ours ? f.any : host_function(symbol);
}

/* Hermitian, of leading dimension n, with values that are far apart. */
static void fill_part(blas_int n, int parts, double *A) {
  for (blas_int j = 0; j < n; j++)
    for (blas_int i = 0; i < n; i++) {
      double *const a = A + (i + j * n) * parts;
      a[0] = cos((double)(i * j) + (double)(i + j) * 0.25) + (i == j ? (double)i : 0);
      if (parts == 2) a[1] = (double)(i - j) / (double)n;
    }
}

#define JOINED(a, b, c) a##b##c
#define JOIN(a, b, c) JOINED(a, b, c)
#define QUOTED(x) #x
#define QUOTE(x) QUOTED(x)
#define LETTER s
#define REAL float
#define UNIT FLT_EPSILON
#define COMPLEX 0
#include "eigen_parts.inc"
#undef COMPLEX
#undef LETTER
#define LETTER c
#define COMPLEX 1
#include "eigen_parts.inc"
#undef COMPLEX
#undef UNIT
#undef REAL
#undef LETTER
#define LETTER d
#define REAL double
#define UNIT DBL_EPSILON
#define COMPLEX 0
#include "eigen_parts.inc"
#undef COMPLEX
#undef LETTER
#define LETTER z
#define COMPLEX 1
#include "eigen_parts.inc"

typedef void part_function(const part *, bool is_ours, outcome *);
static part_function *const calls[] = {s_call, d_call, c_call, z_call};

/* ----------------------------------------------------------------------------------------------------- checks -- */

static double complex element(const double *A, int parts, blas_int i) {
  return parts == 2 ? A[2 * i] + A[2 * i + 1] * I : A[i];
}

/* The largest element of A·X - X·diag(w), and of Xᴴ·X - 1. */
static double residual(const part *x, const outcome *y) {
  double largest = 0;
  for (blas_int j = 0; j < y->m; j++)
    for (blas_int i = 0; i < x->n; i++) {
      double complex sum = -y->w[j] * element(y->Z, y->parts, i + j * x->ldz), product = i == j ? -1 : 0;
      for (blas_int k = 0; k < x->n; k++) {
        const double complex z = element(y->Z, y->parts, k + j * x->ldz);
        sum += element(y->A, y->parts, i + k * x->n) * z;
        if (i < y->m) product += conj(element(y->Z, y->parts, k + i * x->ldz)) * z;
      }
      largest = fmax(largest, fmax(cabs(sum), cabs(product)));
    }
  return largest;
}

/* Nothing is written beside the triangle of A, below the rows of Z, and behind the vectors that were found. */
static bool keeps_the_rest(const part *x, const outcome *y) {
  const bool is_lower = *x->uplo == 'L', has_vectors = *x->job == 'V';
  bool kept = true;
  for (blas_int j = 0; j < x->n; j++)
    for (blas_int i = 0; i < x->n; i++)
      if (is_lower ? i < j : i > j)
        kept &= element(y->A, y->parts, i + j * x->n) == element(y->after, y->parts, i + j * x->n);
  for (blas_int j = 0; j < MOST; j++)
    for (blas_int i = 0; i < x->ldz * y->parts; i++)
      if (!has_vectors || j >= y->m || i >= x->n * y->parts) kept &= y->Z[i + j * x->ldz * y->parts] == UNTOUCHED;
  return kept;
}

/* ISUPPZ and IFAIL are written where the host writes them, and IFAIL is the host's, which forgets that of order 1. The
 * host's ISUPPZ is the support of the tridiagonal matrix's vectors. Ours is the support of A's vectors: all elements
 * outside of it are zero. */
static bool tells_of_vectors(const part *x, const outcome *ours, const outcome *host) {
  bool told = true;
  for (int i = 0; i < 2 * MOST; i++)
    told &= x->is_bisection ? ours->support[i] == host->support[i] || (x->n == 1 && ours->support[i] == 0)
                            : (ours->support[i] == UNTOUCHED) == (host->support[i] == UNTOUCHED);
  for (blas_int j = 0; j < ours->m && !x->is_bisection && ours->support[0] != UNTOUCHED; j++)
    for (blas_int i = 0; i < x->n; i++)
      if (i + 1 < ours->support[2 * j] || i + 1 > ours->support[2 * j + 1])
        told &= element(ours->Z, ours->parts, i + j * x->ldz) == 0;
  return told;
}

static void compare(const part *x, part_function *call) {
  static outcome host, ours;
  call(x, false, &host), call(x, true, &ours);
  const double limit = 40 * (double)x->n * ours.unit * (double)(x->n + 1);
  double difference = 0;
  for (blas_int i = 0; i < ours.m; i++) difference = fmax(difference, fabs(ours.w[i] - host.w[i]));
  check_result(ours.info == 0 && host.info == 0 && ours.m == host.m, "as many values are found as the host finds");
  check_result(tells_of_vectors(x, &ours, &host), "ISUPPZ is each vector's support, and IFAIL the host's");
  check_result(difference <= limit, "the values are the host's");
  if (*x->job == 'V')
    check_result(residual(x, &ours) <= limit, "the vectors belong to the values, and are orthonormal");
  check_result(keeps_the_rest(x, &ours), "nothing else is written");
  check_result(ours.lwork >= 1 && ours.lwork <= (double)x->lwork, "WORK tells a length that suffices");
}

static void test_all(blas_int n, part_function *call) {
  static const char *const jobs[] = {"N", "V"}, *const uplos[] = {"L", "U"}, *const ranges[] = {"A", "V", "I", "I"};
  for (int choice = 0; choice < 32; choice++) {
    const int range = choice % 4;
    compare(&(part){.is_bisection = choice / 4 % 2,
                    .job = jobs[choice / 8 % 2],
                    .uplo = uplos[choice / 16],
                    .range = ranges[range],
                    .n = n,
                    .lda = n > 1 ? n : 1,
                    .ldz = n + 1,
                    .il = range == 3 ? 1 : (n + 1) / 2,
                    .iu = range == 3 ? n : (n + 1) / 2 + n / 4,
                    .vl = 0.4,
                    .vu = (double)n * 0.6 + 0.5,
                    .lwork = 30 * MOST,
                    .lrwork = 30 * MOST,
                    .liwork = 30 * MOST},
            call);
  }
}

/* A query or a bad argument: the drop-in says what the host says, and writes nothing. */
static void compare_refused(const part *x, part_function *call) {
  static outcome host, ours;
  call(x, false, &host), call(x, true, &ours);
  check_result(ours.info == host.info && ours.lwork == host.lwork && ours.liwork == host.liwork &&
                   ours.lrwork == host.lrwork,
               "a query and a bad argument have the host's answer");
  check_result(ours.heard.count == host.heard.count && ours.heard.position == host.heard.position &&
                   strcmp(ours.heard.name, host.heard.name) == 0,
               "xerbla_ hears what the host says");
  check_result(ours.w[0] == UNTOUCHED && ours.Z[0] == UNTOUCHED, "nothing is computed");
}

static void test_refusals(bool is_bisection, part_function *call) {
  const part good = {is_bisection, "V", "I", "L", 60, 60, 60, 2, 9, 30 * MOST, 30 * MOST, 30 * MOST, 0, 1};
  part x[16];
  int count = 0;
  for (int i = 0; i < 16; i++) x[i] = good;
  x[count++].job = "X", x[count++].range = "X", x[count++].uplo = "X", x[count++].n = -1, x[count++].lda = 59;
  x[count++].ldz = 59, x[count++].il = 0, x[count++].il = 61, x[count++].iu = 1, x[count++].iu = 61;
  x[count].vl = 1, x[count++].range = "V", x[count++].lwork = is_bisection ? 60 : 100, x[count++].lwork = -1;
  if (!is_bisection) x[count++].liwork = 599, x[count++].liwork = -1;
  x[count].job = "N", x[count++].ldz = 0;
  for (int i = 0; i < count; i++) compare_refused(&x[i], call);
}

/* Trigon computes all orders. */
void test_eigen_parts(void) {
  static const blas_int orders[] = {1, 2, 7, 33, MOST};
  setenv("TRIGON_BLAS_ROUTES", "none", 1);
  for (int type = 0; type < 4; type++) {
    for (int i = 0; i < 5; i++) test_all(orders[i], calls[type]);
    test_refusals(false, calls[type]), test_refusals(true, calls[type]);
  }
  unsetenv("TRIGON_BLAS_ROUTES");
}
