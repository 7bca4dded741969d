/* dense.c - products of matrices of doubles, summed in long double (dense.h). */
#include "dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/matrices.h"

static void *zeros(int64_t count) {
  void *data = calloc(count > 0 ? (size_t)count : 1, sizeof(double));
  if (data) return data;
  fputs("out of memory\n", stderr);
  exit(2);
}

dense dense_make(int64_t rows, int64_t cols) { return (dense){rows, cols, zeros(rows * cols), zeros(rows * cols)}; }

void dense_free(dense *A) {
  free(A->re), free(A->im);
  *A = (dense){0};
}

static void put(dense *A, int64_t i, int64_t j, trigon_scalar a) {
  A->re[i + j * A->rows] = a.re, A->im[i + j * A->rows] = a.im;
}

dense dense_of_factor(trigon_matrix M, trigon_uplo uplo) {
  dense A = dense_make(M.rows, M.rows);
  for (int64_t j = 0; j < M.rows; j++)
    for (int64_t i = 0; i < M.rows; i++)
      if (i == j || (i > j) == (uplo == TRIGON_LOWER)) put(&A, i, j, matrix_get(M, i, j));
  for (int64_t j = 0; j < M.rows; j++) A.im[j + j * M.rows] = 0;
  return A;
}

dense dense_of_triangle(trigon_matrix M, trigon_uplo uplo) {
  dense A = dense_of_factor(M, uplo);
  for (int64_t j = 0; j < M.rows; j++)
    for (int64_t i = 0; i < j; i++) {
      const bool upper = uplo == TRIGON_UPPER;
      const trigon_scalar a = upper ? matrix_get(M, i, j) : matrix_get(M, j, i);
      put(&A, upper ? j : i, upper ? i : j, (trigon_scalar){a.re, -a.im});
    }
  return A;
}

dense dense_of_columns(trigon_matrix M, int64_t cols) {
  dense A = dense_make(M.rows, cols);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < M.rows; i++) put(&A, i, j, matrix_get(M, i, j));
  return A;
}

/* -------------------------------------------------------------------------------------------------- products -- */

typedef struct wide {
  long double re, im;
} wide;

static long double real_dot(int64_t n, const double *x, const double *y) {
  enum { sums = 4 };
  long double sum[sums] = {0};
  int64_t i = 0;
  for (; i + sums <= n; i += sums)
    for (int s = 0; s < sums; s++) sum[s] += (long double)x[i + s] * y[i + s];
  for (; i < n; i++) sum[0] += (long double)x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static bool is_real(const dense *A) {
  for (int64_t i = 0; i < A->rows * A->cols; i++)
    if (A->im[i] != 0) return false; /* NaN, too */
  return true;
}

/* Column i of A, conjugated, times column j of B. */
static wide dot(const dense *A, int64_t i, const dense *B, int64_t j, bool real) {
  const int64_t n = A->rows;
  const double *a = A->re + i * n, *ai = A->im + i * n, *b = B->re + j * n, *bi = B->im + j * n;
  if (real) return (wide){real_dot(n, a, b), 0};
  return (wide){real_dot(n, a, b) + real_dot(n, ai, bi), real_dot(n, a, bi) - real_dot(n, ai, b)};
}

dense dense_product(const dense *A, const dense *B) {
  dense C = dense_make(A->cols, B->cols);
  const bool real = is_real(A) && is_real(B);
  for (int64_t j = 0; j < C.cols; j++)
    for (int64_t i = 0; i < C.rows; i++) {
      const wide c = dot(A, i, B, j, real);
      put(&C, i, j, (trigon_scalar){(double)c.re, (double)c.im});
    }
  return C;
}

dense dense_adjoint(const dense *A) {
  dense B = dense_make(A->cols, A->rows);
  for (int64_t j = 0; j < A->cols; j++)
    for (int64_t i = 0; i < A->rows; i++)
      put(&B, j, i, (trigon_scalar){A->re[i + j * A->rows], -A->im[i + j * A->rows]});
  return B;
}

/* ------------------------------------------------------------------------------------------------- judgement -- */

/* The larger number; NaN if one is NaN. */
static long double larger(long double a, long double b) { return a >= b ? a : isnan(a) ? a : b; }

long double dense_frobenius(const dense *A) {
  const int64_t n = A->rows * A->cols;
  return sqrtl(real_dot(n, A->re, A->re) + real_dot(n, A->im, A->im));
}

long double dense_distance(const dense *A, const dense *B) {
  long double most = 0;
  for (int64_t i = 0; i < A->rows * A->cols; i++)
    most = larger(most, hypotl((long double)A->re[i] - B->re[i], (long double)A->im[i] - B->im[i]));
  return most;
}

static long double column_length(const dense *Z, int64_t j) {
  const double *re = Z->re + j * Z->rows, *im = Z->im + j * Z->rows;
  return sqrtl(real_dot(Z->rows, re, re) + real_dot(Z->rows, im, im));
}

long double dense_residual(const dense *A, const dense *B, const dense *Z, const double *values, double norm_A,
                           double norm_B) {
  const bool real = is_real(A) && is_real(Z) && (!B || is_real(B));
  long double worst = 0;
  for (int64_t j = 0; j < Z->cols; j++) {
    long double square = 0;
    for (int64_t i = 0; i < Z->rows; i++) {
      const wide left = dot(A, i, Z, j, real);
      const wide z = B ? dot(B, i, Z, j, real) : (wide){Z->re[i + j * Z->rows], Z->im[i + j * Z->rows]};
      const long double re = left.re - values[j] * z.re, im = left.im - values[j] * z.im;
      square += re * re + im * im;
    }
    const long double size = B ? norm_A + fabsl(values[j]) * norm_B : norm_A;
    worst = larger(worst, sqrtl(square) / (size * column_length(Z, j)));
  }
  return worst;
}

long double dense_overlap(const dense *Y, const dense *Z) {
  const bool real = is_real(Y) && is_real(Z);
  long double worst = 0;
  for (int64_t j = 0; j < Z->cols; j++)
    for (int64_t i = 0; i <= j; i++) {
      const wide x = dot(Y, i, Z, j, real);
      worst = larger(worst, hypotl(x.re - (i == j), x.im));
    }
  return worst;
}
