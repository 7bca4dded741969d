/* spd.h - the input of solve, factor and invert: a matrix that is to be symmetric or Hermitian positive definite. */
#ifndef TRIGON_CLI_SOLVE_SPD_H
#define TRIGON_CLI_SOLVE_SPD_H

#include "../files/matrix_file.h"

/* Both triangles hold the matrix. A factorization of the triangle `uplo` overwrites that one and the diagonal; the
 * other triangle, with the diagonal kept here, still is the matrix: residuals need no copy of it. */
typedef struct spd {
  trigon_matrix matrix; /* its data belong to this struct */
  trigon_uplo uplo;
  double norm;      /* the largest column sum, which is also the largest row sum */
  double *diagonal; /* the diagonal that is not in the matrix now, as pairs (re, im) */
} spd;

/* Reads the matrix at `path`. Where `uplo` is not NULL, that triangle is taken without a look at the other; else a
 * matrix that its file does not declare symmetric (complex: Hermitian) is checked, and the lower triangle is taken.
 * Returns EXIT_DONE, or says on behalf of `command` what is wrong and returns EXIT_FAILED; `quiet` keeps back notes.
 * spd_free is to be called in either case. */
int spd_read(const char *command, const char *path, const trigon_uplo *uplo, bool quiet, spd *A);
void spd_free(spd *A);

/* The diagonal in the matrix and the one kept change places. At first the kept one is a copy. */
void spd_swap_diagonal(spd *A);

/* If the matrix, or the triangle *uplo of it where uplo is not NULL, holds Inf or NaN, says where and returns EXIT_FAILED.
 * `name` is what the user calls the matrix, `file` where it comes from. */
int check_finite(const char *command, const char *file, const char *name, const trigon_matrix *A,
                 const trigon_uplo *uplo);

/* Tells the user what is to be known of how a file was read, unless `quiet`. */
void tell_note(const char *command, const matrix_file *file, bool quiet);

#endif
