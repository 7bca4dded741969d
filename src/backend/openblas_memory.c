/* openblas_memory.c - tries whether there is room for OpenBLAS's buffers, and finds out how many a file will ask for. */
#define _GNU_SOURCE /* dlinfo, sched_getaffinity, memmem */
#include "openblas_memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* OpenBLAS's own constant for 64-bit machines (0.3.21). A build with OpenMP takes as many buffers as it has threads when it
 * is loaded, and every build takes one at the first call; it keeps them. */
static const int64_t buffer_bytes = INT64_C(128) << 20;

/* ------------------------------------------------------------------------------------------------ the limit -- */

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
  snprintf(why->text, sizeof why->text,
           "out of memory: OpenBLAS takes %lld MiB of address space more, and the limit of this process (ulimit -v, "
           "RLIMIT_AS), %lld MiB, does not leave as much",
           (long long)(bytes >> 20), (long long)(limit >> 20));
  return TRIGON_NO_MEMORY;
}

/* ------------------------------------------------------------------------------------------------- the file -- */

typedef struct library_file {
  bool openblas, threads; /* what it is, and whether it has threads */
  int64_t bytes;
} library_file;

/* Opens the file that the loader would find, in the folders that it tells of. */
static FILE *open_in(const Dl_serinfo *folders, const char *library) {
  FILE *file = NULL;
  char path[PATH_MAX];
  for (unsigned i = 0; !file && i < folders->dls_cnt; i++)
    if (snprintf(path, sizeof path, "%s/%s", folders->dls_serpath[i].dls_name, library) < (int)sizeof path)
      file = fopen(path, "rb");
  return file;
}

static FILE *open_library_file(const char *library) {
  if (strchr(library, '/')) return fopen(library, "rb");
  FILE *file = NULL;
  Dl_serinfo sizes, *folders = NULL;
  void *self = dlopen(NULL, RTLD_LAZY);
  if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &sizes) == 0) folders = malloc(sizes.dls_size);
  if (folders) {
    *folders = sizes;
    if (dlinfo(self, RTLD_DI_SERINFOSIZE, folders) == 0 && dlinfo(self, RTLD_DI_SERINFO, folders) == 0)
      file = open_in(folders, library);
  }
  free(folders);
  if (self) dlclose(self);
  return file;
}

/* Looks for names of OpenBLAS's functions in the whole file; builds without threads lack the second. A piece begins with
 * the end of the one before, so that no name is cut. */
static library_file look_at(FILE *file) {
  static const char always[] = "openblas_get_config", threaded[] = "blas_thread_init";
  enum { piece = 1 << 16, overlap = sizeof always };
  library_file found = {0};
  char *text = malloc(piece + overlap);
  size_t kept = 0, got;
  while (text && (got = fread(text + kept, 1, piece, file)) > 0) {
    const size_t held = kept + got;
    found.openblas |= memmem(text, held, always, sizeof always - 1) != NULL;
    found.threads |= memmem(text, held, threaded, sizeof threaded - 1) != NULL;
    found.bytes += (int64_t)got;
    kept = held < overlap ? held : overlap;
    memmove(text, text + held - kept, kept);
  }
  free(text);
  return found;
}

/* How many threads OpenBLAS will have, or fewer: the processors that there are, and what the environment allows. */
static int least_threads(void) {
  static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"};
  cpu_set_t processors;
  int threads = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
  for (int i = 0; i < 3; i++) {
    const char *text = getenv(variables[i]);
    const long value = text ? strtol(text, NULL, 10) : 0;
    if (value > 0 && value < threads) threads = (int)value;
  }
  return threads;
}

trigon_status openblas_room_to_load(const char *library, reason *why) {
  if (!address_space_is_limited()) return TRIGON_OK;
  FILE *file = open_library_file(library);
  if (!file) return TRIGON_OK;
  const library_file found = look_at(file);
  fclose(file);
  if (!found.openblas) return TRIGON_OK;
  return openblas_room(found.threads ? least_threads() + 1 : 1, found.bytes, why);
}
