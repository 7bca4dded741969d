/* matrix_file.h - dense matrices in files: Matrix Market (.mtx, .mtx.gz) and NumPy (.npy). */
#ifndef TRIGON_CLI_FILES_MATRIX_FILE_H
#define TRIGON_CLI_FILES_MATRIX_FILE_H

#include "../report.h"

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* What a file's header says of its matrix. NumPy files are GENERAL, or VECTOR: one column, with a single dimension. */
typedef enum structure { GENERAL, SYMMETRIC, HERMITIAN, VECTOR } structure;

/* A matrix in memory that owns its data: both triangles are stored, ld = max(1, rows). */
typedef struct matrix_file {
  trigon_matrix matrix;
  structure structure;
  struct {
    int64_t row, col;  /* from 1 */
  } nonfinite;         /* the place of the first NaN or Inf in a Matrix Market file; 0: there is none */
  char note[WHY_SIZE]; /* "PATH: ...", what the user should know of how numbers were read; empty if there is nothing */
} matrix_file;

/* Reads the file at `path`, "-" for standard input. Its format is recognized by its content (gzip, Matrix Market banner,
 * NumPy magic), not by its name. Real and integer Matrix Market give TRIGON_D, complex TRIGON_Z; NumPy's f4, f8, c8, c16
 * (either byte order, C or Fortran order) give s, d, c, z; its integers and b1 become d, f2 becomes s, and the note says
 * so, and how many integers beyond 2^53 were rounded. A vector becomes a matrix of one column.
 * Matrix Market files may begin with a byte order mark (UTF-8); lines end in LF, CR or CR LF and have at most 2^20 bytes.
 * Coordinate entries that occur twice are added up. The entries of a SYMMETRIC or HERMITIAN coordinate file may stand in
 * either triangle and are mirrored into the other; if a place and its mirror image both have entries, their sums must
 * agree. An array file has the lower triangle. Numbers are rounded correctly; nan and inf are numbers, a finite numeral
 * that overflows is an error, the note counts those that underflow to zero.
 * Returns false where that fails: *out is empty then, nothing is leaked, and `why` says "PATH:LINE: ..." (for NumPy:
 * "PATH: byte N: ...") with what was expected and what stands there. */
bool matrix_read(const char *path, matrix_file *out, char *why, size_t why_size);

/* Writes A to `path` in the format "npy", "mtx" or "mtx.gz"; if `format` is NULL, in the one that the name's ending says.
 * "-" is standard output, in the format mtx unless another one is given. SYMMETRIC and HERMITIAN say that
 * the lower triangle determines A (Matrix Market array format then stores only that; NumPy gets both triangles, the
 * upper one taken from the lower). VECTOR, of one column, is an npy file of one dimension; Matrix Market has no such files. The
 * file appears whole under its name or not at all: it is written beside it under a temporary name (.trigon-PID-N.tmp),
 * synchronized and renamed; a signal that ends the process removes it. Links are followed, also one that leads to no file
 * yet; permissions are kept. Digits are enough to read the same numbers back.
 * Returns false, with the reason in `why`, where that fails; no temporary file is left. */
bool matrix_write(const char *path, const char *format, const trigon_matrix *A, structure kind, char *why,
                  size_t why_size);

/* Whether matrix_write knows the format, or, if it is NULL, the ending of `path`; if not, `why` names those it knows. To
 * be asked before long work, not after it. */
bool matrix_writable_name(const char *path, const char *format, char *why, size_t why_size);

/* Frees the data; an empty matrix_file (all zero) is allowed. */
void matrix_free(matrix_file *file);

#endif
