/* sizes.h - sizes that are divided into parts. */
#ifndef TRIGON_SIZES_H
#define TRIGON_SIZES_H

#include <stdint.h>

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many parts of at most this size n has. */
static inline int64_t parts_of(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* n, rounded up to a multiple. */
static inline int64_t up_to_multiple(int64_t n, int64_t of) { return parts_of(n, of) * of; }

#endif
