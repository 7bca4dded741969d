/* blocking.c - the sizes of the blocks of a product, from the sizes of the caches.
 *
 * A row panel of X fills half of the first-level cache while a column panel of Y passes, a block of X stays in the
 * second-level cache, and a block of Y in the third. Source: Low et al., ACM TOMS 43 (2016), art. 12. */
#include "blocking.h"

#include <unistd.h>

enum { KiB = 1 << 10, MiB = 1 << 20, page = 4 * KiB };

/* A depth below the least one reads and writes C too often. Above the largest one blocks have too few rows. */
enum { least_depth = 192, most_depth = 384 };

static int64_t clamp(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

static int64_t reported(int name, int64_t usual, int64_t least, int64_t most) {
  const int64_t bytes = name < 0 ? 0 : sysconf(name);
  return clamp(bytes > 0 ? bytes : usual, least, most);
}

/* Virtual machines report the third-level cache of the whole host. The upper limit is a share of such a cache. */
caches caches_here(void) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  enum { first = _SC_LEVEL1_DCACHE_SIZE, second = _SC_LEVEL2_CACHE_SIZE, third = _SC_LEVEL3_CACHE_SIZE };
#else
  enum { first = -1, second = -1, third = -1 };
#endif
  return (caches){.first = reported(first, 32 * KiB, 16 * KiB, 128 * KiB),
                  .second = reported(second, 512 * KiB, 256 * KiB, 2 * MiB),
                  .third = reported(third, 9 * MiB, 9 * MiB, 12 * MiB)};
}

/* The rest of each cache is for the panels that pass, and for C. */
int64_t row_block_bytes(const caches *c) { return c->second / 8 * 5 / page * page; }
int64_t column_block_bytes(const caches *c) { return c->third / 2 / page * page; }

static int64_t round_down(int64_t x, int64_t step) { return x / step * step; }

blocking blocking_for(const caches *c, const kernels *k, trigon_type type) {
  const int64_t element = type_size(type);
  const int64_t depth = clamp(c->first / 2 / (k->rows * element), least_depth, most_depth) / depth_step * depth_step;
  return (blocking){.depth = depth,
                    .rows = round_down(row_block_bytes(c) / (depth * element), k->rows),
                    .cols = round_down(column_block_bytes(c) / (depth * element), k->cols)};
}

int64_t even_part(int64_t n, int64_t most, int64_t step) {
  if (n <= most) return most;
  return up_to_multiple(parts_of(n, parts_of(n, most)), step);
}
