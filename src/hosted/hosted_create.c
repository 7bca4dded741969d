/* hosted_create.c - makes and ends the engine for matrices in host memory, with the engines of its devices. */
#include "hosted_create.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hosted.h"

static void drop_moment(const hosted_device *d, moment *m) {
  if (m) d->queues->drop_moment(d->machine, m);
}

static void drop_moments(hosted *h) {
  for (int g = 0; g < h->devices; g++) {
    hosted_device *d = &h->device[g];
    for (int i = 0; i < marks; i++) drop_moment(d, d->mark[i]);
    for (int i = 0; i < d->slot_count; i++) {
      drop_moment(d, d->slots[i].ready);
      drop_moment(d, d->slots[i].written);
      drop_moment(d, d->slots[i].used);
      drop_moment(d, d->slots[i].stored);
      for (int other = 0; other < h->devices; other++) drop_moment(&h->device[other], d->slots[i].fetched[other]);
    }
    free(d->slots);
    staging_free(&d->staging);
  }
}

/* A child of fork has neither the worker nor the devices, and waiting for the worker would never end. So it frees
 * nothing. */
static void hosted_destroy(engine *e) {
  hosted *h = hosted_of(e);
  if (hosted_is_forked(h)) return;
  hosted_stop_worker(h);
  drop_moments(h);
  hosted_free_windows(h);
  for (int g = 0; g < h->devices; g++) h->device[g].engine->destroy(h->device[g].engine);
  if (h->cpu) h->cpu->destroy(h->cpu);
  pthread_cond_destroy(&h->changed);
  pthread_mutex_destroy(&h->lock);
  free(h);
}

static trigon_status add_device(hosted *h, const hosted_request *r, int device) {
  engine *e = NULL;
  TRY(r->make(r->from, device, &h->worker_why, &e));
  h->device[h->devices++] = (hosted_device){.engine = e,
                                            .machine = e->machine,
                                            .queues = e->machine->queues,
                                            .share = -1,
                                            .staging = {.device = e->machine, .threads = h->cpu->machine}};
  return TRIGON_OK;
}

/* If one device does not reach another one, each loads for itself. */
static bool all_reach(const hosted *h) {
  for (int g = 0; g < h->devices; g++)
    for (int other = 0; other < h->devices; other++) {
      const hosted_device *d = &h->device[g];
      if (g != other && !d->queues->reaches(d->machine, h->device[other].machine)) return false;
    }
  return true;
}

static void describe(hosted *h, const hosted_request *r) {
  int used = snprintf(h->described, sizeof h->described, "matrices in host memory, computed on ");
  used += r->first == r->last
              ? snprintf(h->described + used, sizeof h->described - (size_t)used, "%s:%d: ", r->kind, r->first)
              : snprintf(h->described + used, sizeof h->described - (size_t)used, "%s:%d to %s:%d: ", r->kind, r->first,
                         r->kind, r->last);
  snprintf(h->described + used, sizeof h->described - (size_t)used, "%s", h->device[0].machine->description);
}

static trigon_status open_all(hosted *h, const hosted_request *r) {
  TRY(r->make(r->from, -1, &h->worker_why, &h->cpu));
  for (int device = r->first; device <= r->last; device++) TRY(add_device(h, r, device));
  h->peers = all_reach(h);
  describe(h, r);
  const machine *first = h->device[0].machine;
  h->machine.advice = first->advice, h->machine.tuning_file = first->tuning_file;
  h->machine.tuning = first->tuning, h->machine.rows = first->rows;
  return hosted_start_worker(h);
}

engine **hosted_place(engine *e, int device) {
  hosted *h = hosted_of(e);
  hosted_drain(h);
  return device < h->devices ? &h->device[device].engine : NULL;
}

trigon_status hosted_set_emulation(engine *e, bool emulates, bool lends) {
  hosted *h = hosted_of(e);
  h->emulates = emulates, h->lends = lends;
  return hosted_cap_is_divided(h) ? TRIGON_OK : hosted_divide_cap(h);
}

bool hosted_has_computed(engine *e, int device) {
  const hosted *h = hosted_of(e);
  hosted_drain(hosted_of(e));
  return !h->on_cpu && h->device[device].runs > 0;
}

void hosted_tell_reason(engine *e) { *hosted_of(e)->machine.why = hosted_of(e)->worker_why; }

trigon_status hosted_create(const hosted_request *r, reason *why, engine **out) {
  hosted *h = calloc(1, sizeof *h);
  if (!h) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  h->engine = hosted_engine;
  h->engine.destroy = hosted_destroy;
  h->engine.machine = &h->machine;
  h->machine = (machine){.ops = &hosted_machine_ops, .description = h->described, .why = why};
  h->options = r->options;
  h->cap = h->limit = -1;
  h->process = getpid();
  pthread_mutex_init(&h->lock, NULL);
  pthread_cond_init(&h->changed, NULL);
  const trigon_status status = open_all(h, r);
  if (status == TRIGON_OK) {
    *out = &h->engine;
    return TRIGON_OK;
  }
  if (!why->text[0]) *why = h->worker_why;
  hosted_destroy(&h->engine);
  return status;
}
