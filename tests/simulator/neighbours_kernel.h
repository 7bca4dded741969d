/* neighbours_kernel.h - blocks that wait for neighbours on both sides, so that all must be resident at once.
 *
 * The kernel is the smallest one with slots (tg_slot). It can make each mistake that such kernels can have. */
#ifndef TRIGON_NEIGHBOURS_KERNEL_H
#define TRIGON_NEIGHBOURS_KERNEL_H

#include "gpu/vendor/vendor.h"

typedef enum neighbours_mistake {
  NEIGHBOURS_RIGHT,
  NEIGHBOURS_APART,    /* the launch does not ask for all blocks at once */
  NEIGHBOURS_NO_PUT,   /* one block sends nothing to the block before it */
  NEIGHBOURS_NO_GET,   /* a number is read that was not waited for */
  NEIGHBOURS_ONE_SLOT, /* a number takes the place of one that may not have been read yet */
  NEIGHBOURS_MISTAKES
} neighbours_mistake;

/* In each round thread t of block b has a number x(b, t), which becomes x(b, t) + 3·x(b-1, t) + 5·x(b+1, t); beyond the
 * ends x is zero. x(b, t) begins as b + t. Block b has four places for each thread: for rounds with even and odd
 * numbers, from the block before and from the block behind. All of them are zero when the launch begins. */
enum { NEIGHBOURS_THREADS = 40 };
typedef struct neighbours_task {
  void *slots; /* 4·blocks·NEIGHBOURS_THREADS places of neighbours_slot_bytes() each */
  double *x;
  int rounds;
} neighbours_task;

#ifdef __cplusplus
extern "C" {
#endif

size_t neighbours_slot_bytes(void);

cudaError_t launch_neighbours(neighbours_mistake, cudaStream_t, int64_t blocks, neighbours_task);

#ifdef __cplusplus
}
#endif

#endif
