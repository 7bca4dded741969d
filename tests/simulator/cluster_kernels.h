/* cluster_kernels.h - right and wrong kernels of clusters, for the test of the simulated GPU. */
#ifndef TRIGON_CLUSTER_KERNELS_H
#define TRIGON_CLUSTER_KERNELS_H

#include "gpu/vendor/vendor.h"

typedef enum cluster_probe {
  CLUSTER_EXCHANGE,  /* data[i] = number of the same thread in the next block of the cluster, for 3 turns */
  CLUSTER_RACE,      /* the same, but blocks overwrite what others may still read */
  CLUSTER_BEFORE,    /* a block reads of another one before the first barrier */
  CLUSTER_BEHIND,    /* a block reads of another one that has ended */
  CLUSTER_NO_BLOCK,  /* a block reads of a block that the cluster does not have */
  CLUSTER_EARLY_END, /* block 0 of the cluster ends, and the others meet in a barrier; this is allowed */
  CLUSTER_DIVERGE,   /* threads of a block wait in a barrier of the block and in one of the cluster */
  CLUSTER_DEADLOCK,  /* block 0 awaits a flag, and the others wait for the cluster */
  CLUSTER_PROBES
} cluster_probe;

typedef struct cluster_task {
  int *data;
  int cluster;
} cluster_task;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t launch_cluster_probe(cluster_probe, cudaStream_t, int64_t blocks, int threads, cluster_task);
#ifdef __cplusplus
}
#endif

#endif
