/* test_loaders.c - what libraries that choose a BLAS at run time do with the drop-in library: libblastrampoline (Julia)
 * and FlexiBLAS open it by name, look for symbols, and call some to learn the width of its integers.
 * Usage: test_loaders LIBRARY BYTES, where BYTES is the size of the library's integers. */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

typedef void potrf_function(const char *, const void *, double *, const void *, void *, size_t);

static potrf_function *potrf_of(void *library) {
  union {
    void *data;
    potrf_function *function;
  } found = {dlsym(library, "dpotrf_")};
  return found.function;
}

/* lda = 0 is wrong: info becomes -4, as wide as the library's integers are, and the process goes on. */
static void probe_width(void *library, size_t bytes) {
  const int64_t n = 1, lda = 0;
  unsigned char info[16];
  const int64_t expected = -4;
  double A = 4;
  memset(info, 0x5a, sizeof info);
  potrf_of(library)("U", &n, &A, &lda, info, 1);
  check(memcmp(info, &expected, bytes) == 0, "info is -4");
  bool untouched = true;
  for (size_t i = bytes; i < sizeof info; i++) untouched = untouched && info[i] == 0x5a;
  check(untouched, "info is as wide as the integers");
  check(A == 4, "nothing else is written");
}

static void compute(void *library) {
  const int64_t n = 1, lda = 1;
  int64_t info = 0;
  double A = 4;
  potrf_of(library)("U", &n, &A, &lda, &info, 1);
  check(A == 2 && info == 0, "a good call computes");
}

static void open_as(const char *path, size_t bytes, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  check(library != NULL, "the library can be opened");
  if (!library) {
    printf("%s\n", dlerror());
    return;
  }
  /* What Trigon does not have is found behind it. */
  static const char *const others[] = {"isamax_", "ilaver_", "zdotc_",  "cdotc_",
                                       "sdot_",   "dgesvd_", "xerbla_", "daxpy_"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) check(dlsym(library, others[i]) != NULL, others[i]);
  check(dlsym(library, "cblas_dgemm") && dlsym(library, "RowMajorStrg"), "CBLAS is there");
  compute(library);
  probe_width(library, bytes);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const size_t bytes = (size_t)strtoul(argv[2], NULL, 10);
  open_as(argv[1], bytes, RTLD_LOCAL);
#ifndef __SANITIZE_ADDRESS__ /* which refuses it */
  open_as(argv[1], bytes, RTLD_LOCAL | RTLD_DEEPBIND);
#endif
  open_as(argv[1], bytes, RTLD_GLOBAL);
  return checked();
}
