/* team.c - teams of threads by OpenMP; without OpenMP a team is the calling thread. */
#include "team.h"

#ifdef _OPENMP
#include <omp.h>

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer does not see how the OpenMP library synchronizes. A counter that all members change tells it.
 * What the compiler itself hands to the members, before they can change the counter, the sanitizer must not see. */
static int seen_by_sanitizer;
__attribute__((noinline)) static void synchronize(void) { __atomic_fetch_add(&seen_by_sanitizer, 1, __ATOMIC_ACQ_REL); }
#define UNSEEN __attribute__((no_sanitize("thread")))
#else
static void synchronize(void) {}
#define UNSEEN
#endif

int team_most(void) { return omp_get_max_threads(); }
int team_limit(void) { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

UNSEEN void team_run(int threads, void (*work)(member, void *job), void *job) {
  if (threads <= 1) {
    work((member){0, 1}, job);
    return;
  }
  synchronize();
#pragma omp parallel num_threads(threads)
  {
    synchronize();
    work((member){omp_get_thread_num(), omp_get_num_threads()}, job);
    synchronize();
  }
  synchronize();
}

void team_wait(member m) {
  if (m.size == 1) return;
  synchronize();
#pragma omp barrier
  synchronize();
}

#else

int team_most(void) { return 1; }
int team_limit(void) { return 1; }

void team_run(int threads, void (*work)(member, void *job), void *job) {
  (void)threads;
  work((member){0, 1}, job);
}

void team_wait(member m) { (void)m; }

#endif
