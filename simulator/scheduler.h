/* scheduler.h - the state of a running launch: its resident blocks, their tickets and their clocks. */
#ifndef TRIGON_SIMULATOR_SCHEDULER_H
#define TRIGON_SIMULATOR_SCHEDULER_H

#include "fiber.h"
#include "sim_machine.h"

typedef struct block {
  fiber *fibers;
  unsigned char *shared;
  struct cell *shared_cells; /* the race detector's history of shared memory; NULL: nothing is checked */
  uint32_t index;
  uint32_t epoch; /* barriers that the block has passed, counted from 1 */
  int parked;     /* fibers that have yielded or await a flag */
  bool ended;
  bool at_cluster;         /* the block waits in a barrier of its cluster */
  bool met;                /* it has passed one */
  const unsigned *counter; /* gave the block its last ticket; NULL: the block has no ticket */
  unsigned ticket;
  uint32_t *seen;    /* [c]: the earlier epochs of block c happened before the block's present epoch; NULL: zeros */
  uint32_t *pending; /* the same for the clocks that threads have acquired since the last barrier; NULL: zeros */
} block;

typedef struct launch {
  _Alignas(16) sim_kernel *call; /* the kernel's argument follows this struct */
  int64_t blocks;
  int threads, cluster; /* of a block; blocks of a cluster */
  size_t shared;
  bool together; /* all blocks are resident at once */
} launch;

enum { sim_most_fibers = 8 * sim_most_threads };

typedef struct scheduler {
  sim_device *device;
  const launch *launch;
  block *running; /* the block that has its turn; NULL: no kernel runs */
  block *resident[sim_most_resident];
  int live; /* the first `live` resident blocks run, in the order in which they started */
  uint64_t random;
} scheduler;
extern scheduler sim_scheduler;

/* Ends the launch with an error of the device. The first error counts. */
void sim_fail(simError_t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lets the threads of a block go on that wait in a barrier. */
void sim_pass(block *);

/* clusters.c. A block waits for its cluster, or has ended: the cluster goes on if no block is missing. */
void sim_pass_cluster_barrier(const block *);
bool sim_is_mate(const block *, const block *); /* of one cluster */

/* dataflow.c: tickets and flags of the launch. */
bool sim_await_is_over(const fiber *);
void sim_forget_publications(void);
void sim_report_deadlock(void);

/* async_copies.c: frees what the threads of a launch have kept of their copies. */
typedef struct async_copy async_copy;
void sim_forget_copies(fiber *, int count);

#endif
