/* process_threads.h - how many threads the process has. */
#ifndef TRIGON_PROCESS_THREADS_H
#define TRIGON_PROCESS_THREADS_H

#include <dirent.h>
#include <stdlib.h>

static inline int threads_of_process(void) {
  DIR *d = opendir("/proc/self/task");
  int count = 0;
  if (!d) abort();
  while (readdir(d)) count++;
  closedir(d);
  return count - 2;
}

#endif
