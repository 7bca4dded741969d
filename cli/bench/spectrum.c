/* spectrum.c - the trace and the norm of a matrix, from its elements and from its eigenvalues; and what Trigon's
 * solver of the CPU says of values that have no such sums. */
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

/* The larger difference of the sums, divided by sqrt(n + 2)·|A|; *unit is this divisor. */
static double difference(sums wanted, sums found, int64_t n, double *unit) {
  const double traces = (double)fabsl(found.first - wanted.first),
               norms = (double)fabsl(sqrtl(found.second) - sqrtl(wanted.second));
  const double worse = traces > norms || isnan(traces) ? traces : norms;
  *unit = sqrt((double)n + 2) * (double)sqrtl(wanted.second);
  return worse == 0 ? 0 : worse / *unit;
}

bool spectrum_check(const problem *p, const trigon_matrix *A, const trigon_matrix *w, double *error) {
  double unit, *pairs = malloc(sizeof(double) * 2 * (size_t)(A->rows + 1));
  if (!pairs) return false;
  const sums wanted = of_matrix(A, p->uplo, pairs), found = of_values(w, pairs);
  *error = difference(wanted, found, A->rows, &unit);
  free(pairs);
  return true;
}

/* ----------------------------------------------------------------------------------- with Trigon on the CPU -- */

/* A copy of A, and a context for it. Both are released by the caller in either case. */
static bool copy_for_cpu(const trigon_matrix *A, trigon_matrix *copy, trigon_context **ctx) {
  *copy = (trigon_matrix){0}, *ctx = NULL;
  if (!dense_alloc(A->type, A->rows, A->cols, copy)) return false;
  dense_copy(A, copy);
  return trigon_create("cpu", ctx, NULL, 0) == TRIGON_OK;
}

/* The largest difference of the first k values, in pairs. NaN if one is NaN. */
static double largest_difference(const double *a, const double *b, int64_t k) {
  double largest = 0;
  for (int64_t i = 0; i < k; i++) {
    const double d = fabs(a[2 * i] - b[2 * i]);
    if (d > largest || isnan(d)) largest = d;
  }
  return largest;
}

bool spectrum_check_part(const problem *p, const trigon_matrix *A, const trigon_matrix *w, double *error) {
  const int64_t n = A->rows, k = problem_values(p);
  trigon_matrix copy, all = {0};
  trigon_context *ctx;
  double unit, *pairs = malloc(sizeof(double) * 4 * (size_t)(n + 1)), *others = pairs ? pairs + 2 * (n + 1) : NULL;
  const bool ready = copy_for_cpu(A, &copy, &ctx) && dense_alloc(A->type, n, 1, &all) && pairs &&
                     trigon_syevd(ctx, TRIGON_VALUES, p->uplo, copy, all.data, NULL) == TRIGON_OK;
  if (ready) {
    const trigon_matrix part = spectrum_values(w);
    const sums wanted = of_matrix(A, p->uplo, pairs), found = of_values(&all, pairs);
    *error = difference(wanted, found, n, &unit);
    dense_load(&part, 0, 0, k, others);
    const double largest = largest_difference(pairs, others, k); /* of_values has left all values in pairs */
    if (largest > *error * unit || isnan(largest)) *error = largest / unit;
  }
  trigon_destroy(ctx);
  free(copy.data), free(all.data), free(pairs);
  return ready;
}

bool spectrum_standard_form(const problem *p, const trigon_matrix *A, const trigon_matrix *factor, trigon_matrix *C) {
  trigon_context *ctx;
  const bool done = copy_for_cpu(A, C, &ctx) && trigon_sygst(ctx, 1, p->uplo, *C, *factor) == TRIGON_OK &&
                    trigon_finish(ctx, NULL) == TRIGON_OK;
  trigon_destroy(ctx);
  return done;
}
