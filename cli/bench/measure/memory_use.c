/* memory_use.c - reads the memory of the system and of this process from /proc. */
#include "memory_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* The kilobytes that follow `key` in the file, in bytes, or -1. */
static int64_t read_entry(const char *path, const char *key) {
  char line[256];
  int64_t found = -1, kilobytes;
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  while (found < 0 && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), ": %" SCNd64, &kilobytes) == 1)
      found = 1024 * kilobytes;
  fclose(file);
  return found;
}

double memory_available(void) {
  int64_t bytes = read_entry("/proc/meminfo", "MemAvailable");
  return bytes >= 0 ? (double)bytes : 0.5 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

memory_mark memory_mark_now(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return (memory_mark){-1};
  int written = fputs("5", file); /* resets the peak */
  if (fclose(file) != 0 || written < 0) return (memory_mark){-1};
  return (memory_mark){read_entry("/proc/self/status", "VmRSS")};
}

int64_t memory_peak_since(memory_mark begin) {
  int64_t peak = read_entry("/proc/self/status", "VmHWM");
  if (begin.resident < 0 || peak < 0) return -1;
  return peak > begin.resident ? peak - begin.resident : 0;
}
