/* test_files_broken.c - damaged matrix files: the reader gives an error that names the file, or a proper matrix. */
#define _XOPEN_SOURCE 700
#include "test_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a damaged file. The result must be an error that names the file, or a matrix. Returns whether a matrix was
 * read. */
static bool survives(const char *path, const char *damage, size_t at) {
  char why[512] = "";
  matrix_file file;
  bool ok = matrix_read(path, &file, why, sizeof why);
  const trigon_matrix *A = &file.matrix;
  if (ok) {
    CHECK(A->data != NULL && A->rows >= 0 && A->cols >= 0 && A->ld >= 1 && A->ld >= A->rows && why[0] == '\0',
          "%s at %zu: no proper matrix", damage, at);
    if (A->rows > 0 && A->cols > 0) element(A, A->rows - 1, A->cols - 1);
  } else {
    size_t length = strlen(path);
    CHECK(strncmp(why, path, length) == 0 && why[length] == ':' && strlen(why) > length + 10,
          "%s at %zu: the message is \"%s\"", damage, at, why);
    CHECK(A->data == NULL, "%s at %zu: a matrix in spite of an error", damage, at);
  }
  matrix_free(&file);
  return ok;
}

/* Cuts the file at every byte. A file of at least `least` bytes may be read: nothing important is missing, or the
 * reader cannot notice what is missing. */
static void cut(bytes content, size_t least, const char *name) {
  for (size_t size = 0; size < content.size; size++) {
    put_file(scratch("damaged"), content.data, size);
    bool read = survives(scratch("damaged"), name, size);
    CHECK(!read || size >= least, "%s cut at %zu: no error", name, size);
  }
}

/* Replaces every byte by each of several other bytes. */
static void corrupt(bytes content, const char *name) {
  static const char others[] = {'\n', ' ', '9', '-', '%', '\0', '\x93'};
  for (size_t at = 0; at < content.size; at++) {
    char byte = content.data[at];
    for (size_t k = 0; k <= sizeof others; k++) {
      content.data[at] = k < sizeof others ? others[k] : (char)(byte ^ 1);
      put_file(scratch("damaged"), content.data, content.size);
      survives(scratch("damaged"), name, at);
    }
    content.data[at] = byte;
  }
}

/* Returns the position behind the first character of the last number. From this position on, a shorter number is a
 * number, too. */
static size_t last_number(bytes text) {
  size_t at = text.size;
  while (at > 0 && strchr("\r\n", text.data[at - 1]) != NULL) at--;
  while (at > 0 && strchr(" \n", text.data[at - 1]) == NULL) at--;
  return at + 1;
}

void test_damaged_files(void) {
  for (int s = 0; s < sample_count; s++) {
    bytes content = sample_bytes(&samples[s]);
    cut(content, is_npy(&samples[s]) ? content.size : last_number(content), samples[s].name);
    corrupt(content, samples[s].name);
    put_gzip(scratch("compressed"), content.data, content.size);
    bytes compressed = get_file(scratch("compressed"));
    cut(compressed, compressed.size, "compressed");
    if (s % 5 == 0) corrupt(compressed, "compressed");
    free(compressed.data);
    free(content.data);
  }
  remove(scratch("damaged"));
  remove(scratch("compressed"));
}
