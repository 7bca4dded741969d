/* chain_kernel.h - a chain of tiles, each computed by a block of threads from the tile before.
 *
 * The chain is the smallest kernel whose blocks wait for each other. The kernel can make each mistake that such
 * kernels can have, one at a time. */
#ifndef TRIGON_CHAIN_KERNEL_H
#define TRIGON_CHAIN_KERNEL_H

#include "gpu/vendor/vendor.h"

typedef enum chain_mistake {
  CHAIN_RIGHT,
  CHAIN_NO_AWAIT,      /* no block waits for the tile before */
  CHAIN_LOW_AWAIT,     /* blocks wait for the tile that was in the slot before */
  CHAIN_NO_PUBLISH,    /* no tile is published */
  CHAIN_RELAXED,       /* the flag is set, but the store releases nothing */
  CHAIN_NO_TICKET,     /* blocks take tiles by the blocks' indices */
  CHAIN_UNUSED_TICKET, /* blocks have tickets, but take tiles by their indices */
  CHAIN_NO_RESET,      /* the next launch finds the flags as this launch set them */
  CHAIN_ALL_LAST,      /* the first block that ends resets the flags */
  CHAIN_NO_BARRIER,    /* a thread reads shared memory before another thread has written it */
  CHAIN_PLAIN_LOOK,    /* a plain load decides whether the block waits */
  CHAIN_FLAGS_LEFT,    /* the next launch finds new tickets, and the flags as this launch set them */
  CHAIN_FALLING_FLAG,  /* a flag gets a value that is too high, and then the right one */
  CHAIN_TWO_WRITERS,   /* blocks that do not wait for each other publish to one flag */
  CHAIN_LATE_ZERO,     /* block 0 sets the counter of tickets to zero after other blocks may have taken tickets */
  CHAIN_NO_ARRIVAL,    /* the last block reads what others wrote after their publications, and no block arrives */
  CHAIN_NO_COUNT,      /* a block does not count itself */
  CHAIN_LOW_COUNT,     /* the block of the last tile awaits all counts but two */
  CHAIN_UPWARD_COUNT,  /* the block of the first tile awaits the counts of all */
  CHAIN_MISTAKES
} chain_mistake;

/* Tile k + 1 is computed from tile k and is stored in slot (k + 1) % CHAIN_SLOTS. Each slot has a flag: the number
 * of the last tile that was stored in the slot. Tile 0 is given. After its publication a block leaves a mark in a byte
 * of its own, and counts itself. The block of the last tile awaits all counts and counts the marks. The last block does
 * so, too. */
enum { CHAIN_SLOTS = 3, CHAIN_THREADS = 64 };

typedef struct chain_task {
  unsigned *slots[CHAIN_SLOTS], *flags, *ticket, *arrived;
  unsigned *begun;              /* a flag that nobody awaits */
  unsigned *rest;               /* tiles without a mark, for the last block */
  unsigned *counted, *unmarked; /* a flag that all blocks count in; tiles without a mark, for the last tile's block */
  unsigned char *marks;
  int words;  /* words of a tile; twice this number, plus one, fits into shared memory */
  bool fresh; /* reads of tiles bypass the L1 cache */
} chain_task;

#ifdef __cplusplus
extern "C"
#endif
    cudaError_t
    launch_chain(chain_mistake, cudaStream_t, int64_t tiles, chain_task);

#endif
