/* each.c - many independent calls on the threads of a context: each thread has an engine of its own.
 *
 * An engine serves one call at a time, because it has one leaf buffer and one place for a failure. The engines of the
 * threads share the BLAS and the tuning of the context's engine. They are made at the first use, and stay. */
#include <stdatomic.h>
#include <stdlib.h>

#include "cpu.h"
#include "cpu/library/openblas_memory.h"

struct helper {
  cpu cpu;
  reason why;
};

static void free_helper(helper *h) {
  if (!h) return;
  packed_destroy(h->cpu.packed);
  free(h->cpu.leaf_copy);
  free(h);
}

/* An engine for one thread, or NULL if there is no memory. */
static helper *make_helper(const cpu *c) {
  helper *h = malloc(sizeof *h);
  if (!h) return NULL;
  *h = (helper){.cpu = *c};
  cpu *own = &h->cpu;
  own->engine.machine = &own->machine;
  own->machine.why = &h->why;
  own->threads = 1;
  own->helpers = NULL, own->helper_count = 0;
  own->packed = NULL;
  own->workspace = own->buffer = NULL, own->workspace_bytes = 0;
  own->leaf_copy = calloc(1, leaf_copy_bytes);
  own->leaf_used = leaf_copy_bytes;
  if (own->leaf_copy && (!c->packed || packed_create(c->arch->kernels, 1, &own->packed, &h->why) == TRIGON_OK))
    return h;
  free_helper(h);
  return NULL;
}

void cpu_free_helpers(cpu *c) {
  for (int i = 0; i < c->helper_count; i++) free_helper(c->helpers[i]);
  free(c->helpers);
}

int64_t cpu_helper_memory(const cpu *c) {
  int64_t bytes = 0;
  for (int i = 0; i < c->helper_count; i++) bytes += leaf_copy_bytes + packed_memory(c->helpers[i]->cpu.packed);
  return bytes;
}

/* OpenBLAS has 50 buffers or more, one for each call at a time, and other contexts may keep `most_users` of them. With
 * more calls than buffers, OpenBLAS 0.3.21 ends the process. If the address space is limited, the context has made
 * sure of one buffer. */
int cpu_each_threads(engine *e) {
  const cpu *c = cpu_of(e);
  if (cpu_is_packed(c)) return c->threads;
  if (address_space_is_limited()) return 1;
  return c->threads < most_users ? c->threads : most_users;
}

/* Whether so many threads have an engine. */
static bool has_helpers(cpu *c, int threads) {
  if (!c->helpers) c->helpers = calloc((size_t)c->threads, sizeof *c->helpers);
  while (c->helpers && c->helper_count < threads) {
    helper *h = make_helper(c);
    if (!h) return false;
    c->helpers[c->helper_count++] = h;
  }
  return c->helpers;
}

typedef struct queue {
  cpu *cpu;
  atomic_llong next;
  int64_t count;
  each_work *work;
  void *job;
} queue;

static void work_through(queue *q, engine *e) {
  for (;;) {
    const int64_t i = atomic_fetch_add_explicit(&q->next, 1, memory_order_relaxed);
    if (i >= q->count) return;
    q->work(e, i, q->job);
  }
}

/* A thread that cannot call the library takes nothing. */
static void work_on(member m, void *shared) {
  queue *q = shared;
  helper *h = q->cpu->helpers[m.id];
  loaded_library *library = q->cpu->lib.library;
  if (!library || library_enter(library, &h->why) == TRIGON_OK) work_through(q, &h->cpu.engine);
}

bool cpu_each(engine *e, int64_t count, each_work *work, void *job) {
  cpu *c = cpu_of(e);
  const int most = cpu_each_threads(e), threads = count < most ? (int)count : most;
  if (threads < 2 || !has_helpers(c, threads)) return false;
  queue q = {.cpu = c, .count = count, .work = work, .job = job};
  team_run(threads, work_on, &q);
  work_through(&q, e); /* what is left if no thread could call the library */
  return true;
}

/* ------------------------------------------------------------------------------------------ without an engine -- */

typedef struct tickets {
  atomic_llong next;
  int64_t count;
  index_work *work;
  void *job;
} tickets;

static void work_on_tickets(member m, void *shared) {
  (void)m;
  tickets *t = shared;
  for (;;) {
    const int64_t i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    if (i >= t->count) return;
    t->work(i, t->job);
  }
}

void cpu_parallel_for(machine *m, int64_t count, index_work *work, void *job) {
  const int threads = cpu_on(m)->threads;
  tickets t = {.count = count, .work = work, .job = job};
  team_run(count < threads ? (int)count : threads, work_on_tickets, &t);
}
