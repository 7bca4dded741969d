/* contiguous.h - contiguous copies of vectors that are not, for kernels that read vectors. */
#ifndef TRIGON_CONTIGUOUS_H
#define TRIGON_CONTIGUOUS_H

#include "cpu/kernels/packed/blocks/buffers.h"

/* Vectors and sums begin whole cache lines. */
enum { vector_multiple = 64 };
/* Rows that are computed at once if columns are contiguous: their numbers stay in the first-level cache. */
enum { block_rows = 2048 };

/* Elements that a contiguous copy of a vector takes. */
static inline int64_t copy_elements(const kernels *kernel, int64_t n) {
  return up_to_multiple(up_to_multiple(n, kernel->rows), vector_multiple);
}

/* x·factor as contiguous elements: where it lies, or a copy at *room. */
static inline const char *contiguous(const kernels *kernel, int64_t element, const operand *x, int64_t n,
                                     trigon_scalar factor, char **room) {
  if (x->row == 1 && !x->conjugate && is_one(factor)) return x->data;
  char *copy = *room;
  const operand to = {copy, 1, n, 0, x->conjugate};
  if (x->row == 1)
    kernel->finish_vector(n, factor, x->data, NULL, (trigon_scalar){0}, &to);
  else
    kernel->load_panel(x, n, 0, 1, 1, factor, copy);
  *room += copy_elements(kernel, n) * element;
  return copy;
}

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static inline bool has_unit_stride(const operand *A) { return A->row == 1 || A->col == 1; }

#endif
