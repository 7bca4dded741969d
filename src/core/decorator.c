/* decorator.c - the default entries of a decorator: each forwards to the engine inside. */
#include "decorator.h"

#include <stdlib.h>

static decorator *of(engine *e) { return (decorator *)e; }

static trigon_status forward_end(engine *e, bool succeeded) { return of(e)->inner->end(of(e)->inner, succeeded); }
static bool forward_small(engine *e, const small_call *s) { return of(e)->inner->run_small(of(e)->inner, s); }
static bool forward_calls(engine *e, const small_call *calls, int count) {
  return of(e)->inner->run_group(of(e)->inner, calls, count);
}
static call_group forward_group(engine *e, routine r, trigon_type type) {
  return of(e)->inner->group(of(e)->inner, r, type);
}
static engine *const *forward_workers(engine *e, int count) { return of(e)->inner->workers(of(e)->inner, count); }
static int64_t forward_cut(engine *e, const operation *o) { return of(e)->work->cut(of(e)->work, o); }
static trigon_status forward_run(engine *e, const operation *o) { return of(e)->work->run(of(e)->work, o); }
static int64_t forward_known_failure(engine *e) { return of(e)->work->known_failure(of(e)->work); }

static void forward_destroy(engine *e) {
  of(e)->inner->destroy(of(e)->inner);
  free(e);
}

void decorate(decorator *d, engine *inner) {
  d->engine = (engine){.begin = decorator_begin,
                       .end = forward_end,
                       .run_small = inner->run_small ? forward_small : NULL,
                       .run_group = inner->run_group ? forward_calls : NULL,
                       .group = inner->group ? forward_group : NULL,
                       .workers = inner->workers ? forward_workers : NULL,
                       .cut = forward_cut,
                       .run = forward_run,
                       .known_failure = forward_known_failure,
                       .destroy = forward_destroy,
                       .machine = inner->machine};
  d->inner = inner;
  d->work = NULL;
}
