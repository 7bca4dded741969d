/* test_integers.c - sizes beyond the integers of the BLAS underneath: cut by the recursion, or refused.
 *
 * Most of it runs as if those integers ended at 8, against a context whose integers do not. With TRIGON_TEST_LARGE set,
 * it also multiplies a row of 2^31 + 8 floats by itself: 8.6 GB of memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backends.h"
#include "check.h"
#include "context.h"

enum { small = 8, wide = 50, most = small * wide };

static trigon_context *context_with_int_max(int64_t int_max) {
  trigon_context *ctx = calloc(1, sizeof *ctx);
  backend_options options = {.int_max = int_max, .native = true};
  if (!ctx || cpu_create(NULL, false, options, &ctx->why, &ctx->machine) != TRIGON_OK) abort();
  ctx->backend = ctx->machine;
  return ctx;
}

static void fill(double *A, int count, int seed) {
  for (int i = 0; i < count; i++) A[i] = sin(seed + 3.7 * i);
}

/* The routines whose sizes can exceed `int_max` while leading dimensions do not, on operands of their own. */
enum { how_many = 12 };
static trigon_status call(trigon_context *ctx, int which, double *C) {
  static double A[most], B[most], T[small * small];
  fill(A, most, 1), fill(B, most, 2), fill(T, small * small, 3);
  for (int i = 0; i < small; i++) T[i * (small + 1)] = 4;
  const trigon_op N = TRIGON_NOTRANS, H = TRIGON_TRANS;
  switch (which) {
  case 0: return trigon_dgemm(ctx, N, N, small, wide, 5, 2, A, small, B, small, 3, C, small); /* n */
  case 1: return trigon_dgemm(ctx, N, H, small, 4, wide, 2, A, small, B, small, 3, C, small); /* k */
  case 2: return trigon_dgemm(ctx, H, N, wide, 1, small, 2, A, small, B, small, 3, C, wide);  /* m, one column */
  case 3: return trigon_dgemm(ctx, H, H, wide, 1, 3, 2, A, small, B, 1, 3, C, wide);
  case 4: return trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, N, TRIGON_NONUNIT, small, wide, 2, T, small, C, small);
  case 5: return trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_UPPER, H, TRIGON_UNIT, small, wide, 2, T, small, C, small);
  case 6: return trigon_dtrsm(ctx, TRIGON_RIGHT, TRIGON_UPPER, N, TRIGON_NONUNIT, wide, 1, 2, T, 1, C, wide);
  case 7: return trigon_dsyrk(ctx, TRIGON_LOWER, N, small, wide, 2, A, small, 3, C, small);
  case 8: return trigon_dsyr2k(ctx, TRIGON_UPPER, N, small, wide, 2, A, small, B, small, 3, C, small);
  case 9: return trigon_dsymm(ctx, TRIGON_LEFT, TRIGON_LOWER, small, wide, 2, T, small, B, small, 3, C, small);
  case 10: return trigon_dsymm(ctx, TRIGON_RIGHT, TRIGON_LOWER, wide, 1, 2, T, 1, B, wide, 3, C, wide);
  default: return trigon_dpotrs(ctx, TRIGON_LOWER, small, wide, T, small, C, small);
  }
}

static void test_cuts(trigon_context *narrow, trigon_context *plain) {
  for (int which = 0; which < how_many; which++) {
    double C[most], expected[most], worst = 0;
    char what[60];
    fill(C, most, 5), fill(expected, most, 5);
    bool ran = call(narrow, which, C) == TRIGON_OK && call(plain, which, expected) == TRIGON_OK;
    for (int i = 0; i < most; i++) worst = fmax(worst, fabs(C[i] - expected[i]) / (1 + fabs(expected[i])));
    snprintf(what, sizeof what, "routine %d, cut: difference %.2g", which, worst);
    check(ran && worst < 1e-12, what);
  }
}

static void test_refusals(trigon_context *narrow) {
  double A[40] = {1, 0}, B[40] = {1}, before[40];
  memcpy(before, B, sizeof B);
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 2, 1, A, 9, B, 2) ==
            TRIGON_NOT_SUPPORTED,
        "a leading dimension that does not fit is refused");
  check(strstr(trigon_message(narrow), "trigon_dtrsm: argument 8 (A): its leading dimension 9") != NULL, "and named");
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 2, 1, A, 2, B, 10) ==
            TRIGON_NOT_SUPPORTED,
        "of B too");
  check(strstr(trigon_message(narrow), "argument 10 (B): its leading dimension 10") != NULL, "and named");
  check(memcmp(before, B, sizeof B) == 0, "before anything is written");
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 1, 1, A, 2, B, 10) ==
            TRIGON_OK,
        "one column needs no leading dimension");
  check(trigon_message(narrow)[0] == '\0', "and the message is gone");
}

/* The scalar product of 2^31 + 8 ones: twice the order of what 32 bits hold, minus one. */
static void test_large(trigon_context *ctx) {
  int64_t k = (INT64_C(1) << 31) + 8;
  float *ones = malloc((size_t)k * sizeof *ones), sum = -1;
  if (!ones) {
    printf("skipped: no memory for %" PRId64 " floats\n", k);
    return;
  }
  for (int64_t i = 0; i < k; i++) ones[i] = i % 1024 == 0 || i >= k - 8 ? 1 : 0;
  check(trigon_sgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 1, k, 1, ones, 1, ones, k, 0, &sum, 1) == TRIGON_OK,
        "k beyond 2^31");
  check(sum == (float)((k / 1024) + 8), "the last elements are there");
  check(trigon_ssyrk(ctx, TRIGON_LOWER, TRIGON_NOTRANS, 1, k, 1, ones, 1, 0, &sum, 1) == TRIGON_OK &&
            sum == (float)((k / 1024) + 8),
        "and in SYRK");
  free(ones);
}

int main(void) {
  trigon_context *narrow = context_with_int_max(small), *plain = context_with_int_max(0);
  test_cuts(narrow, plain);
  test_refusals(narrow);
  if (getenv("TRIGON_TEST_LARGE"))
    test_large(plain);
  else
    printf("skipped: sizes beyond 2^31 (TRIGON_TEST_LARGE is not set)\n");
  trigon_destroy(narrow);
  trigon_destroy(plain);
  return checked();
}
