/* blas_user.c - a program of somebody else: it calls BLAS and LAPACK, and does not know Trigon. */
#include <math.h>
#include <stdio.h>
#include <string.h>

void dgemm_(const char *opa, const char *opb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t, size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
double dnrm2_(const int *n, const double *x, const int *incx);
void xerbla_(const char *name, const int *position, size_t length);

enum { ORDER = 200, ELEMENTS = ORDER * ORDER };
static double a[ELEMENTS], c[ELEMENTS], l[ELEMENTS];
static const int n = ORDER, elements = ELEMENTS, one = 1;
static int complaints;

/* The program's own. The library calls it for a bad argument. */
void xerbla_(const char *name, const int *position, size_t length) {
  complaints += length >= 5 && memcmp(name, "DGEMM", 5) == 0 && *position == 1;
}

static int fails(const char *what) {
  printf("wrong: %s\n", what);
  return 1;
}

int main(void) {
  const double plus = 1, minus = -1, zero = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) a[i + j * n] = sin(i + 2.0 * j * j);
  }
  dgemm_("N", "T", &n, &n, &n, &plus, a, &n, a, &n, &zero, c, &n, 1, 1);
  for (int i = 0; i < n; i++) c[i + i * n] += n;
  const double norm = dnrm2_(&elements, c, &one);

  /* C = L·Lᵀ */
  int info = -1;
  memcpy(l, c, sizeof c);
  dpotrf_("L", &n, l, &n, &info, 1);
  if (info != 0) return fails("info of dpotrf");
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < j; i++) l[i + j * n] = 0;
  }
  dgemm_("N", "T", &n, &n, &n, &minus, l, &n, l, &n, &plus, c, &n, 1, 1);
  const double error = dnrm2_(&elements, c, &one) / norm;
  if (!(error < 1e-14)) return fails("C is not L·Lᵀ");

  static int pivots[ORDER];
  dgetrf_(&n, &n, a, &n, pivots, &info);
  if (info != 0 || pivots[0] < 1 || pivots[0] > n) return fails("dgetrf");

  dgemm_("?", "T", &n, &n, &n, &plus, a, &n, a, &n, &zero, c, &n, 1, 1);
  if (complaints != 1) return fails("xerbla was not called");
  printf("right\n");
  return 0;
}
