/* dense.h - matrices of doubles, of which products are computed in long double. The judges of eigensolvers use them. */
#ifndef TRIGON_TESTS_DENSE_H
#define TRIGON_TESTS_DENSE_H

#include <trigon.h>

/* Column-major; the leading dimension is the number of rows. A real matrix has zeros in `im`. */
typedef struct dense {
  int64_t rows, cols;
  double *re, *im;
} dense;

/* Zeros. Ends the program if there is no memory. */
dense dense_make(int64_t rows, int64_t cols);
void dense_free(dense *);

/* The Hermitian matrix whose triangle is stored. Imaginary parts of the diagonal are taken as zero. */
dense dense_of_triangle(trigon_matrix, trigon_uplo);
/* The triangle alone; the other one is zero. */
dense dense_of_factor(trigon_matrix, trigon_uplo);
/* The first columns of a matrix. */
dense dense_of_columns(trigon_matrix, int64_t cols);

/* Aᴴ·B, rounded to double. */
dense dense_product(const dense *A, const dense *B);
dense dense_adjoint(const dense *A);

long double dense_frobenius(const dense *);
/* The largest |A - B|. NaN if there is one. */
long double dense_distance(const dense *A, const dense *B);

/* The largest ‖A·z - λ·B·z‖₂ / (‖A‖·‖z‖ + |λ|·‖B‖·‖z‖) of all columns z. A is Hermitian, and so is B; B NULL: the
 * identity, and the divisor is norm_A alone. */
long double dense_residual(const dense *A, const dense *B, const dense *Z, const double *values, double norm_A,
                           double norm_B);
/* The largest element of |ZᴴZ - I|, or of |YᴴZ - I|. */
long double dense_overlap(const dense *Y, const dense *Z);

/* The eigenvalues of a Hermitian matrix, ascending: Householder's reduction and bisection in long double. */
void exact_values(const dense *A, long double *values);

#endif
