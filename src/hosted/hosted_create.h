/* hosted_create.h - makes the engine for matrices in host memory, which computes on one or several GPUs. */
#ifndef TRIGON_HOSTED_CREATE_H
#define TRIGON_HOSTED_CREATE_H

#include "core/engine.h"
#include "core/options.h"

/* What hosted_create needs from its caller. */
typedef struct hosted_request {
  int first, last; /* the devices */
  const char *kind;
  engine_options options;
  /* Makes the engine of a device, or the engine of the CPU if the number is -1. `from` is passed on. */
  trigon_status (*make)(void *from, int device, reason *why, engine **out);
  void *from;
} hosted_request;

/* `why` gets the reason of each failure, as long as the engine lives. On failure *out is untouched. */
trigon_status hosted_create(const hosted_request *, reason *why, engine **out);

/* The place of the engine of a device, counted from 0, where a decorator may wrap the engine; NULL: there are fewer
 * devices. Waits for all calls. */
engine **hosted_place(engine *, int device);

/* Whether the devices emulate products by integers from now on, so that plans have larger products. Whether products
 * take memory, so that a cap leaves room for it. Waits for all calls, if a cap has to be divided anew. */
trigon_status hosted_set_emulation(engine *, bool emulates, bool lends);

/* Whether the device has computed steps of the last call. Waits for all calls. */
bool hosted_has_computed(engine *, int device);

/* Makes the reason of a device's failure that of the context. */
void hosted_tell_reason(engine *);

#endif
