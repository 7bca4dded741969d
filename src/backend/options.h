/* options.h - the options that stand behind the question mark of a context's name. */
#ifndef TRIGON_OPTIONS_H
#define TRIGON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum split_rule {
  SPLIT_HALVES, /* the fewest blocks that are no larger than the stop size, of equal size; half of them on each side */
  SPLIT_POWER   /* the largest power of two below n, the papers' rule */
} split_rule;

typedef struct backend_options {
  int64_t stop; /* order at which the recursion stops; 0: the backend's own table */
  split_rule rule;
  bool native; /* no recursion */
  bool trace;
  bool own_gemm;   /* devices: products by kernels of our own, not by the vendor's BLAS */
  int64_t int_max; /* for tests: as if the BLAS's integers ended here; 0: where they do */
} backend_options;

/* Blocks that begin at a multiple of this many elements keep whole cache lines (64 bytes are 16 floats, 8 doubles) and
 * whole register tiles of the GEMM underneath. */
enum { split_alignment = 16 };

/* The order of the first part of n > stop, between 1 and n - 1. */
static inline int64_t first_part(split_rule rule, int64_t stop, int64_t n) {
  if (rule == SPLIT_POWER) {
    int64_t power = 1;
    while (power < n - power) power *= 2;
    return power;
  }
  int64_t blocks = (n + stop - 1) / stop, size = (n + blocks - 1) / blocks;
  int64_t aligned = (size + split_alignment - 1) / split_alignment * split_alignment;
  return (aligned <= stop ? aligned : stop) * ((blocks + 1) / 2);
}

#endif
