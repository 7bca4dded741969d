/* waits.h - plays a plan by the player, on devices that move and compute nothing: they remember who waits for whom. */
#ifndef TRIGON_WAITS_H
#define TRIGON_WAITS_H

#include "hosted/hosted.h"

/* Returns how many accesses to elements, in host memory and in device memory, nothing puts in order with an earlier
 * access, of which one is a write. The plan is that of the operation. Its matrices are in host memory that counts as
 * pinned. No element is read. The host's own waits count as none. */
int count_races(hosted_job *, const operation *, bool peers);

/* Whether each device that has steps began one, and no more, before the first copy of the last plan that was played. */
bool began_before_copies(const plan *);

#endif
