/* test_refused_workers.c - if the system refuses threads, calls are right and cheap: they ask again only now and then,
 * and a crew has no more seats than there are workers. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cpu/team/pool.h"
#include "support/check.h"

static atomic_int allowed, asked; /* threads that the system still gives, and requests for threads */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  atomic_fetch_add(&asked, 1);
  if (atomic_load(&allowed) == 0) return EAGAIN;
  atomic_fetch_sub(&allowed, 1);
  return __real_pthread_create(thread, attributes, run, argument);
}

static void count_task(void *job, int64_t phase, int64_t task, void *buffer) {
  (void)phase, (void)task, (void)buffer;
  atomic_fetch_add((atomic_int *)job, 1);
}

enum { tasks = 50, wanted_workers = 3 };
static const team_work counting = {.count = tasks, .run = count_task};

static void call(void) {
  atomic_int count = 0;
  team_run(&counting, 1 + wanted_workers, NULL, &count);
  check(count == tasks, "a call without workers computes each task once");
}

/* How many workers may take part in a call. */
static int seats(void) {
  atomic_int count = 0;
  crew *c = pool_gather(&counting, wanted_workers, &count);
  if (!c) return 0;
  const uint32_t state = atomic_load(&c->state); /* free seats, and the threads that use the crew */
  crew_compute(c, NULL, false);
  crew_close(c);
  /* A worker that has come and gone took a seat, and is not among the users any more. */
  return (int)(state >> 16) + (int)(state & 0xffff) - 1;
}

static void wait_ms(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  enum { calls = 10000 };
  const double start = seconds();
  for (int i = 0; i < calls; i++) call();
  const double requests_due = 1 + 10 * (seconds() - start); /* one in 100 ms */
  check(asked >= 1 && asked <= requests_due, "after a refusal calls ask for threads only now and then");
  check(seats() == 0, "without workers a call gathers nobody");

  wait_ms(150);
  atomic_store(&allowed, 1);
  call();
  check(allowed == 0, "later a call asks again");
  for (int i = 0; i < 100; i++) check(seats() <= 1, "a crew has no more seats than there are workers");

  wait_ms(150);
  atomic_store(&allowed, wanted_workers);
  for (int i = 0; i < 100; i++) call();
  check(allowed == 1, "in the end all workers run");
  const int before = asked;
  for (int i = 0; i < calls; i++) call();
  check(asked == before, "nobody asks for more workers than wanted");
  return checked();
}
