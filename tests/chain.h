/* chain.h - runs the chain of tiles (chain_kernel.h) on a device, and checks what came out. */
#ifndef TRIGON_CHAIN_H
#define TRIGON_CHAIN_H

#include "chain_kernel.h"

/* A chain's memory on the device, and the stream that works on it. */
typedef struct chain {
  chain_task task;
  cudaStream_t stream;
  unsigned *host, *expected; /* a tile, and room for another behind it */
} chain;

/* For chains of at most so many tiles. chain_close is for chains that could not be opened, too. */
cudaError_t chain_open(chain *, int words, int64_t most);
void chain_close(chain *);

/* Computes `tiles` tiles from a first one that `seed` gives; launches once more on the result. False in *right if the
 * last tile, a flag, a counter or the number of marks is not what it must be. */
cudaError_t chain_run(chain *, chain_mistake, int64_t tiles, unsigned seed, bool *right);

#endif
