/* blocking.h - the sizes of the blocks of a product, from the sizes of the caches. */
#ifndef TRIGON_BLOCKING_H
#define TRIGON_BLOCKING_H

#include "core/type.h"
#include "cpu/kernels/packed/register/register_kernels.h"

/* Bytes of the caches, as far as blocks may rely on them. */
typedef struct caches {
  int64_t first, second, third;
} caches;

/* Depths are multiples of this, because loops over inner indices are unrolled by four. */
enum { depth_step = 8 };

/* A block of X has at most `rows` rows, a block of Y `cols` rows, and both have at most `depth` inner indices. */
typedef struct blocking {
  int64_t rows, cols, depth;
} blocking;

/* What the machine reports, between limits; usual sizes for a cache that it does not report. */
caches caches_here(void);

/* Bytes that a packed block of X takes at most, and one of Y, for any type and any kernels. */
int64_t row_block_bytes(const caches *);
int64_t column_block_bytes(const caches *);

blocking blocking_for(const caches *, const kernels *, trigon_type);

/* Cuts n into as few parts as `most` allows, and returns the size of all but the last: a multiple of `step`, as `most`
 * is. So no part is much smaller than the others. */
int64_t even_part(int64_t n, int64_t most, int64_t step);

#endif
