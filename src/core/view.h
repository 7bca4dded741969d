/* view.h - rectangles of a stored matrix: algorithms cut them, engines turn them into addresses. */
#ifndef TRIGON_VIEW_H
#define TRIGON_VIEW_H

#include "type.h"

/* `count` rectangles of m × n elements of one stored matrix. The first rectangle begins at (row, col). Each further one
 * begins row_step rows and col_step columns behind the one before. Two steps are needed: the diagonal blocks of C in a
 * SYRK step along rows and columns, the panels of A that belong to these blocks step along rows alone, or along columns
 * alone. Only the engine knows what `base` is: a host or device address, a tile cache, a distributed matrix.
 *
 * The vectors of BLAS's level 2 are columns with an increment: `gap` elements, which may be negative, lie between
 * neighbours. Matrices have none. */
typedef struct view {
  void *base;
  trigon_type type;
  int64_t row, col, m, n, ld;
  int64_t count, row_step, col_step;
  int64_t gap;
} view;

/* The distance in elements of neighbours in a column. */
static inline int64_t increment_of(view A) { return 1 + A.gap; }

static inline view view_of(trigon_matrix M) {
  return (view){.base = M.data, .type = M.type, .m = M.rows, .n = M.cols, .ld = M.ld, .count = 1};
}

/* The m × n block that begins at (row, col) within each rectangle of A. */
static inline view block(view A, int64_t row, int64_t col, int64_t m, int64_t n) {
  A.row += row, A.col += col;
  A.m = m, A.n = n;
  return A;
}

/* Rectangle i of a view. */
static inline view single(view A, int64_t i) {
  A.row += i * A.row_step, A.col += i * A.col_step;
  A.count = 1;
  return A;
}

/* Merges two views: the rectangles of *both are those of a and b in turn. Returns whether the views can be merged: the
 * rectangles must have one size and even distances. So one call serves both halves of a diagonal, and one launch serves
 * a level of the recursion. */
static inline bool merge_halves(view a, view b, view *both) {
  int64_t down = b.row - a.row, right = b.col - a.col;
  *both = a;
  both->count = 2 * a.count, both->row_step = down, both->col_step = right;
  return a.base == b.base && a.m == b.m && a.n == b.n && a.count == b.count &&
         (a.count == 1 || (a.row_step == 2 * down && a.col_step == 2 * right));
}

#endif
