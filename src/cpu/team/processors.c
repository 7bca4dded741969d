/* processors.c - counts the processors that the process may use and the threads that the user wants, and moves a thread
 * to other processors. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "team.h"

/* A set of processors of any size; NULL if there is no memory. */
typedef struct processor_set {
  cpu_set_t *set;
  size_t bytes;
} processor_set;

/* The affinity mask of a thread; 0 is the calling one. The kernel's mask may be larger than cpu_set_t. The set is NULL on
 * failure; CPU_FREE frees it. */
static processor_set allowed_set(pid_t thread) {
  enum { fewest = 1024, most = 1 << 20 };
  for (int processors = fewest; processors <= most; processors *= 2) {
    const processor_set p = {CPU_ALLOC((size_t)processors), CPU_ALLOC_SIZE((size_t)processors)};
    if (!p.set || sched_getaffinity(thread, p.bytes, p.set) == 0) return p;
    CPU_FREE(p.set);
  }
  return (processor_set){0};
}

/* The mask of the process's first thread counts: other threads may be bound to less. */
static int allowed_processors(void) {
  const processor_set p = allowed_set(getpid());
  const long online = p.set ? CPU_COUNT_S(p.bytes, p.set) : sysconf(_SC_NPROCESSORS_ONLN);
  if (p.set) CPU_FREE(p.set);
  return online > 0 && online < INT_MAX ? (int)online : 1;
}

void team_take_all_processors(void) {
  const processor_set p = allowed_set(getpid());
  if (!p.set) return;
  sched_setaffinity(0, p.bytes, p.set);
  CPU_FREE(p.set);
}

/* A mask without the processor moves the thread. Then the thread may use the processor again. */
void team_leave_processor(int processor) {
  if (processor < 0 || sched_getcpu() != processor) return;
  const processor_set p = allowed_set(0);
  if (!p.set) return;
  if (CPU_COUNT_S(p.bytes, p.set) > 1) {
    CPU_CLR_S((size_t)processor, p.bytes, p.set);
    const bool moved = sched_setaffinity(0, p.bytes, p.set) == 0;
    CPU_SET_S((size_t)processor, p.bytes, p.set);
    if (moved) sched_setaffinity(0, p.bytes, p.set);
  }
  CPU_FREE(p.set);
}

int team_processor(void) { return sched_getcpu(); }

/* Reads up to two numbers from a file of a control group. "max", or no number, counts as -1. */
static bool read_numbers(const char *folder, const char *name, long long *first, long long *second) {
  char path[PATH_MAX], text[64] = "";
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
  FILE *f = fopen(path, "re");
  if (!f) return false;
  const bool any = fgets(text, sizeof text, f) != NULL;
  fclose(f);
  char *end = text;
  *first = strncmp(text, "max", 3) == 0 ? (end += 3, -1) : strtoll(text, &end, 10);
  *second = strtoll(end, NULL, 10);
  return any;
}

static int lesser_quota(int processors, long long quota, long long period) {
  if (quota <= 0 || period <= 0) return processors;
  const long long whole = quota < period ? 1 : quota / period; /* more threads would be stopped again and again */
  return whole < processors ? (int)whole : processors;
}

/* The quota of the control group at this folder, and of all groups around it. */
static int quota_of_groups(char *folder, size_t root, int processors) {
  for (;;) {
    long long quota, period, none;
    const bool is_known =
        read_numbers(folder, "cpu.max", &quota, &period) || (read_numbers(folder, "cpu.cfs_quota_us", &quota, &none) &&
                                                             read_numbers(folder, "cpu.cfs_period_us", &period, &none));
    if (is_known) processors = lesser_quota(processors, quota, period);
    char *slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < root) return processors;
    *slash = '\0';
  }
}

/* Whether the list of words, with commas between, has this word. */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

/* /proc/self/cgroup has lines ID:CONTROLLERS:PATH. Version 2 of control groups has no controllers in its line. */
static int quota_processors(int processors) {
  char line[PATH_MAX];
  FILE *f = fopen("/proc/self/cgroup", "re");
  if (!f) return processors;
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = '\0';
    const bool unified = controllers[1] == '\0';
    if (!unified && !has_word(controllers + 1, "cpu")) continue;
    char folder[PATH_MAX];
    const char *root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    if (snprintf(folder, sizeof folder, "%s%s", root, strcmp(path, "/") == 0 ? "" : path) < (int)sizeof folder)
      processors = quota_of_groups(folder, strlen(root), processors);
  }
  fclose(f);
  return processors;
}

int team_processors(void) { return quota_processors(allowed_processors()); }

/* The first number of an environment variable, which may be a list; 0 if there is none. */
static int number_in(const char *variable) {
  const char *text = getenv(variable);
  const long value = text ? strtol(text, NULL, 10) : 0;
  return value <= 0 ? 0 : value < INT_MAX ? (int)value : INT_MAX;
}

int team_default(void) {
  const int processors = team_processors(), own = number_in("TRIGON_NUM_THREADS");
  const int wanted = own > 0 ? own : number_in("OMP_NUM_THREADS");
  return wanted > 0 && wanted < processors ? wanted : processors;
}
