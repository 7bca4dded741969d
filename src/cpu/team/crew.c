/* crew.c - draws tickets, and passes from phase to phase.
 *
 * A thread waits in one case: all tasks of the phase are drawn, and some of them run. The thread that ends the last of
 * them begins the next phase. */
#include "crew.h"

#include "spin.h"

enum { seat_shift = 16 };
enum { work_is_done = -1 };

/* ---------------------------------------------------------------------------------------------------- seats -- */

bool crew_claim(crew *c, const team_work *work, void *job) {
  uint32_t nobody = 0;
  if (!atomic_compare_exchange_strong_explicit(&c->state, &nobody, 1, memory_order_acquire, memory_order_relaxed))
    return false;
  c->work = *work, c->job = job, c->processor = team_processor();
  fegetenv(&c->rounding);
  return true;
}

bool crew_join(crew *c) {
  uint32_t state = atomic_load_explicit(&c->state, memory_order_relaxed);
  while (state >> seat_shift > 0) {
    const uint32_t joined = state - (1u << seat_shift) + 1;
    if (atomic_compare_exchange_weak_explicit(&c->state, &state, joined, memory_order_acquire, memory_order_relaxed))
      return true;
  }
  return false;
}

void crew_leave(crew *c) { atomic_fetch_sub_explicit(&c->state, 1, memory_order_release); }

void crew_close(crew *c) {
  const uint32_t users = (1u << seat_shift) - 1;
  atomic_fetch_and_explicit(&c->state, users, memory_order_relaxed);
  crew_leave(c);
}

/* ---------------------------------------------------------------------------------------------------- tasks -- */

static int64_t tasks_of(const crew *c, int64_t phase) {
  if (c->work.tasks) return c->work.tasks(c->job, phase);
  return phase == 0 ? c->work.count : -1;
}

/* Begins this phase, or the next one that has a task. Nobody runs a task. */
static void begin_phase(crew *c, int64_t phase) {
  int64_t count;
  while ((count = tasks_of(c, phase)) == 0) phase++;
  if (count < 0) {
    atomic_store_explicit(&c->undrawn, work_is_done, memory_order_release);
    return;
  }
  c->phase = phase, c->count = count;
  atomic_store_explicit(&c->unfinished, count, memory_order_relaxed);
  atomic_store_explicit(&c->undrawn, count, memory_order_release);
}

void crew_open(crew *c, int seats) {
  begin_phase(c, 0);
  atomic_fetch_add_explicit(&c->state, (uint32_t)seats << seat_shift, memory_order_release);
}

/* Draws a task of the present phase. Returns false if the work is done, or a worker would get no task any more. Between
 * the load and the exchange another phase may begin. Then the task is one of that phase, whose count is read. */
static bool draw(crew *c, int64_t *task, bool is_worker) {
  long long left = atomic_load_explicit(&c->undrawn, memory_order_acquire);
  for (spin s = {0}; left != work_is_done;) {
    if (left == 0) {
      if (is_worker && !c->work.tasks) return false; /* there is one phase */
      spin_once(&s);
      left = atomic_load_explicit(&c->undrawn, memory_order_acquire);
    } else if (atomic_compare_exchange_weak_explicit(&c->undrawn, &left, left - 1, memory_order_acquire,
                                                     memory_order_acquire)) {
      *task = c->count - left;
      return true;
    }
  }
  return false;
}

void crew_compute(crew *c, void *buffer, bool is_worker) {
  int64_t task;
  if (is_worker) fesetenv(&c->rounding);
  while (draw(c, &task, is_worker)) {
    c->work.run(c->job, c->phase, task, buffer);
    if (atomic_fetch_sub_explicit(&c->unfinished, 1, memory_order_acq_rel) == 1) begin_phase(c, c->phase + 1);
  }
}
