/* test_few_rows.c - products whose C has few rows or few columns, with more inner indices than a block has: they are
 * exact for small integers, for each type, each instruction set and each number of threads, and write nothing else. */
#include <stdlib.h>
#include <string.h>

#include "core/type.h"
#include "cpu/arch/cpu_arch.h"
#include "cpu/processors.h"
#include "support/check.h"
#include "trigon.h"

enum { wide = 700, most_few = 136, most_inner = 1050, gap = 3 };

/* Small integers as matrices of rows, and their product. */
typedef struct integers {
  int re[most_few * most_inner], im[most_few * most_inner];
} integers;
typedef struct wide_integers {
  int re[wide * most_inner], im[wide * most_inner];
} wide_integers;
static integers few;                                                 /* m × k */
static wide_integers many;                                           /* k × wide */
static int product_re[most_few * wide], product_im[most_few * wide]; /* m × wide */

static void make_integers(int64_t m, int64_t k) {
  for (int64_t i = 0; i < m * k; i++) few.re[i] = (int)(i * 7 % 5 - 2), few.im[i] = (int)(i * 3 % 7 - 3);
  for (int64_t i = 0; i < k * wide; i++) many.re[i] = (int)(i * 5 % 7 - 3), many.im[i] = (int)(i * 11 % 5 - 2);
}

/* With real operands, the imaginary parts are left out. */
static void multiply_integers(int64_t m, int64_t k, bool is_complex) {
  memset(product_re, 0, sizeof product_re), memset(product_im, 0, sizeof product_im);
  for (int64_t i = 0; i < m; i++)
    for (int64_t l = 0; l < k; l++) {
      const int re = few.re[i * k + l], im = is_complex ? few.im[i * k + l] : 0;
      const int *b = many.re + l * wide, *b_im = many.im + l * wide;
      int *c = product_re + i * wide, *c_im = product_im + i * wide;
      for (int64_t j = 0; j < wide; j++) {
        c[j] += re * b[j] - (is_complex ? im * b_im[j] : 0);
        c_im[j] += is_complex ? re * b_im[j] + im * b[j] : 0;
      }
    }
}

/* Element number i of an array of this type. */
static void put(trigon_type type, void *x, int64_t i, double re, double im) {
  switch (type) {
  case TRIGON_S: ((float *)x)[i] = (float)re; break;
  case TRIGON_D: ((double *)x)[i] = re; break;
  case TRIGON_C: ((float *)x)[2 * i] = (float)re, ((float *)x)[2 * i + 1] = (float)im; break;
  default: ((double *)x)[2 * i] = re, ((double *)x)[2 * i + 1] = im;
  }
}

static bool holds(trigon_type type, const void *x, int64_t i, double re, double im) {
  switch (type) {
  case TRIGON_S: return ((const float *)x)[i] == (float)re;
  case TRIGON_D: return ((const double *)x)[i] == re;
  case TRIGON_C: return ((const float *)x)[2 * i] == (float)re && ((const float *)x)[2 * i + 1] == (float)im;
  default: return ((const double *)x)[2 * i] == re && ((const double *)x)[2 * i + 1] == im;
  }
}

/* rows × cols numbers, as op(X) or as they are, with a gap behind each column. Element (i, j) is number i·row + j·col
 * of the integers, times `scale`. */
static trigon_matrix make_matrix(trigon_type type, trigon_op op, int64_t rows, int64_t cols, const int *re,
                                 const int *im, int64_t row, int64_t col, double scale) {
  trigon_matrix M = {NULL, type, op == TRIGON_NOTRANS ? rows : cols, op == TRIGON_NOTRANS ? cols : rows, 0};
  M.ld = M.rows + gap;
  M.data = malloc((size_t)(M.ld * M.cols * type_size(type)));
  if (!M.data) abort();
  for (int64_t i = 0; i < M.ld * M.cols; i++) put(type, M.data, i, 77, 77);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      const double imaginary = scale * im[i * row + j * col];
      put(type, M.data, op == TRIGON_NOTRANS ? i + j * M.ld : j + i * M.ld, scale * re[i * row + j * col],
          op == TRIGON_CONJTRANS ? -imaginary : imaginary);
    }
  return M;
}

/* Whether C is 2·sum - C before, and the gaps are as they were. */
static bool is_right(trigon_matrix C, bool is_turned) {
  for (int64_t j = 0; j < C.cols; j++)
    for (int64_t i = 0; i < C.ld; i++) {
      const int64_t number = is_turned ? i * wide + j : j * wide + i;
      const double old = i < C.rows ? (double)(number % 3) : 0;
      if (i >= C.rows ? !holds(C.type, C.data, i + j * C.ld, 77, 77)
                      : !holds(C.type, C.data, i + j * C.ld, 2.0 * product_re[number] - old, 2.0 * product_im[number]))
        return false;
    }
  return true;
}

/* C before: small integers. */
static int before[most_few * wide], zeros[most_few * wide];

/* op(A)·op(B) with `few` rows on the left (C is m × wide), or turned: the transposed product, whose C has m columns.
 * Returns C. */
static trigon_matrix compute(trigon_context *ctx, trigon_type type, bool has_few_columns, trigon_op opA, trigon_op opB,
                             int64_t m, int64_t k, double scale) {
  const trigon_scalar two = {2, 0}, minus = {-1, 0};
  trigon_matrix A, B, C;
  if (has_few_columns) {
    A = make_matrix(type, opA, wide, k, many.re, many.im, 1, wide, scale);
    B = make_matrix(type, opB, k, m, few.re, few.im, 1, k, scale);
    C = make_matrix(type, TRIGON_NOTRANS, wide, m, before, zeros, 1, wide, scale);
  } else {
    A = make_matrix(type, opA, m, k, few.re, few.im, k, 1, scale);
    B = make_matrix(type, opB, k, wide, many.re, many.im, wide, 1, scale);
    C = make_matrix(type, TRIGON_NOTRANS, m, wide, before, zeros, wide, 1, scale);
  }
  check(trigon_gemm(ctx, opA, opB, two, A, B, minus, C) == TRIGON_OK, "a product runs");
  free(A.data), free(B.data);
  return C;
}

static trigon_context *context(const char *arch, int threads) {
  char name[64], why[256];
  trigon_context *ctx = NULL;
  snprintf(name, sizeof name, "cpu?arch=%s&threads=%d", arch, threads);
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) {
    printf("%s\n", why);
    abort();
  }
  return ctx;
}

/* One product with one thread and with three: exact, and, if the numbers are not integers, the same bits. */
static void test_product(trigon_context *const *ctx, trigon_type type, bool has_few_columns, int64_t m, int64_t k,
                         int number) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  const trigon_op opA = ops[number % 3], opB = ops[number / 3 % 3];
  trigon_matrix C[2], thirds[2];
  for (int t = 0; t < 2; t++) {
    C[t] = compute(ctx[t], type, has_few_columns, opA, opB, m, k, 1);
    check(is_right(C[t], !has_few_columns), "a product of several depths is exact for small integers");
    thirds[t] = compute(ctx[t], type, has_few_columns, opA, opB, m, k, 1 / 3.0);
  }
  check(memcmp(thirds[0].data, thirds[1].data, (size_t)(thirds[0].ld * thirds[0].cols * type_size(type))) == 0,
        "three threads compute the bits of one");
  for (int t = 0; t < 2; t++) free(C[t].data), free(thirds[t].data);
}

int main(void) {
  static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
  static const int64_t sizes[] = {1, 8, 13, 64, 128, 129}, depths[] = {384, 385, most_inner};
  int number = 0;
  for (int i = 0; i < most_few * wide; i++) before[i] = i % 3;
  for (size_t a = 0; a < sizeof names / sizeof *names; a++) {
    const cpu_arch *arch = cpu_arch_find(names[a]);
    if (!arch || !arch->runs_here()) continue;
    trigon_context *ctx[2] = {context(names[a], 1), context(names[a], 3)};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        make_integers(sizes[s], depths[d]);
        for (int is_complex = 0; is_complex < 2; is_complex++) {
          multiply_integers(sizes[s], depths[d], is_complex);
          for (int turned = 0; turned < 2; turned++, number++) {
            test_product(ctx, is_complex ? TRIGON_C : TRIGON_S, turned, sizes[s], depths[d], number);
            test_product(ctx, is_complex ? TRIGON_Z : TRIGON_D, turned, sizes[s], depths[d], number);
          }
        }
      }
    trigon_destroy(ctx[0]), trigon_destroy(ctx[1]);
  }
  return checked();
}
