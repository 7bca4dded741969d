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

/* The same for w that holds the k smallest values: the values of all of A, which a context of the CPU computes, are
 * judged so, and the largest difference between them and w, divided by sqrt(n + 2)·|A|, counts, too. */
bool spectrum_check_part(const problem *p, const trigon_matrix *A, const trigon_matrix *w, double *error);

/* Makes *C, the matrix of the standard problem: L⁻¹·A·L⁻ᴴ or U⁻ᴴ·A·U⁻¹, in the triangle of A. The caller frees C->data.
 * Returns false if memory is short. */
bool spectrum_standard_form(const problem *p, const trigon_matrix *A, const trigon_matrix *factor, trigon_matrix *C);

#endif
