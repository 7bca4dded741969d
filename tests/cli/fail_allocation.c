/* fail_allocation.c - makes one allocation of the command fail: allocation number TRIGON_FAIL_ALLOCATION, from 1.
 *
 * This file is linked into a copy of the command. It counts only allocations of the command itself, which the
 * linker's --wrap sends here, and no allocations of its libraries. If the number is never reached, the program adds
 * 100 to its exit status. */
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static long count;

static int fails(void) {
  const char *number = getenv("TRIGON_FAIL_ALLOCATION");
  count++;
  return number && count == strtol(number, NULL, 10);
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t number, size_t size) { return fails() ? NULL : __real_calloc(number, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }

int __wrap_main(int argc, char **argv) {
  int status = __real_main(argc, argv);
  const char *number = getenv("TRIGON_FAIL_ALLOCATION");
  return number && count < strtol(number, NULL, 10) ? status + 100 : status;
}
