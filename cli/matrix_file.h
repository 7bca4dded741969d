/* matrix_file.h - dense matrices in files: Matrix Market (.mtx, .mtx.gz) and NumPy (.npy). */
#ifndef TRIGON_MATRIX_FILE_H
#define TRIGON_MATRIX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* What a file's header says of its matrix. NumPy files are always GENERAL. */
typedef enum structure { GENERAL, SYMMETRIC, HERMITIAN } structure;

/* A matrix in memory that owns its data: both triangles are stored, ld = max(1, rows). */
typedef struct matrix_file {
  trigon_matrix matrix;
  structure structure;
} matrix_file;

/* Reads the file at `path`, whose format is recognized by its content (gzip, Matrix Market banner, NumPy magic), not by
 * its name. Real and integer Matrix Market give TRIGON_D, complex TRIGON_Z; NumPy's f4, f8, c8, c16 (either byte order,
 * C or Fortran order) give s, d, c, z, and a vector becomes a matrix of one column. Coordinate entries that occur twice
 * are added up; SYMMETRIC and HERMITIAN are mirrored into the other triangle. Numbers are rounded correctly; nan and
 * inf are numbers, a finite numeral that overflows is an error.
 * Returns false where that fails: *out is empty then, nothing is leaked, and `why` says "PATH:LINE: ..." (for NumPy:
 * "PATH: byte N: ...") with what was expected and what stands there. */
bool matrix_read(const char *path, matrix_file *out, char *why, size_t why_size);

/* Writes A to `path` in the format that the name's ending says: .npy, .mtx or .mtx.gz. SYMMETRIC and HERMITIAN say that
 * the lower triangle determines A (Matrix Market array format then stores only that; NumPy gets both triangles, the
 * upper one taken from the lower). The file appears whole under its name or not at all: it is written beside it under
 * a temporary name (.trigon-PID-N.tmp), synchronized and renamed; links are followed, permissions kept. Digits are
 * enough to read the same numbers back.
 * Returns false, with the reason in `why`, where that fails; no temporary file is left. */
bool matrix_write(const char *path, const trigon_matrix *A, structure kind, char *why, size_t why_size);

/* Whether `path` has an ending that matrix_write knows; where not, `why` names the endings. To be asked before long
 * work, not after it. */
bool matrix_writable_name(const char *path, char *why, size_t why_size);

/* Frees the data; an empty matrix_file (all zero) is allowed. */
void matrix_free(matrix_file *file);

#endif
