/* pool.h - the workers of the process: threads that join crews.
 *
 * The pool is one of the two mutable globals of the library, because processors belong to the process: all contexts
 * share its workers. It starts at the first call that wants a worker, and keeps the library loaded from then on. A
 * worker without work sleeps. A forked child has no workers, and starts its own. */
#ifndef TRIGON_POOL_H
#define TRIGON_POOL_H

#include "crew.h"

/* A crew of the calling thread, with a seat for each of so many workers at most, as far as they run; or NULL: none
 * runs, or too many calls are computed at once. */
crew *pool_gather(const team_work *, int workers, void *job);

#endif
