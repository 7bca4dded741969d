/* many_columns.h - a solve or a product with a triangle and many columns, of which both are packed. */
#ifndef TRIGON_MANY_COLUMNS_H
#define TRIGON_MANY_COLUMNS_H

#include "cpu/kernels/packed/blocks/lower_rows.h"

/* Columns of B in panels: panel p begins at data + p·bytes. */
typedef struct column_group {
  int64_t first, width;
  char *data;
  int64_t bytes;
} column_group;

/* A leaf with one pair of matrices: those of `t` are not used. */
typedef struct wide {
  const packed *packed;
  const kernels *kernel;
  const triangular *t;
  lower_rows rows;
  operand B;
  int64_t element; /* bytes */
  int64_t depth;   /* the most inner indices of one product */
  int64_t whole;   /* the order, rounded up to whole row panels */
} wide;

/* Moves rows k0 .. k1 - 1 of the group, from B into the panels, times alpha, or back. k0 begins a row panel. */
void wide_load(const wide *, const column_group *, int64_t k0, int64_t k1);
void wide_store(const wide *, const column_group *, int64_t k0, int64_t k1);

/* B from row k on. */
static inline operand wide_from_row(const wide *w, int64_t k) {
  operand B = w->B;
  B.data = (char *)B.data + k * B.row * w->element;
  return B;
}

/* Whether the buffers can hold what a product needs: one row panel, and one column panel. */
bool wide_product_fits(const packed *, trigon_type, int64_t n);

void wide_solve(const wide *, int threads);
void wide_multiply(const wide *, int threads);

#endif
