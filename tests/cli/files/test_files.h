/* test_files.h - code that the files of test_files share: checks, files, samples, and failures on demand. */
#ifndef TRIGON_TEST_FILES_H
#define TRIGON_TEST_FILES_H

#include "files/matrix_file.h"

/* The tests. */
void test_round_trips(void);
void test_samples(void);
void test_kinds(void);
void test_messages(void);
void test_damaged_files(void);
void test_atomic_output(void);
void test_failing_allocations(void);

/* Counts a check. If the check fails, prints the place and the message. The message must be a format. */
#define CHECK(condition, ...) check((condition), __FILE__, __LINE__, __VA_ARGS__)
bool check(bool holds, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A file's bytes. get_file allocates the bytes, and a NUL behind them. */
typedef struct bytes {
  char *data;
  size_t size;
} bytes;
void put_file(const char *path, const void *data, size_t size);
void put_gzip(const char *path, const void *data, size_t size);
bytes get_file(const char *path);
bool same_bytes(bytes a, bytes b);

/* Returns the path of a file in the test's own folder. The fourth next call overwrites the path. */
const char *scratch(const char *name);
/* The number of files in that folder, and the lowest free descriptor. Tests compare both before and after. */
int scratch_files(void);
int lowest_free_descriptor(void);

/* A sample file and the matrix in the file. sample_value has the formula of the elements. */
typedef struct sample {
  const char *name;
  trigon_type type;
  int64_t rows, cols;
  file_structure structure;
  double fraction; /* 0 in files of integers */
  bool sparse;
} sample;
extern const sample samples[];
extern const int sample_count;
bytes sample_bytes(const sample *s);
bool is_npy(const sample *s);
/* Reads the file with the sample's matrix, and checks every element. */
bool sample_reads(const sample *s, const char *path);

/* A matrix to write, whose numbers do not compress well, and a name for each format of the output. */
enum { OUTPUT_NAMES = 3 };
extern const char *const output_names[OUTPUT_NAMES];
const trigon_matrix *output_matrix(void);

/* Returns element (i, j) of a column-major matrix. */
trigon_scalar element(const trigon_matrix *A, int64_t i, int64_t j);
/* Returns whether a and b are equal to the last bit, or both are not a number. */
bool same_number(double a, double b);

/* Make the program's allocations fail, and zlib's if zlib is linked statically. The k-th allocation from now fails,
 * once; if k is 0, no allocation fails. */
void fail_allocation(long k);
bool allocation_failed(void);
long live_allocations(void);
/* Makes a system call fail that makes a file durable (fsync or rename). The k-th call from now fails with EIO. */
void fail_system_call(int k);

#endif
