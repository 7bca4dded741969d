/* placing.h - the state while tiles are placed in slots, step after step: for residence.c and slots.c. */
#ifndef TRIGON_PLACING_H
#define TRIGON_PLACING_H

#include "core/options.h"
#include "residence.h"

enum { NOWHERE = -1, FREE = -1 };

static const int64_t never = INT64_MAX;

typedef struct slot {
  int64_t tile; /* FREE: the slot is empty */
  int64_t next; /* the next step of this device that uses the tile, or never: out of core its place in the order, too */
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
  int64_t step;                 /* the present one */
  int64_t *soon;                /* the first use of a tile on a device, or never: like `place`; out of core the next */
  bool *early;                  /* the device reads the tile before any step writes it: like `place` */
  int64_t loaded[most_devices]; /* bytes so far */
  int64_t *next;                /* for each use of the plan, the next step on the same device that uses the tile */
} placing;

static inline slot *slot_at(const placing *p, int device, int number) {
  return &p->slots[device * p->plan->room + number];
}

static inline int *place_of(const placing *p, int64_t tile, int device) {
  return &p->place[tile * p->plan->devices + device];
}

static inline int64_t bytes_of(const placing *p, tile_run r) {
  const view v = view_of_tiles(p->plan, r);
  return v.m * v.n * type_size(v.type);
}

/* Another device that holds the tile, or NOWHERE. All copies of a tile are equal, because a write drops the others. */
static inline int holder(const placing *p, int64_t tile, int device) {
  for (int g = 0; g < p->plan->devices; g++)
    if (g != device && *place_of(p, tile, g) != NOWHERE) return g;
  return NOWHERE;
}

/* Whether the device has written the tile for the last time, and has not stored it yet. */
static inline bool is_due(const placing *p, int64_t tile, int device) {
  const tile_state *s = &p->state[tile];
  return s->due && p->plan->steps[s->last_write].device == device && *place_of(p, tile, device) != NOWHERE;
}

/* residence.c. Stores tiles that lie in slots from `number` on. */
trigon_status placing_store(placing *, int device, int number, int64_t count);

/* slots.c. The slot becomes free. */
void placing_drop(placing *, int device, int number);

/* slots.c. Finds the slot for a tile that is not on the device, and makes it free. */
trigon_status placing_find_slot(placing *, int device, int64_t tile, int *number);

#endif
