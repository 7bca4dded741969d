/* test_files.c - matrix files: samples of every kind are read, and written matrices read back the same. */
#define _XOPEN_SOURCE 700
#include "test_files.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------------------------------------- samples -- */

/* Lines that are longer than any buffer, and numbers behind very many blanks. */
static void test_long_lines(void) {
  static const char start[] = "%%MatrixMarket matrix array real general\n%", end[] = "2.5";
  size_t comment = 900000, blanks = 300000, size = 0;
  char *text = malloc(comment + blanks + 200);
  if (text == NULL) exit(1);
  size += (size_t)sprintf(text + size, "%s", start);
  memset(text + size, 'c', comment);
  size += comment;
  size += (size_t)sprintf(text + size, "\n1 1\n");
  memset(text + size, ' ', blanks);
  size += blanks;
  size += (size_t)sprintf(text + size, "%s", end); /* the last line may lack its newline */
  for (int compressed = 0; compressed < 2; compressed++) {
    (compressed ? put_gzip : put_file)(scratch("long.mtx"), text, size);
    matrix_file file;
    char why[256] = "";
    if (CHECK(matrix_read(scratch("long.mtx"), &file, why, sizeof why), "long lines: %s", why)) {
      CHECK(element(&file.matrix, 0, 0).re == 2.5, "long lines: wrong number");
    }
    matrix_free(&file);
  }
  remove(scratch("long.mtx"));
  free(text);
}

/* Numbers at the limits of a double, and beyond these limits. */
static void test_numbers(void) {
  static const struct {
    const char *text;
    double value;
  } numbers[] = {
      {"1", 1},
      {"+1", 1},
      {"-.5", -.5},
      {"5.", 5},
      {"1e3", 1e3},
      {"1E+03", 1e3},
      {"1.0D+05", 1e5},
      {"-2.5d-1", -.25},
      {"1D-400", 0},
      {"1e-400", 0},
      {"-1e-400", -0.0},
      {"-0", -0.0},
      {"inf", INFINITY},
      {"-Inf", -INFINITY},
      {"+INFINITY", INFINITY},
      {"nan", NAN},
      {"-NaN", NAN},
      {"4.9e-324", 5e-324},
      {"1.7976931348623157e308", DBL_MAX},
      {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
      {"9007199254740993", 9007199254740992}, /* halfway: rounded to even */
  };
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    char text[256], why[256] = "";
    int size = snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 %s\n",
                        numbers[k].text);
    put_file(scratch("number.mtx"), text, (size_t)size);
    matrix_file file;
    if (CHECK(matrix_read(scratch("number.mtx"), &file, why, sizeof why), "%s", why)) {
      CHECK(same_number(element(&file.matrix, 0, 0).re, numbers[k].value), "%s is read wrongly", numbers[k].text);
    }
    matrix_free(&file);
  }
  remove(scratch("number.mtx"));
}

/* A real matrix, if the machine has the file. */
static void test_real_matrix(void) {
  const char *data = getenv("TRIGON_TEST_DATA");
  char path[512], why[256] = "";
  snprintf(path, sizeof path, "%s/bcsstk16.mtx.gz", data != NULL ? data : TRIGON_DEFAULT_DATA);
  FILE *there = fopen(path, "rb");
  if (there == NULL) {
    printf("SKIPPED: no %s\n", path);
    return;
  }
  fclose(there);
  struct timespec start, end;
  matrix_file file;
  clock_gettime(CLOCK_MONOTONIC, &start);
  bool ok = matrix_read(path, &file, why, sizeof why);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (!CHECK(ok, "%s", why)) return;
  printf("bcsstk16 read in %.3f s\n",
         (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
  CHECK(file.matrix.rows == 4884 && file.matrix.cols == 4884 && file.structure == SYMMETRIC, "bcsstk16: wrong size");
  const double *A = file.matrix.data;
  int64_t nonzeros = 0, differ = 0;
  for (int64_t j = 0; j < 4884; j++) {
    for (int64_t i = j; i < 4884; i++) {
      nonzeros += A[i + j * 4884] != 0;
      differ += A[i + j * 4884] != A[j + i * 4884];
    }
  }
  CHECK(nonzeros == 147631 && differ == 0 && A[0] == 285559874.9195, "bcsstk16: %d entries, %d not mirrored",
        (int)nonzeros, (int)differ);
  matrix_free(&file);
}

void test_samples(void) {
  for (int s = 0; s < sample_count; s++) {
    bytes content = sample_bytes(&samples[s]);
    put_file(scratch("plain"), content.data, content.size); /* the content tells the format, not the name */
    sample_reads(&samples[s], scratch("plain"));
    put_gzip(scratch("compressed"), content.data, content.size);
    sample_reads(&samples[s], scratch("compressed"));
    free(content.data);
  }
  remove(scratch("plain"));
  remove(scratch("compressed"));
  test_long_lines();
  test_numbers();
  test_real_matrix();
}

/* ------------------------------------------------------------------------------------------ round trips -- */

/* Numbers that are easily lost. Some of them are lost only in double precision. */
static double awkward(int64_t k) {
  static const double numbers[] = {1.0 / 3, -0.0,    0.1,          INFINITY, -INFINITY,
                                   NAN,     FLT_MAX, -FLT_MIN / 8, 16777217, 1e-30};
  return numbers[k % (int64_t)(sizeof numbers / sizeof *numbers)];
}

static void set(const trigon_matrix *A, int64_t i, int64_t j, trigon_scalar value) {
  int64_t at = i + j * A->ld;
  bool complex = A->type == TRIGON_C || A->type == TRIGON_Z;
  if (A->type == TRIGON_S || A->type == TRIGON_C) {
    float *to = (float *)A->data + (complex ? 2 * at : at);
    to[0] = (float)value.re;
    if (complex) to[1] = (float)value.im;
  } else {
    double *to = (double *)A->data + (complex ? 2 * at : at);
    to[0] = value.re;
    if (complex) to[1] = value.im;
  }
}

static void compare(const trigon_matrix *A, file_structure kind, const matrix_file *file, const char *name) {
  bool npy = strstr(name, ".npy") != NULL, complex = A->type == TRIGON_C || A->type == TRIGON_Z;
  file_structure general = npy && kind == VECTOR ? VECTOR : GENERAL;
  file_structure want = npy || kind == VECTOR ? general : kind == HERMITIAN && !complex ? SYMMETRIC : kind;
  trigon_type type = npy ? A->type : complex ? TRIGON_Z : TRIGON_D;
  CHECK(file->structure == want && file->matrix.type == type && file->matrix.rows == A->rows &&
            file->matrix.cols == A->cols && file->matrix.ld == (A->rows > 1 ? A->rows : 1),
        "%s of %c: wrong structure, type or size", name, A->type);
  for (int64_t j = 0; j < A->cols; j++) {
    for (int64_t i = 0; i < A->rows; i++) {
      bool mirrored = (kind == SYMMETRIC || kind == HERMITIAN) && i < j;
      trigon_scalar a = mirrored ? element(A, j, i) : element(A, i, j), b = element(&file->matrix, i, j);
      if (kind == HERMITIAN && complex) a.im = i == j ? 0 : mirrored ? -a.im : a.im;
      CHECK(same_number(a.re, b.re) && same_number(a.im, b.im), "%s of %c, structure %d: (%d, %d) is %g, %g", name,
            A->type, kind, (int)i, (int)j, b.re, b.im);
    }
  }
}

static void round_trip(trigon_type type, file_structure kind, int64_t rows, int64_t cols, const char *name) {
  double storage[2 * 9 * 7];
  trigon_matrix A = {storage, type, rows, cols, rows + 2};
  for (int64_t j = 0, k = rows; j < cols; j++) {
    for (int64_t i = 0; i < rows; i++, k++) {
      trigon_scalar value = {awkward(k), awkward(3 * k + 1)};
      if (kind != GENERAL && i < j) value = (trigon_scalar){777, 777}; /* the writer must not read these elements */
      set(&A, i, j, value);
    }
  }
  char why[256] = "";
  matrix_file file;
  if (!CHECK(matrix_write(scratch(name), NULL, &A, kind, why, sizeof why), "writing: %s", why)) return;
  if (!CHECK(matrix_read(scratch(name), &file, why, sizeof why), "reading back: %s", why)) return;
  compare(&A, kind, &file, name);
  matrix_free(&file);
  remove(scratch(name));
}

/* The header must be, byte by byte, as NumPy's documentation of the format asks. */
static void test_npy_header(void) {
  float numbers[6] = {0};
  trigon_matrix A = {numbers, TRIGON_S, 2, 3, 2};
  char why[256] = "", want[129];
  if (!CHECK(matrix_write(scratch("header.npy"), NULL, &A, GENERAL, why, sizeof why), "%s", why)) return;
  snprintf(want, sizeof want, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }%60s\n", "");
  bytes have = get_file(scratch("header.npy"));
  CHECK(have.size == 128 + sizeof numbers, "npy: %zu bytes", have.size);
  CHECK(memcmp(have.data, "\x93NUMPY\x01\x00\x76\x00", 10) == 0, "npy: wrong magic, version or length");
  CHECK(memcmp(have.data + 10, want, 59) == 0 && have.data[127] == '\n', "npy: wrong header: %.118s", have.data + 10);
  for (int k = 10 + 59; k < 127; k++) CHECK(have.data[k] == ' ', "npy: byte %d is no blank", k);
  free(have.data);
  remove(scratch("header.npy"));
}

/* A file that is larger than every buffer: numbers in Fortran's and in C's order, plain and compressed. */
static void test_large_npy(void) {
  enum { ROWS = 700, COLS = 400 };
  static double numbers[ROWS * COLS];
  for (int k = 0; k < ROWS * COLS; k++) numbers[k] = k;
  trigon_matrix A = {numbers, TRIGON_D, ROWS, COLS, ROWS};
  char why[256] = "";
  if (!CHECK(matrix_write(scratch("large.npy"), NULL, &A, GENERAL, why, sizeof why), "%s", why)) return;
  bytes content = get_file(scratch("large.npy"));
  for (int variant = 0; variant < 4; variant++) {
    bool rows = variant % 2 == 1, same = true;
    char *order = strchr(content.data + 10, 'T'); /* replaces True or False by a word of the same length */
    if (rows && order != NULL) memcpy(order, "False,", 6);
    (variant < 2 ? put_file : put_gzip)(scratch("large.npy"), content.data, content.size);
    if (rows && order != NULL) memcpy(order, "True, ", 6);
    matrix_file file;
    if (!CHECK(matrix_read(scratch("large.npy"), &file, why, sizeof why), "large npy: %s", why)) break;
    for (int64_t j = 0; j < COLS; j++) {
      for (int64_t i = 0; i < ROWS; i++) {
        same = same && element(&file.matrix, i, j).re == (double)(rows ? i * COLS + j : i + j * ROWS);
      }
    }
    CHECK(same, "large npy, variant %d: wrong numbers", variant);
    matrix_free(&file);
  }
  put_file(scratch("large.npy"), content.data, content.size - 1);
  matrix_file file;
  CHECK(!matrix_read(scratch("large.npy"), &file, why, sizeof why) &&
            strstr(why, "byte 128: expected 2240000 bytes of numbers, found 2239999") != NULL,
        "large npy, cut: %s", why);
  free(content.data);
  remove(scratch("large.npy"));
}

void test_round_trips(void) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  static const char *const names[] = {"round.npy", "round.mtx", "round.mtx.gz"};
  static const int64_t sizes[][2] = {{7, 7}, {1, 1}, {0, 0}, {5, 3}, {3, 5}, {1, 6}, {0, 3}, {3, 0}};
  for (int name = 0; name < 3; name++) {
    for (int type = 0; type < 4; type++) {
      for (file_structure kind = GENERAL; kind <= HERMITIAN; kind++) {
        for (int size = 0; size < (kind == GENERAL ? 8 : 3); size++) {
          round_trip(types[type], kind, sizes[size][0], sizes[size][1], names[name]);
        }
      }
      for (int64_t rows = 0; rows < 4; rows++) round_trip(types[type], VECTOR, rows, 1, names[name]);
    }
  }
  test_npy_header();
  test_large_npy();
  CHECK(scratch_files() == 0, "files are left over");
}
