/* sim_kernels.h - small kernels, right and wrong kernels, for the test of the simulated GPU. */
#ifndef TRIGON_SIM_KERNELS_H
#define TRIGON_SIM_KERNELS_H

#include "gpu/vendor/vendor.h"

typedef enum probe {
  PROBE_ADD,              /* data[i] += value; i is the number of the thread in the grid */
  PROBE_ORDER,            /* data[1 + data[0]++] = number of the thread in the grid */
  PROBE_BARRIER_ORDER,    /* as PROBE_ORDER, but behind a barrier */
  PROBE_REVERSE,          /* each block reverses its part of data through shared memory, */
  PROBE_REVERSE_RACE,     /* the same without the barrier */
  PROBE_EARLY_END,        /* the first threads end, and the others meet in a barrier; this is allowed */
  PROBE_DIVERGE_FILES,    /* the first thread and the others wait in barriers on one line of two files */
  PROBE_SHUFFLE_FILES,    /* the same in shuffles */
  PROBE_TURNS,            /* the first thread of each block: data[1 + data[0]++] = block, before and behind a barrier */
  PROBE_ATOMIC_TURNS,     /* the same with an atomic operation */
  PROBE_DIVERGE,          /* odd and even threads wait in different barriers */
  PROBE_SHUFFLE,          /* data[i] = value of the mirrored lane */
  PROBE_SHUFFLE_STRUCT,   /* the same with 24 bytes */
  PROBE_GATHER,           /* the same by gathering */
  PROBE_SHUFFLE_ENDED,    /* lane 0 ends, and the others shuffle */
  PROBE_SHUFFLE_BARRIER,  /* lane 0 waits in a barrier, and the others wait in a shuffle */
  PROBE_SHUFFLE_SITES,    /* lane 0 waits in another shuffle */
  PROBE_SHUFFLE_NO_LANE,  /* a thread reads a lane behind the warp */
  PROBE_GATHER_ENDED,     /* lane 0 ends, and the others gather */
  PROBE_COPIES,           /* each block reverses its part of data, which asynchronous copies bring to shared memory */
  PROBE_COPIES_EARLY,     /* the same, but the wait leaves one group too many */
  PROBE_COPIES_OPEN,      /* the same, but the group is not ended before the wait */
  PROBE_COPIES_CHANGED,   /* the same, but the source changes before the wait */
  PROBE_COPY_SKEWED,      /* an asynchronous copy of 8 bytes whose source is not at a multiple of 8 */
  PROBE_SHARED_UNWRITTEN, /* data[i] = the initial value of shared memory */
  PROBE_SHARED_OVERRUN,   /* a thread writes the word behind shared memory, which has `value` bytes */
  PROBE_MINIMUM,          /* *(unsigned long long *)data = the least thread number + value */
  PROBE_SUM_AND_MAXIMUM,  /* to a sum, and to a maximum behind it, of 64 bits: (thread number + value)·2^32 */
  PROBES
} probe;

typedef struct probe_task {
  int *data;
  int value;
} probe_task;

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the kernel first. */
cudaError_t launch_probe(probe, cudaStream_t, int64_t blocks, int threads, size_t shared, probe_task);

/* Launches a kernel that nobody loads. */
cudaError_t launch_unloaded(cudaStream_t);

/* Loads a kernel with 48 KiB of shared memory, and launches it with `shared` bytes. */
cudaError_t launch_beyond_loaded(cudaStream_t, size_t shared);

#ifdef __cplusplus
}
#endif

#endif
