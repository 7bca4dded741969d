/* test_bench_check.c - the benchmark's judge accepts what every routine computes, and notices one wrong element. The
 * error of a product is that of its worst element. Random matrices have the spread that was asked for. */
#include "bench/check.h"
#include "bench/measure/product_error.h"
#include "bench/spectrum.h"
#include "matrix/dense.h"
#include "matrix/element_type.h"
#include "matrix/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 21, OTHER = 13, INNER = 7 };
/* In units of u, relative to the element. The error is small, but larger than rounding. */
static const double wrong_by = 1e4;

static int checks, failures;

static void expect(bool held, const problem *c, const char *what, double error) {
  checks++;
  if (held) return;
  failures++;
  printf("FAILED: %c%s %s: %s (error %.3g)\n", c->type, c->routine->name, c->variant, what, error);
}

static void make(const problem *c, trigon_matrix *before, trigon_matrix *after) {
  for (int i = 0; i < routine_operands(c->routine); i++) {
    int64_t rows, cols;
    problem_shape(c, i, &rows, &cols);
    if (!dense_alloc(c->type, rows, cols, &before[i]) || !dense_alloc(c->type, rows, cols, &after[i])) exit(1);
    random_fill(&before[i], (uint64_t)i + 1);
    for (int64_t j = 0; c->routine->operand[i].dominant && j < cols; j++) /* well above the sum of a row */
      dense_store(&before[i], j, j, 1, (double[]){2.0 * ORDER, 0});
    dense_copy(&before[i], &after[i]);
  }
}

/* Whether operand i is judged: not POSV's factor, and not what an eigensolver leaves of A without vectors. */
static bool is_judged(const problem *c, int i) {
  const bench_operand *o = &c->routine->operand[i];
  if (routine_is_eigen(c->routine)) return i > 0 || c->job == TRIGON_VECTORS;
  return o->written && !(c->routine->operand[1].rows && o->dominant);
}

/* Changes an element that the routine computed, away from the diagonal. */
static void disturb(const problem *c, const trigon_matrix *A, bool whole) {
  double value[2];
  bool below = whole || c->uplo == TRIGON_LOWER;
  int64_t i = below ? A->rows - 1 : 1, j = A->cols == 1 ? 0 : below ? 1 : A->cols - 1;
  dense_load(A, i, j, 1, value);
  value[0] += wrong_by * type_roundoff(c->type) * (value[0] < 0 ? -1 : 1) * ORDER * ORDER;
  dense_store(A, i, j, 1, value);
}

/* A product whose elements are all compared: none of them is further off than its bound. */
static void check_products(const problem *c, const trigon_matrix *before, const trigon_matrix *after) {
  double error;
  const bool done = product_error(c, before, after, &error);
  expect(done && error < (2 * INNER + 2) * type_roundoff(c->type), c, "the error of a right product", error);
}

static void check_case(trigon_context *ctx, const problem *c) {
  trigon_matrix before[MOST_OPERANDS] = {0}, after[MOST_OPERANDS] = {0};
  double error, limit;
  make(c, before, after);
  expect(c->routine->call(ctx, c, after) == TRIGON_OK, c, trigon_message(ctx), 0);
  expect(bench_check(c, before, after, &error, &limit) && error < limit, c, "a right result is refused", error);
  if (!strcmp(c->routine->name, "gemm")) check_products(c, before, after);
  for (int i = 0; i < routine_operands(c->routine); i++) {
    const bench_operand *o = &c->routine->operand[i];
    if (!is_judged(c, i)) continue;
    const bool whole = o->after == FULL || o->after == DIAGONAL;
    trigon_matrix written = o->after == DIAGONAL ? spectrum_values(&after[i]) : after[i];
    if (o->after == DIAGONAL) written.rows = problem_values(c);
    disturb(c, &written, whole);
    expect(bench_check(c, before, after, &error, &limit) && !(error < limit), c, "a wrong element goes unnoticed",
           error);
    dense_store(&written, written.rows - 1, 0, 1, (double[]){0.0 / 0.0, 0});
    bool seen = whole || c->uplo == TRIGON_LOWER;
    expect(!seen || (bench_check(c, before, after, &error, &limit) && !(error < limit)), c, "NaN passes", error);
  }
  for (int i = 0; i < MOST_OPERANDS; i++) {
    free(before[i].data);
    free(after[i].data);
  }
}

/* C0 + A·B, where all elements of A, B and C0 are one number, but for the first and the last in a row of A, which are
 * large and cancel each other: a sum in double precision would lose the others. The exact C is known. */
static void check_exactness(trigon_type type, int64_t m, int64_t n) {
  enum { DEPTH = 9, LARGE = 1 << 30 };
  problem c = {.routine = routine_find("gemm", 4), .type = type, .size = {m, n, DEPTH}};
  problem_set_variant(&c, "NN");
  trigon_matrix before[MOST_OPERANDS], after[MOST_OPERANDS];
  make(&c, before, after);
  const bool complex = type_is_complex(type);
  const double large = (double)LARGE * LARGE, product = complex ? 2 : 1; /* (1 + i)² = 2i */
  for (int i = 0; i < 3; i++)
    for (int64_t col = 0; col < before[i].cols; col++)
      for (int64_t row = 0; row < before[i].rows; row++) {
        const bool edge = i == 0 && (col == 0 || col == DEPTH - 1);
        const double re = !edge ? 1 : col == 0 ? large : -large;
        dense_store(&before[i], row, col, 1, (double[]){re, edge ? 0 : 1});
      }
  const double exact[] = {complex ? 1 : DEPTH - 1, 1 + 2 * (DEPTH - 2)};
  for (int64_t col = 0; col < n; col++)
    for (int64_t row = 0; row < m; row++) dense_store(&after[2], row, col, 1, exact);
  double error = NAN;
  expect(product_error(&c, before, after, &error) && error == 0, &c, "the exact product has an error", error);
  dense_store(&after[2], m - 1, n - 1, 1, (double[]){exact[0] + 2, exact[1]});
  const double size = 2 * large + 1 + (DEPTH - 2) * product;
  const bool all = m <= 64 && n <= 64; /* larger products are compared in parts */
  expect(product_error(&c, before, after, &error) && (!all || fabs(error * size / 2 - 1) < 1e-12), &c,
         "a wrong element", error);
  for (int64_t col = 0; col < n; col++) dense_store(&after[2], m / 2, col, 1, (double[]){NAN, 0});
  for (int64_t row = 0; row < m; row++) dense_store(&after[2], row, n / 2, 1, (double[]){NAN, 0});
  expect(product_error(&c, before, after, &error) && (!all || isnan(error)), &c, "a NaN passes", error);
  for (int i = 0; i < 3; i++) free(before[i].data), free(after[i].data);
}

/* exp(spread·z) has the mean exp(spread²/2), and its logarithm the mean 0 and the deviation `spread`. */
static void check_spread(double spread) {
  enum { SIDE = 300 };
  const problem c = {.routine = routine_find("gemm", 4), .type = TRIGON_D, .variant = "NN"};
  trigon_matrix plain, spread_out;
  if (!dense_alloc(TRIGON_D, SIDE, SIDE, &plain) || !dense_alloc(TRIGON_D, SIDE, SIDE, &spread_out)) exit(1);
  random_fill(&plain, 3);
  random_fill_spread(&spread_out, 3, 0);
  expect(memcmp(plain.data, spread_out.data, sizeof(double) * SIDE * SIDE) == 0, &c, "no spread: other numbers", 0);
  random_fill_spread(&spread_out, 3, spread);
  double mean = 0, square = 0, *at = spread_out.data;
  for (int i = 0; i < SIDE * SIDE; i++) {
    /* log|u| of a number u even over (-1, 1) has the mean -1 and the variance 1. */
    const double logarithm = log(fabs(at[i])) + 1;
    mean += logarithm / (SIDE * SIDE), square += logarithm * logarithm / (SIDE * SIDE);
  }
  expect(fabs(mean) < 0.02 * (1 + spread), &c, "the mean of logarithms", mean);
  expect(fabs(square / (1 + spread * spread) - 1) < 0.05, &c, "the variance of logarithms", square);
  random_fill_dominant(&spread_out, 3, spread);
  double largest = 0;
  for (int i = 0; i < SIDE * SIDE; i++)
    if (i % (SIDE + 1) != 0 && fabs(at[i]) > largest) largest = fabs(at[i]);
  expect(largest * SIDE <= 1, &c, "the diagonal does not dominate", largest);
  free(plain.data), free(spread_out.data);
}

int main(void) {
  static const char names[][8] = {"gemm",  "trmm",  "trsm", "syrk",  "herk",  "syr2k", "her2k", "symm",   "hemm",
                                  "potrf", "potrs", "posv", "trtri", "lauum", "potri", "syevd", "syevdx", "sygvd"};
  trigon_context *ctx;
  char why[256];
  if (trigon_create("cpu?stop=8", &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
  for (size_t r = 0; r < sizeof names / sizeof *names; r++)
    for (const char *type = "sdcz"; *type; type++) {
      problem c = {.routine = routine_find(names[r], strlen(names[r])),
                   .type = (trigon_type)*type,
                   .size = {ORDER, OTHER, INNER}};
      if (!routine_has(c.routine, 'm')) c.size[1] = ORDER;
      bool end = false;
      char variant[MOST_VARIANT];
      for (int i = 0; !end; i++)
        if (problem_variant(c.routine, c.type, i, variant, &end) && problem_set_variant(&c, variant))
          check_case(ctx, &c);
    }
  for (const char *type = "sdcz"; *type; type++)
    for (int64_t n = 1; n < 200; n *= 5) check_exactness((trigon_type)*type, n, 126 - n);
  for (double spread = 0; spread < 5; spread++) check_spread(spread);
  trigon_destroy(ctx);
  printf("%d checks, %d failed\n", checks, failures);
  return failures > 0;
}
