/* residence.h - which tile is where in device memory, and when: the loads, steps and stores of a plan in order.
 *
 * Device memory is divided into slots, each for one tile. In core the slot of a tile has the tile's number. A tile is
 * loaded when its first step needs it, from the host, or from another device that holds it: so each byte crosses the
 * host's link once if memory suffices and devices copy from each other. A tile is stored behind the last step that
 * writes it. Tiles below each other travel together (the plan's `run`): they are loaded with the first one that is
 * needed, out of core if they are needed soon, and stored with the last one that is written. If a slot is needed, the
 * tile goes whose next use is farthest away (Belady, IBM Systems Journal 5, 1966). All this is known before anything
 * runs. */
#ifndef TRIGON_RESIDENCE_H
#define TRIGON_RESIDENCE_H

#include "call_plan.h"

typedef enum action_kind {
  ACTION_LOAD,  /* host to slot; `count` tiles below each other to slots that follow each other */
  ACTION_FETCH, /* slot `from_slot` of device `from` to slot; from the same device: the twin's slot */
  ACTION_RUN,   /* step `number` */
  ACTION_STORE  /* slot to host; `count` as for loads */
} action_kind;

typedef struct action {
  action_kind kind;
  int device, from;
  int64_t number;      /* of the tile, or of the step */
  int64_t count;       /* of tiles, from `number` on */
  int slot, from_slot; /* of the tile */
} action;

/* What crosses the host's links, and what goes from device to device. */
typedef struct traffic {
  int64_t in_bytes, out_bytes, between_bytes;
} traffic;

typedef struct residence {
  action *actions;
  int64_t count, room;
  int *slot_of_use; /* for each use of the plan */
  traffic traffic;
} residence;

/* Makes the actions of a plan whose devices have p->room slots each. `peers`: devices can copy from each other.
 * TRIGON_NO_MEMORY: the host has no memory; then residence_clear frees what was made. *r is {0}. */
trigon_status residence_make(residence *r, const plan *p, bool peers);
void residence_clear(residence *);

#endif
