/* matrices.c - guarded matrices. */
#include "matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 8 }; /* elements */

const number_type types[4] = {{'s', 4, 1}, {'d', 8, 1}, {'c', 4, 2}, {'z', 8, 2}};

double epsilon_of(number_type type) { return type.real_bytes == 4 ? (double)FLT_EPSILON : DBL_EPSILON; }

double next_unit(void) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

int next_below(int count) { return (int)((next_unit() + 1) * 0.4999 * count); }

static size_t element_bytes(const matrix *M) { return (size_t)(M->type.real_bytes * M->type.parts); }

void *matrix_data(const matrix *M) { return M->block ? M->block + GUARD * element_bytes(M) : NULL; }

static size_t offset_of(const matrix *M, int64_t i, int64_t j, int part) {
  const int64_t at = M->by_rows ? i * M->ld + j : i + j * M->ld;
  return ((size_t)(GUARD + at) * (size_t)M->type.parts + (size_t)part) * (size_t)M->type.real_bytes;
}

double matrix_get(const matrix *M, int64_t i, int64_t j, int part) {
  float f;
  double d;
  const unsigned char *at = M->block + offset_of(M, i, j, part);
  if (M->type.real_bytes == 4) return memcpy(&f, at, sizeof f), (double)f;
  return memcpy(&d, at, sizeof d), d;
}

void matrix_put(matrix *M, int64_t i, int64_t j, int part, double value) {
  const float f = (float)value;
  memcpy(M->block + offset_of(M, i, j, part), M->type.real_bytes == 4 ? (const void *)&f : (const void *)&value,
         (size_t)M->type.real_bytes);
}

static bool is_inside(const matrix *M, int64_t i, int64_t j) {
  if (M->strict && i == j) return false;
  return M->shape == ALL || (M->shape == LOWER ? i >= j : i <= j);
}

/* A part of an element. Beside the diagonal of a triangle, elements shrink with the order, so that the inverse of the
 * triangle stays small. The imaginary part of a diagonal is random in RANDOM, and 0 otherwise. */
static double value_of(const matrix *M, int64_t i, int64_t j, int part) {
  const double x = next_unit();
  if (M->content == RANDOM) return x;
  if (i != j) return x / (double)(2 * M->rows);
  if (part == 1) return 0;
  return M->content == POSITIVE ? 2 : 1.5 + 0.5 * x;
}

/* The host's ZLAUU2 (OpenBLAS 0.3.21) reads behind the matrix, and uses nothing of what it reads. So memory that may be
 * read follows. */
static void *allocate(size_t bytes) {
  enum { behind = 1 << 16 };
  void *block = malloc(bytes + behind);
  if (!block) abort();
  return block;
}

void matrix_fill(matrix *M) {
  enum { not_a_number = 0xff }; /* in every byte */
  M->bytes = (size_t)(M->ld * memory_cols(M) + 2 * GUARD) * element_bytes(M);
  M->block = allocate(M->bytes);
  memset(M->block, not_a_number, M->bytes);
  if (M->content == NOT_NUMBERS) return;
  for (int64_t j = 0; j < M->cols; j++)
    for (int64_t i = 0; i < M->rows; i++)
      for (int part = 0; part < M->type.parts; part++)
        if (is_inside(M, i, j)) matrix_put(M, i, j, part, value_of(M, i, j, part));
}

matrix matrix_copy(const matrix *M) {
  matrix copy = *M;
  if (!M->block) return copy;
  copy.block = allocate(M->bytes);
  memcpy(copy.block, M->block, M->bytes);
  return copy;
}

bool matrices_are_same(const matrix *A, const matrix *B) {
  return !A->block || memcmp(A->block, B->block, A->bytes) == 0;
}

bool matrices_agree_outside(const matrix *A, const matrix *B) {
  if (!A->block) return true;
  matrix a = matrix_copy(A), b = matrix_copy(B);
  for (int64_t j = 0; j < A->cols; j++)
    for (int64_t i = 0; i < A->rows; i++)
      for (int part = 0; part < A->type.parts; part++)
        if (is_inside(A, i, j)) matrix_put(&a, i, j, part, 0), matrix_put(&b, i, j, part, 0);
  const bool same = matrices_are_same(&a, &b);
  free(a.block), free(b.block);
  return same;
}

double matrices_difference(const matrix *A, const matrix *B) {
  double most = 0;
  for (int64_t j = 0; j < A->cols; j++)
    for (int64_t i = 0; i < A->rows; i++)
      for (int part = 0; part < A->type.parts; part++) {
        if (!is_inside(A, i, j)) continue;
        const double a = matrix_get(A, i, j, part), b = matrix_get(B, i, j, part);
        if (isfinite(a) && isfinite(b))
          most = fmax(most, fabs(a - b));
        else if (!(isnan(a) && isnan(b)) && a != b)
          return HUGE_VAL;
      }
  return most;
}
