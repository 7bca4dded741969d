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
typedef struct many_columns {
  const packed *packed;
  const kernels *kernel;
  const triangular *t;
  lower_rows rows;
  operand B;
  int64_t element; /* bytes */
  int64_t depth;   /* the most inner indices of one product */
  int64_t whole;   /* the order, rounded up to whole row panels */
} many_columns;

/* Columns of a group that lie in panel p. Panels differ by one vector at most: one of a single vector would take longer
 * than its share of the products. */
static inline int64_t many_columns_panels(const many_columns *leaf, const column_group *g) {
  return parts_of(g->width, leaf->kernel->cols);
}
static inline share many_columns_of_panel(const many_columns *leaf, const column_group *g, int64_t p) {
  const int64_t lanes = leaf->kernel->per_vector;
  const share vectors = share_of(parts_of(g->width, lanes), p, many_columns_panels(leaf, g));
  return (share){vectors.first * lanes, least(vectors.end * lanes, g->width)};
}

/* Moves rows k0 .. k1 - 1 of the group, from B into the panels, times alpha, or back. k0 begins a row panel. */
void many_columns_load(const many_columns *, const column_group *, int64_t k0, int64_t k1);
void many_columns_store(const many_columns *, const column_group *, int64_t k0, int64_t k1);

/* B from row k on. */
static inline operand many_columns_from_row(const many_columns *leaf, int64_t k) {
  operand B = leaf->B;
  B.data = (char *)B.data + k * B.row * leaf->element;
  return B;
}

/* Whether the buffers can hold what a product needs: one row panel, and one column panel. */
bool many_columns_product_fits(const packed *, trigon_type, int64_t n);

void many_columns_solve(const many_columns *, int threads);
void many_columns_multiply(const many_columns *, int threads);

#endif
