/* pool.c - starts, wakes and ends the workers of the process.
 *
 * A caller opens a crew and then counts up `invitations`. A worker that finds no crew with a free seat waits until this
 * number changes: it looks for a short time, because calls often follow each other, and then it sleeps. The mutex
 * guards the list of workers, and sleep; tasks are drawn without it. */
#define _GNU_SOURCE /* pthread_attr_setstacksize */
#include "pool.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spin.h"

/* More calls at once than crews compute alone. */
enum { crews = 64 };

/* A worker looks for work so long before it sleeps. To wake it takes 10 microseconds, or 100 on a virtual machine.
 * With 100 microseconds here, calls that a program makes one after the other took up to 1.5 times as long
 * (docs/notebook/cpu-team.md). */
enum { awake_ns = 1000 * 1000 };

enum { page = 4096, dirty_bytes = 16 << 10 };

typedef struct worker worker;
struct worker {
  pthread_t thread;
  worker *next;
  bool runs;    /* the process has this thread */
  void *buffer; /* of `bytes` bytes, or NULL */
  int64_t bytes;
};

static struct {
  crew crew[crews];
  _Alignas(cache_line) _Atomic uint32_t invitations;
  atomic_int running, sleeping; /* workers */
  atomic_bool ends;
  pthread_mutex_t mutex;
  pthread_cond_t invited;
  worker *workers; /* all, also those that a parent had */
  bool follows_forks;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .invited = PTHREAD_COND_INITIALIZER};

/* -------------------------------------------------------------------------------------------------- a worker -- */

/* A seat in any crew, or NULL. */
static crew *find_seat(void) {
  for (int i = 0; i < crews; i++)
    if (crew_join(&pool.crew[i])) return &pool.crew[i];
  return NULL;
}

/* Whether the worker's buffer has so many bytes, now or already. */
static bool has_buffer(worker *w, int64_t bytes) {
  if (w->bytes >= bytes) return true;
  void *larger = aligned_alloc(page, (size_t)(bytes + page - 1) / page * page);
  if (!larger) return false;
  free(w->buffer);
  w->buffer = larger, w->bytes = bytes;
  return true;
}

static void work_in(crew *c, worker *w) {
  const team_work *work = &c->work;
  const int64_t bytes = work->buffer_bytes;
  if (has_buffer(w, bytes) && (!work->enter || work->enter(work->entered))) {
    if (work->dirty && bytes > 0) memset(w->buffer, 0xff, (size_t)(bytes < dirty_bytes ? bytes : dirty_bytes));
    crew_compute(c, w->buffer, &pool.ends);
  }
  crew_leave(c);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_invited(uint32_t before) {
  return atomic_load(&pool.invitations) != before || atomic_load_explicit(&pool.ends, memory_order_relaxed);
}

/* Waits until there were more invitations than before. */
static void await_invitation(uint32_t before) {
  enum { looks = 50 }; /* between two readings of the clock */
  const int64_t end = now_ns() + awake_ns;
  do {
    for (int i = 0; i < looks; i++, spin_pause())
      if (is_invited(before)) return;
  } while (now_ns() < end);
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add(&pool.sleeping, 1);
  while (!is_invited(before)) pthread_cond_wait(&pool.invited, &pool.mutex);
  atomic_fetch_sub(&pool.sleeping, 1);
  pthread_mutex_unlock(&pool.mutex);
}

static void *run_worker(void *self) {
  worker *w = self;
  while (!atomic_load(&pool.ends)) {
    const uint32_t before = atomic_load(&pool.invitations);
    crew *c = find_seat();
    if (c)
      work_in(c, w);
    else
      await_invitation(before);
  }
  return NULL;
}

/* ------------------------------------------------------------------------------------------- start and end -- */

static void before_fork(void) { pthread_mutex_lock(&pool.mutex); }
static void after_fork(void) { pthread_mutex_unlock(&pool.mutex); }

/* Only the thread that forked is in the child. What other threads computed, nobody waits for. */
static void start_anew(void) {
  for (int i = 0; i < crews; i++) atomic_store(&pool.crew[i].state, 0);
  for (worker *w = pool.workers; w; w = w->next) w->runs = false;
  atomic_store(&pool.running, 0), atomic_store(&pool.sleeping, 0);
  pthread_cond_init(&pool.invited, NULL);
  pthread_mutex_init(&pool.mutex, NULL);
}

/* The program's signals are not for workers. A worker needs little stack; the rest is for sanitizers. */
static bool start_thread(worker *w) {
  enum { stack_bytes = 1 << 20 };
  sigset_t all, old;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  w->runs = pthread_create(&w->thread, &attributes, run_worker, w) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return w->runs;
}

/* A worker that does not run, from a parent process or new; or NULL. */
static worker *idle_worker(void) {
  for (worker *w = pool.workers; w; w = w->next)
    if (!w->runs) return w;
  worker *w = calloc(1, sizeof *w);
  if (w) w->next = pool.workers, pool.workers = w;
  return w;
}

/* Starts workers until so many run, as far as the system allows. */
static void start_workers(int wanted) {
  pthread_mutex_lock(&pool.mutex);
  if (!pool.follows_forks) pool.follows_forks = pthread_atfork(before_fork, after_fork, start_anew) == 0;
  while (pool.follows_forks && !atomic_load(&pool.ends) && atomic_load(&pool.running) < wanted) {
    worker *w = idle_worker();
    if (!w || !start_thread(w)) break;
    atomic_fetch_add(&pool.running, 1);
  }
  pthread_mutex_unlock(&pool.mutex);
}

/* When the library is unloaded its code must not run any more. A worker in a crew leaves after its present task, and
 * the crew's caller computes the others. */
__attribute__((destructor)) static void end_workers(void) {
  pthread_mutex_lock(&pool.mutex);
  atomic_store(&pool.ends, true);
  pthread_cond_broadcast(&pool.invited);
  pthread_mutex_unlock(&pool.mutex);
  while (pool.workers) {
    worker *w = pool.workers;
    pool.workers = w->next;
    if (w->runs) pthread_join(w->thread, NULL);
    free(w->buffer);
    free(w);
  }
}

/* -------------------------------------------------------------------------------------------------- a caller -- */

/* A sleeping worker takes the mutex before it looks at the invitations a last time. */
static void wake(int workers) {
  atomic_fetch_add(&pool.invitations, 1);
  if (atomic_load(&pool.sleeping) == 0) return;
  pthread_mutex_lock(&pool.mutex);
  for (int i = 0; i < workers; i++) pthread_cond_signal(&pool.invited);
  pthread_mutex_unlock(&pool.mutex);
}

crew *pool_gather(const team_work *work, int workers, void *job) {
  if (atomic_load_explicit(&pool.running, memory_order_relaxed) < workers) start_workers(workers);
  for (int i = 0; i < crews; i++)
    if (crew_claim(&pool.crew[i], work, job)) {
      crew_open(&pool.crew[i], workers);
      wake(workers);
      return &pool.crew[i];
    }
  return NULL;
}
