/* workers.c - the threads of a context, and engines for them: each thread that makes calls has an engine of its own.
 *
 * An engine serves one call at a time, because it has one leaf buffer and one place for a failure. The engines of the
 * threads share the BLAS and the tuning of the context's engine. They are made at the first use, and stay. */
#include <stdlib.h>

#include "cpu.h"
#include "cpu/library/openblas_memory.h"

/* ------------------------------------------------------------------------------------------------- engines -- */

typedef struct worker {
  cpu cpu; /* first: an engine * is a worker * */
  reason why;
} worker;

static void free_worker(worker *w) {
  if (!w) return;
  packed_destroy(w->cpu.packed);
  free(w->cpu.leaf_copy);
  free(w);
}

/* An engine for one thread, or NULL if there is no memory. */
static engine *make_worker(const cpu *c) {
  worker *w = malloc(sizeof *w);
  if (!w) return NULL;
  *w = (worker){.cpu = *c};
  cpu *own = &w->cpu;
  own->engine.machine = &own->machine;
  own->machine.why = &w->why;
  own->threads = 1;
  own->seeks_blas = false;
  own->workers = NULL, own->worker_count = 0;
  own->packed = NULL;
  own->workspace = own->buffer = NULL, own->workspace_bytes = 0;
  own->leaf_copy = calloc(1, leaf_copy_bytes);
  own->leaf_used = leaf_copy_bytes;
  if (own->leaf_copy && (!c->packed || packed_create(c->arch->kernels, 1, &own->packed, &w->why) == TRIGON_OK))
    return &own->engine;
  free_worker(w);
  return NULL;
}

void cpu_free_workers(cpu *c) {
  for (int i = 0; i < c->worker_count; i++) free_worker((worker *)c->workers[i]);
  free(c->workers);
  c->workers = NULL, c->worker_count = 0;
}

int64_t cpu_worker_memory(const cpu *c) {
  int64_t bytes = 0;
  for (int i = 0; i < c->worker_count; i++) bytes += leaf_copy_bytes + packed_memory(cpu_of(c->workers[i])->packed);
  return bytes;
}

engine *const *cpu_workers(engine *e, int count) {
  cpu *c = cpu_on(e->machine);
  if (!c->workers) c->workers = calloc((size_t)c->threads, sizeof *c->workers);
  while (c->workers && c->worker_count < count) {
    engine *w = make_worker(c);
    if (!w) return NULL;
    c->workers[c->worker_count++] = w;
  }
  return c->workers;
}

/* ------------------------------------------------------------------------------------------------- threads -- */

/* OpenBLAS has 50 buffers or more, one for each call at a time, and other contexts may keep `most_users` of them. With
 * more calls than buffers, OpenBLAS 0.3.21 ends the process. If the address space is limited, the context has made
 * sure of one buffer. */
int cpu_threads(machine *m) {
  const cpu *c = cpu_on(m);
  if (cpu_is_packed(c)) return c->threads;
  if (address_space_is_limited()) return 1;
  return c->threads < most_users ? c->threads : most_users;
}

/* An index of the caller's loop is a task. */
typedef struct loop {
  index_work *work;
  void *job;
} loop;

static void run_index(void *of, int64_t phase, int64_t index, void *unused) {
  const loop *l = of;
  (void)phase, (void)unused;
  l->work(index, l->job);
}

/* A thread that cannot call the library takes nothing. */
static bool enter_library(void *library) {
  reason why;
  return !library || library_enter(library, &why) == TRIGON_OK;
}

void cpu_parallel_for(machine *m, int64_t count, index_work *work, void *job) {
  const cpu *c = cpu_on(m);
  loop l = {work, job};
  const team_work indices = {.count = count, .run = run_index, .enter = enter_library, .entered = c->lib.library};
  team_run(&indices, count < c->threads ? (int)count : c->threads, NULL, &l);
}
