/* test_integers.c - sizes beyond the integers of the BLAS underneath are cut by the recursion, or refused.
 *
 * Most tests run as if those integers ended at 8, and compare with a context whose integers do not. If
 * TRIGON_TEST_LARGE is set, the program also multiplies a row of 2^31 + 8 floats by itself, which needs 8.6 GB of
 * memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "core/decorator.h"
#include "cpu/cpu_create.h"
#include "decorators/narrow.h"
#include "support/calls.h"
#include "support/check.h"

enum { small = 8, wide = 50, most = small * wide };
static const int64_t huge = INT64_C(1) << 40; /* beyond 32-bit integers */

static trigon_context *context_with_int_max(int64_t int_max) {
  trigon_context *ctx = calloc(1, sizeof *ctx);
  const engine_options options = {.int_max = int_max, .native = true};
  int64_t held = 0;
  if (!ctx || cpu_create("libopenblas.so.0", false, &options, &ctx->why, &ctx->engine, &held) != TRIGON_OK) abort();
  if (narrow_create(ctx->engine, held, &ctx->engine) != TRIGON_OK) abort();
  ctx->machine = ctx->engine->machine;
  return ctx;
}

static void fill(double *A, int count, int seed) {
  for (int i = 0; i < count; i++) A[i] = sin(seed + 3.7 * i);
}

/* Calls routines whose sizes exceed `int_max` while the leading dimensions do not. The operands are the function's
 * own. */
enum { how_many = 12 };
static trigon_status cut_call(trigon_context *ctx, int which, double *C) {
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
    bool ran = cut_call(narrow, which, C) == TRIGON_OK && cut_call(plain, which, expected) == TRIGON_OK;
    for (int i = 0; i < most; i++) worst = fmax(worst, fabs(C[i] - expected[i]) / (1 + fabs(expected[i])));
    snprintf(what, sizeof what, "routine %d, cut: difference %.2g", which, worst);
    check(ran && worst < 1e-12, what);
  }
}

/* ------------------------------------------------------------------------------------------ orders that do not fit --
 * An engine that takes every leading dimension, and notes the largest size of what it runs. */

typedef struct noting {
  decorator decorator; /* first: an engine * is a noting * */
  int64_t most;
} noting;

static trigon_status note(engine *e, const operation *o) {
  noting *n = (noting *)e;
  const sizes s = sizes_of(o);
  const bool asks_blas = o->routine != ROUTINE_CHECK_DIAGONAL && o->routine != ROUTINE_MIRROR;
  const int64_t all[] = {s.m, s.n, s.k};
  for (int i = 0; i < 3; i++) n->most = asks_blas && all[i] > n->most ? all[i] : n->most;
  return n->decorator.work->run(n->decorator.work, o);
}

/* The engine inside cuts nothing, as with native=1. */
static trigon_context *noting_context(int64_t int_max, noting **out) {
  trigon_context *ctx = context_with_int_max(0);
  noting *n = calloc(1, sizeof *n);
  if (!n) abort();
  decorate(&n->decorator, ctx->engine);
  n->decorator.engine.run = note;
  n->decorator.engine.small = NULL;
  if (narrow_create(&n->decorator.engine, int_max, &ctx->engine) != TRIGON_OK) abort();
  *out = n;
  return ctx;
}

/* Routine `which` with a triangle or a symmetric matrix T of order `wide`, and k = wide. */
enum { orders = 14, square = wide * wide };
static trigon_status whole_call(trigon_context *ctx, int which, double *T, double *C) {
  static double B[square];
  int64_t info = -1;
  const trigon_op N = TRIGON_NOTRANS, H = TRIGON_TRANS;
  const trigon_side left = TRIGON_LEFT, right = TRIGON_RIGHT;
  const trigon_uplo lower = TRIGON_LOWER, upper = TRIGON_UPPER;
  const trigon_diag diag = TRIGON_NONUNIT;
  fill(B, square, 2);
  switch (which) {
  case 0: return trigon_dsymm(ctx, left, lower, wide, 3, 2, T, wide, B, wide, 3, C, wide);
  case 1: return trigon_dsymm(ctx, right, upper, 3, wide, 2, T, wide, B, 3, 3, C, 3);
  case 2: return trigon_dsymm(ctx, left, upper, wide, wide, 2, T, wide, B, wide, 3, C, wide);
  case 3: return trigon_dtrmm(ctx, left, lower, H, diag, wide, 3, 2, T, wide, C, wide);
  case 4: return trigon_dtrsm(ctx, right, upper, N, diag, 5, wide, 2, T, wide, C, 5);
  case 5: return trigon_dtrsm(ctx, left, lower, H, diag, wide, wide, 2, T, wide, C, wide);
  case 6: return trigon_dsyrk(ctx, lower, N, wide, wide, 2, B, wide, 3, C, wide);
  case 7: return trigon_dsyr2k(ctx, upper, H, wide, 4, 2, B, 4, T, wide, 3, C, wide);
  case 8: return trigon_dpotrf(ctx, upper, wide, T, wide, &info);
  case 9: return trigon_dposv(ctx, lower, wide, wide, T, wide, C, wide, &info);
  case 10: return trigon_dposv(ctx, upper, 3, wide, T, wide, C, 3, &info);
  case 11: return trigon_dtrtri(ctx, lower, diag, wide, T, wide, &info);
  case 12: return trigon_dpotri(ctx, upper, wide, T, wide, &info);
  default: return trigon_dlauum(ctx, lower, wide, T, wide);
  }
}

static void test_orders(trigon_context *plain) {
  static double T[2][square], C[2][square];
  for (int which = 0; which < orders; which++) {
    noting *n;
    char what[80];
    double worst = 0;
    trigon_context *narrow = noting_context(small, &n);
    for (int i = 0; i < 2; i++) {
      fill(T[i], square, 3), fill(C[i], square, 5);
      for (int j = 0; j < wide; j++) T[i][j * (wide + 1)] = 2 * wide;
      check(whole_call(i ? plain : narrow, which, T[i], C[i]) == TRIGON_OK, "an order that does not fit");
    }
    for (int i = 0; i < square; i++)
      worst = fmax(worst, fmax(fabs(C[0][i] - C[1][i]) / (1 + fabs(C[1][i])), fabs(T[0][i] - T[1][i])));
    snprintf(what, sizeof what, "routine %d: difference %.2g, the largest size is %d", which, worst, (int)n->most);
    check(worst < 1e-11 && n->most > 1 && n->most <= small, what);
    trigon_destroy(narrow);
  }
}

static void test_refusals(trigon_context *narrow) {
  double A[40] = {1, 0}, B[40] = {1}, before[40];
  memcpy(before, B, sizeof B);
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 2, 1, A, 9, B, 2) ==
            TRIGON_NOT_SUPPORTED,
        "a leading dimension that does not fit is refused");
  check(strstr(trigon_message(narrow), "trigon_dtrsm: argument 8 (A): leading dimension 9") != NULL,
        "the message names A's leading dimension");
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 2, 1, A, 2, B, 10) ==
            TRIGON_NOT_SUPPORTED,
        "a leading dimension of B that does not fit is refused");
  check(strstr(trigon_message(narrow), "argument 10 (B): leading dimension 10") != NULL,
        "the message names B's leading dimension");
  check(memcmp(before, B, sizeof B) == 0, "a refused call writes nothing");
  check(trigon_dtrsm(narrow, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, 2, 1, 1, A, 2, B, 10) ==
            TRIGON_OK,
        "one column needs no leading dimension");
  check(trigon_message(narrow)[0] == '\0', "a good call clears the message");
}

/* Sets the sizes of a call whose outputs are empty. Every leading dimension is beyond 32 bits. Returns false if the
 * call has a square matrix with data; the matrix would be larger than memory. */
static bool empty_call(call *c, void *data) {
  bool empty = true;
  for (int i = 0; i < operands(c->routine); i++) {
    int64_t rows, cols;
    operand_shape(c, i, &rows, &cols);
    if (cols == huge && rows > 0) return false;
    empty = empty && (!routines[c->routine].operand[i].written || rows == 0 || cols == 0);
    c->stored[i] = (trigon_matrix){rows > 0 && cols > 0 ? data : NULL, c->type, rows, cols, huge};
  }
  return empty;
}

/* A few numbers in the memory of a context's machine. `put` and `get` copy `count` of the numbers. */
enum { shared_doubles = 8 };
static trigon_matrix few(void *values, int64_t count) {
  return (trigon_matrix){values, TRIGON_D, count, 1, shared_doubles};
}

static double *shared_memory(trigon_context *ctx) {
  void *memory;
  if (trigon_alloc(ctx, shared_doubles * sizeof(double), &memory) != TRIGON_OK) abort();
  return memory;
}

static void put(trigon_context *ctx, const void *values, int64_t count, double *there) {
  if (trigon_upload(ctx, few((void *)values, count), few(there, count)) != TRIGON_OK) abort();
}

static void get(trigon_context *ctx, void *values, int64_t count, double *there) {
  if (trigon_download(ctx, few(there, count), few(values, count)) != TRIGON_OK) abort();
}

/* Makes the call in one spelling. `memory` has two numbers that no call touches, and the call's info. */
static void expect_nothing_of(trigon_context *ctx, const call *c, bool blas, double *memory, const char *what) {
  const double before[2] = {5, 7};
  double after[2];
  int64_t info = -1;
  put(ctx, before, 2, memory);
  put(ctx, &info, 1, memory + 2);
  check((blas ? call_blas(ctx, c) : call_matrix(ctx, c)) == TRIGON_OK, what);
  get(ctx, after, 2, memory);
  get(ctx, &info, 1, memory + 2);
  check(after[0] == 5 && after[1] == 7, "a call with empty outputs changes nothing");
  check(info == (takes(c->routine, "info") ? 0 : -1), "a call with empty outputs sets info to 0");
}

static void expect_nothing(trigon_context *ctx, call *c, double *memory) {
  char text[400], what[500];
  if (!empty_call(c, memory)) return;
  call_print(c, text, sizeof text);
  snprintf(what, sizeof what, "nothing to compute: %s", text);
  c->info = (int64_t *)(void *)(memory + 2);
  expect_nothing_of(ctx, c, false, memory, what);
  if (has_blas(c->routine, c->type)) expect_nothing_of(ctx, c, true, memory, what);
}

/* Calls with empty outputs return at once, whatever the other sizes are: every routine, on either side, transposed
 * and not transposed. */
static void test_empty(trigon_context *ctx) {
  const int64_t many[] = {0, 3, huge};
  double *memory = shared_memory(ctx);
  for (int r = 0; r < TESTED_ROUTINES; r++)
    for (int flags = 0; flags < 4; flags++)
      for (int at = 0; at < 27; at++) {
        const bool hermitian = r == HERK || r == HER2K;
        const trigon_op transposed = hermitian ? TRIGON_CONJTRANS : TRIGON_TRANS;
        call c = {.routine = (enum tested_routine)r,
                  .type = (trigon_type) "sdcz"[at % 4],
                  .side = flags & 1 ? TRIGON_RIGHT : TRIGON_LEFT,
                  .uplo = flags & 1 ? TRIGON_UPPER : TRIGON_LOWER,
                  .op = flags & 2 ? transposed : TRIGON_NOTRANS,
                  .opB = flags & 2 ? transposed : TRIGON_NOTRANS,
                  .diag = TRIGON_NONUNIT,
                  .m = many[at % 3],
                  .n = many[at / 3 % 3],
                  .k = many[at / 9],
                  .alpha = {2, 0},
                  .beta = {3, 0}};
        expect_nothing(ctx, &c, memory);
      }
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

/* An operand that is not read or written need not fit: A and B if alpha is 0, and also C if beta is 1. An operand
 * that is scaled must fit. */
static void test_nothing_to_add(trigon_context *ctx) {
  double *A = shared_memory(ctx), *C = A + 4, now[4] = {1, 2, 3, 4};
  const trigon_op N = TRIGON_NOTRANS, T = TRIGON_TRANS;
  const trigon_uplo L = TRIGON_LOWER;
  put(ctx, now, 4, C);
  check(trigon_dgemm(ctx, N, N, 2, 2, 2, 0, A, huge, A, huge, 1, C, huge) == TRIGON_OK, "gemm, alpha = 0, beta = 1");
  check(trigon_dsyrk(ctx, L, N, 2, 2, 0, A, huge, 1, C, huge) == TRIGON_OK, "syrk, alpha = 0, beta = 1");
  check(trigon_dsyr2k(ctx, L, N, 2, 2, 0, A, huge, A, huge, 1, C, huge) == TRIGON_OK, "syr2k, alpha = 0, beta = 1");
  check(trigon_dsymm(ctx, TRIGON_LEFT, L, 2, 2, 0, A, huge, A, huge, 1, C, huge) == TRIGON_OK,
        "symm, alpha = 0, beta = 1");
  get(ctx, now, 4, C);
  check(now[0] == 1 && now[1] == 2 && now[2] == 3 && now[3] == 4, "alpha = 0 and beta = 1 change nothing");
  check(trigon_dgemm(ctx, T, T, 2, 2, 2, 0, A, huge, A, huge, 2, C, 2) == TRIGON_OK, "gemm, beta = 2");
  check(trigon_dsyrk(ctx, L, T, 2, 2, 0, A, huge, 2, C, 2) == TRIGON_OK, "syrk, beta = 2");
  check(trigon_dsyr2k(ctx, L, T, 2, 2, 0, A, huge, A, huge, 2, C, 2) == TRIGON_OK, "syr2k, beta = 2");
  get(ctx, now, 4, C);
  check(now[0] == 8 && now[1] == 16 && now[2] == 6 && now[3] == 32, "C, or its triangle, is scaled");
  check(trigon_dtrsm(ctx, TRIGON_LEFT, L, N, TRIGON_NONUNIT, 2, 2, 0, A, huge, C, 2) == TRIGON_OK, "trsm, alpha = 0");
  get(ctx, now, 4, C);
  check(now[0] == 0 && now[3] == 0, "B is zero");
  const trigon_status refused = trigon_on_host(ctx) ? TRIGON_NOT_SUPPORTED : TRIGON_BAD_ARGUMENT;
  check(trigon_dsyrk(ctx, L, N, 2, 2, 0, A, 2, 2, C, huge) == refused &&
            strstr(trigon_message(ctx), "argument 9 (C): ") != NULL,
        "a C that is scaled must fit");
  check(trigon_dtrmm(ctx, TRIGON_LEFT, L, N, TRIGON_NONUNIT, 2, 2, 0, A, 2, C, huge) == refused &&
            strstr(trigon_message(ctx), "argument 10 (B): ") != NULL,
        "a B that is set to zero must fit");
  check(trigon_free(ctx, A) == TRIGON_OK, "free");
}

/* On a device the BLAS sets no limit on sizes, but the memory of an operand must be the device's. */
static void test_device(void) {
  char why[300];
  trigon_context *ctx;
  if (trigon_create("sim:0", &ctx, why, sizeof why) != TRIGON_OK) {
    printf("skipped: %s\n", why);
    return;
  }
  test_empty(ctx);
  test_nothing_to_add(ctx);
  trigon_destroy(ctx);
}

/* The scalar product of 2^31 + 8 ones exceeds 32 bits. */
static void test_large(trigon_context *ctx) {
  int64_t k = (INT64_C(1) << 31) + 8;
  float *ones = malloc((size_t)k * sizeof *ones), sum = -1;
  if (!ones) {
    printf("skipped: no memory for %" PRId64 " floats\n", k);
    return;
  }
  for (int64_t i = 0; i < k; i++) ones[i] = i % 1024 == 0 || i >= k - 8 ? 1 : 0;
  check(trigon_sgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 1, k, 1, ones, 1, ones, k, 0, &sum, 1) == TRIGON_OK,
        "gemm with k beyond 2^31");
  check(sum == (float)((k / 1024) + 8), "gemm adds the last elements");
  check(trigon_ssyrk(ctx, TRIGON_LOWER, TRIGON_NOTRANS, 1, k, 1, ones, 1, 0, &sum, 1) == TRIGON_OK &&
            sum == (float)((k / 1024) + 8),
        "syrk with k beyond 2^31 adds the last elements");
  free(ones);
}

int main(void) {
  trigon_context *narrow = context_with_int_max(small), *plain = context_with_int_max(0);
  test_cuts(narrow, plain);
  test_orders(plain);
  test_refusals(narrow);
  test_empty(narrow);
  test_empty(plain);
  test_nothing_to_add(narrow);
  test_nothing_to_add(plain);
  test_device();
  if (getenv("TRIGON_TEST_LARGE"))
    test_large(plain);
  else
    printf("skipped: sizes beyond 2^31 (TRIGON_TEST_LARGE is not set)\n");
  trigon_destroy(narrow);
  trigon_destroy(plain);
  return checked();
}
