/* waits.c - devices that remember who waits for whom, by vector clocks (Mattern, Virtual time and global states of
 * distributed systems, 1989): a clock has, for each queue, the last operation that is known to be past. */
#include "waits.h"

#include <stdlib.h>

enum { DEVICES = 4, CLOCKS = DEVICES * QUEUES, MOST_REGIONS = DEVICES + OPERANDS };

typedef struct clock_vector {
  int64_t past[CLOCKS];
} clock_vector;

struct moment {
  struct moment *next; /* all moments */
  clock_vector clock;
};

/* The last accesses to an element: who wrote it, and what number the operation had; each queue's last read. */
typedef struct accesses {
  int writer;
  int64_t written, read[CLOCKS];
} accesses;

typedef struct region {
  const char *base;
  int64_t count; /* elements */
  accesses *of;
} region;

typedef struct fake_device {
  machine machine; /* first */
  engine engine;
  int number;
} fake_device;

static struct {
  clock_vector queue[CLOCKS];
  region region[MOST_REGIONS];
  int regions, races, copies, begun; /* begun: operations before the first copy */
  moment *moments;
  fake_device device[DEVICES];
} world;

/* -------------------------------------------------------------------------------------------------- accesses -- */

static accesses *accesses_to(const char *address) {
  for (int i = 0; i < world.regions; i++) {
    const region *r = &world.region[i];
    const int64_t number = (address - r->base) / (int64_t)sizeof(double);
    if (address >= r->base && number < r->count) return &r->of[number];
  }
  abort(); /* outside of all matrices and windows */
}

/* Notes an access, and counts it if the queue does not know that an earlier one is past. */
static void access_element(const char *address, int queue, bool writes) {
  accesses *a = accesses_to(address);
  const int64_t *past = world.queue[queue].past;
  bool races = a->written > past[a->writer];
  for (int q = 0; q < CLOCKS && writes; q++) races = races || a->read[q] > past[q];
  if (writes)
    a->writer = queue, a->written = past[queue];
  else
    a->read[queue] = past[queue];
  world.races += races;
}

static void access_matrix(view A, int queue, bool writes) {
  for (int64_t j = 0; j < A.n && A.count > 0; j++)
    for (int64_t i = 0; i < A.m; i++)
      access_element((const char *)A.base + (i + j * A.ld) * (int64_t)sizeof(double), queue, writes);
}

static void add_region(const void *base, int64_t count) {
  if (count <= 0) return;
  world.region[world.regions++] = (region){base, count, calloc((size_t)count, sizeof(accesses))};
}

/* ---------------------------------------------------------------------------------------------------- queues -- */

static int number_of(machine *m, queue_of_device q) { return ((fake_device *)m)->number * QUEUES + (int)q; }

static trigon_status make_moment(machine *m, moment **out) {
  (void)m;
  *out = calloc(1, sizeof **out);
  if (!*out) return TRIGON_NO_MEMORY;
  (*out)->next = world.moments, world.moments = *out;
  return TRIGON_OK;
}

static trigon_status record(machine *m, queue_of_device q, moment *at) {
  at->clock = world.queue[number_of(m, q)];
  return TRIGON_OK;
}

static trigon_status await(machine *m, queue_of_device q, moment *awaited) {
  clock_vector *own = &world.queue[number_of(m, q)];
  for (int i = 0; i < CLOCKS; i++)
    if (awaited->clock.past[i] > own->past[i]) own->past[i] = awaited->clock.past[i];
  return TRIGON_OK;
}

static trigon_status wait_for(machine *m, moment *awaited) { return (void)m, (void)awaited, TRIGON_OK; }

/* The next operation of a queue. */
static int begin_in(machine *m, queue_of_device q) {
  const int queue = number_of(m, q);
  world.queue[queue].past[queue]++;
  return queue;
}

static trigon_status copy(machine *m, queue_of_device q, view from, view to) {
  const int queue = begin_in(m, q);
  world.copies++;
  access_matrix(from, queue, false);
  access_matrix(to, queue, true);
  return TRIGON_OK;
}

static memory_kind kind(machine *m, const void *address) { return (void)m, (void)address, MEMORY_PINNED; }

static const queue_ops fake_queues = {
    .make_moment = make_moment, .record = record, .await = await, .wait = wait_for, .copy = copy, .kind = kind};

/* ---------------------------------------------------------------------------------------------------- devices -- */

static trigon_status finish(machine *m, int64_t *info) { return (void)m, *info = 0, TRIGON_OK; }

static const machine_ops fake_machine = {.finish = finish};

/* To begin is no access yet. */
static trigon_status begin(engine *e, const operation *o, engine **work) {
  (void)o;
  if (world.copies == 0) world.begun++;
  return *work = e, TRIGON_OK;
}

static int64_t cut(engine *e, const operation *o) { return (void)e, (void)o, 0; }

/* The step's accesses: it reads its operands, and writes the last one. */
static trigon_status run(engine *e, const operation *o) {
  const view operand[OPERANDS] = {o->A, o->B, o->C};
  const int output = o->C.count > 0 ? 2 : o->B.count > 0 ? 1 : 0;
  const int queue = begin_in(e->machine, QUEUE_COMPUTE);
  for (int i = 0; i < OPERANDS; i++)
    if (i != output || o->routine != ROUTINE_GEMM || !is_zero(o->beta)) access_matrix(operand[i], queue, false);
  access_matrix(operand[output], queue, true);
  return TRIGON_OK;
}

static trigon_status end(engine *e, bool succeeded) { return (void)e, (void)succeeded, TRIGON_OK; }

static void add_device(hosted *h, int number, int64_t window_bytes) {
  fake_device *d = &world.device[number];
  *d = (fake_device){.machine = {.ops = &fake_machine, .queues = &fake_queues},
                     .engine = {.begin = begin, .cut = cut, .run = run, .end = end, .machine = &d->machine},
                     .number = number};
  h->device[number] = (hosted_device){
      .engine = &d->engine, .machine = &d->machine, .queues = &fake_queues, .window = malloc((size_t)window_bytes)};
  add_region(h->device[number].window, window_bytes / (int64_t)sizeof(double));
}

static void add_all(hosted *h, const plan *p, const operation *o, bool peers) {
  const int64_t bytes =
      p->in_core ? plan_bytes(o, p->block, p->twice) : p->room * hosted_slot_bytes(p->block, TRIGON_D);
  h->devices = p->devices, h->peers = peers;
  for (int g = 0; g < p->devices; g++) add_device(h, g, bytes);
  for (int i = 0; i < OPERANDS; i++) {
    const view A = p->matrix[i].whole;
    if (A.count > 0 && !p->matrix[i].twin) add_region(A.base, A.ld * A.n);
  }
}

static void free_all(hosted *h) {
  for (int g = 0; g < h->devices; g++) {
    free(h->device[g].window);
    free(h->device[g].slots);
  }
  for (int i = 0; i < world.regions; i++) free(world.region[i].of);
  while (world.moments) {
    moment *m = world.moments;
    world.moments = m->next;
    free(m);
  }
  pthread_mutex_destroy(&h->lock);
  free(h);
}

int count_races(hosted_job *j, const operation *o, bool peers) {
  static const clock_vector none;
  int64_t info = 0;
  hosted *h = calloc(1, sizeof *h);
  if (!h) abort();
  pthread_mutex_init(&h->lock, NULL);
  world.regions = world.races = world.copies = world.begun = 0;
  for (int q = 0; q < CLOCKS; q++) world.queue[q] = none;
  add_all(h, &j->plan, o, peers);
  j->plan.checks = false; /* the diagonal is not read */
  if (hosted_play(h, j, &info) != TRIGON_OK) abort();
  free_all(h);
  return world.races;
}

bool began_before_copies(const plan *p) {
  bool works[DEVICES] = {false};
  int count = 0;
  for (int64_t s = 0; s < p->step_count; s++) works[p->steps[s].device] = true;
  for (int g = 0; g < p->devices; g++) count += works[g];
  return world.begun == count;
}
