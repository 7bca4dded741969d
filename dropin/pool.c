/* pool.c - the pool of contexts. A context stays in its place, so that taking it is one atomic exchange, and returning
 * it is one store. */
#include "pool.h"

#include <stdlib.h>

enum { places = 64 };

place pool[places];
_Thread_local unsigned pool_usual;

/* Takes a free place; one with a context, or one without. */
static place *take_any(bool wanted) {
  for (unsigned i = 0; i < places; i++) {
    const bool has_context = atomic_load_explicit(&pool[i].has_context, memory_order_relaxed);
    if (has_context != wanted || atomic_load_explicit(&pool[i].of.is_taken, memory_order_relaxed)) continue;
    if (!pool_takes(&pool[i])) continue;
    pool_usual = i;
    return &pool[i];
  }
  return NULL;
}

/* Makes a context for a place that is taken. On failure the place is free again. */
static borrowed *furnish(place *p) {
  if (p->of.context) return &p->of;
  if (trigon_create("cpu", &p->of.context, NULL, 0) == TRIGON_OK) {
    atomic_store_explicit(&p->has_context, true, memory_order_relaxed);
    return &p->of;
  }
  pool_return(&p->of);
  return NULL;
}

/* So many calls run at once that the pool has no place left. */
static borrowed *make_extra(void) {
  borrowed *b = calloc(1, sizeof *b);
  if (b && trigon_create("cpu", &b->context, NULL, 0) == TRIGON_OK) {
    b->is_extra = true;
    return b;
  }
  free(b);
  return NULL;
}

borrowed *pool_take_another(void) {
  place *p = take_any(true);
  if (!p) p = take_any(false);
  return p ? furnish(p) : make_extra();
}

void pool_destroy(borrowed *b) {
  trigon_destroy(b->context);
  free(b);
}
