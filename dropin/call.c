/* call.c - who computes a call, and the log. */
#include "call.h"
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------------------- log -- */

static _Atomic(record *) listed;

static double milliseconds(const share_of_log *share) { return (double)atomic_load(&share->nanoseconds) * 1e-6; }

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void print_log(void) {
  const bool has_gpu = offload_is_wanted();
  fprintf(stderr, "trigon: %-20s %12s %12s %12s %12s%s\n", "symbol", "by Trigon", "ms", "by the host", "ms",
          has_gpu ? "   on the GPU           ms" : "");
  for (record *r = atomic_load(&listed); r; r = r->next) {
    fprintf(stderr, "trigon: %-20s %12lld %12.3f %12lld %12.3f", r->symbol, atomic_load(&r->ours.calls),
            milliseconds(&r->ours), atomic_load(&r->theirs.calls), milliseconds(&r->theirs));
    if (has_gpu) fprintf(stderr, " %12lld %12.3f", atomic_load(&r->gpus.calls), milliseconds(&r->gpus));
    fprintf(stderr, "\n");
  }
}

/* Whether calls are counted. The first call decides. */
static bool is_logging(void) {
  enum { unknown, on, off };
  static atomic_int state;
  int s = atomic_load_explicit(&state, memory_order_relaxed);
  if (s != unknown) return s == on;
  const char *wanted = getenv("TRIGON_BLAS_LOG");
  s = wanted && *wanted && strcmp(wanted, "0") != 0 ? on : off;
  int before = unknown;
  if (atomic_compare_exchange_strong(&state, &before, s) && s == on) atexit(print_log);
  return s == on;
}

static void enlist(record *r) {
  if (atomic_flag_test_and_set(&r->is_listed)) return;
  r->next = atomic_load(&listed);
  while (!atomic_compare_exchange_weak(&listed, &r->next, r)) {
  }
}

static void count(record *r, share_of_log *share, int64_t begun) {
  atomic_fetch_add(&share->calls, 1);
  atomic_fetch_add(&share->nanoseconds, now() - begun);
  enlist(r);
}

/* ------------------------------------------------------------------------------------------------------ calls -- */

/* The number of threads may change between two calls: programs set the host's. TRIGON_NUM_THREADS wins. */
static int wanted_threads(void) {
  static atomic_int is_fixed; /* 0: unknown; 1: by TRIGON_NUM_THREADS; 2: by the host */
  int fixed = atomic_load_explicit(&is_fixed, memory_order_relaxed);
  if (fixed == 0) {
    fixed = getenv("TRIGON_NUM_THREADS") ? 1 : 2;
    atomic_store_explicit(&is_fixed, fixed, memory_order_relaxed);
  }
  return fixed == 1 ? 0 : host_threads();
}

static void set_threads(borrowed *b) {
  const int threads = wanted_threads();
  if (b->threads != threads && trigon_set_threads(b->context, threads) == TRIGON_OK) b->threads = threads;
}

/* A call that only Trigon's kernels for small matrices, on the calling thread, compute: nothing is asked for it. */
static bool is_tiny(sizes s) {
  enum { bound = 16 }; /* a power of 2 */
  return (s.m | s.n | s.k) < bound;
}

/* Who computes a call that is not tiny. */
static void choose(call *c, sizes s) {
  const route *r = atomic_load_explicit(&c->of->route, memory_order_acquire);
  if (r && goes_to_host(r, s)) {
    pool_return(c->borrowed);
    c->borrowed = NULL, c->context = NULL;
    return;
  }
  if (!r) {
    const bool has_host = host_function(c->of->symbol);
    r = route_of(c->of->routine, c->of->letter, trigon_describe(c->context), has_host ? host_core() : NULL);
    atomic_store_explicit(&c->of->route, r, memory_order_release);
  }
  set_threads(c->borrowed);
  c->gpu = offload_begin(c->of->routine, least_size(s));
}

void begin_call_of(call *c, record *r, int64_t m, int64_t n, int64_t k) {
  const sizes s = {m, n, k};
  c->of = r, c->context = c->gpu = NULL;
  c->begun = is_logging() ? now() : 0;
  if ((m | n | k) < 0) return;
  c->borrowed = pool_take();
  if (!c->borrowed) return;
  c->context = c->borrowed->context;
  if (!is_tiny(s)) choose(c, s);
}

static void end_process(const call *c, const char *why) {
  fprintf(stderr, "trigon: %s cannot go on: %s\n", c->of->symbol, why);
  abort();
}

bool has_computed(call *c, trigon_status status) {
  c->status = c->context ? status : TRIGON_NO_MEMORY;
  if (!c->context) return false;
  if (status == TRIGON_INCOMPLETE || status == TRIGON_DEVICE_FAILED) end_process(c, trigon_message(c->context));
  pool_return(c->borrowed);
  if (status != TRIGON_OK) return false;
  if (c->begun) count(c->of, &c->of->ours, c->begun);
  return true;
}

bool has_offloaded(call *c, trigon_status status) {
  offload_end();
  if (status == TRIGON_INCOMPLETE) end_process(c, "the GPU has failed while results were copied");
  if (status != TRIGON_OK) return false;
  pool_return(c->borrowed);
  if (c->begun) count(c->of, &c->of->gpus, c->begun);
  return true;
}

/* The host's function of this symbol, or NULL. */
static any_function *host_of(record *r) {
  any_function *f = atomic_load_explicit(&r->host, memory_order_relaxed);
  if (f) return f;
  f = host_function(r->symbol);
  if (f) atomic_store_explicit(&r->host, f, memory_order_relaxed);
  return f;
}

bool is_left_to_host(record *r, int64_t n, eigen_orders ours) {
  const bool is_ours = n >= ours.least && n <= ours.most;
  return n >= 0 && !is_ours && routes_are_followed() && host_of(r);
}

static void nothing(void) {}

static void tell_missing(const call *c) {
  if (c->status != TRIGON_BAD_ARGUMENT) end_process(c, "there is no memory, and no BLAS underneath has this function");
  fprintf(stderr, "trigon: %s: bad arguments, and there is no BLAS underneath that says which\n", c->of->symbol);
}

any_function *begin_host(call *c) {
  any_function *f = host_of(c->of);
  if (!f) tell_missing(c);
  if (c->begun) c->begun = now();
  return f ? f : nothing;
}

void end_host(call *c) {
  if (c->begun) count(c->of, &c->of->theirs, c->begun);
}
