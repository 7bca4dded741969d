/* residence.c - places tiles in the slots of devices, step after step. */
#include "residence.h"

#include <stdlib.h>

#include "core/options.h"
#include "order.h"

enum { NOWHERE = -1, FREE = -1 };

static const int64_t never = INT64_MAX;

typedef struct slot {
  int64_t tile; /* FREE: the slot is empty */
  int64_t next; /* the next step of this device that uses the tile, or never: out of core its place in the order */
  int64_t used; /* the last step that used the slot */
} slot;

typedef struct tile_state {
  bool home;          /* the host has the latest value */
  bool done, due;     /* the last step that writes it has run; the value has not been stored yet */
  int64_t last_write; /* the last step that writes the tile, or -1 */
} tile_state;

typedef struct placing {
  residence *out;
  const plan *plan;
  int64_t *order; /* the number of the step that runs at a place */
  int64_t *when;  /* the place of a step */
  bool peers;
  slot *slots;                  /* of device g: from g·room on */
  int *place;                   /* the slot of a tile on a device, or NOWHERE: at tile·devices + g */
  tile_state *state;            /* of each tile */
  bool is_idle[most_devices];   /* the device has no step */
  int64_t *soon;                /* the first use of a tile on a device, or never: like `place` */
  bool *early;                  /* the device reads the tile before any step writes it: like `place` */
  int64_t loaded[most_devices]; /* bytes so far */
  int64_t *next;                /* for each use of the plan, the next step on the same device that uses the tile */
} placing;

/* -------------------------------------------------------------------------------------------------- lookups -- */

static slot *slot_at(const placing *p, int device, int number) { return &p->slots[device * p->plan->room + number]; }

static int *place_of(const placing *p, int64_t tile, int device) { return &p->place[tile * p->plan->devices + device]; }

static int64_t bytes_of(const placing *p, tile_run r) {
  const view v = view_of_tiles(p->plan, r);
  return v.m * v.n * type_size(v.type);
}

/* Another device that holds the tile, or NOWHERE. All copies of a tile are equal, because a write drops the others. */
static int holder(const placing *p, int64_t tile, int device) {
  for (int g = 0; g < p->plan->devices; g++)
    if (g != device && *place_of(p, tile, g) != NOWHERE) return g;
  return NOWHERE;
}

/* -------------------------------------------------------------------------------------------------- actions -- */

static trigon_status append(residence *r, action a) {
  if (r->count == r->room) {
    const int64_t room = r->room > 0 ? 2 * r->room : 256;
    action *more = realloc(r->actions, (size_t)room * sizeof *more);
    if (!more) return TRIGON_NO_MEMORY;
    r->actions = more, r->room = room;
  }
  r->actions[r->count++] = a;
  return TRIGON_OK;
}

/* Stores tiles that lie in slots from `number` on. */
static trigon_status store(placing *p, int device, int number, int64_t count) {
  const tile_run r = {slot_at(p, device, number)->tile, count};
  for (int64_t t = r.first; t < r.first + r.count; t++) p->state[t].home = true, p->state[t].due = false;
  p->out->traffic.out_bytes += bytes_of(p, r);
  return append(p->out,
                (action){.kind = ACTION_STORE, .device = device, .number = r.first, .count = count, .slot = number});
}

static void drop(placing *p, int device, int number) {
  slot *s = slot_at(p, device, number);
  if (s->tile != FREE) *place_of(p, s->tile, device) = NOWHERE;
  s->tile = FREE, s->next = never;
}

/* Whether slot a is better to take than slot b at a step: its tile is used later, or was used longer ago. But a slot
 * that was used a moment ago makes the load wait for the work, and in a stream of tiles the last one is used again at
 * last. So slots rest first. The share is the best of those that predict_hosted predicted. */
static bool is_better(const placing *p, const slot *a, const slot *b, int64_t step) {
  enum { share_at_rest = 4 };
  const int64_t rest = p->plan->room / share_at_rest;
  const bool a_rests = step - a->used >= rest, b_rests = step - b->used >= rest;
  if ((a->tile == FREE) != (b->tile == FREE)) return a->tile == FREE;
  if (a_rests != b_rests) return a_rests;
  return a->next != b->next ? a->next > b->next : a->used < b->used;
}

/* The slot for the tile `wanted`: in core its own, else the best of those that the step does not use. */
static int choose_slot(const placing *p, int device, int64_t step, int64_t wanted) {
  int best = 0;
  if (p->plan->in_core) return (int)wanted;
  for (int i = 1; i < p->plan->room; i++) {
    const slot *s = slot_at(p, device, i), *so_far = slot_at(p, device, best);
    if (s->used != step && (so_far->used == step || is_better(p, s, so_far, step))) best = i;
  }
  return best;
}

/* Makes the slot free. A value that only this slot has is stored first. */
static trigon_status take_slot(placing *p, int device, int number) {
  const int64_t tile = slot_at(p, device, number)->tile;
  if (tile != FREE && !p->state[tile].home && holder(p, tile, device) == NOWHERE) TRY(store(p, device, number, 1));
  drop(p, device, number);
  return TRIGON_OK;
}

/* Whether the device needs a tile of the run, or has no work at all. */
static bool has_use(const placing *p, tile_run r, int device) {
  bool has = p->is_idle[device];
  for (int64_t t = r.first; t < r.first + r.count; t++) has = has || p->soon[t * p->plan->devices + device] != never;
  return has;
}

/* The device that loads a tile for all that need it: in core that one, of those with a use for it, which has loaded
 * least so far, so that all links of the host are in use. */
static int loader_of(const placing *p, int64_t tile, int device) {
  int best = device;
  for (int g = 0; g < p->plan->devices && p->plan->in_core && p->peers; g++)
    if (has_use(p, run_of_tile(p->plan, tile), g) && p->loaded[g] < p->loaded[best]) best = g;
  return best;
}

/* Whether the device reads the tile as it is on the host, or any if devices copy from each other. */
static bool is_read_early(const placing *p, int64_t tile, int device) {
  bool is = p->early[tile * p->plan->devices + device];
  for (int g = 0; g < p->plan->devices && p->peers; g++) is = is || p->early[tile * p->plan->devices + g];
  return is;
}

/* Whether a tile is loaded together with another one of its column. */
static bool comes_along(const placing *p, int64_t tile, int device) {
  const bool is_here = *place_of(p, tile, device) != NOWHERE || (p->peers && holder(p, tile, device) != NOWHERE);
  return !is_here && p->state[tile].home && twin_of(p->plan, tile) < 0 && is_read_early(p, tile, device);
}

/* The neighbours in its run that go with a tile, and this one. */
static tile_run with_neighbours(const placing *p, int64_t tile, int device,
                                bool (*goes)(const placing *, int64_t tile, int device)) {
  const tile_run most = run_of_tile(p->plan, tile);
  int64_t first = tile, end = tile + 1;
  while (first > most.first && goes(p, first - 1, device)) first--;
  while (end < most.first + most.count && goes(p, end, device)) end++;
  return (tile_run){first, end - first};
}

/* Loads a tile from the host, and those that come along into their own slots. */
static trigon_status load(placing *p, int device, int64_t tile, int number) {
  const tile_run r = with_neighbours(p, tile, device, comes_along);
  for (int64_t t = r.first; t < r.first + r.count; t++) {
    const int own = number + (int)(t - tile);
    slot_at(p, device, own)->tile = t;
    *place_of(p, t, device) = own;
  }
  p->out->traffic.in_bytes += bytes_of(p, r), p->loaded[device] += bytes_of(p, r);
  return append(p->out, (action){.kind = ACTION_LOAD,
                                 .device = device,
                                 .number = r.first,
                                 .count = r.count,
                                 .slot = number + (int)(r.first - tile)});
}

/* Fills a slot from the twin's, which the step uses, too; else from another device that holds the tile, or from the
 * host. */
static trigon_status fill(placing *p, int device, int64_t tile, int number) {
  const int64_t twin = twin_of(p->plan, tile);
  if (twin >= 0 && p->state[tile].home)
    return append(p->out, (action){.kind = ACTION_FETCH,
                                   .device = device,
                                   .from = device,
                                   .number = tile,
                                   .slot = number,
                                   .from_slot = *place_of(p, twin, device)});
  const int loader = loader_of(p, tile, device);
  if (loader != device && holder(p, tile, device) == NOWHERE) TRY(load(p, loader, tile, (int)tile));
  const int from = holder(p, tile, device);
  if (from != NOWHERE && !p->peers && !p->state[tile].home) TRY(store(p, from, *place_of(p, tile, from), 1));
  if (from == NOWHERE || !p->peers) return load(p, device, tile, number);
  p->out->traffic.between_bytes += bytes_of(p, (tile_run){tile, 1});
  return append(p->out, (action){.kind = ACTION_FETCH,
                                 .device = device,
                                 .from = from,
                                 .number = tile,
                                 .slot = number,
                                 .from_slot = *place_of(p, tile, from)});
}

/* ---------------------------------------------------------------------------------------------------- steps -- */

static trigon_status bring(placing *p, int64_t step, const tile_use *u, int *number) {
  const int device = p->plan->steps[step].device;
  *number = *place_of(p, u->tile, device);
  const bool missing = *number == NOWHERE;
  if (missing) {
    *number = choose_slot(p, device, step, u->tile);
    TRY(take_slot(p, device, *number));
  }
  slot *s = slot_at(p, device, *number);
  s->tile = u->tile, s->used = step;
  if (missing && u->read) TRY(fill(p, device, u->tile, *number));
  *place_of(p, u->tile, device) = *number;
  return TRIGON_OK;
}

/* After a write no other copy of the tile is valid. */
static void drop_others(placing *p, int64_t tile, int device) {
  for (int g = 0; g < p->plan->devices; g++)
    if (g != device && *place_of(p, tile, g) != NOWHERE) drop(p, g, *place_of(p, tile, g));
  p->state[tile].home = false;
  for (int g = 0; g < p->plan->devices; g++) p->early[tile * p->plan->devices + g] = false;
}

/* The slots of tiles that are there already are not taken for other tiles of the step. */
static void hold_slots(placing *p, int64_t number) {
  const plan_step *s = &p->plan->steps[number];
  for (int64_t i = s->begin; i < s->end; i++) {
    const int place = *place_of(p, p->plan->uses[i].tile, s->device);
    if (place != NOWHERE) slot_at(p, s->device, place)->used = number;
  }
}

/* Whether a tile will get its last value on the device later. */
static bool is_unfinished(const placing *p, int64_t tile, int device) {
  const tile_state *s = &p->state[tile];
  return s->last_write >= 0 && !s->done && p->plan->steps[s->last_write].device == device;
}

/* Behind the last steps nothing hides a store. So their tiles are stored alone, and what is done before does not wait
 * for them. */
static bool is_at_the_end(const placing *p, int64_t tile) {
  enum { share_at_the_end = 8 };
  const int64_t steps = p->plan->step_count;
  return p->when[p->state[tile].last_write] >= steps - steps / share_at_the_end;
}

static bool is_due(const placing *p, int64_t tile, int device) {
  return p->state[tile].due && *place_of(p, tile, device) != NOWHERE;
}

/* Whether a tile is stored together with another one of its column: it is there, or will be. */
static bool goes_along(const placing *p, int64_t tile, int device) {
  return is_due(p, tile, device) || (is_unfinished(p, tile, device) && !is_at_the_end(p, tile));
}

/* Tiles that travel together are stored when all of them have their last values. */
static trigon_status store_run(placing *p, int64_t tile, int device) {
  const tile_run r = with_neighbours(p, tile, device, goes_along);
  for (int64_t t = r.first; t < r.first + r.count; t++)
    if (!is_due(p, t, device)) return TRIGON_OK;
  return store(p, device, *place_of(p, r.first, device), r.count);
}

/* What a step leaves behind: a tile that it was the last to write is stored. */
static trigon_status end_use(placing *p, int64_t number, int64_t use) {
  const int device = p->plan->steps[number].device;
  const tile_use *u = &p->plan->uses[use];
  slot_at(p, device, p->out->slot_of_use[use])->next = p->next[use];
  if (!u->written) return TRIGON_OK;
  drop_others(p, u->tile, device);
  if (p->state[u->tile].last_write != number) return TRIGON_OK;
  p->state[u->tile].done = p->state[u->tile].due = true;
  return store_run(p, u->tile, device);
}

static trigon_status place_step(placing *p, int64_t number) {
  const plan_step *s = &p->plan->steps[number];
  hold_slots(p, number);
  for (int64_t i = s->begin; i < s->end; i++) TRY(bring(p, number, &p->plan->uses[i], &p->out->slot_of_use[i]));
  TRY(append(p->out, (action){.kind = ACTION_RUN, .device = s->device, .number = number}));
  for (int64_t i = s->begin; i < s->end; i++) TRY(end_use(p, number, i));
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- the future -- */

/* Goes through the steps from the last to the first. */
static void look_ahead(placing *p) {
  const plan *q = p->plan;
  for (int64_t i = 0; i < q->tile_count * q->devices; i++) p->soon[i] = never;
  for (int g = 0; g < q->devices; g++) p->is_idle[g] = true;
  for (int64_t at = q->step_count - 1; at >= 0; at--) {
    const int64_t number = p->order[at];
    const plan_step *s = &q->steps[number];
    p->when[number] = at;
    p->is_idle[s->device] = false;
    for (int64_t i = s->begin; i < s->end; i++) p->next[i] = p->soon[q->uses[i].tile * q->devices + s->device];
    for (int64_t i = s->begin; i < s->end; i++) {
      const tile_use *u = &q->uses[i];
      p->soon[u->tile * q->devices + s->device] = number;
      for (int g = 0; g < q->devices && u->written; g++) p->early[u->tile * q->devices + g] = false;
      p->early[u->tile * q->devices + s->device] |= u->read;
      if (u->written && p->state[u->tile].last_write < 0) p->state[u->tile].last_write = number;
    }
  }
}

static trigon_status place_all(placing *p) {
  const plan *q = p->plan;
  const int64_t places = q->tile_count * q->devices, slots = q->room * q->devices;
  p->slots = calloc((size_t)slots, sizeof *p->slots);
  p->place = calloc((size_t)places, sizeof *p->place);
  p->state = calloc((size_t)q->tile_count, sizeof *p->state);
  p->next = calloc((size_t)q->use_count, sizeof *p->next);
  p->order = calloc((size_t)q->step_count, sizeof *p->order);
  p->when = calloc((size_t)q->step_count, sizeof *p->when);
  p->out->slot_of_use = calloc((size_t)q->use_count, sizeof *p->out->slot_of_use);
  p->soon = calloc((size_t)places, sizeof *p->soon);
  p->early = calloc((size_t)places, sizeof *p->early);
  if (!p->slots || !p->place || !p->state || !p->next || !p->order || !p->when || !p->out->slot_of_use || !p->soon || !p->early)
    return TRIGON_NO_MEMORY;
  for (int64_t i = 0; i < slots; i++) p->slots[i] = (slot){FREE, never, -1};
  for (int64_t i = 0; i < places; i++) p->place[i] = NOWHERE;
  for (int64_t i = 0; i < q->tile_count; i++) p->state[i] = (tile_state){.home = true, .last_write = -1};
  TRY(order_steps(q, p->order));
  look_ahead(p);
  for (int64_t at = 0; at < q->step_count; at++) TRY(place_step(p, p->order[at]));
  return TRIGON_OK;
}

trigon_status residence_make(residence *r, const plan *of, bool peers) {
  placing p = {.out = r, .plan = of, .peers = peers};
  const trigon_status status = place_all(&p);
  free(p.slots);
  free(p.place);
  free(p.state);
  free(p.next);
  free(p.soon);
  free(p.early);
  free(p.order);
  free(p.when);
  return status;
}

void residence_clear(residence *r) {
  free(r->actions);
  free(r->slot_of_use);
  *r = (residence){0};
}
