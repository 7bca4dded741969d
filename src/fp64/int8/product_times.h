/* product_times.h - the times of products on one kind of processor, from which the mode `auto` decides. */
#ifndef TRIGON_PRODUCT_TIMES_H
#define TRIGON_PRODUCT_TIMES_H

#include <stdint.h>

/* Times in seconds, or in any other unit, because only their ratios count. A product takes native_flop for each flop
 * natively. By products of integers it takes integer_flop for each flop and modulus (the product that finds bounds
 * counts as a modulus), `operand` for each number of A and B, `result` for each number of C, and `start` once. If m, n
 * or k is below least_size, emulation does not pay. */
typedef struct product_times {
  double native_flop, integer_flop, moduli, operand, result, start;
  int64_t least_size;
} product_times;

#endif
