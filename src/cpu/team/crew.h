/* crew.h - the threads that compute one leaf, and the tickets that they draw.
 *
 * A crew stays in its pool when its work is done, because a worker may look at it once more, long after the last task
 * has ended: perhaps another program has taken the worker's processor. So the caller need not wait for its workers. */
#ifndef TRIGON_CREW_H
#define TRIGON_CREW_H

#include <fenv.h>
#include <stdatomic.h>

#include "team.h"

enum { cache_line = 64 };

typedef struct crew {
  /* The seats that a worker may still take, times 2^16, plus the threads that use the crew. 0: nobody does. */
  _Alignas(cache_line) _Atomic uint32_t state;
  team_work work; /* a copy, because a worker may come when the caller has returned */
  void *job;
  fenv_t rounding; /* the floating-point environment of the caller, which the workers take */
  int processor;   /* that the caller ran on */

  /* The tasks of the present phase that nobody has drawn; negative: the work is done. */
  _Alignas(cache_line) atomic_llong undrawn;
  int64_t phase, count;                         /* the present phase, and how many tasks it has */
  _Alignas(cache_line) atomic_llong unfinished; /* tasks of the present phase */
} crew;

/* Makes a crew of the calling thread alone, if nobody uses it. */
bool crew_claim(crew *, const team_work *, void *job);

/* Lets so many workers join. */
void crew_open(crew *, int seats);

/* Takes a seat, if there is one. */
bool crew_join(crew *);

/* Draws and computes tasks until the work is done. A worker leaves when there is nothing more to draw; the caller waits
 * for the tasks of others. */
void crew_compute(crew *, void *buffer, bool is_worker);

/* Ends the calling thread's use. The caller of the work also takes back the seats that nobody has taken. */
void crew_leave(crew *);
void crew_close(crew *);

#endif
