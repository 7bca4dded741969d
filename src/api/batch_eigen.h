/* batch_eigen.h - eigenproblems of a batch, as calls for one matrix each, and their workspace. */
#ifndef TRIGON_BATCH_EIGEN_H
#define TRIGON_BATCH_EIGEN_H

#include "routines.h"

/* Equal parts of a workspace, one for each thread. */
typedef struct eigen_slices {
  void *memory;
  int64_t bytes;
} eigen_slices;

/* Takes the slices of a batch on the host. If there is not enough memory, `limits` becomes that of no problems at once,
 * and then *threads becomes smaller. */
trigon_status take_slices(engine *, const operation *, int *threads, small_batch_limits *limits, eigen_slices *);
void give_slices(engine *, const eigen_slices *);

/* Solves problem i, whose entries are right, in this memory. */
trigon_status solve_member(engine *, const operation *, int64_t i, void *memory);

/* Solves problems that are a stride apart on a device, one after the other in one workspace. *started: the engine has
 * begun one. */
trigon_status solve_in_turns(engine *, const operation *, bool *started);

#endif
