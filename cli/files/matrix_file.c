/* matrix_file.c - the list of matrix file formats: chooses the one to read or write; allocates matrices. */
#include "matrix_file.h"

#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "formats.h"
#include "path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void matrix_free(matrix_file *file) {
  free(file->matrix.data);
  *file = (matrix_file){0};
}

bool matrix_allocate(const report *to, trigon_type type, int64_t rows, int64_t cols, matrix_file *out) {
  size_t bytes;
  bool fits = !__builtin_mul_overflow((uint64_t)rows, (uint64_t)cols, &bytes) &&
              !__builtin_mul_overflow(bytes, type_bytes(type), &bytes) && bytes <= PTRDIFF_MAX;
  void *data = fits ? calloc(bytes > 0 ? bytes : 1, 1) : NULL;
  if (data == NULL) {
    return report_file(to, "out of memory for a matrix of %" PRId64 " x %" PRId64 " entries of %zu bytes", rows, cols,
                       type_bytes(type));
  }
  out->matrix = (trigon_matrix){data, type, rows, cols, rows > 1 ? rows : 1};
  return true;
}

trigon_scalar matrix_entry(const trigon_matrix *A, file_structure kind, int64_t i, int64_t j) {
  bool mirrored = is_mirrored(kind) && i < j;
  double pair[2];
  dense_load(A, mirrored ? j : i, mirrored ? i : j, 1, pair);
  trigon_scalar value = {pair[0], pair[1]};
  if (kind == HERMITIAN && i == j) value.im = 0;
  if (kind == HERMITIAN && mirrored) value.im = -value.im;
  return value;
}

bool matrix_read(const char *path, matrix_file *out, char *why, size_t why_size) {
  *out = (matrix_file){0};
  byte_stream in;
  int first;
  bool ok = stream_open(&in, path, why, why_size) && stream_peek(&in, &first) &&
            (first == NPY_FIRST_BYTE ? npy_read(&in, out) : market_read(&in, out));
  stream_close(&in);
  if (!ok) matrix_free(out);
  return ok;
}

/* A format to write: the ending of its files' names, which without the dot is the name of the format. */
typedef struct ending {
  const char *text;
  bool (*write)(atomic_output *out, const trigon_matrix *A, file_structure kind);
  bool compress;
} ending;

static const ending endings[] = {
    {".npy", npy_write, false},
    {".mtx", market_write, false},
    {".mtx.gz", market_write, true},
};

static const ending *find_format(const char *name) {
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (strcmp(name, endings[i].text + 1) == 0) return &endings[i];
  }
  return NULL;
}

static const ending *find_ending(const char *path, const char *format, char *why, size_t why_size) {
  const report to = {output_name(path), why, why_size};
  size_t length = strlen(path);
  if (format == NULL && is_standard(path)) format = "mtx";
  if (format != NULL) {
    const ending *found = find_format(format);
    if (found == NULL) report_file(&to, "expected the format npy, mtx or mtx.gz, found '%s'", format);
    return found;
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t tail = strlen(endings[i].text);
    if (length >= tail && strcmp(path + length - tail, endings[i].text) == 0) return &endings[i];
  }
  report_file(&to, "expected a name that ends in .npy, .mtx or .mtx.gz, or the option --format");
  return NULL;
}

const char *matrix_format(const char *path, const char *format, char *why, size_t why_size) {
  const ending *found = find_ending(path, format, why, why_size);
  return found == NULL ? NULL : found->text + 1;
}

bool matrix_write(const char *path, const char *format, const trigon_matrix *A, file_structure kind, char *why,
                  size_t why_size) {
  const ending *found = find_ending(path, format, why, why_size);
  if (found == NULL) return false;
  atomic_output out;
  bool ok =
      output_open(&out, path, found->compress, why, why_size) && found->write(&out, A, kind) && output_commit(&out);
  output_close(&out);
  return ok;
}
