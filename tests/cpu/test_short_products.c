/* test_short_products.c - GEMM, SYRK and HERK with few inner indices and a large C, which tiles walk row by row: exact
 * for small integers, for each type, each instruction set, one thread and three; the other triangle, and what lies
 * between columns, stay as they were. */
#include <stdlib.h>

#include "cpu/processors.h"
#include "support/check.h"
#include "support/matrices.h"
#include "trigon.h"

enum { most = 701, most_inner = 192, gap = 3, mark = 77 };

/* Element (i, k) of A, a small integer, and the sum of the products of rows i and j (of the second one's conjugate). */
static int re[most][most_inner], im[most][most_inner];
static int sum_re[most][most], sum_im[most][most];

static void make_integers(void) {
  for (int i = 0; i < most; i++)
    for (int k = 0; k < most_inner; k++) re[i][k] = (i * 7 + k * 5) % 5 - 2, im[i][k] = (i * 3 + k * 11) % 7 - 3;
}

static void sum_up(int n, int depth, bool is_complex, bool conjugates) {
  const int sign = conjugates ? -1 : 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int x = 0, y = 0;
      for (int k = 0; k < depth; k++) {
        x += re[i][k] * re[j][k];
        if (is_complex) x -= sign * im[i][k] * im[j][k], y += im[i][k] * re[j][k] + sign * re[i][k] * im[j][k];
      }
      sum_re[i][j] = x, sum_im[i][j] = y;
    }
}

static trigon_matrix make_matrix(trigon_type type, int64_t rows, int64_t cols) {
  trigon_matrix M = {NULL, type, rows, cols, rows + gap};
  M.data = malloc((size_t)(M.ld * cols) * 2 * sizeof(double));
  if (!M.data) abort();
  trigon_matrix whole = M;
  whole.rows = M.ld;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < M.ld; i++) matrix_put(whole, i, j, (trigon_scalar){mark, mark});
  return M;
}

/* What C was before: real on the diagonal, as HERK takes it. */
static double before(int64_t i, int64_t j) { return (double)((i + 2 * j) % 3); }

static bool is_computed(enum tested_routine r, trigon_uplo uplo, int64_t i, int64_t j) {
  return r == GEMM || (uplo == TRIGON_LOWER ? i >= j : i <= j);
}

/* An element of C as it must be, also behind the last row. */
static trigon_scalar wanted(enum tested_routine r, trigon_uplo uplo, trigon_matrix C, int64_t i, int64_t j) {
  if (i >= C.rows) return (trigon_scalar){mark, mark};
  if (!is_computed(r, uplo, i, j)) return (trigon_scalar){before(i, j), 0};
  return (trigon_scalar){2.0 * sum_re[i][j] - before(i, j), 2.0 * sum_im[i][j]};
}

static bool is_right(enum tested_routine r, trigon_uplo uplo, trigon_matrix C) {
  const bool is_complex = C.type == TRIGON_C || C.type == TRIGON_Z;
  for (int64_t j = 0; j < C.cols; j++)
    for (int64_t i = 0; i < C.ld; i++) {
      const trigon_scalar x = matrix_get(C, i, j), right = wanted(r, uplo, C, i, j);
      if (x.re != right.re || (is_complex && x.im != right.im)) return false;
    }
  return true;
}

static trigon_status compute(trigon_context *ctx, enum tested_routine r, trigon_uplo uplo, trigon_matrix A,
                             trigon_matrix C) {
  const trigon_scalar two = {2, 0}, minus = {-1, 0};
  switch (r) {
  case GEMM: return trigon_gemm(ctx, TRIGON_NOTRANS, TRIGON_TRANS, two, A, A, minus, C);
  case SYRK: return trigon_syrk(ctx, uplo, TRIGON_NOTRANS, two, A, minus, C);
  default: return trigon_herk(ctx, uplo, TRIGON_NOTRANS, 2, A, -1, C);
  }
}

static void test_routine(trigon_context *ctx, trigon_type type, enum tested_routine r, trigon_uplo uplo, int n,
                         int depth) {
  trigon_matrix A = make_matrix(type, n, depth), C = make_matrix(type, n, n);
  for (int k = 0; k < depth; k++)
    for (int i = 0; i < n; i++) matrix_put(A, i, k, (trigon_scalar){re[i][k], im[i][k]});
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) matrix_put(C, i, j, (trigon_scalar){before(i, j), 0});
  check(compute(ctx, r, uplo, A, C) == TRIGON_OK, "a product with few inner indices runs");
  check(is_right(r, uplo, C), "it is exact for small integers, and writes nothing else");
  free(A.data), free(C.data);
}

static void test_types(trigon_context *ctx, enum tested_routine r, int n, int depth) {
  for (int is_complex = r == HERK; is_complex < 2; is_complex++) {
    sum_up(n, depth, is_complex, r == HERK);
    for (int u = 0; u < (r == GEMM ? 1 : 2); u++) {
      const trigon_uplo uplo = u ? TRIGON_UPPER : TRIGON_LOWER;
      test_routine(ctx, is_complex ? TRIGON_C : TRIGON_S, r, uplo, n, depth);
      test_routine(ctx, is_complex ? TRIGON_Z : TRIGON_D, r, uplo, n, depth);
    }
  }
}

/* Whether the processor has the instruction set. */
static bool test_context(const char *arch, int threads) {
  static const struct { int n, depth; } sizes[] = {{most, 1}, {most, 64}, {300, 7}, {433, 100}, {400, 191}, {400, 192}};
  static const enum tested_routine tested[] = {GEMM, SYRK, HERK};
  char name[64];
  trigon_context *ctx = NULL;
  snprintf(name, sizeof name, "cpu?arch=%s&threads=%d", arch, threads);
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) return false;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t r = 0; r < sizeof tested / sizeof *tested; r++) test_types(ctx, tested[r], sizes[s].n, sizes[s].depth);
  trigon_destroy(ctx);
  return true;
}

int main(void) {
  static const char *const others[] = {"avx2", "avx512", "neon"};
  make_integers();
  for (int threads = 1; threads <= 3; threads += 2) {
    check(test_context("portable", threads), "every processor has the portable kernels");
    for (size_t a = 0; a < sizeof others / sizeof *others; a++)
      if (!test_context(others[a], threads)) printf("%s is left out\n", others[a]);
  }
  return checked();
}
