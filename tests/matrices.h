/* matrices.h - test matrices, the same on every machine for the same seed. */
#ifndef TRIGON_TESTS_MATRICES_H
#define TRIGON_TESTS_MATRICES_H

#include "calls.h"

/* splitmix64: any state is a good seed. */
typedef struct random_stream {
  uint64_t state;
} random_stream;

uint64_t random_bits(random_stream *r);
/* Uniform in [-1, 1), never zero. */
double random_unit(random_stream *r);
/* Uniform among 0 .. count - 1. */
int64_t random_below(random_stream *r, int64_t count);

/* Reads and writes one element, rounded to the type; a real matrix ignores im. */
trigon_scalar matrix_get(trigon_matrix A, int64_t i, int64_t j);
void matrix_put(trigon_matrix A, int64_t i, int64_t j, trigon_scalar value);

/* The same at (i, j), i >= j, of a lower triangle; of an upper one the conjugate at (j, i). */
trigon_scalar triangle_get(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j);
void triangle_put(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j, trigon_scalar value);

/* Twice the unit roundoff. */
double epsilon_of(trigon_type type);

/* Where the entries of triangles and positive definite matrices come from:
 *   RANDOM       well-conditioned at every size
 *   KAHAN        Kahan's triangle, theta = 1.2: ill-conditioned, with harmless-looking entries
 *   MULTIPLIERS  off-diagonal entries up to 5 over a unit diagonal: the inverse grows like 6^n, so keep n below 40
 *   HILBERT      Hilbert's matrix, its diagonal raised until it is positive definite after rounding; or its factor */
enum family { RANDOM, KAHAN, MULTIPLIERS, HILBERT, FAMILIES };
extern const char *const family_names[FAMILIES];
/* Whether the family has matrices of this kind (GENERAL ones are always random). */
bool family_has(enum family family, enum storage storage);

/* Stores a matrix of that kind, only where a routine may read it: of a triangle not the opposite one, nor the diagonal
 * under UNIT; of a Hermitian diagonal not the imaginary part. */
void matrix_fill(trigon_matrix A, enum storage storage, trigon_uplo uplo, trigon_diag diag, enum family family,
                 random_stream *r);

#endif
