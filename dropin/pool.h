/* pool.h - contexts that calls borrow. A call from any thread takes one that is free, or makes one. There are as many
 * as calls have run at once. */
#ifndef TRIGON_DROPIN_POOL_H
#define TRIGON_DROPIN_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <trigon.h>

typedef struct borrowed {
  atomic_bool is_taken;
  trigon_context *context; /* whoever has taken it reads and writes this, and the members below */
  int threads;             /* that the context uses; 0: as many as it wants */
  bool is_extra;           /* it has no place in the pool */
} borrowed;

/* Takes no lock. A call of order 1 takes as long as this does, so that the usual way is inline. */
typedef struct place {
  _Alignas(64) borrowed of; /* a cache line of its own */
  atomic_bool has_context;  /* for those who only look */
} place;

#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN place pool[];
/* The place that the thread has taken last. */
extern HIDDEN _Thread_local unsigned pool_usual __attribute__((tls_model("initial-exec")));

static inline bool pool_takes(place *p) {
  return !atomic_exchange_explicit(&p->of.is_taken, true, memory_order_acquire);
}

borrowed *pool_take_another(void);
void pool_destroy(borrowed *);

/* Returns NULL if there is no memory for a context. */
static inline borrowed *pool_take(void) {
  place *p = &pool[pool_usual];
  return atomic_load_explicit(&p->has_context, memory_order_relaxed) && pool_takes(p) ? &p->of : pool_take_another();
}

static inline void pool_return(borrowed *b) {
  if (b->is_extra)
    pool_destroy(b);
  else
    atomic_store_explicit(&b->is_taken, false, memory_order_release);
}

#endif
