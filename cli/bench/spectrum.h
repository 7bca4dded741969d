/* spectrum.h - judges eigenvalues that were computed without vectors. */
#ifndef TRIGON_CLI_BENCH_SPECTRUM_H
#define TRIGON_CLI_BENCH_SPECTRUM_H

#include "problem.h"

/* The values w, n real numbers at the beginning of a column of the matrices' type, as a matrix. */
trigon_matrix spectrum_values(const trigon_matrix *w);

/* Compares sums over the values w with those over the symmetric or Hermitian matrix of which A holds a triangle: the
 * sum with the trace, and the square root of the sum of squares with |A| (Frobenius). Stores the larger difference,
 * divided by sqrt(n + 2)·|A|. *error is NaN if any element is NaN. Returns false if memory is short. */
bool spectrum_check(const problem *p, const trigon_matrix *A, const trigon_matrix *w, double *error);

#endif
