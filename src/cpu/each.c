/* each.c - many independent calls on the threads of a context: each thread has an engine of its own.
 *
 * An engine serves one call at a time, because it has one leaf buffer and one place for a failure. The engines of the
 * threads share the BLAS and the tuning of the context's engine. They are made at the first use, and stay. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"

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
  own->leaf_copy = calloc(1, leaf_copy_bytes);
  own->leaf_used = leaf_copy_bytes;
  if (own->leaf_copy && (!c->packed || packed_create(c->options.kernels, 1, &own->packed, &h->why) == TRIGON_OK))
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

/* Whether each thread has an engine. */
static bool has_helpers(cpu *c) {
  if (!c->helpers) c->helpers = calloc((size_t)c->threads, sizeof *c->helpers);
  while (c->helpers && c->helper_count < c->threads) {
    helper *h = make_helper(c);
    if (!h) return false;
    c->helpers[c->helper_count++] = h;
  }
  return c->helpers;
}

/* Threads take runs of calls, one run after the other. */
typedef struct queue {
  cpu *cpu;
  atomic_llong next;
  int64_t count, run;
  each_work *work;
  void *job;
} queue;

static void work_on(member m, void *shared) {
  queue *q = shared;
  engine *e = &q->cpu->helpers[m.id]->cpu.engine;
  for (;;) {
    const int64_t first = atomic_fetch_add_explicit(&q->next, q->run, memory_order_relaxed);
    if (first >= q->count) return;
    const int64_t end = q->count - first < q->run ? q->count : first + q->run;
    for (int64_t i = first; i < end; i++) q->work(e, i, q->job);
  }
}

/* Long runs spare the threads the counter, and short ones let all threads end together. */
static int64_t run_for(int64_t count, int threads) {
  enum { longest = 16, runs_of_a_thread = 16 };
  const int64_t run = count / (threads * runs_of_a_thread);
  return run < 1 ? 1 : run < longest ? run : longest;
}

bool cpu_each(engine *e, int64_t count, int64_t largest, each_work *work, void *job) {
  cpu *c = cpu_of(e);
  (void)largest;
  if (c->threads == 1 || count < 2 || !has_helpers(c)) return false;
  queue q = {.cpu = c, .count = count, .run = run_for(count, c->threads), .work = work, .job = job};
  team_run(c->threads, work_on, &q);
  return true;
}
