/* solver_judge.c - judges what a call of an eigensolver has stored (solver_judge.h). */
#include "solver_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/matrices.h"

/* The larger number; NaN and negative numbers become infinity. */
static double larger(double a, double b) {
  if (!(a >= 0) || !(b >= 0)) return (double)INFINITY;
  return a > b ? a : b;
}

figures worst_of(figures a, figures b) {
  return (figures){larger(a.residual, b.residual), larger(a.overlap, b.overlap), larger(a.values, b.values),
                   a.is_sorted && b.is_sorted};
}

double norm_of_values(const dense *A, const double *values) {
  const double frobenius = (double)dense_frobenius(A);
  double norm = 0;
  for (int64_t i = 0; i < A->rows; i++) norm = fmax(norm, fabs(values[i]));
  return fmax(fmin(norm, frobenius), A->rows > 0 ? frobenius / sqrt((double)A->rows) : 0);
}

double *case_values(const solver_case *c, int64_t count) {
  double *values = malloc((size_t)(count + 1) * sizeof *values);
  if (!values) exit(2);
  for (int64_t i = 0; i < count; i++) values[i] = case_value(c, i);
  return values;
}

/* The unit of residuals and of values. */
static double unit_of(trigon_type type, int64_t n, double norm) {
  return roundoff_of(type) * sqrt((double)n) * norm + (double)n * smallest_of(type);
}

double judge_values(trigon_type type, int64_t n, double norm, int64_t count, const double *a, const double *b) {
  double worst = 0;
  for (int64_t i = 0; i < count; i++) worst = larger(worst, fabs(a[i] - b[i]) / unit_of(type, n, norm));
  return worst;
}

/* Both sums are exact for exact values. Their bounds are n times those of a value; a square's is 2·‖A‖ times that. */
static double judge_sums(trigon_type type, const dense *A, const double *values, double norm) {
  const int64_t n = A->rows;
  long double trace = 0, squares = 0;
  for (int64_t i = 0; i < n; i++) trace += (long double)values[i] - A->re[i + i * n];
  for (int64_t i = 0; i < n; i++) squares += (long double)values[i] * values[i];
  const double unit = (double)n * unit_of(type, n, norm);
  const long double length = dense_frobenius(A);
  return larger((double)(fabsl(trace) / unit), (double)(fabsl(sqrtl(squares) - length) / unit));
}

figures judge_case(const solver_case *c, const dense *A, const long double *exact) {
  const int64_t n = c->call.n;
  figures f = {.is_sorted = true};
  if (n == 0) return f;
  double *values = case_values(c, n);
  const double norm = norm_of_values(A, values), unit = unit_of(c->call.type, n, norm);
  for (int64_t i = 0; i + 1 < n; i++) f.is_sorted = f.is_sorted && values[i] <= values[i + 1];
  for (int64_t i = 0; i < n && exact; i++) f.values = larger(f.values, (double)(fabsl(values[i] - exact[i]) / unit));
  if (!exact) f.values = judge_sums(c->call.type, A, values, norm);
  if (c->call.job == TRIGON_VECTORS) {
    dense Z = dense_of_columns(c->A.matrix, n);
    f.residual = larger(0, (double)dense_residual(A, NULL, &Z, values, unit, 0));
    f.overlap = larger(0, (double)dense_overlap(&Z, &Z) / (roundoff_of(c->call.type) * sqrt((double)n)));
    dense_free(&Z);
  }
  free(values);
  return f;
}

const char *fault_of(figures f) {
  static char text[160];
  if (f.residual <= judged_bound && f.overlap <= judged_bound && f.values <= judged_bound && f.is_sorted) return NULL;
  snprintf(text, sizeof text, "residual %.3g, orthogonality %.3g, values %.3g%s; the bound is %d", f.residual,
           f.overlap, f.values, f.is_sorted ? "" : ", not ascending", judged_bound);
  return text;
}
