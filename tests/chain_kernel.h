/* chain_kernel.h - a chain of tiles, each computed by a block of threads from the tile before: the smallest kernel
 * whose blocks wait for each other. And the mistakes that such kernels can have, one at a time. */
#ifndef TRIGON_CHAIN_KERNEL_H
#define TRIGON_CHAIN_KERNEL_H

#include "gpu/vendor/vendor.h"

typedef enum chain_mistake {
  CHAIN_RIGHT,
  CHAIN_NO_AWAIT,      /* nobody waits for the tile before */
  CHAIN_LOW_AWAIT,     /* the await is for the tile that stood in the slot before */
  CHAIN_NO_PUBLISH,    /* no tile is published */
  CHAIN_RELAXED,       /* the flag is set, but releases nothing */
  CHAIN_NO_TICKET,     /* tiles are taken by the blocks' indices */
  CHAIN_UNUSED_TICKET, /* blocks have tickets, but take tiles by their indices */
  CHAIN_NO_RESET,      /* the next launch finds the flags as this one set them */
  CHAIN_ALL_LAST,      /* the first block to end resets the flags */
  CHAIN_NO_BARRIER,    /* a thread reads shared memory before another has written it */
  CHAIN_PLAIN_LOOK,    /* a plain load looks whether there is anything to wait for */
  CHAIN_FLAGS_LEFT,    /* the next launch finds the flags as this one set them, and new tickets */
  CHAIN_FALLING_FLAG,  /* a flag gets a value that is too high, and then the right one */
  CHAIN_TWO_WRITERS,   /* blocks that do not wait for each other publish to one flag */
  CHAIN_LATE_ZERO,     /* block 0 sets the counter of tickets to zero, though others may have taken some */
  CHAIN_NO_ARRIVAL,    /* the last block reads what others wrote behind their publications, and no block arrives */
  CHAIN_MISTAKES
} chain_mistake;

/* Tile k + 1 is made of tile k and stands in slot (k + 1) % CHAIN_SLOTS. Each slot has a flag: the number of the last
 * tile that stands there. Tile 0 is given. Behind its publication a block leaves a mark in a byte of its own. The
 * last block counts the marks. */
enum { CHAIN_SLOTS = 3, CHAIN_THREADS = 64 };

typedef struct chain_task {
  unsigned *slots[CHAIN_SLOTS], *flags, *ticket, *arrived;
  unsigned *begun; /* a flag that nobody awaits */
  unsigned *rest;  /* tiles without a mark */
  unsigned char *marks;
  int words;  /* of a tile; twice as many and one fit into shared memory */
  bool fresh; /* tiles are read past the L1 cache */
} chain_task;

#ifdef __cplusplus
extern "C"
#endif
    cudaError_t
    launch_chain(chain_mistake, cudaStream_t, int64_t tiles, chain_task);

#endif
