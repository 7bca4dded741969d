/* element_bounds.h - the product of ceilings of an element of |A|·|B| and the accuracy that its lower bound asks for;
 * their largest within a tile of C for each line. */
#ifndef TRIGON_ELEMENT_BOUNDS_H
#define TRIGON_ELEMENT_BOUNDS_H

#include "../../core/emulation.h"
#include "../vendor/vendor.h"

/* The largest so far; 0 if all products were 0. */
struct element_bounds {
  unsigned upper = 0, need = 0;
};

__device__ inline void raise(unsigned &x, unsigned by) { x = by > x ? by : x; }

/* What the bounds of an element need of a line: the first words of line_stats. */
struct bound_line {
  unsigned ceilings, nonzeros;
  int log_norm, scale;
};
__device__ inline bound_line bound_line_of(const line_stats &a) {
  return *reinterpret_cast<const bound_line *>(&a.ceilings);
}

/* `sum` is the product of the ceilings less 128: the product itself is the sum + 128·(both sums of ceilings) - 128²·k.
 * All of this is modulo 2^32, and the product is below. */
__device__ inline void add_bounds(element_bounds &row, element_bounds &col, int sum, const bound_line &a,
                                  const bound_line &b, unsigned k) {
  const unsigned upper = static_cast<unsigned>(sum) + 128 * (a.ceilings + b.ceilings) - 128u * 128 * k;
  const unsigned lower = lower_bound(upper, a.ceilings, b.ceilings, a.nonzeros, b.nonzeros, k);
  raise(row.upper, upper), raise(col.upper, upper);
  raise(row.need, upper ? need_bits(b.log_norm, lower) : 0), raise(col.need, upper ? need_bits(a.log_norm, lower) : 0);
}

/* Adds what a thread has found for line i in the tile that holds line `other` of the other operand. */
__device__ inline void raise_bounds(const line_set &x, int64_t i, int64_t other, const element_bounds &found) {
  if (!found.upper) return;
  tg_atomic_max(x.upper + other / fp64_tile * x.count + i, found.upper);
  tg_atomic_max(x.need + other / fp64_tile * x.count + i, found.need);
}

#endif
