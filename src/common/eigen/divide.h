/* divide.h - how divide and conquer cuts a tridiagonal matrix: into 2^level blocks whose orders differ by one. */
#ifndef TRIGON_DIVIDE_H
#define TRIGON_DIVIDE_H

#include <stdint.h>

#include "core/host_device.h"

/* The first row of block i. The halves of block i are the blocks 2i and 2i + 1 of the next level. */
TRIGON_HOST_DEVICE static inline int64_t block_begin(int64_t n, int level, int64_t i) { return (i * n) >> level; }

/* The first level whose blocks have at most `most` rows. */
TRIGON_HOST_DEVICE static inline int level_of_leaves(int64_t n, int64_t most) {
  int level = 0;
  while ((n - 1) >> level >= most) level++;
  return level;
}

#endif
