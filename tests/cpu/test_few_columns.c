/* test_few_columns.c - a team of threads computes what one thread computes: solves and products with few columns. */
#include <math.h>
#include <stdlib.h>

#include "cpu/kernels/packed/loops/few_columns.h"
#include "support/check.h"

enum { ORDER = 203, WIDEST = 33, LD = 210, TEAM = 3 };

extern const kernels *const portable_kernels[4];

static void fill(double *x, int64_t count, double diagonal) {
  unsigned state = 1;
  for (int64_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = i % (LD + 1) == 0 && diagonal > 0 ? diagonal : (double)(state >> 8) / (1 << 24) - 0.5;
  }
}

static double difference(const double *x, const double *y, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    const double d = fabs(x[i] - y[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

/* `turn` 0: columns of L are contiguous; 1: rows are. `back`: L is walked from its end. */
static void compare(const packed *p, double *const B[2], const double *L, bool solve, int width, int turn, int back) {
  const int64_t row = turn ? LD : 1, col = turn ? 1 : LD, sign = back ? -1 : 1;
  triangular t = {.n = ORDER, .width = width, .count = 1, .alpha = {0.7, 0}};
  t.L = (operand){(double *)L + (back ? (ORDER - 1) * (LD + 1) : 0), sign * row, sign * col, 0, false};
  for (int i = 0; i < 2; i++) {
    fill(B[i], LD * WIDEST, 0);
    t.B = (operand){B[i], 1, LD, 0, false};
    few_columns_run(p, i == 0 ? 1 : TEAM, TRIGON_D, &t, solve);
  }
  char what[96];
  snprintf(what, sizeof what, "%s, %d columns, strides %d and %d", solve ? "solve" : "product", width,
           (int)(sign * row), (int)(sign * col));
  check(difference(B[0], B[1], LD * WIDEST) < 1e-12, what);
}

int main(void) {
  static const int widths[] = {1, 2, 4, 9, 33};
  reason why;
  packed *p = NULL;
  double *L = malloc(sizeof(double) * LD * LD), *B[2] = {malloc(sizeof(double) * LD * WIDEST)};
  B[1] = malloc(sizeof(double) * LD * WIDEST);
  if (!L || !B[0] || !B[1] || packed_create(portable_kernels, TEAM, &p, &why) != TRIGON_OK) abort();
  fill(L, LD * LD, 20);
  for (int solve = 0; solve < 2; solve++)
    for (int turn = 0; turn < 2; turn++)
      for (int back = 0; back < 2; back++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) compare(p, B, L, solve, widths[w], turn, back);
  packed_destroy(p);
  free(L), free(B[0]), free(B[1]);
  return checked();
}
