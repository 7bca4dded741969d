/* test_few_columns.c - a team of threads computes what one thread computes: solves and products with few columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A solve of one column has the same bits with any number of threads, at orders that one thread solves alone and at
 * those that a team shares. */
static void compare_bits(const packed *p, trigon_type type, int64_t n, int turn, int back) {
  enum { COPIES = 2 };
  const int64_t element = type_size(type), parts = type_is_complex(type) ? 2 : 1, sign = back ? -1 : 1;
  double *L = malloc(sizeof(double) * (size_t)(n * n * parts)), *x[COPIES];
  if (!L) abort();
  fill(L, n * n * parts, 0);
  for (int64_t i = 0; i < n; i++) L[i * (n + 1) * parts] = 20;
  triangular t = {.n = n, .width = 1, .count = 1, .alpha = {1, 0}};
  t.L = (operand){(char *)L + (back ? (n - 1) * (n + 1) : 0) * element, sign * (turn ? n : 1), sign * (turn ? 1 : n), 0,
                  false};
  for (int i = 0; i < COPIES; i++) {
    x[i] = malloc((size_t)(n * element));
    if (!x[i]) abort();
    fill(x[i], n * parts, 0);
    t.B = (operand){x[i], 1, n, 0, false};
    few_columns_run(p, i == 0 ? 1 : TEAM, type, &t, true);
  }
  char what[96];
  snprintf(what, sizeof what, "bits of one column, %c, order %d, turn %d, back %d", (char)type, (int)n, turn, back);
  check(memcmp(x[0], x[1], (size_t)(n * element)) == 0, what);
  free(L), free(x[0]), free(x[1]);
}

static void test_bits(const packed *p) {
  static const int64_t orders[] = {100, 447, 449, 500, 959, 961, 1100};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
    for (int turn = 0; turn < 2; turn++)
      for (int back = 0; back < 2; back++) {
        compare_bits(p, TRIGON_D, orders[o], turn, back);
        compare_bits(p, TRIGON_Z, orders[o], turn, back);
      }
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
  test_bits(p);
  packed_destroy(p);
  free(L), free(B[0]), free(B[1]);
  return checked();
}
