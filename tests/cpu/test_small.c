/* test_small.c - calls of small orders go a short way of their own, and keep what longer calls promise: info, the
 * columns before a failure, the failure that `finish` tells, the message, scalars in the precision of the matrices,
 * what products read and write. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <trigon.h>

#include "support/check.h"

enum { largest = 20, ld = 23 };

static trigon_context *context(const char *name) {
  trigon_context *ctx = NULL;
  char why[200];
  check(trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK, name);
  if (!ctx) abort();
  return ctx;
}

/* A positive definite matrix in one triangle. The other triangle holds NaN. */
static void fill(trigon_uplo uplo, int64_t n, double _Complex *A) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const bool stored = uplo == TRIGON_LOWER ? i >= j : i <= j;
      const double sign = i > j ? 1 : -1;
      const double _Complex off = cos((double)(i + j)) + sign * 0.5 * I * sin((double)(i * j));
      A[i + j * ld] = !stored ? NAN : i == j ? 2 * (double)n : off;
    }
}

static bool same(double _Complex a, double _Complex b) {
  return (isnan(creal(a)) && isnan(creal(b))) || cabs(a - b) <= 1e-12;
}

/* A pivot that is not positive in column `bad`, from 0: the columns before it hold the factor, which does not depend on
 * this pivot. The opposite triangle stays as it was. */
static void test_failure(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t bad, double pivot) {
  static double _Complex A[largest * ld], sound[largest * ld];
  int64_t info = -1;
  fill(uplo, n, A), fill(uplo, n, sound);
  check(trigon_zpotrf(ctx, uplo, n, sound, ld, &info) == TRIGON_OK && info == 0, "a positive definite matrix");
  A[bad + bad * ld] = pivot;
  check(trigon_zpotrf(ctx, uplo, n, A, ld, &info) == TRIGON_OK && info == bad + 1, "info is the column of the failure");
  bool kept = true;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const int64_t column = uplo == TRIGON_LOWER ? j : i;
      const bool stored = uplo == TRIGON_LOWER ? i >= j : i <= j;
      if (!stored || column < bad) kept = kept && same(A[i + j * ld], sound[i + j * ld]);
    }
  check(kept, "the columns before a failure hold the factor, and the opposite triangle is untouched");
}

static void test_failures(trigon_context *ctx) {
  for (int64_t n = 1; n <= largest; n++)
    for (int64_t bad = 0; bad < n; bad++) {
      test_failure(ctx, TRIGON_LOWER, n, bad, -1);
      test_failure(ctx, TRIGON_UPPER, n, bad, NAN);
    }
}

/* Without info the first failure is kept for `finish`. */
static void test_kept_failure(trigon_context *ctx) {
  double A[] = {1, 0, 0, 0, -1, 0, 0, 0, 1}, zero = 0;
  int64_t info = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 3, A, 3, NULL) == TRIGON_OK, "POTRF without info");
  check(trigon_dpotri(ctx, TRIGON_LOWER, 1, &zero, 1, NULL) == TRIGON_OK && zero == 0, "POTRI of a singular factor");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 2, "finish tells the first failure");
}

/* A failed POSV leaves B as it was, and a later call computes. */
static void test_posv(trigon_context *ctx) {
  double A[] = {4, 2, NAN, -8}, B[] = {8, 6};
  int64_t info = -1;
  check(trigon_dposv(ctx, TRIGON_LOWER, 2, 1, A, 2, B, 2, &info) == TRIGON_OK && info == 2 && B[0] == 8 && B[1] == 6,
        "a failed POSV leaves B unchanged");
  A[0] = 4, A[1] = 2, A[3] = 5;
  check(trigon_dposv(ctx, TRIGON_LOWER, 2, 1, A, 2, B, 2, &info) == TRIGON_OK && info == 0, "POSV");
  check(fabs(B[0] - 1.75) < 1e-15 && fabs(B[1] - 0.5) < 1e-15, "POSV's solution");
}

/* An alpha that underflows is zero: B is cleared, and A is not read. */
static void test_scalars(trigon_context *ctx) {
  const trigon_scalar tiny = {1e-60, 0};
  float _Complex A = NAN, B[] = {NAN, 3};
  check(trigon_ctrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 1, 2, tiny, &A, 1, B, 1) ==
                TRIGON_OK &&
            B[0] == 0 && B[1] == 0,
        "an alpha that underflows clears B");
  float real[] = {1};
  const trigon_matrix one = {real, TRIGON_S, 1, 1, 1};
  const trigon_scalar complex_alpha = {1, 1e-60};
  check(trigon_trsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, complex_alpha, one, one) ==
            TRIGON_BAD_ARGUMENT,
        "an imaginary part that underflows is refused for a real type");
}

/* Unit diagonals are not read, and a call clears the message of the call before. */
static void test_message(trigon_context *ctx) {
  double L[] = {NAN, 3, NAN, NAN}, B[] = {1, 5};
  check(trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, 2, 1, 1, L, 1, B, 2) ==
                TRIGON_BAD_ARGUMENT &&
            *trigon_message(ctx),
        "a leading dimension that is too small is refused");
  check(trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, 2, 1, 1, L, 2, B, 2) == TRIGON_OK &&
            !*trigon_message(ctx) && B[0] == 1 && B[1] == 2,
        "a good call clears the message");
}

/* Sums of products and the numbers that they add to. m × k, k × n, m × n. */
typedef struct product {
  int64_t m, n, k;
  double A[largest * ld], B[largest * ld], C[largest * ld];
} product;

static void fill_product(product *p, int64_t m, int64_t n, int64_t k) {
  p->m = m, p->n = n, p->k = k;
  for (int i = 0; i < largest * ld; i++) {
    p->A[i] = cos(i) + 1.5, p->B[i] = sin(i) - 1.5;
    p->C[i] = NAN;
  }
}

static bool multiply(trigon_context *ctx, product *p, double alpha, double beta) {
  return trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, p->m, p->n, p->k, alpha, p->A, ld, p->B, ld, beta, p->C,
                      ld) == TRIGON_OK;
}

/* Whether each element of C is the sum, or NaN in row `bad`, and the rest of C is as it was. */
static bool is_product(const product *p, int64_t bad) {
  bool right = true;
  for (int64_t j = 0; j < largest; j++)
    for (int64_t i = 0; i < ld; i++) {
      long double sum = 0;
      for (int64_t l = 0; l < p->k && i < largest; l++) sum += (long double)p->A[i + l * ld] * p->B[l + j * ld];
      const double c = p->C[i + j * ld];
      const bool outside = i >= p->m || j >= p->n || i == bad;
      right = right && (outside ? isnan(c) : fabs(c - (double)sum) <= 1e-14 * 10 * (double)p->k);
    }
  return right;
}

/* beta = 0 overwrites NaN; a NaN of A reaches its row of C and no other. */
static void test_product(trigon_context *ctx, int64_t m, int64_t n, int64_t k) {
  static product p;
  fill_product(&p, m, n, k);
  check(multiply(ctx, &p, 1, 0) && is_product(&p, -1), "a product with beta = 0 overwrites C alone");
  p.A[m / 2 + (k - 1) * ld] = NAN;
  check(multiply(ctx, &p, 1, 0) && is_product(&p, m / 2), "a NaN reaches its row of the product");
}

static void test_products(trigon_context *ctx) {
  for (int64_t m = 1; m <= largest; m++)
    for (int64_t n = 1; n <= largest; n++)
      for (int64_t k = 1; k <= largest; k += 3) test_product(ctx, m, n, k);
}

/* If alpha is 0, nothing is read but C, and with no inner index neither; beta still scales C. */
static void test_scaled_product(trigon_context *ctx) {
  double A[] = {NAN}, C[] = {3, 5, 7, 9};
  check(trigon_dgemm(ctx, TRIGON_TRANS, TRIGON_NOTRANS, 1, 1, 1, 0, A, 1, A, 1, 2, C, 1) == TRIGON_OK && C[0] == 6,
        "alpha = 0 does not read A and B");
  check(trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 2, 0, 1, A, 1, A, 1, 2, C, 1) == TRIGON_OK && C[0] == 12 &&
            C[1] == 10,
        "a product without inner indices scales C");
  check(trigon_dsyrk(ctx, TRIGON_UPPER, TRIGON_NOTRANS, 2, 1, 0, A, 2, 0.5, C, 2) == TRIGON_OK && C[0] == 6 &&
            C[1] == 10 && C[2] == 3.5 && C[3] == 4.5,
        "alpha = 0 scales a triangle");
}

/* Refused arguments write nothing; a good call clears the message. */
static void test_refused_product(trigon_context *ctx) {
  float data[] = {2, 3, 4, 5}, C[] = {1, 1, 1, 1};
  const trigon_matrix A = {data, TRIGON_S, 2, 2, 2}, thin = {data, TRIGON_S, 2, 1, 2}, to = {C, TRIGON_S, 2, 2, 2};
  const trigon_scalar one = {1, 0}, complex_alpha = {1, 1e-60};
  const trigon_op plain = TRIGON_NOTRANS;
  check(trigon_gemm(ctx, plain, plain, one, A, thin, one, to) == TRIGON_BAD_ARGUMENT, "shapes that do not fit");
  check(trigon_gemm(ctx, plain, plain, one, A, A, complex_alpha, to) == TRIGON_BAD_ARGUMENT, "a complex beta");
  check(trigon_gemm(ctx, plain, (trigon_op)7, one, A, A, one, to) == TRIGON_BAD_ARGUMENT, "an unknown op");
  check(trigon_syrk(ctx, TRIGON_LOWER, plain, complex_alpha, A, one, to) == TRIGON_BAD_ARGUMENT, "a complex alpha");
  check(trigon_csyrk(ctx, TRIGON_LOWER, TRIGON_CONJTRANS, 1, 1, one, data, 1, one, C, 1) == TRIGON_BAD_ARGUMENT,
        "an adjoint in a symmetric update");
  check(trigon_ssyrk(ctx, TRIGON_LOWER, plain, 2, 1, 1, data, 1, 1, C, 2) == TRIGON_BAD_ARGUMENT &&
            *trigon_message(ctx) && C[0] == 1 && C[1] == 1,
        "a leading dimension that is too small");
  check(trigon_syrk(ctx, TRIGON_LOWER, plain, one, thin, one, to) == TRIGON_OK && !*trigon_message(ctx) && C[0] == 5 &&
            C[1] == 7 && C[2] == 1 && C[3] == 10,
        "a good product clears the message, and leaves the other triangle");
}

/* A Hermitian update takes the diagonal's imaginary parts for 0, and sets them to 0. */
static void test_hermitian_product(trigon_context *ctx) {
  float _Complex A[] = {1 + 2 * I, 3 - I}, C[] = {1, NAN, 2 + 2 * I, 1 + I};
  ((float *)C)[1] = NAN;
  check(trigon_cherk(ctx, TRIGON_UPPER, TRIGON_NOTRANS, 2, 1, 2, A, 2, 3, C, 2) == TRIGON_OK && C[0] == 13 &&
            isnan(crealf(C[1])) && C[2] == 8 + 20 * I && C[3] == 23,
        "HERK");
}

/* The short way and the long one, which a trace takes, agree. */
static void test_both_ways(void) {
  trigon_context *small = context("cpu?leaf=packed"), *traced = context("cpu?leaf=packed&trace=1");
  static double _Complex A[2][largest * ld], B[2][largest];
  for (int64_t n = 1; n <= largest; n++)
    for (int upper = 0; upper < 2; upper++) {
      const trigon_uplo uplo = upper ? TRIGON_UPPER : TRIGON_LOWER;
      bool agree = true;
      for (int k = 0; k < 2; k++) {
        trigon_context *ctx = k == 0 ? small : traced;
        int64_t info = -1;
        fill(uplo, n, A[k]);
        for (int64_t i = 0; i < n; i++) B[k][i] = (double)(i + 1) - I;
        check(trigon_zposv(ctx, uplo, n, 1, A[k], ld, B[k], n, &info) == TRIGON_OK && info == 0, "POSV runs");
        check(trigon_zpotri(ctx, uplo, n, A[k], ld, &info) == TRIGON_OK && info == 0, "POTRI runs");
      }
      for (int64_t i = 0; i < n; i++) {
        agree = agree && same(B[0][i], B[1][i]);
        for (int64_t j = 0; j < n; j++) agree = agree && same(A[0][i + j * ld], A[1][i + j * ld]);
      }
      check(agree, "a call with a trace and one without give the same result");
    }
  trigon_destroy(small), trigon_destroy(traced);
}

int main(void) {
  static const char *const names[] = {"cpu?leaf=packed&dirty=1", "cpu?leaf=packed&arch=portable", "cpu?leaf=step",
                                      "cpu?trace=1"};
  for (int i = 0; i < 4; i++) {
    trigon_context *ctx = context(names[i]);
    test_failures(ctx);
    test_kept_failure(ctx);
    test_posv(ctx);
    test_scalars(ctx);
    test_message(ctx);
    test_products(ctx);
    test_scaled_product(ctx);
    test_refused_product(ctx);
    test_hermitian_product(ctx);
    trigon_destroy(ctx);
  }
  test_both_ways();
  return checked();
}
