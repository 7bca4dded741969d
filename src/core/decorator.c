/* decorator.c - the default entries of a decorator: each forwards to the engine inside. */
#include "decorator.h"

#include <stdlib.h>

static decorator *of(engine *e) { return (decorator *)e; }

static trigon_status forward_end(engine *e, bool succeeded) { return of(e)->inner->end(of(e)->inner, succeeded); }
static int64_t forward_cut(engine *e, const operation *o) { return of(e)->work->cut(of(e)->work, o); }
static trigon_status forward_run(engine *e, const operation *o) { return of(e)->work->run(of(e)->work, o); }
static int64_t forward_need(engine *e, const operation *o) { return of(e)->work->need(of(e)->work, o); }
static int64_t forward_known_failure(engine *e) { return of(e)->work->known_failure(of(e)->work); }

static void forward_destroy(engine *e) {
  of(e)->inner->destroy(of(e)->inner);
  free(e);
}

void decorate(decorator *d, engine *inner) {
  d->engine = (engine){.begin = decorator_begin,
                       .end = forward_end,
                       .cut = forward_cut,
                       .run = forward_run,
                       .need = forward_need,
                       .known_failure = forward_known_failure,
                       .destroy = forward_destroy,
                       .small = inner->small,
                       .machine = inner->machine};
  d->inner = inner;
  d->work = NULL;
}
