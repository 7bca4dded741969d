/* view.h - what algorithms cut and backends address: rectangles of a stored matrix. */
#ifndef TRIGON_VIEW_H
#define TRIGON_VIEW_H

#include "type.h"

/* `count` rectangles of m × n elements of one stored matrix; the first begins at (row, col), each further one
 * row_step rows and col_step columns after the one before it. (The diagonal blocks of a triangle step along both; the
 * rows of A that go with them in a SYRK step along one: hence two steps.) `base` means something to the backend alone:
 * a host or device address, a tile cache, a distributed matrix. */
typedef struct view {
  void *base;
  trigon_type type;
  int64_t row, col, m, n, ld;
  int64_t count, row_step, col_step;
} view;

static inline view view_of(trigon_matrix M) {
  return (view){.base = M.data, .type = M.type, .m = M.rows, .n = M.cols, .ld = M.ld, .count = 1};
}

/* The m × n part that begins at (row, col) within each rectangle of A. */
static inline view block(view A, int64_t row, int64_t col, int64_t m, int64_t n) {
  A.row += row, A.col += col;
  A.m = m, A.n = n;
  return A;
}

/* Rectangle i of a view alone. */
static inline view single(view A, int64_t i) {
  A.row += i * A.row_step, A.col += i * A.col_step;
  A.count = 1;
  return A;
}

/* Stores in *both the one view that covers a's and b's rectangles alternately, and returns whether there is one: they
 * must be equal in size and evenly spaced. So two halves of a diagonal become one call, and a level of the recursion
 * one launch. */
static inline bool pair_up(view a, view b, view *both) {
  int64_t down = b.row - a.row, right = b.col - a.col;
  *both = a;
  both->count = 2 * a.count, both->row_step = down, both->col_step = right;
  return a.base == b.base && a.m == b.m && a.n == b.n && a.count == b.count &&
         (a.count == 1 || (a.row_step == 2 * down && a.col_step == 2 * right));
}

#endif
