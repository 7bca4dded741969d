/* matrices.h - test matrices. The same seed gives the same matrices on every machine. */
#ifndef TRIGON_TESTS_MATRICES_H
#define TRIGON_TESTS_MATRICES_H

#include "calls.h"

/* splitmix64. Any state is a good seed. */
typedef struct random_stream {
  uint64_t state;
} random_stream;

uint64_t random_bits(random_stream *r);
/* Returns a uniform number in [-1, 1), never zero. */
double random_unit(random_stream *r);
/* Returns a uniform integer among 0 .. count - 1. */
int64_t random_below(random_stream *r, int64_t count);

/* Read and write one element. The element is rounded to the type. A real matrix ignores im. */
trigon_scalar matrix_get(trigon_matrix A, int64_t i, int64_t j);
void matrix_put(trigon_matrix A, int64_t i, int64_t j, trigon_scalar value);

/* Read and write the element (i, j), i >= j, of a lower triangle. In an upper triangle this is the conjugate at (j,
 * i). */
trigon_scalar triangle_get(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j);
void triangle_put(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j, trigon_scalar value);

/* Returns twice the unit roundoff. */
double epsilon_of(trigon_type type);

/* The families of triangles and of positive definite matrices:
 *   RANDOM       well-conditioned at every size
 *   KAHAN        Kahan's triangle, theta = 1.2: ill-conditioned, with harmless-looking entries
 *   MULTIPLIERS  off-diagonal entries up to 5 over a unit diagonal: the inverse grows like 6^n, so keep n below 40
 *   HILBERT      Hilbert's matrix, with a diagonal raised until the matrix is positive definite after rounding; or
 *   the
 *                factor of this matrix */
enum family { RANDOM, KAHAN, MULTIPLIERS, HILBERT, FAMILIES };
extern const char *const family_names[FAMILIES];
/* Returns whether the family has matrices of this kind. GENERAL matrices are always random. */
bool family_has(enum family family, enum storage storage);

/* Stores a matrix of that kind, but only the elements that a routine may read. The opposite triangle, the diagonal
 * under UNIT, and the imaginary part of a Hermitian diagonal are not stored. */
void matrix_fill(trigon_matrix A, enum storage storage, trigon_uplo uplo, trigon_diag diag, enum family family,
                 random_stream *r);

#endif
