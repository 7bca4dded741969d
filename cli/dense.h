/* dense.h - elements of dense matrices of any type, a column at a time as pairs (re, im) of doubles: all four types
 * embed exactly, so that everything above is written once. */
#ifndef TRIGON_CLI_DENSE_H
#define TRIGON_CLI_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* A type's letter, in words; its size in bytes; its unit roundoff u (2^-24 or 2^-53). */
const char *type_words(trigon_type type);
size_t type_size(trigon_type type);
double type_roundoff(trigon_type type);
bool type_is_complex(trigon_type type);

/* The smallest type that holds the values of both. */
trigon_type common_type(trigon_type a, trigon_type b);

/* rows × cols elements that the caller frees with free(A->data), their values unspecified, ld = max(1, rows). Returns
 * false, with data NULL, where that fails. */
bool dense_alloc(trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A);

/* Copy `count` elements from (row, col) downwards to or from pairs; storing rounds to A's type. */
void dense_load(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, double *pairs);
void dense_store(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, const double *pairs);

/* Copies all of A to B, of the same type and shape. */
void dense_copy(const trigon_matrix *A, const trigon_matrix *B);

/* Fills A with numbers (complex: both parts) spread evenly over (-1, 1), the same ones for the same seed. */
void dense_random(const trigon_matrix *A, uint64_t seed);

/* The next such number; *state is never 0. The state that begins a column of a matrix filled with this seed. */
double random_number(uint64_t *state);
uint64_t random_state(uint64_t seed, int64_t column);

/* Work on the columns part, part + parts, part + 2·parts, ... of a matrix: turns keep triangles balanced. */
enum { MOST_PARTS = 32 };
typedef void column_work(void *data, int part, int parts);

/* Does all parts of the work, on as many threads as the machine has cores and A is worth, at most MOST_PARTS. */
void dense_in_parts(const trigon_matrix *A, column_work *work, void *data);

/* Replaces A's data by the same values in another type. Returns false, with A unchanged, where memory is short. */
bool dense_convert(trigon_matrix *A, trigon_type type);

/* The largest column sum of absolute values; NaN where any element is NaN, or where memory is short. */
double dense_norm1(const trigon_matrix *A);

/* Finds the first element that is Inf or NaN, in the triangle *uplo, or, if uplo is NULL, in all of A. */
bool dense_find_nonfinite(const trigon_matrix *A, const trigon_uplo *uplo, int64_t *row, int64_t *col);

/* How far the square A is from A = Aᴴ: the largest |a(i,j) - conj a(j,i)|, found at *row >= *col, and the largest
 * |a(i,j)|; absolute values are those of the larger of real and imaginary part. A must be finite. */
double dense_asymmetry(const trigon_matrix *A, int64_t *row, int64_t *col, double *largest);

/* Writes the conjugate transpose of the triangle `uplo` into the other one; imaginary parts of the diagonal vanish. */
void dense_mirror(const trigon_matrix *A, trigon_uplo uplo);

/* Sets the elements beyond the triangle `uplo` to zero. */
void dense_clear_opposite(const trigon_matrix *A, trigon_uplo uplo);

#endif
