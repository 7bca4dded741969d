/* chain.h - runs the chain of tiles (chain_kernel.h) on a device, and checks the result. */
#ifndef TRIGON_CHAIN_H
#define TRIGON_CHAIN_H

#include "chain_kernel.h"

/* A chain's memory on the device, and the stream that works on it. */
typedef struct chain {
  chain_task task;
  cudaStream_t stream;
  unsigned *host, *expected; /* a tile, and room for another tile behind the first */
} chain;

/* For chains of at most `most` tiles. chain_close may also be called if chain_open failed. */
cudaError_t chain_open(chain *, int words, int64_t most);
void chain_close(chain *);

/* Computes `tiles` tiles from a first tile that `seed` gives, and then launches once more on the result. *right is
 * false if the last tile, a flag, a counter or the number of marks is wrong. */
cudaError_t chain_run(chain *, chain_mistake, int64_t tiles, unsigned seed, bool *right);

#endif
