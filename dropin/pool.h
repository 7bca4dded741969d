/* pool.h - contexts that calls borrow. A call from any thread takes one that is free, or makes one. There are as many
 * as calls have run at once. */
#ifndef TRIGON_DROPIN_POOL_H
#define TRIGON_DROPIN_POOL_H

#include <trigon.h>

typedef struct borrowed {
  trigon_context *context;
  int threads; /* that the context uses; 0: as many as it wants */
} borrowed;

/* Returns NULL if there is no memory for a context. Takes no lock. */
borrowed *pool_take(void);
void pool_return(borrowed *);

#endif
