/* test_triangles.c - triangular leaves by register kernels: zeros of the other triangle multiply nothing, and the bits
 * of a result do not depend on how many threads share a leaf. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trigon.h>

#include "support/check.h"

enum { order = 200, width = 100, large = 700 };

static trigon_context *context(const char *name) {
  trigon_context *ctx = NULL;
  char why[200];
  check(trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK, name);
  return ctx;
}

/* A well-conditioned lower triangle in a full matrix. */
static void fill(int64_t n, double *A) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) A[i + j * n] = i == j ? 2 : cos((double)(3 * i + 7 * j)) / (double)n;
}

/* Row 0 of L·B depends on row 0 of B alone: a NaN in row 1 must not come there. */
static void test_zeros(const char *name) {
  trigon_context *ctx = context(name);
  double *L = malloc(order * order * sizeof *L), *B = malloc(order * width * sizeof *B);
  if (!ctx || !L || !B) abort();
  fill(order, L);
  for (int i = 0; i < order * width; i++) B[i] = 1;
  B[1] = NAN;
  check(trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, order, width, 1, L, order, B,
                     order) == TRIGON_OK,
        "TRMM runs");
  check(B[0] == 2, "no NaN comes to a row that does not depend on it");
  check(isnan(B[1]) && isnan(B[order - 1]), "a NaN comes to the rows that depend on it");
  free(L), free(B);
  trigon_destroy(ctx);
}

/* A = L·Lᴴ, X = L⁻¹·B, B = L·X by a team of this size: all of it in one array. */
static double *results(const char *name) {
  trigon_context *ctx = context(name);
  double *A = malloc((size_t)3 * large * large * sizeof *A), *X = A + large * large, *few = X + large * large;
  if (!ctx || !A) abort();
  fill(large, A);
  for (int64_t j = 0; j < large; j++) A[j + j * large] = large;
  for (int64_t i = 0; i < 2 * large * large; i++) X[i] = sin((double)i);
  int64_t info = -1;
  const int64_t n = large;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, n, A, n, &info) == TRIGON_OK && info == 0, "POTRF runs");
  check(trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_TRANS, TRIGON_NONUNIT, n, n, 1, A, n, X, n) == TRIGON_OK,
        "TRSM runs");
  check(trigon_dtrmm(ctx, TRIGON_RIGHT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, n, n, 1, A, n, X, n) == TRIGON_OK,
        "TRMM runs");
  check(trigon_dpotrs(ctx, TRIGON_LOWER, n, 5, A, n, few, n) == TRIGON_OK, "POTRS runs");
  trigon_destroy(ctx);
  return A;
}

static void test_threads(void) {
  double *alone = results("cpu?leaf=packed&threads=1"), *team = results("cpu?leaf=packed&threads=3");
  check(memcmp(alone, team, (size_t)3 * large * large * sizeof *alone) == 0, "one thread and three give the same bits");
  free(alone), free(team);
}

/* More columns than the buffers hold at once. Small integers, so that every sum is exact. */
static void test_sets_of_columns(const char *name) {
  enum { n = 1000, columns = 1400, step = 77 };
  trigon_context *ctx = context(name);
  double *L = calloc(n * n, sizeof *L), *B = malloc((size_t)2 * n * columns * sizeof *B), *X = B + n * columns;
  if (!ctx || !L || !B) abort();
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) L[i + j * n] = (double)((3 * i + 5 * j) % 7 - 3);
  for (int64_t i = 0; i < n * columns; i++) B[i] = X[i] = (double)(i * 11 % 13 - 6);
  check(trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, n, columns, 1, L, n, X, n) ==
            TRIGON_OK,
        "TRMM runs");
  int wrong = 0;
  for (int64_t j = 0; j < columns; j += step)
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t k = 0; k <= i; k++) sum += L[i + k * n] * B[k + j * n];
      wrong += X[i + j * n] != sum;
    }
  check(wrong == 0, "a product of several sets of columns is exact for small integers");
  free(L), free(B);
  trigon_destroy(ctx);
}

int main(void) {
  test_zeros("cpu?leaf=packed");
  test_zeros("cpu?leaf=packed&arch=portable");
  test_threads();
  test_sets_of_columns("cpu?leaf=packed&threads=3");
  return checked();
}
