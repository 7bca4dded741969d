/* pool.c - starts and wakes the workers of the process.
 *
 * A caller opens a crew and then counts up `invitations`. A worker that finds no crew with a free seat waits until this
 * number changes: it looks for a short time, because calls often follow each other, and then it sleeps. The mutex
 * guards the list of workers, and sleep; tasks are drawn without it. */
#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "process/own_object.h"
#include "spin.h"

/* More calls at once than crews compute alone. */
enum { crews = 64 };

/* A worker looks for work so long before it sleeps. With 100 microseconds here, calls that a program makes one after
 * the other took up to 1.5 times as long, because they ended before it was awake (docs/notebook/cpu-team.md). */
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
  atomic_int running, looking, sleeping; /* workers: all, those that look for work, those that sleep */
  _Alignas(cache_line) pthread_mutex_t mutex;
  pthread_cond_t invited;
  worker *workers;    /* all, also those that a parent had */
  bool follows_forks; /* a forked child starts anew */
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

/* Returns whether the worker could take part. If another program keeps the other processors busy, the system may let the
 * worker wait for the caller's processor as long as the call takes. */
static bool work_in(crew *c, worker *w) {
  const team_work *work = &c->work;
  team_leave_processor(c->processor);
  const int64_t bytes = work->buffer_bytes;
  const bool able = has_buffer(w, bytes) && (!work->enter || work->enter(work->entered));
  if (able) {
    if (work->dirty && bytes > 0) memset(w->buffer, 0xff, (size_t)(bytes < dirty_bytes ? bytes : dirty_bytes));
    crew_compute(c, w->buffer, true);
  }
  crew_leave(c);
  return able;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Looks for an invitation until the deadline. */
static bool sees_invitation(uint32_t before, int64_t deadline) {
  enum { looks = 50 }; /* between two readings of the clock */
  do {
    for (int i = 0; i < looks; i++, spin_pause())
      if (atomic_load(&pool.invitations) != before) return true;
  } while (now_ns() < deadline);
  return false;
}

/* Waits until there were more invitations than before. From the deadline on the worker sleeps. */
static void await_invitation(uint32_t before, int64_t deadline) {
  atomic_fetch_add(&pool.looking, 1);
  const bool invited = sees_invitation(before, deadline);
  atomic_fetch_sub(&pool.looking, 1);
  if (invited) return;
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add(&pool.sleeping, 1);
  while (atomic_load(&pool.invitations) == before) pthread_cond_wait(&pool.invited, &pool.mutex);
  atomic_fetch_sub(&pool.sleeping, 1);
  pthread_mutex_unlock(&pool.mutex);
}

/* Invitations that others have followed do not keep a worker awake. */
static void *run_worker(void *self) {
  worker *w = self;
  int64_t deadline = 0;
  team_take_all_processors();
  for (;;) {
    const uint32_t before = atomic_load(&pool.invitations);
    crew *c = find_seat();
    if (c && work_in(c, w))
      deadline = now_ns() + awake_ns;
    else
      await_invitation(before, deadline);
  }
  return NULL;
}

/* ------------------------------------------------------------------------------------------- start and end -- */

static void before_fork(void) { pthread_mutex_lock(&pool.mutex); }
static void after_fork(void) { pthread_mutex_unlock(&pool.mutex); }

/* Only the thread that forked is in the child. What other threads computed, nobody waits for. A worker's buffer may
 * have been about to change. */
static void start_anew(void) {
  for (int i = 0; i < crews; i++) atomic_store(&pool.crew[i].state, 0);
  for (worker *w = pool.workers; w; w = w->next) *w = (worker){.next = w->next};
  atomic_store(&pool.running, 0), atomic_store(&pool.looking, 0), atomic_store(&pool.sleeping, 0);
  pthread_cond_init(&pool.invited, NULL);
  pthread_mutex_init(&pool.mutex, NULL);
}

/* When the library is loaded, nobody holds the mutex. Later a thread might fork while another one holds it. */
__attribute__((constructor)) static void follow_forks(void) {
  pool.follows_forks = pthread_atfork(before_fork, after_fork, start_anew) == 0;
}

/* The program's signals are not for workers, but for those that a thread's own instruction raises, and a profiler's. */
static void choose_signals(sigset_t *blocked) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
  sigfillset(blocked);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(blocked, own[i]);
}

/* The stack has the usual size, because a BLAS may be called on it. */
static bool start_thread(worker *w) {
  sigset_t blocked, old;
  choose_signals(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  w->runs = pthread_create(&w->thread, NULL, run_worker, w) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (w->runs) pthread_detach(w->thread);
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

/* Starts workers until so many run, as far as the system allows. Their code must stay where it is. */
static void start_workers(int wanted) {
  pthread_mutex_lock(&pool.mutex);
  const bool can_start = pool.follows_forks && own_object_keep();
  while (can_start && atomic_load(&pool.running) < wanted) {
    worker *w = idle_worker();
    if (!w || !start_thread(w)) break;
    atomic_fetch_add(&pool.running, 1);
  }
  pthread_mutex_unlock(&pool.mutex);
}

/* -------------------------------------------------------------------------------------------------- a caller -- */

/* Those that look see the invitation. A sleeping worker takes the mutex before it looks at the invitations a last
 * time. */
static void invite(int workers) {
  atomic_fetch_add(&pool.invitations, 1);
  const int asleep = workers - atomic_load(&pool.looking);
  if (asleep <= 0 || atomic_load(&pool.sleeping) == 0) return;
  pthread_mutex_lock(&pool.mutex);
  for (int i = 0; i < asleep; i++) pthread_cond_signal(&pool.invited);
  pthread_mutex_unlock(&pool.mutex);
}

crew *pool_gather(const team_work *work, int workers, void *job) {
  if (atomic_load_explicit(&pool.running, memory_order_relaxed) < workers) start_workers(workers);
  for (int i = 0; i < crews; i++)
    if (crew_claim(&pool.crew[i], work, job)) {
      crew_open(&pool.crew[i], workers);
      invite(workers);
      return &pool.crew[i];
    }
  return NULL;
}
