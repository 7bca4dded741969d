/* options.h - the options that stand behind the question mark of a context's name. */
#ifndef TRIGON_OPTIONS_H
#define TRIGON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum split_rule {
  SPLIT_HALVES, /* two halves, the first rounded up to a multiple of `split_alignment` */
  SPLIT_POWER   /* the largest power of two below n, the papers' rule */
} split_rule;

typedef struct backend_options {
  int64_t stop; /* order at which the recursion stops; 0: the backend's own table */
  split_rule rule;
  bool native; /* no recursion */
  bool trace;
  int64_t int_max; /* for tests: as if the BLAS's integers ended here; 0: where they do */
} backend_options;

/* Blocks that begin at a multiple of this many elements keep whole cache lines (64 bytes are 16 floats, 8 doubles) and
 * whole register tiles of the GEMM underneath. Smaller stop sizes use themselves. */
enum { split_alignment = 16 };

/* The first block of n > stop, between 1 and n - 1. */
static inline int64_t first_block(split_rule rule, int64_t stop, int64_t n) {
  if (rule == SPLIT_POWER) {
    int64_t power = 1;
    while (power < n - power) power *= 2;
    return power;
  }
  int64_t align = stop < split_alignment ? stop : split_alignment;
  int64_t half = n - n / 2, aligned = (half + align - 1) / align * align;
  return aligned < n ? aligned : half;
}

#endif
