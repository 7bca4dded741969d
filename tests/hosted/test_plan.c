/* test_plan.c - the plans of calls on matrices in host memory, without any device: each byte crosses the link once if
 * there is room, every step finds its tiles, and the steps do not depend on the number of devices. */
#include <stdarg.h>
#include <string.h>

#include "hosted/residence.h"
#include "support/check.h"

enum { BLOCK = 4, N = 22, TILES = 6 };                      /* a row of tiles */
enum { DEVICES = 4, SLOTS = 3 * TILES * TILES + OPERANDS }; /* the slots hold all tiles of three matrices */

__attribute__((format(printf, 2, 3))) static void expect(bool held, const char *format, ...) {
  char text[160];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  check(held, text);
}

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

static void record(plan *p, const operation *o, int devices, int64_t room) {
  *p = (plan){.block = BLOCK, .devices = devices, .room = room};
  expect(plan_record(p, o) == TRIGON_OK, "a plan could not be made");
}

/* ------------------------------------------------------------------------------------- the actions, played -- */

/* What is in the slots of the devices and on the host: the number of writes that a tile has had. */
typedef struct memory {
  int64_t tile[DEVICES][SLOTS], version[DEVICES][SLOTS];
  int64_t home[3 * TILES * TILES], latest[3 * TILES * TILES];
} memory;

static void play(memory *m, const plan *p, const action *a) {
  const int g = a->device, slot = a->slot[0];
  switch (a->kind) {
  case ACTION_LOAD:
    expect(m->home[a->number] == m->latest[a->number], "tile %d is loaded, but the host has an old value",
           (int)a->number);
    m->tile[g][slot] = a->number, m->version[g][slot] = m->home[a->number];
    break;
  case ACTION_FETCH:
    expect(m->tile[a->from][a->from_slot] == a->number, "tile %d is fetched from a slot with another tile",
           (int)a->number);
    m->tile[g][slot] = a->number, m->version[g][slot] = m->version[a->from][a->from_slot];
    break;
  case ACTION_STORE:
    expect(m->tile[g][slot] == a->number, "tile %d is stored from a slot with another tile", (int)a->number);
    m->home[a->number] = m->version[g][slot];
    break;
  case ACTION_RUN:
    for (int i = 0; i < OPERANDS; i++) {
      const tile_use *u = &p->steps[a->number].use[i];
      if (u->tile < 0) continue;
      const int at = a->slot[i];
      if (u->read)
        expect(m->tile[g][at] == u->tile && m->version[g][at] == m->latest[u->tile],
               "step %d does not find the latest value of tile %d", (int)a->number, (int)u->tile);
      if (u->written) m->tile[g][at] = u->tile, m->version[g][at] = ++m->latest[u->tile];
    }
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
  for (int64_t s = 0; s < p->step_count; s++)
    for (int i = 0; i < OPERANDS; i++)
      if (p->steps[s].use[i].tile == t) return p->steps[s].use[i].read;
  return false;
}

static bool is_written(const plan *p, int64_t t) {
  for (int64_t s = 0; s < p->step_count; s++)
    for (int i = 0; i < OPERANDS; i++)
      if (p->steps[s].use[i].tile == t && p->steps[s].use[i].written) return true;
  return false;
}

static void check_plan(const char *name, const operation *o, int devices, int64_t room, bool peers) {
  plan p;
  record(&p, o, devices, room);
  residence r = {0};
  memory m = {0};
  memset(m.tile, 0xff, sizeof m.tile);
  expect(residence_make(&r, &p, peers) == TRIGON_OK, "no residence");
  for (int64_t i = 0; i < r.count; i++) play(&m, &p, &r.actions[i]);
  for (int64_t t = 0; t < p.tile_count; t++)
    expect(m.home[t] == m.latest[t], "%s: the host does not have the result in tile %d", name, (int)t);
  if (p.in_core && (peers || devices == 1)) {
    expect(r.traffic.in_bytes == bytes_of_tiles(&p, is_needed), "%s on %d devices loads %lld bytes, %lld are enough",
           name, devices, (long long)r.traffic.in_bytes, (long long)bytes_of_tiles(&p, is_needed));
    expect(r.traffic.out_bytes == bytes_of_tiles(&p, is_written), "%s on %d devices stores %lld bytes", name, devices,
           (long long)r.traffic.out_bytes);
  }
  residence_clear(&r);
  plan_clear(&p);
}

/* A step's operation and tiles, without the device. */
static bool is_same(const plan *p, const plan *q, int64_t s) {
  const plan_step *a = &p->steps[s], *b = &q->steps[s];
  return a->o.routine == b->o.routine && a->use[0].tile == b->use[0].tile && a->use[1].tile == b->use[1].tile &&
         a->use[2].tile == b->use[2].tile && a->o.beta.re == b->o.beta.re && a->o.alpha.re == b->o.alpha.re;
}

/* In core the devices share the steps, in one order. */
static void check_same_steps(const char *name, const operation *o, int64_t room) {
  plan p, q;
  record(&p, o, 1, room);
  record(&q, o, 3, room);
  expect(p.step_count == q.step_count, "%s: %lld steps on one device, %lld on three", name, (long long)p.step_count,
         (long long)q.step_count);
  bool same = p.step_count == q.step_count;
  for (int64_t s = 0; s < p.step_count && same; s++) same = is_same(&p, &q, s);
  expect(same, "%s: the steps depend on the number of devices", name);
  plan_clear(&p);
  plan_clear(&q);
}

int main(void) {
  for (int which = 0; which < CALLS; which++)
    for (int lower = 0; lower < 2; lower++) {
      const operation o = call_of(which, lower);
      for (int devices = 1; devices <= DEVICES; devices++)
        for (int peers = 0; peers < 2; peers++) {
          check_plan(names[which], &o, devices, least_room, peers);
          check_plan(names[which], &o, devices, 17, peers);
          check_plan(names[which], &o, devices, SLOTS, peers);
        }
      check_same_steps(names[which], &o, SLOTS);
    }
  return checked();
}
