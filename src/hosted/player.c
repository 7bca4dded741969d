/* player.c - plays a plan: hands its loads, steps and stores to the queues of the devices, in the plan's order.
 *
 * A queue waits only for work that was handed over before. So the order of the plan proves that nothing waits for
 * itself. What a queue has to wait for is kept with the slots and the tiles. */
#include <stdlib.h>

#include "algo/algo.h"
#include "hosted.h"

/* The moments of a tile in host memory. */
typedef struct home_moments {
  moment *stored;               /* the last store into it; NULL: none */
  moment *loaded[most_devices]; /* the last load of each device */
} home_moments;

/* Stores of a device that wait for chunks, from `first` on. NULL: none ever waits. */
typedef struct late_stores {
  const action **stores;
  int64_t first, end;
} late_stores;

typedef struct playing {
  hosted *h;
  const plan *plan;
  home_moments *home;    /* of each tile */
  bool staged[OPERANDS]; /* the matrix is in pageable memory */
  int64_t slot_bytes;
  late_stores late[most_devices];
} playing;

/* ---------------------------------------------------------------------------------------------------- views -- */

/* The matrix that the view is, with its first element at `base`. */
static view at_address(view A) {
  A.base = (char *)A.base + (A.row + A.col * A.ld) * type_size(A.type);
  A.row = A.col = 0;
  return A;
}

static view home_of(const playing *p, tile_run r) { return at_address(view_of_tiles(p->plan, r)); }

/* The matrix in device memory, in core. */
static view in_core(const playing *p, view A, const host_matrix *M, int device) {
  A.base = p->h->device[device].window + M->offset, A.ld = M->ld;
  return at_address(A);
}

/* A part of the tiles in slots, out of core. The tiles of a run lie below each other, as in a matrix. */
static view in_tile(const playing *p, view A, int device, int number) {
  const int64_t run = p->plan->run, below = number % run;
  A.base = p->h->device[device].window + (number - below) * p->slot_bytes, A.ld = run * p->plan->block;
  A.row = A.row % p->plan->block + below * p->plan->block, A.col %= p->plan->block;
  return at_address(A);
}

/* Tiles in the slots of a device from `number` on. */
static view in_slots(const playing *p, tile_run r, int device, int number) {
  const view v = view_of_tiles(p->plan, r);
  return p->plan->in_core ? in_core(p, v, p->plan->tiles[r.first].of, device) : in_tile(p, v, device, number);
}

static view in_slot(const playing *p, int64_t tile, int device, int number) {
  return in_slots(p, (tile_run){tile, 1}, device, number);
}

static tile_run tiles_of(const action *a) { return (tile_run){a->number, a->count}; }

/* ----------------------------------------------------------------------------------------------------- waits -- */

static slot_moments *moments_of(const playing *p, int device, int number) {
  return &p->h->device[device].slots[number];
}

static trigon_status await(const playing *p, int device, queue_of_device q, moment *m) {
  const hosted_device *d = &p->h->device[device];
  return m ? d->queues->await(d->machine, q, m) : TRIGON_OK;
}

static trigon_status record(const playing *p, int device, queue_of_device q, moment *m) {
  const hosted_device *d = &p->h->device[device];
  return d->queues->record(d->machine, q, m);
}

/* The queue may overwrite the slot when nobody copies from it any more. */
static trigon_status await_copies(const playing *p, int device, queue_of_device q, int number) {
  const slot_moments *s = moments_of(p, device, number);
  TRY(await(p, device, q, s->stored));
  for (int g = 0; g < p->h->devices; g++) TRY(await(p, device, q, s->fetched[g]));
  return TRIGON_OK;
}

/* A tile may have come that no step has used. */
static trigon_status await_free(const playing *p, int device, queue_of_device q, int number) {
  TRY(await(p, device, q, moments_of(p, device, number)->ready));
  TRY(await(p, device, q, moments_of(p, device, number)->used));
  return await_copies(p, device, q, number);
}

/* --------------------------------------------------------------------------------------------------- actions -- */

static bool is_staged(const playing *p, int64_t tile) { return p->staged[p->plan->tiles[tile].of - p->plan->matrix]; }

/* Copies tiles of the host to a device. The stores before must have ended. Threads of the host copy pageable memory, so
 * that the host waits for these stores itself. */
static trigon_status copy_in(const playing *p, int device, tile_run r, view to) {
  hosted_device *d = &p->h->device[device];
  const view from = home_of(p, r);
  const bool staged = is_staged(p, r.first);
  for (int64_t t = r.first; t < r.first + r.count; t++) {
    if (!staged) TRY(await(p, device, QUEUE_IN, p->home[t].stored));
    for (int g = 0; g < p->h->devices && staged; g++) TRY(staging_settle(&p->h->device[g].staging, t));
  }
  return staged ? staging_in(&d->staging, from, to) : d->queues->copy(d->machine, QUEUE_IN, from, to);
}

static trigon_status copy_out(const playing *p, int device, tile_run r, view from) {
  hosted_device *d = &p->h->device[device];
  const view to = home_of(p, r);
  return is_staged(p, r.first) ? staging_out(&d->staging, from, to, r)
                               : d->queues->copy(d->machine, QUEUE_OUT, from, to);
}

static trigon_status play_load(const playing *p, const action *a) {
  for (int i = 0; i < a->count; i++) TRY(await_free(p, a->device, QUEUE_IN, a->slot + i));
  TRY(copy_in(p, a->device, tiles_of(a), in_slots(p, tiles_of(a), a->device, a->slot)));
  for (int i = 0; i < a->count; i++) {
    moment *ready = moments_of(p, a->device, a->slot + i)->ready;
    p->home[a->number + i].loaded[a->device] = ready;
    TRY(record(p, a->device, QUEUE_IN, ready));
  }
  return TRIGON_OK;
}

static trigon_status play_fetch(const playing *p, const action *a) {
  const hosted_device *d = &p->h->device[a->device];
  const slot_moments *there = moments_of(p, a->from, a->from_slot);
  const int64_t source = a->from == a->device ? twin_of(p->plan, a->number) : a->number;
  TRY(await_free(p, a->device, QUEUE_BETWEEN, a->slot));
  TRY(await(p, a->device, QUEUE_BETWEEN, there->ready));
  TRY(await(p, a->device, QUEUE_BETWEEN, there->written)); /* steps that only read the tile may still run */
  TRY(d->queues->copy(d->machine, QUEUE_BETWEEN, in_slot(p, source, a->from, a->from_slot),
                      in_slot(p, a->number, a->device, a->slot)));
  TRY(record(p, a->device, QUEUE_BETWEEN, there->fetched[a->device]));
  return record(p, a->device, QUEUE_BETWEEN, moments_of(p, a->device, a->slot)->ready);
}

/* The old value in host memory must have been read by all devices before the new one is stored. */
static trigon_status await_loads(const playing *p, int device, int64_t tile) {
  for (int g = 0; g < p->h->devices; g++) TRY(await(p, device, QUEUE_OUT, p->home[tile].loaded[g]));
  return TRIGON_OK;
}

/* The device has written the value, or fetched it. */
static trigon_status await_values(const playing *p, const action *a) {
  for (int i = 0; i < a->count; i++) {
    const int64_t tile = a->number + i, twin = twin_of(p->plan, tile);
    TRY(await(p, a->device, QUEUE_OUT, moments_of(p, a->device, a->slot + i)->ready));
    TRY(await(p, a->device, QUEUE_OUT, moments_of(p, a->device, a->slot + i)->written));
    TRY(await_loads(p, a->device, tile));
    if (twin >= 0) TRY(await_loads(p, a->device, twin));
  }
  return TRIGON_OK;
}

static trigon_status store(const playing *p, const action *a) {
  TRY(await_values(p, a));
  TRY(copy_out(p, a->device, tiles_of(a), in_slots(p, tiles_of(a), a->device, a->slot)));
  for (int i = 0; i < a->count; i++) {
    moment *stored = moments_of(p, a->device, a->slot + i)->stored;
    p->home[a->number + i].stored = stored;
    TRY(record(p, a->device, QUEUE_OUT, stored));
  }
  return TRIGON_OK;
}

/* A chunk on the way out is waited for until the values have been computed. Meanwhile the host would load nothing. In
 * core the tiles stay where they are, and nobody loads them again. So their stores may come late. */
static trigon_status play_store(playing *p, const action *a) {
  late_stores *late = &p->late[a->device];
  if (!late->stores || !is_staged(p, a->number)) return store(p, a);
  late->stores[late->end++] = a;
  return TRIGON_OK;
}

/* The late stores of each device, in order: all of them, or those that need not wait. */
static trigon_status store_late(playing *p, bool all) {
  for (int g = 0; g < p->h->devices; g++)
    for (late_stores *late = &p->late[g]; late->first < late->end; late->first++) {
      const action *a = late->stores[late->first];
      if (!all && !staging_has_room(&p->h->device[g].staging, in_slots(p, tiles_of(a), g, a->slot))) break;
      TRY(store(p, a));
    }
  return TRIGON_OK;
}

/* Computes a call on a device, from begin to end. */
static trigon_status compute_on(engine *e, const operation *o) {
  engine *work = NULL;
  TRY(e->begin(e, o, &work));
  const trigon_status status = work ? algo_run(work, o) : TRIGON_OK;
  const trigon_status ended = e->end(e, status == TRIGON_OK);
  return status != TRIGON_OK ? status : ended;
}

/* The host gets ahead of a device by a limited number of steps. Otherwise its queues might be full. */
static trigon_status limit_lead(hosted_device *d) {
  enum { steps_between_marks = 32 };
  if (++d->runs % steps_between_marks != 0) return TRIGON_OK;
  moment *m = d->mark[d->runs / steps_between_marks % marks];
  TRY(d->queues->wait(d->machine, m));
  return d->queues->record(d->machine, QUEUE_COMPUTE, m);
}

/* Operand i of a step, in device memory. */
static view operand_of(const playing *p, const hosted_job *j, const plan_step *s, int i) {
  const view A = i == 0 ? s->o.A : i == 1 ? s->o.B : s->o.C;
  if (s->first_use[i] < 0) return (view){.type = A.type};
  if (p->plan->in_core) return in_core(p, A, A.base, s->device);
  return in_tile(p, A, s->device, j->residence.slot_of_use[s->first_use[i]]);
}

static operation in_device_memory(const playing *p, const hosted_job *j, const plan_step *s) {
  operation o = over(&s->o, operand_of(p, j, s, 0), operand_of(p, j, s, 1), operand_of(p, j, s, 2));
  o.info = NULL;
  return o;
}

static trigon_status await_tiles(const playing *p, const hosted_job *j, const plan_step *s) {
  for (int64_t i = s->begin; i < s->end; i++) {
    const int number = j->residence.slot_of_use[i];
    TRY(await(p, s->device, QUEUE_COMPUTE, moments_of(p, s->device, number)->ready));
    if (p->plan->uses[i].written) TRY(await_copies(p, s->device, QUEUE_COMPUTE, number));
  }
  return TRIGON_OK;
}

static trigon_status play_run(const playing *p, const hosted_job *j, const action *a) {
  const plan_step *s = &p->plan->steps[a->number];
  hosted_device *d = &p->h->device[s->device];
  operation o = in_device_memory(p, j, s);
  o.continues = d->runs > 0;
  TRY(await_tiles(p, j, s));
  TRY(compute_on(d->engine, &o));
  hosted_count(p->h, &s->o);
  for (int64_t i = s->begin; i < s->end; i++) {
    const slot_moments *slot = moments_of(p, s->device, j->residence.slot_of_use[i]);
    TRY(record(p, s->device, QUEUE_COMPUTE, slot->used));
    if (p->plan->uses[i].written) TRY(record(p, s->device, QUEUE_COMPUTE, slot->written));
  }
  return limit_lead(d);
}

static trigon_status play_action(playing *p, const hosted_job *j, const action *a) {
  switch (a->kind) {
  case ACTION_LOAD: TRY(play_load(p, a)); return store_late(p, false);
  case ACTION_FETCH: return play_fetch(p, a);
  case ACTION_RUN: TRY(play_run(p, j, a)); return store_late(p, false);
  case ACTION_STORE: return play_store(p, a);
  }
  return TRIGON_OK;
}

/* --------------------------------------------------------------------------------------------------- moments -- */

static trigon_status make_moments(hosted *h, int device, slot_moments *s) {
  const hosted_device *d = &h->device[device];
  TRY(d->queues->make_moment(d->machine, &s->ready));
  TRY(d->queues->make_moment(d->machine, &s->written));
  TRY(d->queues->make_moment(d->machine, &s->used));
  TRY(d->queues->make_moment(d->machine, &s->stored));
  for (int g = 0; g < h->devices; g++) {
    const hosted_device *other = &h->device[g];
    TRY(other->queues->make_moment(other->machine, &s->fetched[g]));
  }
  return TRIGON_OK;
}

/* Makes the moments of the slots of a plan. What was made stays until the context ends. */
static trigon_status make_slots(hosted *h, int device, int64_t count) {
  hosted_device *d = &h->device[device];
  if (count <= d->slot_count) return TRIGON_OK;
  slot_moments *more = realloc(d->slots, (size_t)count * sizeof *more);
  if (!more) return TRIGON_NO_MEMORY;
  d->slots = more;
  while (d->slot_count < count) {
    d->slots[d->slot_count] = (slot_moments){0};
    TRY(make_moments(h, device, &d->slots[d->slot_count++]));
  }
  return TRIGON_OK;
}

static trigon_status make_marks(hosted_device *d) {
  for (int i = 0; i < marks; i++)
    if (!d->mark[i]) TRY(d->queues->make_moment(d->machine, &d->mark[i]));
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------------ a plan -- */

/* Emulated products need memory, and to take more of it later would wait for all that the device has to do. So the step
 * with the most work begins and ends before the others. */
static trigon_status take_workspace(const playing *p, const hosted_job *j, int device) {
  const plan_step *largest = NULL;
  engine *e = p->h->device[device].engine, *work = NULL;
  for (int64_t i = 0; i < p->plan->step_count && p->plan->emulates; i++) {
    const plan_step *s = &p->plan->steps[i];
    if (s->device != device || (largest && work_of(&s->o).flops <= work_of(&largest->o).flops)) continue;
    largest = s;
  }
  if (!largest) return TRIGON_OK;
  const operation o = in_device_memory(p, j, largest);
  TRY(e->begin(e, &o, &work));
  return e->end(e, true);
}

/* What the plan needs on a device. */
static trigon_status prepare_device(playing *p, const hosted_job *j, int device, bool stages) {
  hosted_device *d = &p->h->device[device];
  TRY(make_slots(p->h, device, p->plan->room));
  TRY(make_marks(d));
  TRY(take_workspace(p, j, device));
  return stages ? staging_prepare(&d->staging, p->plan->run * p->slot_bytes) : TRIGON_OK;
}

static trigon_status prepare(playing *p, const hosted_job *j) {
  bool stages = false;
  for (int i = 0; i < OPERANDS; i++) {
    p->staged[i] = staging_is_needed(p->h->device[0].machine, p->plan->matrix[i].whole);
    stages = stages || p->staged[i];
  }
  for (int g = 0; g < p->h->devices; g++) TRY(prepare_device(p, j, g, stages));
  const bool comes_once = p->plan->in_core && (p->h->peers || p->h->devices == 1);
  if (!stages || !comes_once) return TRIGON_OK;
  for (int g = 0; g < p->h->devices; g++) {
    p->late[g].stores = calloc((size_t)j->residence.count, sizeof *p->late[g].stores);
    if (!p->late[g].stores) return TRIGON_NO_MEMORY;
  }
  return TRIGON_OK;
}

/* A zero on the diagonal of A, or 0. */
static trigon_status check_first(hosted *h, const plan *p, int64_t *info) {
  *info = 0;
  if (!p->checks) return TRIGON_OK;
  operation check = p->check;
  check.info = info;
  return compute_on(h->cpu, &check);
}

/* Waits for all queues. After a failure nothing more is written when this has returned. */
static trigon_status finish_devices(hosted *h, int64_t *info) {
  trigon_status first = TRIGON_OK;
  for (int g = 0; g < h->devices; g++) {
    const hosted_device *d = &h->device[g];
    int64_t own = 0;
    trigon_status status = TRIGON_OK;
    for (int q = QUEUE_IN; q < QUEUES && status == TRIGON_OK && d->mark[0]; q++) {
      status = d->queues->record(d->machine, (queue_of_device)q, d->mark[0]);
      if (status == TRIGON_OK) status = d->queues->wait(d->machine, d->mark[0]);
    }
    const trigon_status finished = d->machine->ops->finish(d->machine, &own);
    if (first == TRIGON_OK) first = status != TRIGON_OK ? status : finished;
    if (own != 0 && (*info == 0 || own < *info)) *info = own;
  }
  return first;
}

static trigon_status play_actions(playing *p, const hosted_job *j) {
  for (int64_t i = 0; i < j->residence.count; i++) TRY(play_action(p, j, &j->residence.actions[i]));
  TRY(store_late(p, true));
  for (int g = 0; g < p->h->devices; g++) TRY(staging_settle(&p->h->device[g].staging, -1));
  return TRIGON_OK;
}

trigon_status hosted_play(hosted *h, hosted_job *j, int64_t *info) {
  playing p = {.h = h, .plan = &j->plan, .slot_bytes = hosted_slot_bytes(j->plan.block, j->plan.matrix[0].whole.type)};
  TRY(check_first(h, &j->plan, info));
  if (*info != 0) return TRIGON_OK;
  p.home = calloc((size_t)j->plan.tile_count, sizeof *p.home);
  if (!p.home) return TRIGON_NO_MEMORY;
  trigon_status status = prepare(&p, j);
  if (status == TRIGON_OK) status = play_actions(&p, j);
  const reason first = h->worker_why; /* the waits may fail, too */
  const trigon_status finished = finish_devices(h, info);
  for (int g = 0; g < h->devices; g++) staging_drop(&h->device[g].staging);
  if (status != TRIGON_OK) h->worker_why = first;
  free(p.home);
  for (int g = 0; g < h->devices; g++) free(p.late[g].stores);
  return status != TRIGON_OK ? status : finished;
}
