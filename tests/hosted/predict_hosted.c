/* predict_hosted.c - predicts the time of a call on matrices in host memory: plays its plan with rates instead of
 * devices. Usage: predict_hosted ROUTINE N COLUMNS BLOCK DEVICES [CAP in GB] [auto]. With `auto` products are emulated
 * where that is faster.
 *
 * The rates are those of doubles on an H100 or H200, as far as they are known: of the links from
 * docs/notebook/hosted.md, of the work from bench/results. Where nothing was measured a power law goes through what
 * was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options.h"
#include "hosted/residence.h"
#include "product_rates.h"

static const double peer_rate = 300e9; /* bytes a second */

/* Bytes a second of a link, in one direction, while the device computes and while it does not. The copies of a device
 * are slow if columns are short: each of them waits for the device's memory. What the other direction takes away is not
 * in the model. */
static double busy_rate(double column_bytes) {
  return column_bytes < 32e3 ? 31.5e9 : column_bytes < 64e3 ? 44e9 : 53e9;
}

static double idle_rate(double column_bytes) { return column_bytes < 32e3 ? 48.5e9 : 54e9; }

/* When the queues of a device, and the moments of a slot and of a tile, come. */
typedef struct slot_times {
  double ready, written, used, stored, fetched;
} slot_times;
typedef struct home_times {
  double stored, loaded;
} home_times;

typedef struct prediction {
  const plan *plan;
  const residence *residence;
  double compute[most_devices], in[most_devices], out[most_devices], between[most_devices];
  slot_times *slots;
  home_times *home;
  double work, end; /* seconds of work on all devices; the last moment */
} prediction;

static void reach(double *time, double moment) { *time = fmax(*time, moment); }

static double rate_of(const operation *o) {
  const double order = (double)order_of(o) / 2048, columns = work_of(o).flops / pow((double)order_of(o), 2) / 2048;
  switch (o->routine) {
  case ROUTINE_TRSM:
  case ROUTINE_TRMM: return fmin(33e12 * pow(order, 0.6) * pow(columns, 0.5), 48e12);
  case ROUTINE_POTRF: return 8e12 * pow(order, 1.2);
  case ROUTINE_INVERT: return 13e12 * order;
  case ROUTINE_LAUUM: return 29e12 * order;
  default: return 50e12;
  }
}

static slot_times *slot_of(const prediction *p, int device, int number) {
  return &p->slots[device * p->plan->room + number];
}

static double bytes_of(const plan *p, tile_run r) {
  const view v = view_of_tiles(p, r);
  return (double)v.m * (double)v.n * (double)type_size(v.type);
}

/* The queue does so much work when the moment has come. */
static double pass(prediction *p, double *queue, double moment, double seconds) {
  *queue = fmax(*queue, moment) + seconds;
  reach(&p->end, *queue);
  return *queue;
}

static void run(prediction *p, const action *a) {
  const plan_step *s = &p->plan->steps[a->number];
  const bool can_emulate = is_product(&s->o);
  const double native = can_emulate ? native_seconds(&s->o) : work_of(&s->o).flops / rate_of(&s->o);
  const double seconds = p->plan->emulates && can_emulate ? fmin(native, emulated_seconds(&s->o)) : native;
  double moment = 0;
  for (int64_t i = s->begin; i < s->end; i++) {
    const slot_times *t = slot_of(p, s->device, p->residence->slot_of_use[i]);
    reach(&moment, t->ready);
    if (p->plan->uses[i].written) reach(&moment, fmax(t->stored, t->fetched));
  }
  const double end = pass(p, &p->compute[s->device], moment, seconds);
  for (int64_t i = s->begin; i < s->end; i++) {
    slot_times *t = slot_of(p, s->device, p->residence->slot_of_use[i]);
    reach(&t->used, end);
    if (p->plan->uses[i].written) t->written = end;
  }
  p->work += seconds;
}

static void fetch(prediction *p, const action *a) {
  slot_times *t = slot_of(p, a->device, a->slot), *from = slot_of(p, a->from, a->from_slot);
  const double moment =
      fmax(fmax(fmax(t->ready, t->used), fmax(t->stored, t->fetched)), fmax(from->ready, from->written));
  t->ready = pass(p, &p->between[a->device], moment, bytes_of(p->plan, (tile_run){a->number, 1}) / peer_rate);
  reach(&from->fetched, t->ready);
}

/* The time of a copy that begins now, beside the work that its device still has. */
static double time_of_copy(const prediction *p, int device, double begin, double bytes, double column) {
  const double busy = fmax(0, p->compute[device] - begin), beside = bytes / busy_rate(column);
  return beside <= busy ? beside : busy + (bytes - busy * busy_rate(column)) / idle_rate(column);
}

/* Loads and stores, of tiles that travel together. */
static void move(prediction *p, const action *a) {
  const tile_run r = {a->number, a->count};
  const view tiles = view_of_tiles(p->plan, r);
  const double column = (double)tiles.m * (double)type_size(tiles.type);
  const bool out = a->kind == ACTION_STORE;
  double moment = 0;
  for (int i = 0; i < a->count; i++) {
    const slot_times *t = slot_of(p, a->device, a->slot + i);
    const home_times *home = &p->home[a->number + i];
    reach(&moment, out ? fmax(fmax(t->ready, t->written), home->loaded)
                       : fmax(fmax(t->used, t->stored), fmax(t->fetched, home->stored)));
  }
  double *queue = out ? &p->out[a->device] : &p->in[a->device];
  const double begin = fmax(*queue, moment);
  moment = pass(p, queue, begin, time_of_copy(p, a->device, begin, bytes_of(p->plan, r), column));
  for (int i = 0; i < a->count; i++) {
    slot_times *t = slot_of(p, a->device, a->slot + i);
    home_times *home = &p->home[a->number + i];
    if (out)
      t->stored = home->stored = moment;
    else
      t->ready = moment, reach(&home->loaded, moment);
  }
}

/* The operation of a routine on matrices of so many rows. No element is read. */
static bool make_call(const char *name, int64_t n, int64_t columns, operation *o) {
  static double element;
  const view A = {.base = &element, .type = TRIGON_D, .m = n, .n = n, .ld = n, .count = 1};
  const view B = {.base = &element, .type = TRIGON_D, .m = n, .n = columns, .ld = n, .count = 1};
  *o = trsm(TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, A, B);
  if (strcmp(name, "trsm") == 0) return true;
  if (strcmp(name, "trmm") == 0) return *o = as_routine(o, ROUTINE_TRMM), true;
  if (strcmp(name, "potrs") == 0) return *o = as_routine(o, ROUTINE_POTRS), true;
  if (strcmp(name, "syrk") == 0) return *o = herk(TRIGON_LOWER, TRIGON_NOTRANS, one, B, one, A), true;
  o->B = (view){0};
  if (strcmp(name, "potrf") == 0) return *o = as_routine(o, ROUTINE_POTRF), true;
  if (strcmp(name, "potri") == 0) return *o = as_routine(o, ROUTINE_POTRI), true;
  return false;
}

static void predict(prediction *p) {
  for (int64_t i = 0; i < p->residence->count; i++) {
    const action *a = &p->residence->actions[i];
    if (a->kind == ACTION_RUN) run(p, a);
    if (a->kind == ACTION_FETCH) fetch(p, a);
    if (a->kind == ACTION_LOAD || a->kind == ACTION_STORE) move(p, a);
  }
}

int main(int argc, char **argv) {
  operation o;
  if (argc < 6 || !make_call(argv[1], atoll(argv[2]), atoll(argv[3]), &o)) {
    fputs("usage: predict_hosted ROUTINE N COLUMNS BLOCK DEVICES [CAP] [auto]\n", stderr);
    return 2;
  }
  const bool emulates = argc > 6 && strcmp(argv[argc - 1], "auto") == 0;
  const double cap = argc > 6 + emulates ? 1e9 * atof(argv[6]) : INFINITY;
  plan p = {.block = atoll(argv[4]), .devices = atoi(argv[5]), .emulates = emulates};
  residence r = {0};
  memcpy(p.link, &reasoned_host[HOST_LINK], sizeof p.link);
  p.twice = o.routine == ROUTINE_TRMM && (double)plan_bytes(&o, p.block, true) <= cap;
  p.in_core = (double)plan_bytes(&o, p.block, p.twice) <= cap;
  p.room = p.in_core ? plan_tiles(&o, p.block, p.twice) : (int64_t)(cap / (double)(p.block * p.block * 8));
  if (p.devices < 1 || p.devices > most_devices || p.block < 1 || p.room < least_room) return 2;
  if (plan_record(&p, &o) != TRIGON_OK || residence_make(&r, &p, true) != TRIGON_OK) return 1;
  prediction q = {.plan = &p, .residence = &r};
  q.slots = calloc((size_t)(p.devices * p.room), sizeof *q.slots);
  q.home = calloc((size_t)p.tile_count, sizeof *q.home);
  if (q.slots && q.home) predict(&q);
  printf("%s %s %s, tiles of %s, %s devices, %s: %.1f ms; work %.1f ms a device; GB in %.2f, out %.2f, between %.2f\n",
         argv[1], argv[2], argv[3], argv[4], argv[5], p.in_core ? "in core" : "out of core", 1e3 * q.end,
         1e3 * q.work / p.devices, 1e-9 * (double)r.traffic.in_bytes, 1e-9 * (double)r.traffic.out_bytes,
         1e-9 * (double)r.traffic.between_bytes);
  free(q.slots);
  free(q.home);
  residence_clear(&r);
  plan_clear(&p);
  return 0;
}
