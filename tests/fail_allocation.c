/* fail_allocation.c - linked into a copy of the command: its allocation number TRIGON_FAIL_ALLOCATION, from 1, fails.
 * Only what the command itself asks for is counted (the linker's --wrap sends that here), not its libraries' needs. Where
 * the number is never reached, the program says so in its exit status: 100 is added. */
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
