/* sim_kernels.h - small kernels, right and wrong ones, for the test of the simulated GPU. */
#ifndef TRIGON_SIM_KERNELS_H
#define TRIGON_SIM_KERNELS_H

#include "gpu/vendor/vendor.h"

typedef enum probe {
  PROBE_ADD,              /* data[i] += value for the i-th thread of all */
  PROBE_ORDER,            /* data[1 + data[0]++] = the thread's number among all */
  PROBE_BARRIER_ORDER,    /* the same behind a barrier */
  PROBE_REVERSE,          /* each block reverses its part of data through shared memory, */
  PROBE_REVERSE_RACE,     /* and without the barrier */
  PROBE_EARLY_END,        /* the first threads end, the others meet in a barrier: allowed */
  PROBE_DIVERGE_FILES,    /* the first thread and the others wait in barriers on one line of two files, */
  PROBE_SHUFFLE_FILES,    /* and in shuffles */
  PROBE_TURNS,            /* each block's first thread: data[1 + data[0]++] = block, before and behind a barrier, */
  PROBE_ATOMIC_TURNS,     /* and an atomic */
  PROBE_DIVERGE,          /* odd and even threads wait in different barriers */
  PROBE_SHUFFLE,          /* data[i] = value of the mirrored lane */
  PROBE_SHUFFLE_STRUCT,   /* the same through 24 bytes */
  PROBE_SHUFFLE_ENDED,    /* lane 0 ends, the others shuffle */
  PROBE_SHUFFLE_BARRIER,  /* lane 0 waits in a barrier, the others in a shuffle */
  PROBE_SHUFFLE_SITES,    /* lane 0 waits in another shuffle */
  PROBE_SHUFFLE_NO_LANE,  /* reads a lane behind the warp */
  PROBE_SHARED_UNWRITTEN, /* data[i] = what shared memory holds at first */
  PROBE_SHARED_OVERRUN,   /* writes the word behind shared memory, which has `value` bytes */
  PROBE_MINIMUM,          /* *(unsigned long long *)data = the least thread number + value */
  PROBES
} probe;

typedef struct probe_task {
  int *data;
  int value;
} probe_task;

#ifdef __cplusplus
extern "C"
#endif
    cudaError_t
    launch_probe(probe, cudaStream_t, int64_t blocks, int threads, size_t shared, probe_task);

#endif
