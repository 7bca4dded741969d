/* test_bench_check.c - the benchmark's judge accepts what every routine computes, and notices one wrong element. */
#include "../cli/bench/check.h"
#include "../cli/matrix/dense.h"
#include "../cli/matrix/element_type.h"
#include "../cli/matrix/random.h"

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

/* Changes an element that the routine computed, away from the diagonal. */
static void disturb(const problem *c, const trigon_matrix *A, bool whole) {
  double value[2];
  bool below = whole || c->uplo == TRIGON_LOWER;
  int64_t i = below ? A->rows - 1 : 1, j = below ? 1 : A->cols - 1;
  dense_load(A, i, j, 1, value);
  value[0] += wrong_by * type_roundoff(c->type) * (value[0] < 0 ? -1 : 1) * ORDER * ORDER;
  dense_store(A, i, j, 1, value);
}

static void check_case(trigon_context *ctx, const problem *c) {
  trigon_matrix before[MOST_OPERANDS] = {0}, after[MOST_OPERANDS] = {0};
  double error, limit;
  make(c, before, after);
  expect(c->routine->call(ctx, c, after) == TRIGON_OK, c, trigon_message(ctx), 0);
  expect(bench_check(c, before, after, &error, &limit) && error < limit, c, "a right result is refused", error);
  for (int i = 0; i < routine_operands(c->routine); i++) {
    const operand *o = &c->routine->operand[i];
    if (!o->written || (c->routine->operand[1].rows && o->dominant)) continue; /* POSV's factor is not judged */
    disturb(c, &after[i], o->after == FULL);
    expect(bench_check(c, before, after, &error, &limit) && !(error < limit), c, "a wrong element goes unnoticed",
           error);
    dense_store(&after[i], after[i].rows - 1, 0, 1, (double[]){0.0 / 0.0, 0});
    bool seen = o->after == FULL || c->uplo == TRIGON_LOWER;
    expect(!seen || (bench_check(c, before, after, &error, &limit) && !(error < limit)), c, "NaN passes", error);
  }
  for (int i = 0; i < MOST_OPERANDS; i++) {
    free(before[i].data);
    free(after[i].data);
  }
}

int main(void) {
  static const char names[][8] = {"gemm", "trmm",  "trsm",  "syrk", "herk",  "syr2k", "her2k", "symm",
                                  "hemm", "potrf", "potrs", "posv", "trtri", "lauum", "potri"};
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
  trigon_destroy(ctx);
  printf("%d checks, %d failed\n", checks, failures);
  return failures > 0;
}
