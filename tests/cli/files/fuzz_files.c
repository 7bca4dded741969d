/* fuzz_files.c - fuzz target for the readers of matrix files (libFuzzer).
 *
 * For all bytes the reader gives an error that names the file, or a matrix whose elements can all be read. */
#define _GNU_SOURCE
#include "files/matrix_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Headers may claim any size. Larger requests than this fail, as on a small machine, so that the target spends no
 * time on zeros. The linker sends the readers' calls here (--wrap). */
enum { MEMORY = 1 << 22 };
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size) { return size <= MEMORY ? __real_malloc(size) : NULL; }

void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  return !__builtin_mul_overflow(count, size, &bytes) && bytes <= MEMORY ? __real_calloc(count, size) : NULL;
}

static void require(bool holds) {
  if (!holds) abort();
}

static void check_matrix(const matrix_file *file) {
  const trigon_matrix *A = &file->matrix;
  size_t unit = A->type == TRIGON_S ? 4 : A->type == TRIGON_Z ? 16 : 8;
  require(A->data != NULL && A->rows >= 0 && A->cols >= 0 && A->ld == (A->rows > 1 ? A->rows : 1));
  require(file->structure == GENERAL || A->rows == A->cols || (file->structure == VECTOR && A->cols == 1));
  require(memchr(file->note, 0, sizeof file->note) != NULL);
  size_t bytes = (size_t)A->rows * (size_t)A->cols * unit;
  unsigned char *copy = malloc(bytes + 1); /* reads every byte */
  require(copy != NULL || bytes + 1 > MEMORY);
  if (copy != NULL) memcpy(copy, A->data, bytes);
  if (copy != NULL) require(bytes == 0 || memcmp(copy, A->data, bytes) == 0);
  free(copy);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static int memory = -1; /* a file in memory, not on a disk */
  static char path[32];
  if (memory < 0) {
    memory = memfd_create("matrix", MFD_CLOEXEC);
    require(memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  }
  require(ftruncate(memory, 0) == 0 && pwrite(memory, data, size, 0) == (ssize_t)size);
  char why[256] = "";
  matrix_file file;
  if (matrix_read(path, &file, why, sizeof why)) {
    require(why[0] == '\0');
    check_matrix(&file);
  } else {
    require(strncmp(why, path, strlen(path)) == 0 && strlen(why) > strlen(path) + 2 && file.matrix.data == NULL);
  }
  matrix_free(&file);
  return 0;
}
