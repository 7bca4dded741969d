/* formats.h - the two file formats, and what they share. Internal: users include matrix_file.h. */
#ifndef TRIGON_CLI_FILES_FORMATS_H
#define TRIGON_CLI_FILES_FORMATS_H

#include "atomic_output.h"
#include "byte_stream.h"
#include "matrix_file.h"

/* First byte of every NumPy file, and of no text. */
enum { NPY_FIRST_BYTE = 0x93 };

/* Each returns false after reporting what is wrong. A failing reader may leave a matrix in *out, to be freed. */
bool market_read(byte_stream *in, matrix_file *out);
bool market_write(atomic_output *out, const trigon_matrix *A, structure kind);
bool npy_read(byte_stream *in, matrix_file *out);
bool npy_write(atomic_output *out, const trigon_matrix *A, structure kind);

/* Whether one triangle determines the other. */
static inline bool is_mirrored(structure kind) { return kind == SYMMETRIC || kind == HERMITIAN; }

static inline bool is_complex(trigon_type type) { return type == TRIGON_C || type == TRIGON_Z; }

static inline size_t real_bytes(trigon_type type) {
  return type == TRIGON_S || type == TRIGON_C ? sizeof(float) : sizeof(double);
}

static inline size_t element_bytes(trigon_type type) { return real_bytes(type) * (is_complex(type) ? 2 : 1); }

/* Gives *out a matrix of zeros. Sizes come from a file, so they are not trusted: what memory cannot hold is reported
 * by its size, and zeros take no memory until they are written. */
bool matrix_allocate(const report *to, trigon_type type, int64_t rows, int64_t cols, matrix_file *out);

/* Element (i, j), from 0, of the matrix that A's lower triangle (SYMMETRIC, HERMITIAN) or all of A (GENERAL)
 * determines. */
trigon_scalar matrix_entry(const trigon_matrix *A, structure kind, int64_t i, int64_t j);

#endif
