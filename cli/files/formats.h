/* formats.h - the readers and writers of the two file formats, and what they share. Others include matrix_file.h. */
#ifndef TRIGON_CLI_FILES_FORMATS_H
#define TRIGON_CLI_FILES_FORMATS_H

#include "atomic_output.h"
#include "byte_stream.h"
#include "matrix_file.h"

/* The first byte of every NumPy file. No text begins with it. */
enum { NPY_FIRST_BYTE = 0x93 };

/* Each returns false, and reports what is wrong, on failure. A reader that fails may leave a matrix in *out, which the
 * caller frees. */
bool market_read(byte_stream *in, matrix_file *out);
bool market_write(atomic_output *out, const trigon_matrix *A, file_structure kind);
bool npy_read(byte_stream *in, matrix_file *out);
bool npy_write(atomic_output *out, const trigon_matrix *A, file_structure kind);

/* Whether one triangle determines the other. */
static inline bool is_mirrored(file_structure kind) { return kind == SYMMETRIC || kind == HERMITIAN; }

/* Stores a matrix of zeros in *out. The sizes come from a file and may be wrong: if memory is short, the message names
 * them. The zeros take no memory until they are overwritten. */
bool matrix_allocate(const report *to, trigon_type type, int64_t rows, int64_t cols, matrix_file *out);

/* Element (i, j), counted from 0, of the matrix that A's lower triangle (SYMMETRIC, HERMITIAN) or all of A (GENERAL,
 * VECTOR) stands for. */
trigon_scalar matrix_entry(const trigon_matrix *A, file_structure kind, int64_t i, int64_t j);

#endif
