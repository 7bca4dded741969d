/* residence.c - places tiles in the slots of devices, step after step. */
#include "residence.h"

#include <stdlib.h>

#include "order.h"
#include "placing.h"

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

trigon_status placing_store(placing *p, int device, int number, int64_t count) {
  const tile_run r = {slot_at(p, device, number)->tile, count};
  for (int64_t t = r.first; t < r.first + r.count; t++) p->state[t].home = true, p->state[t].due = false;
  p->out->traffic.out_bytes += bytes_of(p, r);
  return append(p->out,
                (action){.kind = ACTION_STORE, .device = device, .number = r.first, .count = count, .slot = number});
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

/* Out of core: whether the device reads the tile next, and soon. */
static bool is_read_soon(const placing *p, int64_t tile, int device) {
  const int64_t step = p->soon[tile * p->plan->devices + device];
  if (step == never || step - p->step > p->plan->room) return false;
  const plan_step *s = &p->plan->steps[step];
  for (int64_t i = s->begin; i < s->end; i++)
    if (p->plan->uses[i].tile == tile) return p->plan->uses[i].read;
  return false;
}

/* Whether a tile is loaded together with another one of its column. */
static bool comes_along(const placing *p, int64_t tile, int device) {
  const bool is_here = *place_of(p, tile, device) != NOWHERE || (p->peers && holder(p, tile, device) != NOWHERE);
  if (is_here || !p->state[tile].home || twin_of(p->plan, tile) >= 0) return false;
  return p->plan->in_core ? is_read_early(p, tile, device) : is_read_soon(p, tile, device);
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
    slot_at(p, device, own)->tile = t, slot_at(p, device, own)->next = p->soon[t * p->plan->devices + device];
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
  if (from != NOWHERE && !p->peers && !p->state[tile].home) TRY(placing_store(p, from, *place_of(p, tile, from), 1));
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
  if (missing) TRY(placing_find_slot(p, device, u->tile, number));
  slot *s = slot_at(p, device, *number);
  s->tile = u->tile, s->used = step;
  if (missing && u->read) TRY(fill(p, device, u->tile, *number));
  *place_of(p, u->tile, device) = *number;
  return TRIGON_OK;
}

/* After a write no other copy of the tile is valid. */
static void drop_others(placing *p, int64_t tile, int device) {
  for (int g = 0; g < p->plan->devices; g++)
    if (g != device && *place_of(p, tile, g) != NOWHERE) placing_drop(p, g, *place_of(p, tile, g));
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

/* Whether a tile will get its last value on the device later. Out of core only tiles that are there are waited for. */
static bool is_unfinished(const placing *p, int64_t tile, int device) {
  const tile_state *s = &p->state[tile];
  const bool is_here = p->plan->in_core || *place_of(p, tile, device) != NOWHERE;
  return is_here && s->last_write >= 0 && !s->done && p->plan->steps[s->last_write].device == device;
}

/* Behind the last steps nothing hides a store. So their tiles are stored alone, and what is done before does not wait
 * for them. */
static bool is_at_the_end(const placing *p, int64_t tile) {
  enum { share_at_the_end = 8 };
  const int64_t steps = p->plan->step_count;
  return p->when[p->state[tile].last_write] >= steps - steps / share_at_the_end;
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
  return placing_store(p, device, *place_of(p, r.first, device), r.count);
}

/* What a step leaves behind: a tile that it was the last to write is stored. */
static trigon_status end_use(placing *p, int64_t number, int64_t use) {
  const int device = p->plan->steps[number].device;
  const tile_use *u = &p->plan->uses[use];
  slot_at(p, device, p->out->slot_of_use[use])->next = p->next[use];
  if (!p->plan->in_core) p->soon[u->tile * p->plan->devices + device] = p->next[use];
  if (!u->written) return TRIGON_OK;
  drop_others(p, u->tile, device);
  if (p->state[u->tile].last_write != number) return TRIGON_OK;
  p->state[u->tile].done = p->state[u->tile].due = true;
  return store_run(p, u->tile, device);
}

static trigon_status place_step(placing *p, int64_t number) {
  const plan_step *s = &p->plan->steps[number];
  p->step = number;
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
  if (!p->slots || !p->place || !p->state || !p->next || !p->order || !p->when || !p->out->slot_of_use || !p->soon ||
      !p->early)
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
