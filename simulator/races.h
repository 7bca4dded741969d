/* races.h - the race detector: reports two accesses of two threads to one byte if one writes and nothing orders the
 * two. Accesses are ordered by the order within a thread, by barriers within a block or a cluster, by a publication and
 * its await, and by the arrivals at a counter and the counter's last block. Atomic accesses need no order among each
 * other, but publications of one flag do. So the detector finds a missing wait or barrier in every order of blocks and
 * threads.
 *
 * Kernels that are compiled with -fsanitize=thread report their accesses: compilers insert calls of functions such as
 * __tsan_read4, and races.c defines these functions. No library of the compiler is linked. Kernels that are compiled
 * without this option are not checked. The detector does not see the accesses of memcpy and memset in a kernel. */
#ifndef TRIGON_SIMULATOR_RACES_H
#define TRIGON_SIMULATOR_RACES_H

#include "scheduler.h"

/* Returns whether any kernel of the program reports its accesses. */
bool sim_race_checked(void);

/* Called at the begin and at the end of a launch. sim_race_begin returns false if memory is missing. */
bool sim_race_begin(void);
void sim_race_end(void);

/* Called at the begin and at the end of a block. */
void sim_race_begin_block(block *);
void sim_race_end_block(block *);

/* Called when the block has passed a barrier. */
void sim_race_barrier(block *);

/* Called when the running fiber accesses words atomically. A block that acquires a publication or an arrival has seen
 * that access, too. */
typedef enum atomic { LOAD, UPDATE, ARRIVAL, PUBLICATION } atomic;
void sim_race_atomic(const void *, size_t, atomic);

/* Called when the running fiber accesses memory by code that does not report it; `from`: the instruction behind. */
void sim_race_plain(const void *, size_t, bool writes, const void *from);

/* Adds to clock[0 .. blocks-1] what happened before the block's last barrier, in this block and in other blocks. */
void sim_race_release(const block *, uint32_t *clock);

/* Orders the accesses that the clock holds before the accesses of the block behind its next barrier. */
void sim_race_acquire(block *, const uint32_t *clock);

#endif
