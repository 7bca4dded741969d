/* members.h - batches of matrices of different sizes as one operand: the part of the seam that batched routines use.
 *
 * A batch is a view whose `base` is a `members`, on a *frame* that all its matrices have in common: a square of the order of
 * the largest matrix, rounded up to whole blocks. Each matrix is anchored somewhere in the frame, and a view's rectangle is a
 * window on the frame: of matrix i it means the part of the window that matrix i has, which may be empty. So algorithms cut
 * the frame and never ask for a size, and an engine clips:
 *
 * - An operation whose output is empty for matrix i does nothing to it.
 * - A product whose inner size is empty for matrix i is C = beta·C. (It is not left out: a backward TRSM scales by alpha there.)
 * - A matrix whose factorization has failed has its sound columns only, from then on; its right-hand sides have none.
 * - What counts from the end of a matrix (upper triangles, backward substitution) does so after the clipping.
 * - operation.column counts columns of the frame. Matrix i's are found by its anchor. */
#ifndef TRIGON_MEMBERS_H
#define TRIGON_MEMBERS_H

#include "view.h"

/* Rows, or columns, of a matrix or of the frame. */
typedef struct span {
  int64_t first, count;
} span;

/* `count` matrices: where each begins, its leading dimension, how many rows and columns it has, and at which row and column of
 * the frame it is anchored. */
typedef struct members {
  int64_t count;
  void *const *base;
  const int64_t *ld, *rows, *cols, *row_anchor, *col_anchor;
} members;

/* The anchor of a size in a frame of blocks of order nb that holds `most`. Matrices start together (the paper's SSDE), or each
 * ends in the frame's last block (DSSE), so that all finish in the last step. */
typedef enum anchoring { ANCHOR_START, ANCHOR_END } anchoring;

static inline int64_t blocks_in(int64_t size, int64_t nb) { return (size + nb - 1) / nb; }

static inline int64_t anchor_of(anchoring where, int64_t size, int64_t most, int64_t nb) {
  return where == ANCHOR_START ? 0 : nb * (blocks_in(most, nb) - blocks_in(size, nb));
}

/* What a matrix of `size` rows, anchored at `anchor`, has of a window on the frame: rows of the matrix. */
static inline span clip(span window, int64_t anchor, int64_t size) {
  int64_t first = window.first - anchor, end = first + window.count;
  if (first < 0) first = 0;
  if (end > size) end = size;
  return (span){first, end > first ? end - first : 0};
}

/* The part of a window, which is one rectangle, that matrix i has. */
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
