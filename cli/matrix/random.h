/* random.h - random numbers and matrices, the same ones for the same seed. */
#ifndef TRIGON_CLI_MATRIX_RANDOM_H
#define TRIGON_CLI_MATRIX_RANDOM_H

#include <trigon.h>

/* The next random number, evenly distributed over (-1, 1). *state is never 0. */
double random_number(uint64_t *state);

/* Fills A with random numbers over (-1, 1). Complex: real and imaginary parts. */
void random_fill(const trigon_matrix *A, uint64_t seed);

/* Fills A with random numbers of different sizes: each number of random_fill is multiplied by exp(spread·z), where z is
 * a random number of the normal distribution, cut to -6 .. 6. With spread 0 the numbers are those of random_fill. */
void random_fill_spread(const trigon_matrix *A, uint64_t seed, double spread);

/* The largest spread with which a sum of 2^31 products of two such numbers is far from overflow. */
double random_most_spread(trigon_type type);

/* Fills the square A with random numbers that are at most 1/n off the diagonal and from 1 to 2 on it: each triangle of
 * A is then well conditioned, and so is the symmetric or Hermitian matrix that it stands for, which is positive
 * definite. The numbers off the diagonal are multiplied by exp(-spread·|z|), so that they do not become larger. */
void random_fill_dominant(const trigon_matrix *A, uint64_t seed, double spread);

/* Fills the square A, without a spread, so that each 2 × 2 block on the diagonal of a triangle of A has a condition
 * number of about 1e12, and the order does not make it worse: from 1 to 2 on the diagonal, 1e6 to 2e6 beside it in the
 * blocks, up to 1e-9 elsewhere. An algorithm that multiplies by inverses of diagonal tiles must refuse them. */
void random_fill_hard(const trigon_matrix *A, uint64_t seed);

#endif
