/* trace.c - a decorator that counts the operations, blocks, flops and bytes that algorithms hand to another engine. */
#include <stdlib.h>
#include <string.h>

#include "core/decorator.h"
#include "trace.h"

enum { KINDS = TRIGON_LAUUM + 1 }; /* kinds of work; the public enum may grow */

typedef struct trace {
  decorator decorator; /* the first member, so that an engine * can be converted to a trace * */
  trigon_count counts[KINDS];
} trace;

/* Returns the kind of work under which a routine is counted, or KINDS if the routine is not counted. */
static int counted_as(routine r) {
  switch (r) {
  case ROUTINE_TRMM: return TRIGON_TRMM;
  case ROUTINE_TRSM: return TRIGON_TRSM;
  case ROUTINE_SYRK: return TRIGON_SYRK;
  case ROUTINE_SYR2K: return TRIGON_SYR2K;
  case ROUTINE_SYMM: return TRIGON_SYMM;
  case ROUTINE_POTRF: return TRIGON_POTRF;
  case ROUTINE_INVERT: return TRIGON_TRTRI;
  case ROUTINE_LAUUM: return TRIGON_LAUUM;
  case ROUTINE_GEMM: return TRIGON_GEMM;
  default: return KINDS; /* the recursion hands out no arithmetic of this routine */
  }
}

static void count(trace *t, const operation *o) {
  const int at = counted_as(o->routine);
  if (at == KINDS) return;
  trigon_count *c = &t->counts[at];
  const workload w = work_of(o);
  const double blocks = (double)o->A.count;
  c->calls += 1;
  c->least = c->blocks == 0 || w.flops < c->least ? w.flops : c->least;
  c->most = w.flops > c->most ? w.flops : c->most;
  c->blocks += o->A.count;
  c->flops += w.flops * blocks;
  c->bytes += w.bytes * blocks;
}

/* If the engine takes a routine whole, and the routine consists of other routines, the other routines are counted. */
static void count_whole(trace *t, const operation *o) {
  if (o->batch) return; /* only the device knows the sizes */
  static const routine parts[ROUTINES][2] = {[ROUTINE_TRTRI] = {ROUTINE_INVERT},
                                             [ROUTINE_POTRS] = {ROUTINE_TRSM, ROUTINE_TRSM},
                                             [ROUTINE_POSV] = {ROUTINE_POTRF, ROUTINE_POTRS},
                                             [ROUTINE_POTRI] = {ROUTINE_TRTRI, ROUTINE_LAUUM}};
  for (int i = 0; i < 2 && is_composite(o->routine); i++) {
    const operation part = as_routine(o, parts[o->routine][i]);
    if (part.routine != ROUTINE_GEMM) count_whole(t, &part); /* GEMM is 0: no second part */
  }
  count(t, o);
}

static trigon_status trace_run(engine *e, const operation *o) {
  trace *t = (trace *)e;
  TRY(t->decorator.work->run(t->decorator.work, o));
  count_whole(t, o);
  return TRIGON_OK;
}

static trigon_status trace_begin(engine *e, const operation *o, engine **work) {
  TRY(decorator_begin(e, o, work));
  if (!*work) count_whole((trace *)e, o);
  return TRIGON_OK;
}

trigon_status trace_create(engine *inner, engine **out) {
  trace *t = calloc(1, sizeof *t);
  if (!t) return TRIGON_NO_MEMORY;
  decorate(&t->decorator, inner);
  t->decorator.engine.begin = trace_begin;
  t->decorator.engine.small = NULL; /* each leaf is counted */
  t->decorator.engine.run = trace_run;
  *out = &t->decorator.engine;
  return TRIGON_OK;
}

void trace_take(engine *traced, trigon_count *counts, int64_t count) {
  trace *t = (trace *)traced;
  for (int64_t i = 0; i < count; i++) counts[i] = i < KINDS ? t->counts[i] : (trigon_count){0};
  memset(t->counts, 0, sizeof t->counts);
}
