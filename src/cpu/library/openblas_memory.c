/* openblas_memory.c - checks that a limited address space has room for OpenBLAS's buffers. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "openblas_memory.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The size of a buffer of OpenBLAS 0.3.21 on 64-bit machines. When it is loaded, a build with OpenMP takes a buffer for
 * each thread. Every build takes one more at the first call. OpenBLAS keeps its buffers. */
static const int64_t buffer_bytes = INT64_C(128) << 20;

/* Address space for a loaded library without its buffers: Debian's OpenBLAS 0.3.21 takes 36 MB, its Fortran and C
 * libraries take 6 MB. */
static const int64_t library_bytes = INT64_C(64) << 20;

static int64_t limit_bytes(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX) return -1;
  return (int64_t)limit.rlim_cur;
}

bool address_space_is_limited(void) { return limit_bytes() >= 0; }

trigon_status openblas_room(int buffers, int64_t more, reason *why) {
  const int64_t limit = limit_bytes(), bytes = buffers * buffer_bytes + more;
  if (limit < 0) return TRIGON_OK;
  void *room = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {
    munmap(room, (size_t)bytes);
    return TRIGON_OK;
  }
  snprintf(
      why->text, sizeof why->text,
      "out of memory: OpenBLAS needs up to %lld MiB more of address space, and the limit of this process (ulimit -v, "
      "RLIMIT_AS), %lld MiB, leaves less",
      (long long)(bytes >> 20), (long long)(limit >> 20));
  return TRIGON_NO_MEMORY;
}

static int number_in(const char *variable) {
  const char *text = getenv(variable);
  const long value = text ? strtol(text, NULL, 10) : 0;
  return value <= 0 ? 0 : value < INT_MAX ? (int)value : INT_MAX - 1;
}

/* The most threads that OpenBLAS can have. A build with OpenMP asks OpenMP, and ignores OPENBLAS_NUM_THREADS. Other
 * builds obey OPENBLAS_NUM_THREADS, else GOTO_NUM_THREADS, else OMP_NUM_THREADS. */
static int most_threads(void) {
  cpu_set_t processors;
  const int processor_count = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
  const int openmp = number_in("OMP_NUM_THREADS"), own = number_in("OPENBLAS_NUM_THREADS");
  const int others = own ? own : number_in("GOTO_NUM_THREADS"), most = openmp ? openmp : processor_count;
  return others > most ? others : most;
}

trigon_status openblas_room_to_load(reason *why) { return openblas_room(most_threads() + 1, library_bytes, why); }
