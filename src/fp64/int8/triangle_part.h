/* triangle_part.h - the part of a product C that is computed: all of it, or a triangle with the diagonal.
 *
 * Rows are those of the real product. So an element of a complex C has two rows, and one column. */
#ifndef TRIGON_TRIANGLE_PART_H
#define TRIGON_TRIANGLE_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host_device.h"

typedef enum triangle_kind { TRIANGLE_NONE, TRIANGLE_LOWER, TRIANGLE_UPPER } triangle_kind;

/* The part of a block of C. The element at (row, col) of the block is below the diagonal or on it if
 * row + shift >= height·col, and above it or on it if row + shift < height·(col + 1). */
typedef struct triangle_part {
  triangle_kind kind;
  int height; /* rows of an element */
  int64_t shift;
} triangle_part;

/* Whether a rectangle of the block has elements of the part. */
static TRIGON_HOST_DEVICE inline bool part_meets(const triangle_part *t, int64_t row, int64_t col, int64_t rows,
                                                 int64_t cols) {
  switch (t->kind) {
  case TRIANGLE_LOWER: return row + rows - 1 + t->shift >= t->height * col;
  case TRIANGLE_UPPER: return row + t->shift < t->height * (col + cols);
  default: return true;
  }
}

/* The tiles of a column of tiles that have elements of the part: those from `first` up to `end`. */
typedef struct tile_rows {
  int64_t first, end;
} tile_rows;

/* A tile has `rows` × `cols` elements, and a column of tiles has `tiles` of them. */
static TRIGON_HOST_DEVICE inline tile_rows part_of_tiles(const triangle_part *t, int64_t tile_col, int rows, int cols,
                                                         int64_t tiles) {
  const int64_t row = t->height * cols * tile_col - t->shift; /* of the diagonal in the first column */
  const int64_t end = row + t->height * cols;                 /* behind the diagonal in the last column */
  tile_rows part;
  part.first = t->kind == TRIANGLE_LOWER && row > 0 ? row / rows : 0;
  part.end = t->kind != TRIANGLE_UPPER ? tiles : end > 0 ? (end + rows - 1) / rows : 0;
  if (part.end > tiles) part.end = tiles;
  if (part.first > part.end) part.first = part.end;
  return part;
}

/* How many tiles of m × n elements have elements of the part. */
static inline int64_t count_part_of_tiles(const triangle_part *t, int64_t m, int64_t n, int rows, int cols) {
  int64_t count = 0;
  for (int64_t col = 0; col * cols < n; col++) {
    const tile_rows part = part_of_tiles(t, col, rows, cols, (m + rows - 1) / rows);
    count += part.end - part.first;
  }
  return count;
}

#endif
