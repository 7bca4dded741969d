/* slots.c - the slots of a device: which one a tile gets, and which tiles give way.
 *
 * In core each tile has a slot of its own. Out of core the slots of a run lie below each other, as the tiles do in
 * their matrix: so tiles that travel together are one copy with long columns. The slots of a run hold tiles of one
 * run. */
#include "placing.h"

void placing_drop(placing *p, int device, int number) {
  slot *s = slot_at(p, device, number);
  if (s->tile != FREE) *place_of(p, s->tile, device) = NOWHERE;
  s->tile = FREE, s->next = never;
}

/* The slots of a run: `number` is one of them. */
static int first_of_run(const placing *p, int number) { return (int)(number - number % p->plan->run); }

/* What the slots of a run are together: all of them are free, or used. */
static slot state_of_run(const placing *p, int device, int first) {
  slot s = *slot_at(p, device, first);
  for (int i = 1; i < p->plan->run; i++) {
    const slot *other = slot_at(p, device, first + i);
    if (other->tile != FREE) s.tile = other->tile;
    if (other->next < s.next) s.next = other->next;
    if (other->used > s.used) s.used = other->used;
  }
  return s;
}

/* Whether slots a are better to take than slots b at a step: their tiles are used later, or were used longer ago. But
 * slots that were used a moment ago make the load wait for the work, and in a stream of tiles the last one is used
 * again at last. So slots rest first. The share is the best of those that predict_hosted predicted. */
static bool is_better(const placing *p, slot a, slot b) {
  enum { share_at_rest = 4 };
  const int64_t rest = p->plan->room / share_at_rest;
  const bool a_rests = p->step - a.used >= rest, b_rests = p->step - b.used >= rest;
  if ((a.tile == FREE) != (b.tile == FREE)) return a.tile == FREE;
  if (a_rests != b_rests) return a_rests;
  return a.next != b.next ? a.next > b.next : a.used < b.used;
}

/* The best run of slots, of those that the step does not use. */
static int choose_run(const placing *p, int device) {
  int best = 0;
  slot so_far = state_of_run(p, device, best);
  for (int i = (int)p->plan->run; i < p->plan->room; i += (int)p->plan->run) {
    const slot s = state_of_run(p, device, i);
    if (s.used != p->step && (so_far.used == p->step || is_better(p, s, so_far))) best = i, so_far = s;
  }
  return best;
}

/* Whether only this device has the latest value of the slot's tile, or it is to be stored from here. */
static bool is_needed(const placing *p, int device, int number) {
  const int64_t tile = slot_at(p, device, number)->tile;
  if (tile == FREE || p->state[tile].home) return false;
  return is_due(p, tile, device) || holder(p, tile, device) == NOWHERE;
}

/* Makes the slots of a run free. What only they have is stored first. */
static trigon_status take_run(placing *p, int device, int first) {
  const int end = first + (int)p->plan->run;
  for (int i = first; i < end; i++) {
    int count = 0;
    while (i + count < end && is_needed(p, device, i + count)) count++;
    if (count > 0) TRY(placing_store(p, device, i, count));
  }
  for (int i = first; i < end; i++) placing_drop(p, device, i);
  return TRIGON_OK;
}

/* Finds the slot for a tile: in core its own, else one beside its run's other tiles. */
trigon_status placing_find_slot(placing *p, int device, int64_t tile, int *number) {
  const tile_run r = run_of_tile(p->plan, tile);
  const int below = (int)(tile - r.first);
  *number = (int)tile;
  if (p->plan->in_core) return TRIGON_OK;
  for (int64_t t = r.first; t < r.first + r.count; t++) {
    const int place = *place_of(p, t, device);
    *number = first_of_run(p, place) + below;
    if (place != NOWHERE) return TRIGON_OK;
  }
  const int first = choose_run(p, device);
  *number = first + below;
  return take_run(p, device, first);
}
