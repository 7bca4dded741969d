/* test_plan.c - the plans of calls on matrices in host memory, without any device: each byte crosses the link once if
 * there is room, every step finds its tiles, the queues wait for each other, and the steps do not depend on the number
 * of devices. */
#include <stdlib.h>
#include <string.h>

#include "hosted/residence.h"
#include "support/check.h"
#include "waits.h"

enum { BLOCK = 4, N = 22, TILES = 6 };           /* a row of tiles */
enum { DEVICES = 4, SLOTS = 3 * TILES * TILES }; /* the slots hold all tiles of three matrices */

static double elements[3][N * N];

static view matrix(int which, int64_t m, int64_t n) {
  return (view){.base = elements[which], .type = TRIGON_D, .m = m, .n = n, .ld = m, .count = 1};
}

static const char *const names[] = {"potrf", "trtri", "lauum", "potri", "posv", "potrs",
                                    "trsm",  "trmm",  "gemm",  "syrk",  "symm", "syr2k"};

/* A call of every routine, with the lower triangle, or the upper one. */
static operation call_of(int which, bool lower) {
  static const routine factors[] = {ROUTINE_POTRF, ROUTINE_TRTRI, ROUTINE_LAUUM,
                                    ROUTINE_POTRI, ROUTINE_POSV,  ROUTINE_POTRS};
  const trigon_uplo uplo = lower ? TRIGON_LOWER : TRIGON_UPPER;
  const view A = matrix(0, N, N), B = matrix(1, N, N), C = matrix(2, N, N);
  const trigon_scalar beta = {2, 0};
  operation o = {.uplo = uplo, .diag = TRIGON_NONUNIT, .op = TRIGON_NOTRANS, .A = A, .alpha = one, .beta = one};
  if (which < 6) o.routine = factors[which];
  if (which == 4 || which == 5) o.B = B;
  if (which == 6) o = trsm(TRIGON_LEFT, uplo, TRIGON_NOTRANS, TRIGON_NONUNIT, one, A, B);
  if (which == 7) o = trmm(TRIGON_RIGHT, uplo, TRIGON_TRANS, TRIGON_NONUNIT, one, A, B);
  if (which == 8) o = gemm(TRIGON_TRANS, TRIGON_NOTRANS, one, A, B, lower ? zero : beta, C);
  if (which == 9) o = herk(uplo, TRIGON_NOTRANS, one, A, beta, C);
  if (which >= 10) {
    o.routine = which == 10 ? ROUTINE_SYMM : ROUTINE_SYR2K;
    o.side = which == 10 ? TRIGON_LEFT : (trigon_side)0;
    o.adjoint = TRIGON_TRANS, o.B = B, o.C = C;
  }
  return o;
}

enum { CALLS = sizeof names / sizeof *names };

static bool emulates; /* whether plans are for devices that emulate products */

/* A plan for devices that hold so many tiles; 0: all of them. Then so many tiles travel together. */
static void record(plan *p, const operation *o, int devices, int64_t room, int64_t run) {
  const bool in_core = room == 0, twice = in_core && o->routine == ROUTINE_TRMM;
  *p = (plan){.block = BLOCK, .devices = devices, .in_core = in_core, .twice = twice, .room = room, .run = run};
  p->emulates = emulates;
  memcpy(p->link, &reasoned_host[HOST_LINK], sizeof p->link);
  if (in_core) p->room = plan_tiles(o, BLOCK, twice);
  check_that(plan_record(p, o) == TRIGON_OK, "a plan could not be made");
}

/* ------------------------------------------------------------------------------------- the actions, played -- */

/* What is in the slots of the devices and on the host: the number of writes that a tile has had. `due` has this number
 * for each use, in the plan's order. */
typedef struct memory {
  int64_t *due;
  bool replaced[3 * TILES * TILES]; /* the host has another matrix's tile in its place */
  int64_t tile[DEVICES][SLOTS], version[DEVICES][SLOTS];
  int64_t home[3 * TILES * TILES], latest[3 * TILES * TILES];
} memory;

static void find_due(memory *m, const plan *p) {
  int64_t writes[3 * TILES * TILES] = {0};
  m->due = malloc((size_t)p->use_count * sizeof *m->due);
  for (int64_t i = 0; m->due && i < p->use_count; i++) {
    m->due[i] = writes[p->uses[i].tile];
    writes[p->uses[i].tile] += p->uses[i].written;
  }
}

static void play_step(memory *m, const plan *p, const residence *r, const action *a) {
  const plan_step *s = &p->steps[a->number];
  for (int64_t i = s->begin; i < s->end; i++) {
    const tile_use *u = &p->uses[i];
    const int at = r->slot_of_use[i];
    if (u->read)
      check_that(m->tile[a->device][at] == u->tile && m->version[a->device][at] == m->latest[u->tile],
                 "step %d does not find the latest value of tile %d", (int)a->number, (int)u->tile);
    check_that(m->latest[u->tile] == m->due[i], "step %d uses tile %d after %d writes, not %d", (int)a->number,
               (int)u->tile, (int)m->latest[u->tile], (int)m->due[i]);
    if (u->written) m->tile[a->device][at] = u->tile, m->version[a->device][at] = ++m->latest[u->tile];
    check_that(!p->in_core || at == u->tile, "tile %d is in slot %d in core", (int)u->tile, at);
    check_that(p->in_core || s->end - s->begin <= OPERANDS, "step %d has several tiles out of core", (int)a->number);
  }
}

static void play_load(memory *m, int device, int64_t tile, int64_t slot) {
  check_that(m->home[tile] == m->latest[tile], "tile %d is loaded, but the host has an old value", (int)tile);
  check_that(!m->replaced[tile], "tile %d is loaded after its copy was stored", (int)tile);
  m->tile[device][slot] = tile, m->version[device][slot] = m->home[tile];
}

static void play_store(memory *m, const plan *p, int device, int64_t tile, int64_t slot) {
  check_that(m->tile[device][slot] == tile, "tile %d is stored from a slot with another tile", (int)tile);
  m->home[tile] = m->version[device][slot];
  if (twin_of(p, tile) >= 0) m->replaced[twin_of(p, tile)] = true;
}

/* Tiles that travel together are in one column of tiles, and in one run. */
static void check_run(const plan *p, const action *a) {
  const tile_run most = run_of_tile(p, a->number);
  check_that(a->count >= 1 && a->number + a->count <= most.first + most.count, "%d tiles from %d on travel together",
             (int)a->count, (int)a->number);
}

static void play(memory *m, const plan *p, const residence *r, const action *a) {
  const int g = a->device;
  switch (a->kind) {
  case ACTION_LOAD:
    check_run(p, a);
    for (int i = 0; i < a->count; i++) play_load(m, g, a->number + i, a->slot + i);
    break;
  case ACTION_FETCH:
    check_that(m->tile[a->from][a->from_slot] == (a->from == g ? twin_of(p, a->number) : a->number),
               "tile %d is fetched from a slot with another tile", (int)a->number);
    m->tile[g][a->slot] = a->number, m->version[g][a->slot] = m->version[a->from][a->from_slot];
    break;
  case ACTION_STORE:
    check_run(p, a);
    for (int i = 0; i < a->count; i++) play_store(m, p, g, a->number + i, a->slot + i);
    break;
  case ACTION_RUN: play_step(m, p, r, a);
  }
}

static int64_t bytes_of_tiles(const plan *p, bool (*wanted)(const plan *, int64_t)) {
  int64_t bytes = 0;
  for (int64_t t = 0; t < p->tile_count; t++) {
    const view v = view_of_tile(p, t);
    if (wanted(p, t)) bytes += v.m * v.n * type_size(v.type);
  }
  return bytes;
}

/* The first use of a tile reads it. */
static bool is_needed(const plan *p, int64_t t) {
  for (int64_t i = 0; i < p->use_count; i++)
    if (p->uses[i].tile == t) return p->uses[i].read && twin_of(p, t) < 0;
  return false;
}

static bool is_written(const plan *p, int64_t t) {
  for (int64_t i = 0; i < p->use_count; i++)
    if (p->uses[i].tile == t && p->uses[i].written) return true;
  return false;
}

static int count_actions(const residence *r, action_kind kind) {
  int count = 0;
  for (int64_t i = 0; i < r->count; i++) count += r->actions[i].kind == kind;
  return count;
}

/* The bytes that a device loads. */
static int64_t loaded_by(const plan *p, const residence *r, int device) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < r->count; i++) {
    const action *a = &r->actions[i];
    const view v = a->kind == ACTION_LOAD ? view_of_tiles(p, (tile_run){a->number, a->count}) : (view){0};
    if (a->device == device) bytes += v.m * v.n * type_size(v.type);
  }
  return bytes;
}

/* The tiles whose last write is among the last eighth of the steps. */
static int count_last_tiles(const plan *p, const residence *r) {
  bool is_last[OPERANDS * TILES * TILES] = {false};
  int64_t ran = 0;
  int count = 0;
  for (int64_t i = 0; i < r->count; i++) {
    if (r->actions[i].kind != ACTION_RUN) continue;
    const plan_step *s = &p->steps[r->actions[i].number];
    for (int64_t u = s->begin; u < s->end; u++)
      if (p->uses[u].written) is_last[p->uses[u].tile] = ran >= p->step_count - p->step_count / 8;
    ran++;
  }
  for (int t = 0; t < p->tile_count; t++) count += is_last[t];
  return count;
}

/* What is particular to solves. On one device columns of tiles come as wholes: six of the triangle, six of B. They are
 * stored as wholes, but for the last tiles. Of two links each loads a third at least, though one has two slabs of
 * three. */
static void check_solve(const plan *p, const residence *r, bool peers) {
  const int last = count_last_tiles(p, r);
  if (p->devices == 1 && p->run == TILES)
    check_that(count_actions(r, ACTION_LOAD) == 2 * TILES && count_actions(r, ACTION_STORE) == TILES + last,
               "a solve has %d loads and %d stores, %d of them last ones", count_actions(r, ACTION_LOAD),
               count_actions(r, ACTION_STORE), last);
  for (int g = 0; g < 2 && p->devices == 2 && peers; g++)
    check_that(3 * loaded_by(p, r, g) >= r->traffic.in_bytes, "device %d loads %lld bytes of %lld", g,
               (long long)loaded_by(p, r, g), (long long)r->traffic.in_bytes);
}

/* The bytes that cross the link. In core each one does once. */
static void check_bytes(const char *name, const plan *p, const residence *r, routine which) {
  const int64_t in = bytes_of_tiles(p, is_needed), out = bytes_of_tiles(p, is_written);
  if (p->in_core)
    check_that(r->traffic.in_bytes == in, "%s on %d devices loads %lld bytes, %lld are enough", name, p->devices,
               (long long)r->traffic.in_bytes, (long long)in);
  if (p->in_core || (which == ROUTINE_TRSM && p->room >= 17))
    check_that(r->traffic.out_bytes == out, "%s on %d devices stores %lld bytes, not %lld", name, p->devices,
               (long long)r->traffic.out_bytes, (long long)out);
}

/* Returns the bytes that are loaded. If products are emulated, each device that computes begins a step before the first
 * copy, which takes the memory of its products. */
static int64_t check_plan(const char *name, const operation *o, int devices, int64_t room, int64_t run, bool peers) {
  hosted_job j = {0};
  plan *p = &j.plan;
  residence *r = &j.residence;
  record(p, o, devices, room, run);
  memory m = {0};
  memset(m.tile, 0xff, sizeof m.tile);
  find_due(&m, p);
  check_that(residence_make(r, p, peers) == TRIGON_OK, "no residence");
  for (int64_t i = 0; i < r->count; i++) play(&m, p, r, &r->actions[i]);
  for (int64_t t = 0; t < p->tile_count; t++)
    check_that(m.home[t] == m.latest[t], "%s: the host does not have the result in tile %d", name, (int)t);
  if (peers || devices == 1) check_bytes(name, p, r, o->routine);
  if (o->routine == ROUTINE_TRSM && p->in_core) check_solve(p, r, peers);
  const int races = count_races(&j, o, peers);
  check_that(races == 0, "%s on %d devices, room %d, run %d, peers %d: %d accesses are in no order", name, devices,
             (int)p->room, (int)p->run, peers, races);
  check_that(!emulates || began_before_copies(p), "%s: no memory is taken before the first copy", name);
  const int64_t bytes = r->traffic.in_bytes;
  free(m.due);
  residence_clear(r);
  plan_clear(p);
  return bytes;
}

/* Larger factors and inverses on several devices, out of core: there a device stores tiles that another one wrote. */
static void check_waits(int which, bool lower, int devices, int64_t room) {
  enum { LARGE = 60 };
  static double large[LARGE * LARGE];
  operation o = call_of(which, lower);
  hosted_job j = {0};
  o.A.base = large, o.A.m = o.A.n = o.A.ld = LARGE;
  record(&j.plan, &o, devices, room, 0);
  check_that(residence_make(&j.residence, &j.plan, true) == TRIGON_OK, "no residence");
  const int races = count_races(&j, &o, true);
  check_that(races == 0, "%s of order %d on %d devices, room %d: %d accesses are in no order", names[which], LARGE,
             devices, (int)room, races);
  residence_clear(&j.residence);
  plan_clear(&j.plan);
}

/* Whatever comes along is used: so no byte more is loaded, even if each device loads for itself. */
static void check_runs(const char *name, const operation *o, int devices, bool peers) {
  const int64_t alone = check_plan(name, o, devices, 0, 1, peers);
  for (int64_t run = 2; run <= TILES; run++) {
    const int64_t bytes = check_plan(name, o, devices, 0, run, peers);
    check_that(bytes <= alone, "%s on %d devices: %lld bytes by runs of %d, %lld by tiles", name, devices,
               (long long)bytes, (int)run, (long long)alone);
  }
}

/* How many tiles travel together, for a matrix of so many rows. No element is read. */
static int64_t run_of(operation o, trigon_type type, int64_t n, int64_t columns, int64_t block) {
  plan p = {.block = block, .devices = 1, .in_core = true};
  o.A.type = o.B.type = type;
  o.A.m = o.A.n = o.A.ld = o.B.m = o.B.ld = n, o.B.n = columns;
  if (o.routine == ROUTINE_POTRI) o.B = (view){0};
  p.room = plan_tiles(&o, block, false);
  check_that(plan_record(&p, &o) == TRIGON_OK, "a plan could not be made");
  const int64_t run = p.run;
  plan_clear(&p);
  return run;
}

/* Columns of 32 KB, or of 64 KB if the links take longer than the work, but at most eight tiles. */
static void check_lengths(void) {
  const operation solve = call_of(6, true), inverse = call_of(3, true);
  check_that(run_of(solve, TRIGON_D, 16384, 16384, 2048) == 2, "TRSM: not 32 KB");
  check_that(run_of(solve, TRIGON_S, 16384, 16384, 2048) == 4, "TRSM of floats: not 32 KB");
  check_that(run_of(solve, TRIGON_D, 16384, 16384, 4096) == 1, "TRSM with large tiles: not 32 KB");
  check_that(run_of(solve, TRIGON_D, 16384, 512, 2048) == 4, "TRSM with few columns: not 64 KB");
  check_that(run_of(inverse, TRIGON_D, 16384, 0, 2048) == 4, "POTRI: not 64 KB");
  check_that(run_of(inverse, TRIGON_D, 16384, 0, 512) == 8, "POTRI with small tiles: not eight");
}

/* With such a link so many tiles travel together out of core, and so many rows of tiles are dealt to a device. A tile
 * has columns of 16 KB. */
static void check_link(int64_t of_short, int64_t of_middle, int64_t of_long, int64_t run, int64_t span) {
  plan p = {.block = 2048, .devices = 2, .room = 59, .link = {of_short, of_middle, of_long}};
  operation o = call_of(0, true);
  o.A.m = o.A.n = o.A.ld = 32768;
  check_that(plan_record(&p, &o) == TRIGON_OK && p.run == run && p.matrix[0].span == span,
             "a link of %d, %d, %d GB/s: runs of %d, %d rows", (int)of_short, (int)of_middle, (int)of_long, (int)p.run,
             (int)p.matrix[0].span);
  plan_clear(&p);
}

static void check_links(void) {
  const int64_t *usual = &reasoned_host[HOST_LINK];
  check_link(usual[LINK_SHORT], usual[LINK_MIDDLE], usual[LINK_LONG], 2, 2);
  check_link(usual[LINK_SHORT], 20, usual[LINK_LONG], 4, 4);
  check_link(40, 40, 40, 1, 1);
  check_link(usual[LINK_SHORT], usual[LINK_MIDDLE], 200, 4, 1);
  check_link(0, 0, 0, 1, 1);
}

/* Two steps update each tile of the result in core: the first begins when half of A is there. */
static void check_halves(void) {
  const operation o = call_of(9, true);
  plan p;
  record(&p, &o, 1, 0, 0);
  for (int64_t t = p.matrix[2].first_tile; t < p.tile_count; t++) {
    int writes = 0;
    for (int64_t i = 0; i < p.use_count; i++) writes += p.uses[i].tile == t && p.uses[i].written;
    check_that(writes == (p.tiles[t].i >= p.tiles[t].j ? 2 : 0), "%d steps write a tile of SYRK's result", writes);
  }
  plan_clear(&p);
}

static bool is_same_view(view a, view b) { return a.row == b.row && a.col == b.col && a.m == b.m && a.n == b.n; }

/* Whether step s of both plans computes the same. */
static bool is_same(const plan *p, const plan *q, int64_t s) {
  const operation *a = &p->steps[s].o, *b = &q->steps[s].o;
  return a->routine == b->routine && is_same_view(a->A, b->A) && is_same_view(a->B, b->B) && is_same_view(a->C, b->C) &&
         a->beta.re == b->beta.re && a->alpha.re == b->alpha.re;
}

/* In core the devices share the steps, in one order. */
static void check_same_steps(const char *name, const operation *o, int64_t room) {
  plan p, q;
  record(&p, o, 1, room, 0);
  record(&q, o, 3, room, 0);
  check_that(p.step_count == q.step_count, "%s: %lld steps on one device, %lld on three", name, (long long)p.step_count,
             (long long)q.step_count);
  bool same = p.step_count == q.step_count;
  for (int64_t s = 0; s < p.step_count && same; s++) same = is_same(&p, &q, s);
  check_that(same, "%s: the steps depend on the number of devices", name);
  plan_clear(&p);
  plan_clear(&q);
}

static void check_call(int which, bool lower) {
  const operation o = call_of(which, lower);
  for (int devices = 1; devices <= DEVICES; devices++)
    for (int peers = 0; peers < 2; peers++) {
      check_plan(names[which], &o, devices, least_room, 0, peers);
      check_plan(names[which], &o, devices, 17, 0, peers);
      check_plan(names[which], &o, devices, 2 * least_room, 2, peers);
      check_plan(names[which], &o, devices, 50, 3, peers);
      check_runs(names[which], &o, devices, peers);
    }
  check_same_steps(names[which], &o, 0);
}

static double most_work(const plan *p) {
  double most = 0;
  for (int64_t s = 0; s < p->step_count; s++)
    most = work_of(&p->steps[s].o).flops > most ? work_of(&p->steps[s].o).flops : most;
  return most;
}

static void check_large_products(int which) {
  const operation o = call_of(which, true);
  double work[2];
  for (int large = 0; large < 2; large++) {
    plan p;
    emulates = large;
    record(&p, &o, 1, 0, 0);
    work[large] = most_work(&p);
    plan_clear(&p);
  }
  check_that(work[1] > 1.4 * work[0], "%s: steps of %g flops, emulated of %g", names[which], work[0], work[1]);
  emulates = false;
}

int main(void) {
  for (int large = 0; large < 2; large++) {
    emulates = large;
    for (int which = 0; which < CALLS; which++)
      for (int lower = 0; lower < 2; lower++) check_call(which, lower);
  }
  emulates = false;
  check_large_products(0);
  check_large_products(6);
  for (int which = 0; which < 4; which++)
    for (int64_t room = least_room; room < 60; room += 7)
      for (int devices = 2; devices <= DEVICES; devices++)
        for (int lower = 0; lower < 2; lower++) check_waits(which, lower, devices, room);
  check_lengths();
  check_links();
  check_halves();
  return checked();
}
