/* races.h - the race detector: two threads access one byte, one of them writes, and nothing puts the two into an order.
 * What orders accesses: a thread's own order, barriers within a block, a publication and the await of it, the arrivals
 * at a counter and its last block. Atomic accesses need no order among each other, but publications of one flag do. So
 * a missing wait or barrier is found in whatever order blocks and threads run.
 *
 * Kernels compiled with -fsanitize=thread report their accesses: compilers insert calls of __tsan_read4 and the like,
 * which races.c defines; no library of the compiler's is linked. Kernels compiled without are not checked,
 * and neither is what a call of memcpy or memset in a kernel reads and writes. */
#ifndef TRIGON_SIMULATOR_RACES_H
#define TRIGON_SIMULATOR_RACES_H

#include "scheduler.h"

/* Whether any kernel of the program reports its accesses. */
bool sim_race_checked(void);

/* At the begin and at the end of a launch; false if there is no memory. */
bool sim_race_begin(void);
void sim_race_end(void);

/* At the begin and at the end of a block. */
void sim_race_begin_block(block *);
void sim_race_end_block(block *);

/* A barrier of the block was passed. */
void sim_race_barrier(block *);

/* The running fiber accesses words atomically. Who acquires what a publication or an arrival released has seen that
 * access, too. */
typedef enum atomic { LOAD, UPDATE, ARRIVAL, PUBLICATION } atomic;
void sim_race_atomic(const void *, size_t, atomic);

/* clock[0 .. blocks-1] takes up what happened before the block's last barrier, and that barrier's block itself. */
void sim_race_release(const block *, uint32_t *clock);

/* What the clock holds happened before whatever the block does behind its next barrier. */
void sim_race_acquire(block *, const uint32_t *clock);

#endif
