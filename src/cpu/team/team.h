/* team.h - several threads compute one leaf: the calling thread, and workers of the process's pool (pool.h).
 *
 * The work of a leaf is a sequence of phases, and a phase is a number of tasks. The tasks of a phase may run at once. A
 * phase begins when all tasks of the phase before it have ended. Each thread draws one task after the other. So nobody
 * waits for a thread that has no task: a worker that comes late, or whose processor another program has taken, takes
 * fewer tasks. */
#ifndef TRIGON_TEAM_H
#define TRIGON_TEAM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct team_work {
  /* How many tasks a phase has; negative: there is no such phase, and the work is done. Called once for each phase,
   * from 0 on, when the phase before it has ended. NULL: there is one phase of `count` tasks. */
  int64_t (*tasks)(void *job, int64_t phase);
  int64_t count;

  /* Computes a task. `buffer` is the thread's own. What tasks of earlier phases wrote, the task reads. */
  void (*run)(void *job, int64_t phase, int64_t task, void *buffer);

  /* NULL, or: prepares a worker for `run`. If it returns false, the worker takes no task. `entered` must outlive all
   * calls, because a worker may come when the work is done. */
  bool (*enter)(void *entered);
  void *entered;

  int64_t buffer_bytes; /* that `run` needs; in a worker's buffer they begin a page */
  bool dirty;           /* a worker's buffer begins with NaN */
} team_work;

/* How many processors the process may use: by the affinity mask of its first thread and its control group's quota. */
int team_processors(void);

/* Lets the calling thread run on all processors of the process, whatever the thread that started it was bound to. */
void team_take_all_processors(void);

/* The processor that the calling thread runs on; negative: unknown. And moves the calling thread away from this
 * processor, if it runs there and may run elsewhere. */
int team_processor(void);
void team_leave_processor(int processor);

/* How many threads a team has if nobody says it: TRIGON_NUM_THREADS, else OMP_NUM_THREADS, else all processors, and
 * never more than these. */
int team_default(void);

/* Does the work on at most `threads` threads, of which the calling one is the first, with this buffer. The number of
 * threads, and which of them compute which tasks, change no result if tasks of a phase do not depend on each other.
 * Inside a parallel region of OpenMP, the calling thread computes alone. */
void team_run(const team_work *, int threads, void *buffer, void *job);

/* The share of one of `parts` parts, if `count` units are divided into consecutive parts that differ by one unit at
 * most. */
typedef struct share {
  int64_t first, end;
} share;

static inline share share_of(int64_t count, int64_t part, int64_t parts) {
  return (share){count * part / parts, count * (part + 1) / parts};
}

#endif
