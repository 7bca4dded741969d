/* workers.c - the threads of a context, and members: engines of one thread each, which compute whole matrices of a
 * batch.
 *
 * An engine serves one call at a time, because it has one leaf buffer and one place for a failure. The members share
 * the BLAS of the context's engine. They are made at the first use, and stay. While a member computes, it takes the
 * buffer of the thread that it runs on: a buffer of the process's workers, or a part of the context's. */
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

/* What a member needs of its own: the leaf buffer is for LAPACK. Returns false if there is no memory. */
static bool make_buffers(const cpu *c, cpu *member, reason *why) {
  if (has_blas(c)) member->leaf_copy = calloc(1, leaf_copy_bytes);
  if (has_blas(c) && !member->leaf_copy) return false;
  return !c->packed || packed_create_member(c->arch->kernels, &member->packed, why) == TRIGON_OK;
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
  own->leaf_copy = NULL;
  own->leaf_used = leaf_copy_bytes;
  cpu_tune_member(c, &own->tuning);
  if (make_buffers(c, own, &w->why)) return &own->engine;
  free_worker(w);
  return NULL;
}

void cpu_free_workers(cpu *c) {
  for (int i = 0; i < c->worker_count; i++) free_worker((worker *)c->workers[i]);
  free(c->workers);
  c->workers = NULL, c->worker_count = 0;
}

int64_t cpu_worker_memory(const cpu *c) {
  const int64_t of_member = (int64_t)sizeof(worker) + (has_blas(c) ? leaf_copy_bytes : 0);
  return c->worker_count * of_member;
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

/* An index of the caller's loop is a task. In a batch, member `index` computes there. */
typedef struct loop {
  const cpu *cpu;
  index_work *work;
  void *job;
} loop;

static void run_index(void *of, int64_t phase, int64_t index, void *buffer) {
  const loop *l = of;
  (void)phase;
  if (l->cpu->packed && index < l->cpu->worker_count) packed_lend(cpu_of(l->cpu->workers[index])->packed, buffer);
  l->work(index, l->job);
}

/* A thread that cannot call the library takes nothing. */
static bool enter_library(void *library) {
  reason why;
  return !library || library_enter(library, &why) == TRIGON_OK;
}

void cpu_parallel_for(machine *m, int64_t count, index_work *work, void *job) {
  const cpu *c = cpu_on(m);
  const bool lends = c->packed && c->worker_count > 0;
  loop l = {c, work, job};
  const team_work indices = {.count = count,
                             .run = run_index,
                             .enter = enter_library,
                             .entered = c->lib.library,
                             .buffer_bytes = lends ? packed_member_bytes : 0,
                             .dirty = lends && c->options.dirty};
  team_run(&indices, count < c->threads ? (int)count : c->threads, lends ? packed_lendable(c->packed) : NULL, &l);
}
