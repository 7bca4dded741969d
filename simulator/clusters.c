/* clusters.c - clusters: blocks of a launch that are resident together, meet in barriers, and read and write each
 * other's shared memory. The blocks of a cluster have consecutive numbers. */
#include "races.h"

#include <stdlib.h>
#include <string.h>

int simClusterRank(void) { return (int)(sim_scheduler.running->index % (uint32_t)sim_scheduler.launch->cluster); }

void simClusterBarrier(const char *file, int line) {
  sim_fiber_running()->site = (site){file, line};
  sim_fiber_suspend(AT_CLUSTER);
}

/* The running block of the cluster of `b` with this rank, or NULL if this block has ended. */
static block *find_mate(const block *b, int rank) {
  const uint32_t size = (uint32_t)sim_scheduler.launch->cluster, index = b->index / size * size + (uint32_t)rank;
  for (int i = 0; i < sim_scheduler.live; i++) {
    block *mate = sim_scheduler.resident[i];
    if (mate->index == index && !mate->ended) return mate;
  }
  return NULL;
}

/* On a GPU, a block of the cluster may begin later, until the first barrier of the cluster, and its shared memory is
 * gone when it has ended. */
void *simClusterShared(const void *p, int rank) {
  static unsigned char nothing[sim_most_shared];
  const block *b = sim_scheduler.running;
  const size_t offset = (size_t)((const unsigned char *)p - b->shared);
  const block *mate = rank < 0 || rank >= sim_scheduler.launch->cluster ? NULL : find_mate(b, rank);
  if (mate && b->met && offset <= sim_scheduler.launch->shared) return mate->shared + offset;
  sim_fail(simErrorCluster, "block %u asked for shared memory of block %d of its cluster %s", b->index, rank,
           !mate     ? "that does not run"
           : !b->met ? "before a barrier of the cluster"
                     : "from an address that is not in its own");
  return nothing + (offset < sizeof nothing ? offset : 0);
}

bool sim_is_mate(const block *a, const block *b) {
  const uint32_t size = (uint32_t)sim_scheduler.launch->cluster;
  return a->index / size == b->index / size;
}

static void order_accesses(block **mates, int count) {
  uint32_t *clock = calloc((size_t)sim_scheduler.launch->blocks, sizeof *clock);
  if (!clock) {
    sim_fail(simErrorLaunchFailure, "the simulated GPU has no memory for the clock of a cluster");
    return;
  }
  for (int i = 0; i < count; i++) sim_race_release(mates[i], clock);
  for (int i = 0; i < count; i++) {
    sim_race_acquire(mates[i], clock);
    sim_race_barrier(mates[i]);
  }
  free(clock);
}

/* Blocks that have ended are not waited for. */
void sim_pass_cluster_barrier(const block *b) {
  block *mates[sim_most_cluster];
  int count = 0;
  for (int rank = 0; rank < sim_scheduler.launch->cluster; rank++) {
    block *mate = find_mate(b, rank);
    if (!mate) continue;
    if (!mate->at_cluster) return;
    mates[count++] = mate;
  }
  for (int i = 0; i < count; i++) {
    mates[i]->at_cluster = false, mates[i]->met = true;
    sim_pass(mates[i]);
  }
  if (count > 0 && sim_race_checked()) order_accesses(mates, count);
}
