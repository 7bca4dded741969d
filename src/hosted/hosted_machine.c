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
  const hosted_device *d = &h->device[0];
  hosted_drain(h);
  if (d->queues->free_pinned(d->machine, data) == TRIGON_OK) return TRIGON_OK;
  m->why->argument = "data";
  return hosted_refuse(h, TRIGON_BAD_ARGUMENT, "%p was not allocated by trigon_alloc", data);
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
  TRY(hosted_check_host(h, "from", from));
  TRY(hosted_check_host(h, "to", to));
  hosted_drain(h);
  return h->cpu->machine->ops->copy(h->cpu->machine, from, to);
}

static trigon_status hosted_copy_triangle(machine *m, const triangle_move *t) {
  hosted *h = hosted_on(m);
  TRY(hosted_check_host(h, "from", t->from));
  TRY(hosted_check_host(h, "to", t->to));
  hosted_drain(h);
  return h->cpu->machine->ops->copy_triangle(h->cpu->machine, t);
}

/* The reason of a failure is the device's. */
static trigon_status told(hosted *h, trigon_status status) {
  if (status != TRIGON_OK) *h->machine.why = h->worker_why;
  h->worker_why.argument = NULL;
  return status;
}

static trigon_status hosted_pin(machine *m, void *data, int64_t bytes) {
  hosted *h = hosted_on(m);
  const hosted_device *d = &h->device[0];
  hosted_drain(h);
  return told(h, d->queues->pin(d->machine, data, bytes));
}

static trigon_status hosted_unpin(machine *m, void *data) {
  hosted *h = hosted_on(m);
  const hosted_device *d = &h->device[0];
  hosted_drain(h);
  return told(h, d->queues->unpin(d->machine, data));
}

static void hosted_traffic(machine *m, int64_t *in, int64_t *out, int64_t *between) {
  hosted *h = hosted_on(m);
  *in = h->traffic.in_bytes, *out = h->traffic.out_bytes, *between = h->traffic.between_bytes;
  h->traffic = (traffic){0};
}

/* The marks of the timer are times of the clock, when no call is left. */
static trigon_status hosted_start_timer(machine *m, double hold) {
  hosted *h = hosted_on(m);
  (void)hold; /* nothing has to get ahead of a queue */
  hosted_drain(h);
  clock_gettime(CLOCK_MONOTONIC, &h->timer_begun);
  return TRIGON_OK;
}

static trigon_status hosted_stop_timer(machine *m, double *seconds) {
  hosted *h = hosted_on(m);
  struct timespec now;
  hosted_drain(h);
  clock_gettime(CLOCK_MONOTONIC, &now);
  *seconds = (double)(now.tv_sec - h->timer_begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - h->timer_begun.tv_nsec);
  return TRIGON_OK;
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
  h->cap = bytes;
  const trigon_status status = hosted_divide_cap(h);
  if (status != TRIGON_OK) *m->why = h->worker_why;
  return status;
}

static trigon_status hosted_lend(machine *m, int64_t wanted, void **data, int64_t *bytes) {
  hosted *h = hosted_on(m);
  return h->cpu->machine->ops->lend(h->cpu->machine, wanted, data, bytes);
}

/* The threads of the CPU copy pageable memory, and compute what has little work. */
static void hosted_set_threads(machine *m, int threads) {
  hosted *h = hosted_on(m);
  hosted_drain(h);
  h->cpu->machine->ops->set_threads(h->cpu->machine, threads);
}

const machine_ops hosted_machine_ops = {
    .on_host = true,
    .alloc = hosted_alloc,
    .release = hosted_release,
    .memory = hosted_memory,
    .upload = hosted_copy,
    .download = hosted_copy,
    .copy = hosted_copy,
    .copy_triangle = hosted_copy_triangle,
    .pin = hosted_pin,
    .unpin = hosted_unpin,
    .traffic = hosted_traffic,
    .progress = hosted_progress,
    .finish = hosted_finish,
    .start_timer = hosted_start_timer,
    .stop_timer = hosted_stop_timer,
    .set_workspace = hosted_set_workspace,
    .lend = hosted_lend,
    .set_threads = hosted_set_threads,
};
