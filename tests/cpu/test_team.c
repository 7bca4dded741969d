/* test_team.c - a team computes each task of each phase once, in the order of the phases, whoever comes: many callers
 * at once, calls within tasks, workers that cannot help, forked children. Without work it takes no processor time. */
#define _GNU_SOURCE /* fork, getrusage, sched_getcpu */
#include "cpu/team/team.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"
#include "support/process_threads.h"

enum { phases = 40, most_tasks = 23, workers_wanted = 5, buffer_bytes = 3 * 4096 };

/* Phase p has p % most_tasks tasks, so that some phases have none. Each task of a phase reads what all tasks of the
 * last phase that had any wrote. */
typedef struct sums {
  long sum[phases + 1];         /* of phase p - 1, at p */
  atomic_long next[phases + 1]; /* the sum of what tasks add */
  atomic_int runs[phases][most_tasks];
  atomic_bool wrong;
} sums;

static int64_t tasks_of(void *job, int64_t phase) {
  sums *s = job;
  if (phase > 0) s->sum[phase] = s->sum[phase - 1] + atomic_load_explicit(&s->next[phase - 1], memory_order_relaxed);
  return phase < phases ? phase % most_tasks : -1;
}

static void add(void *job, int64_t phase, int64_t task, void *buffer) {
  sums *s = job;
  long before = 0;
  for (int64_t p = 0; p < phase; p++) before += p % most_tasks * (p + 1);
  if (s->sum[phase] != before) atomic_store(&s->wrong, true);
  memset(buffer, (int)task, buffer_bytes); /* two threads with one buffer would race */
  atomic_fetch_add_explicit(&s->next[phase], (long)phase + 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&s->runs[phase][task], 1, memory_order_relaxed);
}

static const team_work adding = {.tasks = tasks_of, .run = add, .buffer_bytes = buffer_bytes};

/* Whether a team of so many threads computes every task once. *s becomes zeros first. */
static bool adds_up_in(sums *s, char *buffer, int threads) {
  memset(s, 0, sizeof *s);
  team_run(&adding, threads, buffer, s);
  bool right = !atomic_load(&s->wrong);
  for (int p = 0; p < phases; p++)
    for (int t = 0; t < most_tasks; t++) right = right && s->runs[p][t] == (t < p % most_tasks);
  return right;
}

static bool adds_up(int threads) {
  sums *s = malloc(sizeof *s);
  char *buffer = malloc(buffer_bytes);
  if (!s || !buffer) abort();
  const bool right = adds_up_in(s, buffer, threads);
  free(buffer);
  free(s);
  return right;
}

static void test_phases(void) {
  for (int threads = 1; threads <= 1 + workers_wanted; threads++)
    for (int i = 0; i < 200; i++) check(adds_up(threads), "each task of each phase is computed once, in order");
}

/* For two processors, and for as many as servers have. */
static void test_sizes(void) {
  static const int processors[] = {1, 2, 3, 4, 16, 64, 256};
  for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
    const int most = processors[i];
    int before = 1;
    double work_before = 0;
    check(team_for_work(0, most) == 1 && team_for_work(0.99, most) == 1, "little work is for one thread");
    check(team_for_work(1, most) == (most > 1 ? 2 : 1), "the least work that two threads share is shared");
    for (double shares = 1; shares < 1e5; shares *= 1.01) {
      const int threads = team_for_work(shares, most);
      check(threads >= before && threads <= most, "more work has more threads, but not too many");
      check(threads >= team_for_work(shares, most - 1) || most == 1, "more processors have more threads");
      if (threads > before) {
        check(shares / threads >= 0.99 * work_before, "a thread of a larger team has no less work");
        work_before = shares / threads;
      }
      before = threads;
    }
    check(team_for_work(1e5, most) == most && team_for_work(1e30, most) == most, "large work takes all processors");
  }
}

/* ------------------------------------------------------------------------------------------------- callers -- */

static void *call_often(void *wrong) {
  for (int i = 0; i < 20; i++)
    if (!adds_up(3)) atomic_store((atomic_bool *)wrong, true);
  return NULL;
}

/* More callers than the pool has crews: those that find none compute alone. */
static void test_callers(void) {
  enum { callers = 80 };
  pthread_t thread[callers];
  atomic_bool wrong = false;
  for (int i = 0; i < callers; i++)
    if (pthread_create(&thread[i], NULL, call_often, &wrong) != 0) abort();
  const int most = threads_of_process();
  for (int i = 0; i < callers; i++) pthread_join(thread[i], NULL);
  check(!wrong, "calls from many threads at once are right");
  check(most <= 1 + callers + workers_wanted, "callers share the workers");
}

static void call_within(void *job, int64_t phase, int64_t task, void *buffer) {
  (void)phase, (void)task, (void)buffer;
  if (!adds_up(3)) atomic_store((atomic_bool *)job, true);
}

static void test_nested(void) {
  atomic_bool wrong = false;
  const team_work nested = {.count = 50, .run = call_within};
  team_run(&nested, 4, NULL, &wrong);
  check(!wrong, "a task may gather a team");
}

/* ------------------------------------------------------------------------------------------------- workers -- */

static bool refuse(void *entered) {
  atomic_fetch_add((atomic_int *)entered, 1);
  return false;
}

typedef struct alone {
  pthread_t caller;
  atomic_bool others; /* have computed */
} alone;

static void note_thread(void *job, int64_t phase, int64_t task, void *buffer) {
  alone *a = job;
  (void)phase, (void)task, (void)buffer;
  if (!pthread_equal(a->caller, pthread_self())) atomic_store(&a->others, true);
}

static void test_refusal(void) {
  static atomic_int entered; /* a worker may come late */
  alone a = {.caller = pthread_self()};
  const team_work refused = {.count = 1000, .run = note_thread, .enter = refuse, .entered = &entered};
  for (int i = 0; i < 50; i++) team_run(&refused, 3, NULL, &a);
  check(!a.others, "a worker that cannot enter takes no task");
}

static void look_for_nan(void *job, int64_t phase, int64_t task, void *buffer) {
  (void)phase, (void)task;
  double first;
  memcpy(&first, buffer, sizeof first);
  if (first == first) atomic_store((atomic_bool *)job, true);
}

static void test_dirty(void) {
  char *buffer = malloc(buffer_bytes);
  atomic_bool clean = false;
  if (!buffer) abort();
  memset(buffer, 0xff, buffer_bytes);
  const team_work dirty = {.count = 100, .run = look_for_nan, .buffer_bytes = buffer_bytes, .dirty = true};
  for (int i = 0; i < 50; i++) team_run(&dirty, 3, buffer, &clean);
  check(!clean, "a worker's buffer is dirty if the work asks for it");
  free(buffer);
}

/* A thread that leaves a processor runs on another one, and may use the same processors as before. */
static void test_leaving(void) {
  cpu_set_t before, after, one;
  int here = team_processor();
  check(here >= 0 && sched_getaffinity(0, sizeof before, &before) == 0, "a thread knows its processor");
  bool left = CPU_COUNT(&before) == 1;
  for (int i = 0; i < 100 && !left; i++) { /* the system may move the thread back at once */
    here = team_processor();
    team_leave_processor(here);
    left = team_processor() != here;
  }
  check(left, "a thread leaves a processor");
  check(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after), "it may return");
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  check(sched_setaffinity(0, sizeof one, &one) == 0, "a thread with one processor");
  team_leave_processor(here);
  check(team_processor() == here, "a thread that has one processor stays");
  check(sched_setaffinity(0, sizeof before, &before) == 0, "the affinity mask as it was");
}

static void look_at_rounding(void *job, int64_t phase, int64_t task, void *buffer) {
  (void)phase, (void)task, (void)buffer;
  if (fegetround() != FE_UPWARD) atomic_store((atomic_bool *)job, true);
}

/* The workers have started with another rounding. */
static void test_rounding(void) {
  atomic_bool other = false;
  const team_work upward = {.count = 2000, .run = look_at_rounding};
  fesetround(FE_UPWARD);
  for (int i = 0; i < 50; i++) team_run(&upward, 3, NULL, &other);
  fesetround(FE_TONEAREST);
  check(!other, "workers round as the calling thread does");
}

static double processor_ms(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return 1e3 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void sleep_ms(long ms) {
  struct timespec t = {.tv_nsec = ms * 1000000};
  nanosleep(&t, NULL);
}

static void test_sleep(void) {
  check(adds_up(4), "the last call is right");
  sleep_ms(10);
  const double before = processor_ms();
  sleep_ms(200);
  check(processor_ms() - before < 2, "10 ms after the last call the workers sleep");
}

/* --------------------------------------------------------------------------------------------------- fork -- */

#ifndef __SANITIZE_THREAD__ /* it refuses threads in a child of a process with threads */

/* A child that hangs is ended by the alarm. */
static bool child_is_right(void) {
  const pid_t child = fork();
  int status = -1;
  if (child == 0) {
    alarm(20);
    _exit(adds_up(3) && adds_up(1 + workers_wanted) ? 0 : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_forks(void) {
  for (int i = 0; i < 100; i++) {
    check(adds_up(4), "a parent computes between forks");
    check(child_is_right(), "a forked child computes with workers of its own");
  }
}

/* A thread that computes all the time while another one forks. It allocates nothing, because the address sanitizer's
 * allocator does not follow forks. */
static void *compute_until(void *stop) {
  static sums s;
  static char buffer[buffer_bytes];
  while (!atomic_load((atomic_bool *)stop))
    if (!adds_up_in(&s, buffer, 4)) abort();
  return NULL;
}

static void test_busy_forks(void) {
  pthread_t busy;
  atomic_bool stop = false;
  if (pthread_create(&busy, NULL, compute_until, &stop) != 0) abort();
  for (int i = 0; i < 50; i++) check(child_is_right(), "a child is right though its parent's threads computed");
  atomic_store(&stop, true);
  pthread_join(busy, NULL);
}

#endif

int main(void) {
  const int processors = team_processors();
  check(processors >= 1 && processors <= sysconf(_SC_NPROCESSORS_ONLN), "a process may use some processors");
  test_sizes();
  test_phases();
  test_callers();
  test_nested();
  test_refusal();
  test_dirty();
  test_rounding();
  test_leaving();
  test_sleep();
#ifndef __SANITIZE_THREAD__
  test_forks();
  test_busy_forks();
#endif
  return checked();
}
