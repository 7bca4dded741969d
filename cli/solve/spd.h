/* spd.h - the input of solve, factor and invert: a matrix that must be symmetric or Hermitian positive definite. */
#ifndef TRIGON_CLI_SOLVE_SPD_H
#define TRIGON_CLI_SOLVE_SPD_H

#include "../files/matrix_file.h"

/* Both triangles hold the matrix. A factorization of the triangle `uplo` overwrites that triangle and the diagonal; the
 * other triangle, and the copy of the diagonal in this struct, still are the matrix: residuals need no copy of it. */
typedef struct spd {
  trigon_matrix matrix; /* this struct owns its data */
  trigon_uplo uplo;
  double norm;      /* the 1-norm of the matrix */
  double *diagonal; /* a second diagonal, as pairs (re, im) */
} spd;

/* Reads the matrix at `path`. If `uplo` is not NULL, the triangle *uplo is taken, and the other one is not looked at.
 * Else a matrix that its file does not declare symmetric (complex: Hermitian) is checked, and the lower triangle is
 * taken. Returns EXIT_DONE, or says with the command's name what is wrong and returns EXIT_FAILED; `quiet` suppresses
 * notes. spd_free is to be called in either case. */
int spd_read(const char *command, const char *path, const trigon_uplo *uplo, bool quiet, spd *A);
void spd_free(spd *A);

/* Adds `amount` to both diagonals, and updates the norm. Returns whether any element changed, in spite of rounding. */
bool spd_shift_diagonal(spd *A, double amount);

/* Y = alpha·A·X + beta·Y with the matrix A, while its triangle `uplo` holds something else. Restores that
 * triangle's diagonal. ctx computes on the host. */
trigon_status spd_multiply(trigon_context *ctx, spd *A, trigon_scalar alpha, trigon_matrix X, trigon_scalar beta,
                           trigon_matrix Y);

/* Allocates two blocks of `columns` vectors of A's type and order, which the caller frees. Returns false, with nothing
 * to free, if memory is short. */
bool spd_alloc_vectors(const spd *A, int64_t columns, trigon_matrix *X, trigon_matrix *Y);

/* If the matrix, or its triangle *uplo if uplo is not NULL, holds Inf or NaN, says where and returns EXIT_FAILED; else
 * returns EXIT_DONE. `name` is what the user calls the matrix, `file` is its file. */
int check_finite(const char *command, const char *file, const char *name, const trigon_matrix *A,
                 const trigon_uplo *uplo);

/* Prints what the user should know of how a file was read, unless `quiet`. */
void print_note(const char *command, const matrix_file *file, bool quiet);

extern const trigon_scalar plus_one, minus_one, zero;

#endif
