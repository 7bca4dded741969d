/* hosted_window.c - the device memory of a context with its data on the host: its size, and the block of a call. */
#include <stdlib.h>
#include <string.h>

#include "hosted.h"

/* The least block that a call takes for its size, if the caller has not named one. */
enum { least_block = 512, largest_block = 4096 };

/* So many slots let products have windows of several tiles while others are loaded. */
enum { wanted_slots = 16 };

/* Above this size products gain little, and tiles are wanted in twice the number. Solves gain less, because all columns
 * of B take part. Emulated products gain more. */
static int64_t sufficient_block(const hosted *h, const operation *o) {
  return h->emulates ? largest_block : o->routine == ROUTINE_TRSM ? 1024 : 2048;
}

static bool is_too_large(const hosted *h, const operation *o, int64_t block, int64_t longest) {
  const int64_t wanted = h->machine.tuning->host[HOST_TILES];
  const int64_t tiles = block > sufficient_block(h, o) ? 2 * wanted : wanted;
  return block * tiles > longest || hosted_slot_bytes(block, o->A.type) * wanted_slots > h->limit;
}

/* Tiles of a call are so large that products have full speed, and so many that transfers overlap with work. */
static int64_t block_for(const hosted *h, const operation *o) {
  const view v[OPERANDS] = {o->A, o->B, o->C};
  int64_t longest = 0, block = largest_block;
  for (int i = 0; i < OPERANDS; i++) {
    longest = v[i].m > longest ? v[i].m : longest;
    longest = v[i].n > longest ? v[i].n : longest;
  }
  while (block > least_block && is_too_large(h, o, block, longest)) block /= 2;
  return block;
}

/* The device has other users: a sixteenth of what is free stays free. */
static trigon_status bytes_of_device(hosted *h, int device, int64_t *bytes) {
  const hosted_device *d = &h->device[device];
  int64_t left = 0;
  TRY(d->queues->memory_left(d->machine, &left));
  *bytes = (d->window ? h->window_bytes : 0) + left / 16 * 15;
  return TRIGON_OK;
}

/* Emulated products get an eighth of the cap, as far as they can use it. */
static int64_t share_of_products(const hosted *h) {
  const int64_t most = (int64_t)4 << 30;
  return h->lends && h->cap >= 0 ? least(h->cap / 8, most) : -1;
}

/* Finds out how much memory each device may give. The devices are asked once, because the worker may use them later. */
static trigon_status find_limit(hosted *h) {
  if (h->limit >= 0) return TRIGON_OK;
  hosted_drain(h);
  int64_t limit = INT64_MAX;
  if (h->cap >= 0) limit = h->cap - (share_of_products(h) < 0 ? 0 : share_of_products(h));
  for (int g = 0; g < h->devices && h->cap < 0; g++) {
    int64_t bytes = 0;
    const trigon_status status = bytes_of_device(h, g, &bytes);
    if (status != TRIGON_OK) {
      *h->machine.why = h->worker_why;
      return status;
    }
    limit = least(limit, bytes);
  }
  h->limit = limit;
  return TRIGON_OK;
}

void hosted_free_windows(hosted *h) {
  for (int g = 0; g < h->devices; g++) {
    hosted_device *d = &h->device[g];
    if (d->window) d->queues->free_window(d->machine, d->window);
    d->window = NULL;
  }
  h->window_bytes = 0;
}

/* After a failure some devices have their old shares. */
bool hosted_cap_is_divided(const hosted *h) {
  const int64_t share = share_of_products(h);
  for (int g = 0; g < h->devices; g++)
    if (h->device[g].share != share) return false;
  return true;
}

trigon_status hosted_divide_cap(hosted *h) {
  const int64_t share = share_of_products(h);
  hosted_drain(h);
  hosted_free_windows(h);
  h->limit = -1;
  for (int g = 0; g < h->devices; g++) {
    hosted_device *d = &h->device[g];
    if (d->share == share) continue;
    TRY(d->queues->limit_products(d->machine, share));
    d->share = share;
  }
  return TRIGON_OK;
}

static trigon_status alloc_windows(hosted *h, int64_t bytes) {
  for (int g = 0; g < h->devices; g++) {
    hosted_device *d = &h->device[g];
    void *data = NULL;
    TRY(d->queues->alloc_window(d->machine, bytes, &data));
    d->window = data;
  }
  h->window_bytes = bytes;
  return TRIGON_OK;
}

/* The windows grow when a call needs more than an earlier one. */
static trigon_status grow_windows(hosted *h, int64_t bytes) {
  if (bytes <= h->window_bytes) return TRIGON_OK;
  hosted_drain(h);
  hosted_free_windows(h);
  const trigon_status status = alloc_windows(h, bytes);
  if (status == TRIGON_OK) return TRIGON_OK;
  hosted_free_windows(h);
  *h->machine.why = h->worker_why;
  return status;
}

static trigon_status prepare(hosted *h, const operation *o, plan *p) {
  TRY(find_limit(h));
  const int64_t limit = h->limit;
  p->block = h->options.stop > 0 ? h->options.stop : block_for(h, o);
  p->emulates = h->emulates;
  memcpy(p->link, &h->machine.tuning->host[HOST_LINK], sizeof p->link);
  p->twice = o->routine == ROUTINE_TRMM && plan_bytes(o, p->block, true) <= limit;
  const int64_t slot = hosted_slot_bytes(p->block, o->A.type), all = plan_bytes(o, p->block, p->twice);
  p->in_core = all <= limit;
  p->room = p->in_core ? plan_tiles(o, p->block, p->twice) : limit / slot;
  if (p->in_core) return grow_windows(h, all);
  if (limit / slot < least_room)
    return hosted_refuse(h, TRIGON_NO_MEMORY, "%lld bytes of device memory%s are too few: at least %lld are needed",
                         (long long)limit, share_of_products(h) < 0 ? "" : " without the eighth for emulated products",
                         (long long)(slot * least_room));
  return grow_windows(h, p->room * slot);
}

/* Since the devices were asked, others may have taken memory, and so may emulated products of an earlier call. */
trigon_status hosted_prepare(hosted *h, const operation *o, plan *p) {
  const trigon_status status = prepare(h, o, p);
  if (status != TRIGON_NO_MEMORY || h->cap >= 0) return status;
  h->limit = -1;
  return prepare(h, o, p);
}
