/* matrix_file.h - reads and writes dense matrices: Matrix Market (.mtx, .mtx.gz) and NumPy (.npy) files. */
#ifndef TRIGON_CLI_FILES_MATRIX_FILE_H
#define TRIGON_CLI_FILES_MATRIX_FILE_H

#include "../report.h"

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* What the header of a file says of its matrix. NumPy files are GENERAL, or VECTOR if they have a single dimension. */
typedef enum file_structure { GENERAL, SYMMETRIC, HERMITIAN, VECTOR } file_structure;

/* A matrix that was read, and owns its data: both triangles are stored, ld = max(1, rows). */
typedef struct matrix_file {
  trigon_matrix matrix;
  file_structure structure;
  struct {
    int64_t row, col;  /* from 1 */
  } nonfinite;         /* the first NaN or Inf in a Matrix Market file; 0 if there is none */
  char note[WHY_SIZE]; /* "PATH: ...": what the user should know of how the numbers were read, or "" */
} matrix_file;

/* Reads the file at `path`; "-" is standard input. The content (gzip, Matrix Market banner, NumPy magic), not the name,
 * says which format the file has.
 * Matrix Market: real and integer files give TRIGON_D, complex files TRIGON_Z. The file may begin with a byte order
 * mark (UTF-8). Lines end in LF, CR or CR LF and have at most 2^20 bytes. Coordinate entries that occur twice are added
 * up. The entries of a SYMMETRIC or HERMITIAN coordinate file may be in either triangle, and are mirrored into the
 * other. If an element and its mirror image both have entries, their sums must agree. An array file has the lower
 * triangle. Numbers are rounded correctly. nan and inf are numbers; a finite numeral that overflows is an error; the
 * note counts the numerals that underflow to zero.
 * NumPy: f4, f8, c8, c16 (either byte order, C or Fortran order) give s, d, c, z. Integers and b1 become d, f2 becomes
 * s; the note says so, and how many integers beyond 2^53 were rounded. A vector becomes a matrix of one column. Returns
 * false on failure: *out is then empty, and `why` says "PATH:LINE: ..." (NumPy: "PATH: byte N: ..."), what was
 * expected, and what was found. */
bool matrix_read(const char *path, matrix_file *out, char *why, size_t why_size);

/* Writes A to `path` in the format "npy", "mtx" or "mtx.gz"; if `format` is NULL, the ending of the name says which.
 * "-" is standard output, in the format mtx if `format` is NULL.
 * SYMMETRIC and HERMITIAN say that A's lower triangle stands for all of A: Matrix Market array files then contain only
 * that triangle, and NumPy files contain both. VECTOR, for one column, gives an npy file with one dimension; in Matrix
 * Market, it is the same as GENERAL. Numbers have enough digits to be read back as the same numbers.
 * The file appears complete under its name or not at all: it is written under a temporary name (.trigon-PID-N.tmp) in
 * the same folder, synchronized and renamed. A signal that ends the process removes the temporary file. Links are
 * followed, also a link to a file that does not exist yet. Permissions are kept.
 * Returns false, with the reason in `why`, on failure; no temporary file is left. */
bool matrix_write(const char *path, const char *format, const trigon_matrix *A, file_structure kind, char *why,
                  size_t why_size);

/* The name of the format that matrix_write takes: `format` or, if this is NULL, that of the ending of `path`. NULL if
 * matrix_write knows no such format; then `why` names those that it knows. To be asked before long work. */
const char *matrix_format(const char *path, const char *format, char *why, size_t why_size);

/* Frees the data of a matrix_file, which may be empty (all zero). */
void matrix_free(matrix_file *file);

#endif
