/* order.c - chooses the next step among those that may run: on the device with the least work so far, the step of which
 * the fewest bytes are missing. If B is twice in device memory, no tile of the result waits for another one, and those
 * come first that need the fewest tiles.
 *
 * So data arrive as growing squares, whatever the order of the recursion is: the square of a share of the data admits
 * the cube of it of the work. */
#include "order.h"

#include <stdlib.h>

/* The uses of a tile have the plan's order, but for reads between two writes. So a step may run when the writes before
 * it have run and, if it writes, the reads before it. */
typedef struct ordering {
  const plan *plan;
  int64_t *writes_before;    /* of each use: writes of its tile before it */
  int64_t *readers_before;   /* of each use that writes: reads of its tile between the write before and it */
  int64_t *writes, *readers; /* of each tile: so many have run; the readers since the last write */
  bool *here;                /* of tile·devices + device */
  bool *used, *loads;        /* of each tile: a step uses it; the first one of the plan reads it */
  int64_t *asked;            /* of each tile: the last question about missing bytes that counted it */
  int64_t questions;
  bool *done;     /* of each step */
  double *work;   /* of each device: flops so far */
  double *needed; /* of each tile: how many uses the steps have that write it */
} ordering;

static void count_uses(ordering *o, int64_t *writes, int64_t *readers) {
  const plan *p = o->plan;
  for (int64_t i = 0; i < p->use_count; i++) {
    const tile_use *u = &p->uses[i];
    if (!o->used[u->tile]) o->loads[u->tile] = u->read;
    o->used[u->tile] = true;
    o->writes_before[i] = writes[u->tile], o->readers_before[i] = readers[u->tile];
    if (u->written)
      writes[u->tile]++, readers[u->tile] = 0;
    else
      readers[u->tile]++;
  }
}

static bool may_run(const ordering *o, const plan_step *s) {
  for (int64_t i = s->begin; i < s->end; i++) {
    const tile_use *u = &o->plan->uses[i];
    if (o->writes[u->tile] != o->writes_before[i]) return false;
    if (u->written && o->readers[u->tile] != o->readers_before[i]) return false;
  }
  return true;
}

static bool is_elsewhere(const ordering *o, int64_t tile) {
  bool is = false;
  for (int g = 0; g < o->plan->devices; g++) is = is || o->here[tile * o->plan->devices + g];
  return is;
}

/* The bytes of the tiles that come with a tile from the host, but for those that this question has counted. */
static double bytes_with(ordering *o, int64_t tile) {
  const tile_run r = run_of_tile(o->plan, tile);
  double bytes = 0;
  for (int64_t t = r.first; t < r.first + r.count; t++) {
    const view v = view_of_tile(o->plan, t);
    if (o->loads[t] && o->asked[t] != o->questions && !is_elsewhere(o, t)) bytes += (double)v.m * (double)v.n;
    o->asked[t] = o->questions;
  }
  return bytes;
}

/* The bytes that the step waits for. What another device has comes faster than what the host has. */
static double missing_bytes(ordering *o, const plan_step *s) {
  enum { faster = 8 };
  const plan *p = o->plan;
  double bytes = 0;
  o->questions++;
  for (int64_t i = s->begin; i < s->end; i++) {
    const int64_t tile = p->uses[i].tile;
    const view v = view_of_tile(p, tile);
    if (!p->uses[i].read || twin_of(p, tile) >= 0 || o->here[tile * p->devices + s->device]) continue;
    bytes += is_elsewhere(o, tile) ? (double)v.m * (double)v.n / faster : bytes_with(o, tile);
  }
  return bytes;
}

/* A tile that the step writes. */
static int64_t last_written(const plan *p, const plan_step *s) {
  int64_t i = s->end - 1;
  while (!p->uses[i].written) i--;
  return p->uses[i].tile;
}

/* How many tiles a row of the result needs. Among steps of one row those of a slab follow each other, because their
 * products run while the next slab is loaded. */
static double needed_by(const ordering *o, const plan_step *s) {
  const int64_t tile = last_written(o->plan, s);
  const plan_tile *t = &o->plan->tiles[tile];
  return o->needed[tile] + (double)(t->of->by_rows ? t->i : t->j) / (double)o->plan->tile_count;
}

/* The best step of a device that may run, or -1. */
static int64_t best_of(ordering *o, int device) {
  int64_t best = -1;
  double least_delay = 0;
  for (int64_t number = 0; number < o->plan->step_count; number++) {
    const plan_step *s = &o->plan->steps[number];
    if (o->done[number] || s->device != device || !may_run(o, s)) continue;
    const double delay = o->plan->twice ? needed_by(o, s) : missing_bytes(o, s);
    if (best < 0 || delay < least_delay) best = number, least_delay = delay;
  }
  return best;
}

/* The step of the device with the least work that has a step to run. */
static int64_t choose_step(ordering *o) {
  int64_t best = -1;
  for (int g = 0; g < o->plan->devices; g++) {
    const bool later = best >= 0 && o->work[g] >= o->work[o->plan->steps[best].device];
    const int64_t own = later ? -1 : best_of(o, g);
    if (own >= 0) best = own;
  }
  return best;
}

/* A tile that a step reads is on its device, and so are those that came with it. */
static void bring(ordering *o, int64_t tile, int device) {
  const tile_run r = run_of_tile(o->plan, tile);
  for (int64_t t = r.first; t < r.first + r.count && !is_elsewhere(o, tile); t++)
    if (t != tile && o->loads[t] && !is_elsewhere(o, t)) o->here[t * o->plan->devices + device] = true;
  o->here[tile * o->plan->devices + device] = true;
}

static void run_step(ordering *o, int64_t number) {
  const plan *p = o->plan;
  const plan_step *s = &p->steps[number];
  o->done[number] = true;
  o->work[s->device] += work_of(&s->o).flops;
  for (int64_t i = s->begin; i < s->end; i++) {
    const tile_use *u = &p->uses[i];
    if (u->read) bring(o, u->tile, s->device);
    for (int g = 0; g < p->devices && u->written; g++) o->here[u->tile * p->devices + g] = false;
    o->here[u->tile * p->devices + s->device] = true;
    if (u->written)
      o->writes[u->tile]++, o->readers[u->tile] = 0;
    else
      o->readers[u->tile]++;
  }
}

/* The first step of the plan that has not run may always run. So there is a step, even if one reads a tile that it
 * also writes, which may_run never admits. */
static void choose_all(ordering *o, int64_t *order) {
  for (int64_t i = 0, first = 0; i < o->plan->step_count; i++) {
    while (o->done[first]) first++;
    const int64_t chosen = choose_step(o);
    order[i] = chosen < 0 ? first : chosen;
    run_step(o, order[i]);
  }
}

static bool allocate(ordering *o) {
  const plan *p = o->plan;
  const size_t tiles = (size_t)p->tile_count, uses = (size_t)p->use_count, devices = (size_t)p->devices;
  o->writes_before = calloc(uses, sizeof *o->writes_before);
  o->readers_before = calloc(uses, sizeof *o->readers_before);
  o->writes = calloc(tiles, sizeof *o->writes);
  o->readers = calloc(tiles, sizeof *o->readers);
  o->here = calloc(tiles * devices, sizeof *o->here);
  o->used = calloc(tiles, sizeof *o->used);
  o->loads = calloc(tiles, sizeof *o->loads);
  o->asked = calloc(tiles, sizeof *o->asked);
  o->done = calloc((size_t)p->step_count, sizeof *o->done);
  o->work = calloc(devices, sizeof *o->work);
  o->needed = calloc(tiles, sizeof *o->needed);
  return o->writes_before && o->readers_before && o->writes && o->readers && o->here && o->used && o->loads &&
         o->asked && o->done && o->work && o->needed;
}

static void release(ordering *o) {
  free(o->writes_before);
  free(o->readers_before);
  free(o->writes);
  free(o->readers);
  free(o->here);
  free(o->used);
  free(o->loads);
  free(o->asked);
  free(o->done);
  free(o->work);
  free(o->needed);
}

trigon_status order_steps(const plan *p, int64_t *order) {
  ordering o = {.plan = p};
  for (int64_t i = 0; i < p->step_count; i++) order[i] = i;
  if (!p->in_core) return TRIGON_OK;
  const bool has_memory = allocate(&o);
  if (has_memory) {
    count_uses(&o, o.writes, o.readers);
    for (int64_t t = 0; t < p->tile_count; t++) o.writes[t] = o.readers[t] = 0;
    for (int64_t i = 0; i < p->step_count; i++)
      o.needed[last_written(p, &p->steps[i])] += (double)(p->steps[i].end - p->steps[i].begin);
    choose_all(&o, order);
  }
  release(&o);
  return has_memory ? TRIGON_OK : TRIGON_NO_MEMORY;
}
