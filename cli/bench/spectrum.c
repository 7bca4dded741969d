/* spectrum.c - the trace and the norm of a matrix, from its elements and from its eigenvalues. */
#include "spectrum.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"

#include <math.h>
#include <stdlib.h>

/* A sum, and a sum of squares. In long double rounding is no part of what is measured. */
typedef struct sums {
  long double first, second;
} sums;

trigon_matrix spectrum_values(const trigon_matrix *w) {
  const trigon_type real = w->type == TRIGON_S || w->type == TRIGON_C ? TRIGON_S : TRIGON_D;
  return (trigon_matrix){w->data, real, w->rows, w->cols, w->ld};
}

static sums of_values(const trigon_matrix *w, double *pairs) {
  const trigon_matrix values = spectrum_values(w);
  sums s = {0, 0};
  dense_load(&values, 0, 0, values.rows, pairs);
  for (int64_t i = 0; i < values.rows; i++) {
    s.first += pairs[2 * i];
    s.second += (long double)pairs[2 * i] * pairs[2 * i];
  }
  return s;
}

/* Elements off the diagonal stand for two. */
static sums of_matrix(const trigon_matrix *A, trigon_uplo uplo, double *pairs) {
  sums s = {0, 0};
  for (int64_t j = 0; j < A->cols; j++) {
    const int64_t begin = uplo == TRIGON_LOWER ? j : 0, end = uplo == TRIGON_LOWER ? A->rows : j + 1;
    dense_load(A, begin, j, end - begin, pairs);
    for (int64_t i = begin; i < end; i++) {
      const long double re = pairs[2 * (i - begin)], im = pairs[2 * (i - begin) + 1];
      s.second += i == j ? re * re : 2 * (re * re + im * im);
      if (i == j) s.first += re;
    }
  }
  return s;
}

bool spectrum_check(const problem *p, const trigon_matrix *A, const trigon_matrix *w, double *error) {
  double *pairs = malloc(sizeof(double) * 2 * (size_t)(A->rows + 1));
  if (!pairs) return false;
  const sums wanted = of_matrix(A, p->uplo, pairs), found = of_values(w, pairs);
  const double norm = (double)sqrtl(wanted.second), traces = (double)fabsl(found.first - wanted.first),
               norms = (double)fabsl(sqrtl(found.second) - sqrtl(wanted.second));
  const double worse = traces > norms || isnan(traces) ? traces : norms;
  *error = worse == 0 ? 0 : worse / (sqrt((double)A->rows + 2) * norm);
  free(pairs);
  return true;
}
