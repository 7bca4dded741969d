/* lower_rows.h - rows of a lower triangle, in row panels one behind the other.
 *
 * The row panel that begins with row i has i + rows inner indices. So a triangle that is packed whole is half as large
 * as a square. */
#ifndef TRIGON_LOWER_ROWS_H
#define TRIGON_LOWER_ROWS_H

#include "buffers.h"

/* A lower triangle of order n, and how it is packed: see pack_triangle of register_kernels.h. */
typedef struct lower_rows {
  const kernels *kernel;
  operand L;
  int64_t n, element; /* the order; bytes of an element */
  bool unit, solve;
} lower_rows;

/* Where inner index k of the row panel that begins with row i is, in bytes from the begin of a whole triangle. */
static inline int64_t lower_at(const kernels *kernel, int64_t element, int64_t i, int64_t k) {
  return (i * (i + kernel->rows) / 2 + k * kernel->rows) * element;
}

/* Packs rows begin .. end - 1, whole row panels, from `to` on. Returns false if a reciprocal is not a normal number. */
bool lower_pack(const lower_rows *, int64_t begin, int64_t end, char *to);

/* Packs a member's share of the whole triangle, which begins at `to`. */
bool lower_pack_share(const lower_rows *, member, char *to);

#endif
