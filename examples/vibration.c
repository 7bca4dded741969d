/* vibration [N] - how an elastic bar with fixed ends vibrates, cut into N + 1 elements (default: 200).
 *
 * The stiffness K and the mass M of linear elements are tridiagonal: K = (-1, 2, -1) / h, M = h (1, 4, 1) / 6. SYGVD
 * solves K x = w² M x. The program compares with the closed form: x_i = sin(i t), t = j pi h,
 * w² = 6 (2 - 2 cos t) / (h² (4 + 2 cos t)). The exit status is 1 if an error is large. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <trigon_eigen.h>

static const double pi = 3.14159265358979323846;

/* Fills the lower triangle of a tridiagonal matrix. */
static void fill(double *A, int64_t n, double diagonal, double beside) {
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = j; i < n; i++) A[i + j * n] = 0;
    A[j + j * n] = diagonal;
    if (j + 1 < n) A[j + 1 + j * n] = beside;
  }
}

static double exact(int64_t n, int64_t j) {
  const double h = 1.0 / (double)(n + 1), t = (double)(j + 1) * pi * h;
  return 6 * (2 - 2 * cos(t)) / (h * h * (4 + 2 * cos(t)));
}

/* How far the vector x is from a multiple of sin((j + 1) pi i h), relative to its norm. */
static double shape_error(int64_t n, int64_t j, const double *x) {
  const double step = (double)(j + 1) * pi / (double)(n + 1);
  double product = 0, square = 0, norm = 0, rest = 0;
  for (int64_t i = 0; i < n; i++) {
    const double s = sin((double)(i + 1) * step);
    product += s * x[i], square += s * s, norm += x[i] * x[i];
  }
  for (int64_t i = 0; i < n; i++) {
    const double difference = x[i] - product / square * sin((double)(i + 1) * step);
    rest += difference * difference;
  }
  return sqrt(rest / norm);
}

static int solve(trigon_context *ctx, int64_t n, double *K, double *M, double *w) {
  const double h = 1.0 / (double)(n + 1);
  int64_t info;
  fill(K, n, 2 / h, -1 / h);
  fill(M, n, 4 * h / 6, h / 6);
  if (trigon_dsygvd(ctx, 1, TRIGON_VECTORS, TRIGON_LOWER, n, K, n, M, n, w, &info) != TRIGON_OK)
    return fprintf(stderr, "%s\n", trigon_message(ctx)), 1;
  if (info != 0) return fprintf(stderr, "info %d\n", (int)info), 1;
  double worst = 0;
  for (int64_t j = 0; j < n; j++) worst = fmax(worst, fabs(w[j] - exact(n, j)) / exact(n, n - 1));
  puts("mode  frequency      closed form    shape off by");
  for (int64_t j = 0; j < 5 && j < n; j++)
    printf("%4d  %-13.8g  %-13.8g  %.0e\n", (int)j + 1, sqrt(w[j]), sqrt(exact(n, j)), shape_error(n, j, K + j * n));
  printf("the largest error of %d values, relative to the largest value: %.1e\n", (int)n, worst);
  return !(worst < 1e-13 * (double)(n + 10));
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? atoll(argv[1]) : 200;
  if (n < 1 || n > 20000) return fprintf(stderr, "usage: vibration [N], N from 1 to 20000\n"), 2;
  double *K = malloc(sizeof *K * (size_t)(n * n)), *M = malloc(sizeof *M * (size_t)(n * n)),
         *w = malloc(sizeof *w * (size_t)n);
  trigon_context *ctx = NULL;
  int status = 1;
  if (K && M && w && trigon_create("cpu", &ctx, NULL, 0) == TRIGON_OK) status = solve(ctx, n, K, M, w);
  trigon_destroy(ctx);
  free(K);
  free(M);
  free(w);
  return status;
}
