/* element_bounds.h - bounds of an element of |A|·|B| from the product of its ceilings, the accuracy that the lower
 * bound asks for, and the largest of both within a tile of C for each line. */
#ifndef TRIGON_ELEMENT_BOUNDS_H
#define TRIGON_ELEMENT_BOUNDS_H

#include "fp64/int8/emulation.h"
#include "gpu/vendor/vendor.h"

/* The largest so far. */
struct element_bounds {
  unsigned upper = 0;
  int need = least_need;
};

__device__ inline void raise(element_bounds &x, unsigned upper, int need) {
  x.upper = upper > x.upper ? upper : x.upper, x.need = need > x.need ? need : x.need;
}

/* What the bounds of an element need of a line, with its share of 128·(both sums of ceilings) - 128²·k. */
struct bound_line {
  unsigned ceilings, more_nonzeros, share, need; /* nonzeros less k, for rows */
};
__device__ inline bound_line bound_row(const line_stats &a, unsigned k) {
  return {a.ceilings, a.nonzeros - k, 128 * a.ceilings - 128u * 128 * k, need_share(a.log_norm)};
}
__device__ inline bound_line bound_col(const line_stats &b) {
  return {b.ceilings, b.nonzeros, 128 * b.ceilings, need_share(b.log_norm)};
}

/* `sum` is the product of the ceilings less 128. All of this is modulo 2^32, and the product of ceilings is below. */
__device__ inline void add_bounds(element_bounds &of_row, element_bounds &of_col, int sum, const bound_line &row,
                                  const bound_line &col) {
  const unsigned upper = static_cast<unsigned>(sum) + row.share + col.share;
  const unsigned lower = lower_bound(upper, row.ceilings + col.ceilings, row.more_nonzeros + col.more_nonzeros);
  const unsigned bits = bits_of_bound(upper, lower);
  raise(of_row, upper, need_from(col.need, bits)), raise(of_col, upper, need_from(row.need, bits));
}

/* Adds what a thread has found for line i in the tile that holds line `other` of the other operand. */
__device__ inline void raise_bounds(const line_set &x, int64_t i, int64_t other, const element_bounds &found) {
  if (!found.upper) return;
  tg_atomic_max(x.upper + other / fp64_tile * x.count + i, found.upper);
  tg_atomic_max(x.need + other / fp64_tile * x.count + i, stored_need(found.need));
}

#endif
