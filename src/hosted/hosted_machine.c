/* hosted_machine.c - the machine of a context with its data on the host: memory that GPUs read by themselves, copies
 * within the host, the cap of device memory, and the wait for results. */
#include "hosted.h"

static trigon_status hosted_alloc(machine *m, int64_t bytes, void **data) {
  hosted *h = hosted_on(m);
  const hosted_device *d = &h->device[0];
  hosted_drain(h); /* the reason of a failure is the worker's */
  const trigon_status status = d->queues->alloc_pinned(d->machine, bytes, data);
  if (status == TRIGON_OK) return TRIGON_OK;
  *m->why = h->worker_why;
  if (status == TRIGON_NO_MEMORY) m->why->argument = "bytes";
  return status;
}

static trigon_status hosted_release(machine *m, void *data) {
  hosted *h = hosted_on(m);
  hosted_drain(h);
  h->device[0].queues->free_pinned(h->device[0].machine, data);
  return TRIGON_OK;
}

static int64_t hosted_memory(machine *m) {
  const hosted *h = hosted_on(m);
  int64_t bytes = h->cpu->machine->ops->memory(h->cpu->machine) + h->devices * h->window_bytes;
  for (int g = 0; g < h->devices; g++) {
    machine *device = h->device[g].machine;
    bytes += device->ops->memory(device);
  }
  return bytes;
}

static trigon_status hosted_copy(machine *m, view from, view to) {
  hosted *h = hosted_on(m);
  hosted_drain(h);
  return h->cpu->machine->ops->copy(h->cpu->machine, from, to);
}

/* After a failure the context can be used again, unless its device is lost. */
static trigon_status hosted_finish(machine *m, int64_t *info) {
  hosted *h = hosted_on(m);
  hosted_drain(h);
  const trigon_status failure = h->failure;
  if (info) *info = h->kept;
  h->kept = 0, h->failure = TRIGON_OK;
  if (failure != TRIGON_OK) *m->why = h->worker_why;
  return failure;
}

static trigon_status hosted_set_workspace(machine *m, void *buffer, int64_t bytes) {
  hosted *h = hosted_on(m);
  if (buffer) {
    m->why->argument = "buffer";
    return hosted_refuse(h, TRIGON_NOT_SUPPORTED, "%p must be NULL: the context takes the memory of its devices itself",
                         buffer);
  }
  hosted_drain(h);
  hosted_free_windows(h);
  h->cap = bytes, h->limit = -1;
  return TRIGON_OK;
}

static trigon_status hosted_lend(machine *m, int64_t wanted, void **data, int64_t *bytes) {
  hosted *h = hosted_on(m);
  return h->cpu->machine->ops->lend(h->cpu->machine, wanted, data, bytes);
}

const machine_ops hosted_machine_ops = {
    .on_host = true,
    .alloc = hosted_alloc,
    .release = hosted_release,
    .memory = hosted_memory,
    .upload = hosted_copy,
    .download = hosted_copy,
    .copy = hosted_copy,
    .finish = hosted_finish,
    .set_workspace = hosted_set_workspace,
    .lend = hosted_lend,
};
