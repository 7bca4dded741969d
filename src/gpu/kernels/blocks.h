/* blocks.h - the number of blocks of threads that a launch has for a number of tiles. */
#ifndef TRIGON_BLOCKS_H
#define TRIGON_BLOCKS_H

#include <stdint.h>

/* Block b takes the tiles b, b + blocks, b + 2·blocks, ... AMD launches fewer than 2^32 threads. All vendors launch
 * fewer than 2^31 blocks; with two threads or more in a block, the first limit is the smaller one. */
inline int64_t blocks_for(int64_t tiles, int threads) {
  const int64_t most = UINT32_MAX / static_cast<unsigned>(threads);
  return tiles < most ? tiles : most;
}

#endif
