/* exact_values.c - eigenvalues in long double: Householder's reduction of the whole matrix, then bisection by counts of
 * Sturm. Both are as simple as possible, and have nothing in common with the library. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dense.h"

typedef struct wide {
  long double re, im;
} wide;

static wide times(wide a, wide b) { return (wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static wide conjugate(wide a) { return (wide){a.re, -a.im}; }
static wide minus(wide a, wide b) { return (wide){a.re - b.re, a.im - b.im}; }
static long double square_of(wide a) { return a.re * a.re + a.im * a.im; }

static void *memory(int64_t count, size_t size) {
  void *data = calloc((size_t)(count + 1), size);
  if (data) return data;
  fputs("out of memory\n", stderr);
  exit(2);
}

/* A = A - v·wᴴ - w·vᴴ from row and column `first` on. */
static void update(int64_t n, int64_t first, wide *A, const wide *v, const wide *w) {
  for (int64_t j = first; j < n; j++) {
    const wide vj = conjugate(v[j]), wj = conjugate(w[j]);
    for (int64_t i = first; i < n; i++) A[i + j * n] = minus(minus(A[i + j * n], times(v[i], wj)), times(w[i], vj));
  }
}

/* w = p - (pᴴv / vᴴv)·v with p = (2 / vᴴv)·A·v */
static void multiply(int64_t n, int64_t first, const wide *A, const wide *v, long double vv, wide *w) {
  long double pv = 0;
  for (int64_t i = first; i < n; i++) w[i] = (wide){0};
  for (int64_t j = first; j < n; j++)
    for (int64_t i = first; i < n; i++) {
      const wide a = times(A[i + j * n], v[j]);
      w[i].re += a.re, w[i].im += a.im;
    }
  for (int64_t i = first; i < n; i++) {
    w[i].re *= 2 / vv, w[i].im *= 2 / vv;
    pv += w[i].re * v[i].re + w[i].im * v[i].im;
  }
  for (int64_t i = first; i < n; i++) w[i] = minus(w[i], (wide){pv / vv * v[i].re, pv / vv * v[i].im});
}

/* d and the squares of the off-diagonal elements of a similar tridiagonal matrix. */
static void reduce(int64_t n, wide *A, long double *d, long double *squares, wide *v, wide *w) {
  for (int64_t j = 0; j < n; j++) {
    const wide *x = A + j * n;
    long double rest = 0;
    d[j] = x[j].re;
    for (int64_t i = j + 2; i < n; i++) rest += square_of(x[i]);
    if (j + 1 == n) break;
    squares[j] = rest + square_of(x[j + 1]);
    if (rest == 0) continue;
    const long double length = sqrtl(squares[j]), size = sqrtl(square_of(x[j + 1]));
    const wide phase = size > 0 ? (wide){x[j + 1].re / size, x[j + 1].im / size} : (wide){1, 0};
    for (int64_t i = j + 1; i < n; i++) v[i] = x[i];
    v[j + 1] = (wide){phase.re * (size + length), phase.im * (size + length)};
    multiply(n, j + 1, A, v, 2 * length * (length + size), w);
    update(n, j + 1, A, v, w);
  }
}

typedef struct sturm {
  int64_t n;
  const long double *d, *squares;
  long double tiny;
} sturm;

/* How many values are less than x. */
static int64_t count_below(const sturm *s, long double x) {
  int64_t count = 0;
  long double q = 1;
  for (int64_t i = 0; i < s->n; i++) {
    q = s->d[i] - x - (i > 0 ? s->squares[i - 1] / q : 0);
    if (q == 0) q = -s->tiny;
    count += q < 0;
  }
  return count;
}

static void bisect(const sturm *s, long double low, long double high, int64_t first, int64_t end, int steps,
                   long double *values) {
  const long double middle = low + (high - low) / 2;
  if (first == end) return;
  if (steps == 0) {
    for (int64_t i = first; i < end; i++) values[i] = middle;
    return;
  }
  int64_t below = count_below(s, middle);
  below = below < first ? first : below > end ? end : below;
  bisect(s, low, middle, first, below, steps - 1, values);
  bisect(s, middle, high, below, end, steps - 1, values);
}

void exact_values(const dense *M, long double *values) {
  const int64_t n = M->rows;
  wide *A = memory(n * n, sizeof *A), *v = memory(n, sizeof *v), *w = memory(n, sizeof *w);
  long double *d = memory(n, sizeof *d), *squares = memory(n, sizeof *squares);
  const long double norm = dense_frobenius(M) * (1 + 16 * LDBL_EPSILON);
  for (int64_t i = 0; i < n * n; i++) A[i] = (wide){M->re[i], M->im[i]};
  reduce(n, A, d, squares, v, w);
  const sturm s = {n, d, squares, norm > 0 ? norm * LDBL_EPSILON * LDBL_EPSILON : 1};
  bisect(&s, -norm, norm, 0, n, 68, values);
  free(A), free(v), free(w), free(d), free(squares);
}
