/* test_files_memory.c - matrix files if an allocation fails: a message, no leak and no file that is left over. */
#define _XOPEN_SOURCE 700
#include "test_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks the result. The k-th allocation has failed, unless there are fewer than k allocations. */
static void check_failure(bool ok, const char *why, long held, long k, const char *name) {
  if (allocation_failed()) {
    CHECK(!ok && strstr(why, ": out of memory") != NULL, "%s, allocation %ld: \"%s\"", name, k, ok ? "ok" : why);
  } else {
    CHECK(ok, "%s, allocation %ld: \"%s\"", name, k, why);
  }
  CHECK(live_allocations() == held, "%s, allocation %ld: %ld leaked", name, k, live_allocations() - held);
}

static void fail_each_while_reading(const char *path, const char *name) {
  long held = live_allocations();
  bool failed = true;
  for (long k = 1; failed; k++) {
    char why[256] = "";
    matrix_file file;
    fail_allocation(k);
    bool ok = matrix_read(path, &file, why, sizeof why);
    failed = allocation_failed();
    matrix_free(&file);
    check_failure(ok, why, held, k, name);
    CHECK(k > 2 || failed, "%s: only %ld allocations", name, k - 1);
  }
  fail_allocation(0);
}

static void fail_each_while_writing(const char *name) {
  long held = live_allocations();
  bool failed = true;
  for (long k = 1; failed; k++) {
    char why[256] = "";
    fail_allocation(k);
    bool ok = matrix_write(scratch(name), NULL, output_matrix(), SYMMETRIC, why, sizeof why);
    failed = allocation_failed();
    check_failure(ok, why, held, k, name);
    fail_allocation(0);
    CHECK(scratch_files() == !failed, "%s, allocation %ld: %d files", name, k, scratch_files());
  }
  remove(scratch(name));
}

void test_failing_allocations(void) {
  for (int k = 0; k < OUTPUT_NAMES; k++) fail_each_while_writing(output_names[k]);
  for (int s = 0; s < sample_count; s++) {
    bytes content = sample_bytes(&samples[s]);
    put_file(scratch("sample"), content.data, content.size);
    fail_each_while_reading(scratch("sample"), samples[s].name);
    put_gzip(scratch("sample"), content.data, content.size);
    fail_each_while_reading(scratch("sample"), samples[s].name);
    free(content.data);
  }
  static char line[600000] = "%%MatrixMarket matrix array real general\n1 1\n%"; /* makes the buffer grow */
  size_t start = strlen(line);
  memset(line + start, '-', sizeof line - start - 3);
  memcpy(line + sizeof line - 3, "\n1", 3);
  put_file(scratch("sample"), line, sizeof line - 1);
  fail_each_while_reading(scratch("sample"), "a long line");
  remove(scratch("sample"));
}
