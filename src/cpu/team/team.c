/* team.c - gathers the threads for one leaf. */
#include "team.h"

#include <stddef.h>

#include "pool.h"

/* OpenMP's runtime, if the process has one: each thread of a parallel region may call the library, and then there are
 * threads enough. */
extern int omp_in_parallel(void) __attribute__((weak));

static void compute_alone(const team_work *w, void *buffer, void *job) {
  for (int64_t phase = 0;; phase++) {
    const int64_t count = w->tasks ? w->tasks(job, phase) : phase == 0 ? w->count : -1;
    if (count < 0) return;
    for (int64_t task = 0; task < count; task++) w->run(job, phase, task, buffer);
  }
}

void team_run(const team_work *w, int threads, void *buffer, void *job) {
  crew *c = NULL;
  if (threads > 1 && !(omp_in_parallel && omp_in_parallel())) c = pool_gather(w, threads - 1, job);
  if (!c) {
    compute_alone(w, buffer, job);
    return;
  }
  crew_compute(c, buffer, false);
  crew_close(c);
}
