/* test_files_support.c - code that the files of test_files share: checks, files, samples and failures on demand. */
#define _XOPEN_SOURCE 700
#include "test_files.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static long checks, failures;
static char folder[] = "/tmp/trigon-test-files-XXXXXX";

bool check(bool holds, const char *file, int line, const char *format, ...) {
  checks++;
  if (holds) return true;
  failures++;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return false;
}

/* Ends the test if something that the test itself needs is missing. */
static void need(bool have, const char *what) {
  if (have) return;
  perror(what);
  exit(1);
}

/* ------------------------------------------------------------------------------------------------ files -- */

void put_file(const char *path, const void *data, size_t size) {
  remove(path); /* some file systems write a truncated file to the disk, and this happens thousands of times here */
  FILE *file = fopen(path, "wb");
  need(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, path);
}

void put_gzip(const char *path, const void *data, size_t size) {
  gzFile file = gzopen(path, "wb");
  need(file != NULL && gzwrite(file, data, (unsigned)size) == (int)size && gzclose(file) == Z_OK, path);
}

bytes get_file(const char *path) {
  FILE *file = fopen(path, "rb");
  need(file != NULL && fseek(file, 0, SEEK_END) == 0, path);
  bytes b = {.size = (size_t)ftell(file)};
  rewind(file);
  b.data = malloc(b.size + 1);
  need(b.data != NULL && fread(b.data, 1, b.size, file) == b.size, path);
  b.data[b.size] = '\0';
  fclose(file);
  return b;
}

bool same_bytes(bytes a, bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

const char *scratch(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

int scratch_files(void) {
  DIR *directory = opendir(folder);
  need(directory != NULL, folder);
  int count = 0;
  while (readdir(directory) != NULL) count++;
  closedir(directory);
  return count - 2; /* without . and .. */
}

int lowest_free_descriptor(void) {
  int descriptor = dup(STDERR_FILENO);
  close(descriptor);
  return descriptor;
}

static void remove_folder(void) {
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove(scratch(entry->d_name));
  }
  closedir(directory);
  rmdir(folder);
}

/* ---------------------------------------------------------------------------------------------- samples -- */

const sample samples[] = {
    {"general_real_coordinate.mtx", TRIGON_D, 4, 3, GENERAL, 0.25, true},
    {"symmetric_real_coordinate.mtx", TRIGON_D, 4, 4, SYMMETRIC, 0.25, true},
    {"hermitian_complex_coordinate.mtx", TRIGON_Z, 3, 3, HERMITIAN, 0.25, true},
    {"symmetric_complex_coordinate.mtx", TRIGON_Z, 3, 3, SYMMETRIC, 0.25, true},
    {"symmetric_integer_coordinate.mtx", TRIGON_D, 3, 3, SYMMETRIC, 0, true},
    {"general_real_array.mtx", TRIGON_D, 4, 3, GENERAL, 0.25, false},
    {"general_integer_array.mtx", TRIGON_D, 3, 4, GENERAL, 0, false},
    {"general_complex_array.mtx", TRIGON_Z, 2, 3, GENERAL, 0.25, false},
    {"symmetric_double_array.mtx", TRIGON_D, 3, 3, SYMMETRIC, 0.25, false},
    {"hermitian_complex_array.mtx", TRIGON_Z, 3, 3, HERMITIAN, 0.25, false},
    {"f4_rows.npy", TRIGON_S, 3, 4, GENERAL, 0.25, false},
    {"f8_rows.npy", TRIGON_D, 4, 3, GENERAL, 0.25, false},
    {"f8_columns.npy", TRIGON_D, 4, 3, GENERAL, 0.25, false},
    {"c8_columns.npy", TRIGON_C, 2, 3, GENERAL, 0.25, false},
    {"c16_rows.npy", TRIGON_Z, 3, 2, GENERAL, 0.25, false},
    {"f8_big_endian.npy", TRIGON_D, 3, 3, GENERAL, 0.25, false},
    {"c8_big_endian.npy", TRIGON_C, 2, 2, GENERAL, 0.25, false},
    {"f4_version2.npy", TRIGON_S, 2, 3, GENERAL, 0.25, false},
    {"c16_version3.npy", TRIGON_Z, 2, 2, GENERAL, 0.25, false},
    {"f8_vector.npy", TRIGON_D, 5, 1, VECTOR, 0.25, false},
    {"f8_number.npy", TRIGON_D, 1, 1, GENERAL, 0.25, false},
};
const int sample_count = sizeof samples / sizeof *samples;

bytes sample_bytes(const sample *s) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", TRIGON_SAMPLES, s->name);
  return get_file(path);
}

bool is_npy(const sample *s) { return strstr(s->name, ".npy") != NULL; }

trigon_scalar element(const trigon_matrix *A, int64_t i, int64_t j) {
  int64_t at = i + j * A->ld;
  const float *s = A->data;
  const double *d = A->data;
  switch (A->type) {
  case TRIGON_S: return (trigon_scalar){s[at], 0};
  case TRIGON_D: return (trigon_scalar){d[at], 0};
  case TRIGON_C: return (trigon_scalar){s[2 * at], s[2 * at + 1]};
  default: return (trigon_scalar){d[2 * at], d[2 * at + 1]};
  }
}

bool same_number(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/* Returns element (i, j), from 1. The formula tells rows from columns, and the lower triangle from the
 * upper triangle. */
static trigon_scalar sample_value(const sample *s, double i, double j) {
  if (s->sparse && i != j && fmod(i + j, 3) == 0) return (trigon_scalar){0, 0};
  trigon_scalar value = {i * j + (i == j ? 100 : 0), s->structure == SYMMETRIC ? i + j : i - j};
  if (s->structure == GENERAL || s->structure == VECTOR) value = (trigon_scalar){10 * i + j, i - 2 * j};
  if (s->type == TRIGON_S || s->type == TRIGON_D) value.im = 0;
  value.re += s->fraction;
  return value;
}

bool sample_reads(const sample *s, const char *path) {
  matrix_file file;
  char why[256] = "";
  if (!CHECK(matrix_read(path, &file, why, sizeof why), "%s: %s", s->name, why)) return false;
  const trigon_matrix *A = &file.matrix;
  bool same = CHECK(A->type == s->type && A->rows == s->rows && A->cols == s->cols && A->ld == s->rows &&
                        file.structure == s->structure,
                    "%s: wrong type, size or structure", s->name);
  for (int64_t j = 0; same && j < s->cols; j++) {
    for (int64_t i = 0; same && i < s->rows; i++) {
      trigon_scalar want = sample_value(s, (double)i + 1, (double)j + 1), have = element(A, i, j);
      same = CHECK(have.re == want.re && have.im == want.im, "%s: element (%d, %d) is (%g, %g)", s->name, (int)i,
                   (int)j, have.re, have.im);
    }
  }
  matrix_free(&file);
  return same;
}

const char *const output_names[OUTPUT_NAMES] = {"out.npy", "out.mtx", "out.mtx.gz"};

const trigon_matrix *output_matrix(void) {
  enum { ORDER = 60 };
  static double numbers[ORDER * ORDER];
  static const trigon_matrix A = {numbers, TRIGON_D, ORDER, ORDER, ORDER};
  unsigned state = 1;
  for (int k = 0; k < ORDER * ORDER; k++) numbers[k] = (state = state * 1664525u + 1013904223u) / 3.0;
  return &A;
}

/* ----------------------------------------------------------------------------------- failures on demand --
 * The linker sends the program's calls here (--wrap). A request that no machine can meet fails here already, since
 * the sanitizers would end the program. */

enum { ADDRESS_BITS = 40 };
static long live, until_failure;
static int calls_until_failure;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *data);
char *__real_realpath(const char *path, char *resolved);
int __real_rename(const char *from, const char *to);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *data);
char *__wrap_realpath(const char *path, char *resolved);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);

void fail_allocation(long k) { until_failure = k; }
bool allocation_failed(void) { return until_failure == 0; }
long live_allocations(void) { return live; }
void fail_system_call(int k) { calls_until_failure = k; }

static bool must_fail(size_t size) {
  bool fails = size >> ADDRESS_BITS != 0 || (until_failure > 0 && --until_failure == 0);
  if (fails) errno = ENOMEM;
  return fails;
}

static void *counted(void *data) {
  live += data != NULL;
  return data;
}

void *__wrap_malloc(size_t size) { return must_fail(size) ? NULL : counted(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) total = SIZE_MAX;
  return must_fail(total) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
  if (must_fail(size)) return NULL;
  return old != NULL ? __real_realloc(old, size) : counted(__real_realloc(old, size));
}

void __wrap_free(void *data) {
  live -= data != NULL;
  __real_free(data);
}

char *__wrap_realpath(const char *path, char *resolved) {
  return must_fail(0) ? NULL : counted(__real_realpath(path, resolved));
}

static bool call_must_fail(void) {
  bool fails = calls_until_failure > 0 && --calls_until_failure == 0;
  if (fails) errno = EIO;
  return fails;
}

/* The real fsync is not called, because it takes long and shows nothing. */
int __wrap_fsync(int fd) {
  (void)fd;
  return call_must_fail() ? -1 : 0;
}

int __wrap_rename(const char *from, const char *to) { return call_must_fail() ? -1 : __real_rename(from, to); }

/* ------------------------------------------------------------------------------------------------- main -- */

/* Runs one test. The test must not leak memory or descriptors. */
static void run(const char *name, void (*part)(void)) {
  long checked = checks, held = live;
  int descriptor = lowest_free_descriptor();
  part();
  CHECK(live == held, "%s leaks %ld allocations", name, live - held);
  CHECK(lowest_free_descriptor() == descriptor, "%s leaks a descriptor", name);
  printf("%-20s %8ld checks\n", name, checks - checked);
  fflush(stdout);
}

int main(void) {
  need(mkdtemp(folder) != NULL, folder);
  run("samples", test_samples);
  run("round trips", test_round_trips);
  run("kinds", test_kinds);
  run("messages", test_messages);
  run("atomic output", test_atomic_output);
  run("failing allocations", test_failing_allocations);
  run("damaged files", test_damaged_files);
  remove_folder();
  printf("test_files: %ld checks, %ld failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
