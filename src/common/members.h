/* members.h - a batch of matrices of different sizes as one operand, for the recursion (only tests use it so far):
 * `member` clips a window to one matrix. Engines are to call it where a view becomes an address.
 *
 * A batch is a view whose `base` points to a `members`. All matrices of the batch lie in one *frame*: a square of the
 * order of the largest matrix, rounded up to whole blocks. Each matrix has an anchor, which is its place in the frame
 * (panel_schedule.h). The rectangle of a view is a window on the frame. For matrix i the rectangle means those elements
 * of matrix i that lie in the window; the window may hold no element of matrix i. So algorithms cut the frame and never
 * ask for the size of a matrix. An engine clips the window for each matrix:
 *
 * - If the output of an operation is empty for matrix i, the operation does nothing to matrix i.
 * - If the inner size of a product is 0 for matrix i, the product is C = beta·C. The engine must not leave the product
 *   out: in a backward TRSM this product scales by alpha.
 * - After the factorization of a matrix has failed, the matrix has only its sound columns, and its right-hand sides
 *   have no columns.
 * - Upper triangles and backward substitutions count from the end of a matrix. They do so after the clipping.
 * - operation.column counts columns of the frame. The anchor turns a column of the frame into a column of a matrix. */
#ifndef TRIGON_MEMBERS_H
#define TRIGON_MEMBERS_H

#include "core/view.h"
#include "panel_schedule.h"

/* `count` matrices. Each array has one entry for each matrix: its address, its leading dimension, its numbers of rows
 * and columns, and the row and the column of the frame at which the matrix is anchored. */
typedef struct members {
  int64_t count;
  void *const *base;
  const int64_t *ld, *rows, *cols, *row_anchor, *col_anchor;
} members;

/* The elements that a window shows of matrix i, as a view of matrix i. The window is one rectangle. */
static inline view member(view window, int64_t i) {
  const members *m = window.base;
  const span rows = clip((span){window.row, window.m}, m->row_anchor[i], m->rows[i]);
  const span cols = clip((span){window.col, window.n}, m->col_anchor[i], m->cols[i]);
  return (view){.base = m->base[i],
                .type = window.type,
                .row = rows.first,
                .col = cols.first,
                .m = rows.count,
                .n = cols.count,
                .ld = m->ld[i],
                .count = 1};
}

#endif
