/* dense.h - dense matrices of any type: memory, elements, norms, symmetry.
 *
 * Elements are loaded and stored as pairs (re, im) of doubles, which hold the elements of all four types exactly: so
 * the code over these pairs is written once. */
#ifndef TRIGON_CLI_MATRIX_DENSE_H
#define TRIGON_CLI_MATRIX_DENSE_H

#include <stdbool.h>
#include <trigon.h>

/* Allocates rows × cols elements of unspecified values, with ld = max(1, rows). The caller frees A->data. Returns
 * false, and A->data is NULL, if memory is short. */
bool dense_alloc(trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A);

/* Copy `count` elements of a column, from (row, col) downwards, to or from pairs (re, im). Storing rounds to A's type,
 * and drops the imaginary parts if the type is real. */
void dense_load(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, double *pairs);
void dense_store(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, const double *pairs);

/* Copies A to B, which has the same type and shape. */
void dense_copy(const trigon_matrix *A, const trigon_matrix *B);

/* Converts A to another type, in memory of its own; the old memory is freed. Returns false, and A is unchanged, if
 * memory is short. */
bool dense_convert(trigon_matrix *A, trigon_type type);

/* The 1-norm: the largest column sum of absolute values; NaN if any element is NaN. */
double dense_norm1(const trigon_matrix *A);

/* Finds the first element that is Inf or NaN, in the triangle *uplo, or, if uplo is NULL, in all of A. Returns false if
 * all elements are finite. */
bool dense_find_nonfinite(const trigon_matrix *A, const trigon_uplo *uplo, int64_t *row, int64_t *col);

/* How far the square A is from A = Aᴴ: returns the largest |a(i,j) - conj a(j,i)|. That element is at *row >= *col, and
 * *largest is the largest |a(i,j)|. Here |a| is the larger of |re a| and |im a|. A must be finite. */
double dense_asymmetry(const trigon_matrix *A, int64_t *row, int64_t *col, double *largest);

/* Writes the conjugate transpose of the triangle `uplo` into the other triangle, and sets the imaginary parts of the
 * diagonal to 0. */
void dense_mirror(const trigon_matrix *A, trigon_uplo uplo);

/* Sets the elements outside the triangle `uplo` to zero. */
void dense_clear_opposite(const trigon_matrix *A, trigon_uplo uplo);

#endif
