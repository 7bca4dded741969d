/* test_factors.c - POTRF of blocks that a team factors in steps: at a pivot that is not positive it stops as LAPACK's
 * unblocked routine does, wherever in a step the pivot is and however many threads share the block. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trigon.h>

#include "support/check.h"

enum { largest = 340 }; /* what one block holds, for both types */

/* Element (i, j) of a matrix of doubles, or of pairs of doubles. */
static double *at(trigon_type type, double *A, int64_t n, int64_t i, int64_t j) {
  return A + (type == TRIGON_Z ? 2 : 1) * (i + j * n);
}

static bool is_stored(trigon_uplo uplo, int64_t i, int64_t j) { return uplo == TRIGON_LOWER ? i >= j : i <= j; }

/* A positive definite matrix in one triangle. The other triangle holds NaN. */
static void fill(trigon_type type, trigon_uplo uplo, int64_t n, double *A) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double *a = at(type, A, n, i, j);
      a[0] = !is_stored(uplo, i, j) ? NAN : i == j ? 2 * (double)n : cos((double)(i + j));
      if (type == TRIGON_Z) a[1] = i == j ? 0 : (i > j ? 0.5 : -0.5) * sin((double)(i * j));
    }
}

static int64_t factor(trigon_context *ctx, trigon_type type, trigon_uplo uplo, int64_t n, double *A) {
  int64_t info = -1;
  const trigon_matrix matrix = {A, type, n, n, n};
  check(trigon_potrf(ctx, uplo, matrix, &info) == TRIGON_OK, "POTRF runs");
  return info;
}

/* Elements of columns before `bad` are as in `sound`, others as before: bits, except that rounding of complex sums may
 * differ in the columns before. */
static bool is_kept(trigon_type type, trigon_uplo uplo, int64_t n, int64_t bad, double *A, double *sound,
                    double *before) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const bool done = is_stored(uplo, i, j) && (uplo == TRIGON_LOWER ? j : i) < bad;
      const double *x = at(type, A, n, i, j), *y = at(type, done ? sound : before, n, i, j);
      for (int p = 0; p < (type == TRIGON_Z ? 2 : 1); p++)
        if (!(x[p] == y[p] || (isnan(x[p]) && isnan(y[p])) || (done && fabs(x[p] - y[p]) < 1e-12))) return false;
    }
  return true;
}

static void test_failure(trigon_context *ctx, trigon_type type, trigon_uplo uplo, int64_t n, int64_t bad) {
  static double A[2 * largest * largest], sound[2 * largest * largest], before[2 * largest * largest];
  char what[100];
  snprintf(what, sizeof what, "type %c, %s, order %d, bad pivot in column %d", type,
           uplo == TRIGON_LOWER ? "lower" : "upper", (int)n, (int)bad);
  fill(type, uplo, n, A), fill(type, uplo, n, sound);
  check(factor(ctx, type, uplo, n, sound) == 0, what);
  *at(type, A, n, bad, bad) = bad % 2 ? NAN : -1;
  memcpy(before, A, sizeof A);
  check(factor(ctx, type, uplo, n, A) == bad + 1, what);
  check(is_kept(type, uplo, n, bad, A, sound, before), what);
}

static void test_failures(const char *name) {
  static const int64_t orders[] = {65, 97, 130, 257, 340}, bads[] = {0, 1, 7, 46, 47, 48, 49, 95, 96, 100};
  trigon_context *ctx = NULL;
  char why[200];
  check(trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK, name);
  for (int o = 0; ctx && o < 5; o++)
    for (int b = 0; b < 12; b++) {
      const int64_t n = orders[o], bad = b < 10 ? bads[b] : n - 1 - 5 * (b - 10);
      if (bad >= n) continue;
      test_failure(ctx, b % 2 ? TRIGON_D : TRIGON_Z, TRIGON_LOWER, n, bad);
      test_failure(ctx, b % 2 ? TRIGON_Z : TRIGON_D, TRIGON_UPPER, n, bad);
    }
  trigon_destroy(ctx);
}

int main(void) {
  test_failures("cpu?leaf=packed&threads=1");
  test_failures("cpu?leaf=packed&threads=3");
  test_failures("cpu?leaf=packed&threads=3&arch=portable");
  return checked();
}
