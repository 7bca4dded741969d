/* distributed.h - what the library and the plugin for clusters share about matrices that are distributed in blocks. */
#ifndef TRIGON_DISTRIBUTED_H
#define TRIGON_DISTRIBUTED_H

#include <trigon_cluster.h>

/* "trigon" and a number of the struct's layout: no address, and no usual number. */
static const uint64_t distributed_tag = 0x7472696f676e0001;

/* How many of `size` elements in blocks lie at the place that is `distance` places behind the first block's. */
static inline int64_t distributed_count(int64_t size, int64_t block, int64_t distance, int64_t places) {
  const int64_t whole = size / block, rounds = whole / places, rest = whole % places;
  return rounds * block + (distance < rest ? block : distance == rest ? size % block : 0);
}

#endif
