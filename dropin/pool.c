/* pool.c - the pool of contexts. Each place holds a free context or nothing, and has a cache line of its own. */
#include "pool.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { places = 64, cache_line = 64 };

typedef struct place {
  _Alignas(cache_line) _Atomic(borrowed *) free;
} place;

static place pool[places];

/* Threads begin their search at different places: the address of a thread's stack tells them apart. */
static unsigned first_place(void) {
  enum { stack_pages = 16 };
  const char here = 0;
  return (unsigned)((uintptr_t)&here >> stack_pages) % places;
}

static borrowed *make(void) {
  borrowed *b = calloc(1, sizeof *b);
  if (b && trigon_create("cpu", &b->context, NULL, 0) == TRIGON_OK) return b;
  free(b);
  return NULL;
}

borrowed *pool_take(void) {
  const unsigned first = first_place();
  for (unsigned i = 0; i < places; i++) {
    _Atomic(borrowed *) *at = &pool[(first + i) % places].free;
    if (!atomic_load_explicit(at, memory_order_relaxed)) continue;
    borrowed *b = atomic_exchange_explicit(at, NULL, memory_order_acquire);
    if (b) return b;
  }
  return make();
}

void pool_return(borrowed *b) {
  const unsigned first = first_place();
  for (unsigned i = 0; i < places; i++) {
    borrowed *nothing = NULL;
    if (atomic_compare_exchange_strong_explicit(&pool[(first + i) % places].free, &nothing, b, memory_order_release,
                                                memory_order_relaxed))
      return;
  }
  trigon_destroy(b->context);
  free(b);
}
