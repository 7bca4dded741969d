/* cut_rule.h - where a triangle is cut in two: behind half of its blocks, or at a power of two. */
#ifndef TRIGON_CUT_RULE_H
#define TRIGON_CUT_RULE_H

#include "core/sizes.h"

typedef enum cut_rule {
  CUT_HALVES, /* cuts n into the fewest equal blocks that are not above the stop order; half of them come first */
  CUT_POWER   /* the largest power of two below n comes first: the papers' rule */
} cut_rule;

/* A block that begins at a multiple of this many elements has whole cache lines (64 bytes are 16 floats or 8 doubles)
 * and whole register tiles of GEMM. */
enum { cut_alignment = 16 };

/* The order of the first diagonal block of a triangle of order n > stop. Between 1 and n - 1. */
static inline int64_t first_block(cut_rule rule, int64_t stop, int64_t n) {
  if (rule == CUT_POWER) {
    int64_t power = 1;
    while (power < n - power) power *= 2;
    return power;
  }
  int64_t blocks = parts_of(n, stop), aligned = up_to_multiple(parts_of(n, blocks), cut_alignment);
  return (aligned <= stop ? aligned : stop) * ((blocks + 1) / 2);
}

#endif
