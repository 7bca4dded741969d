/* pool.h - the workers of the process: threads that join crews.
 *
 * The pool is one of the two mutable globals of the library, because processors belong to the process: all contexts
 * share its workers. It starts at the first call that wants a worker. A worker without work sleeps. A forked child has
 * no workers, and starts its own. When the library is unloaded, or the process ends, the pool ends its workers. */
#ifndef TRIGON_POOL_H
#define TRIGON_POOL_H

#include "crew.h"

/* A crew of the calling thread, to which so many workers at most are invited; or NULL: nobody is there. */
crew *pool_gather(const team_work *, int workers, void *job);

#endif
