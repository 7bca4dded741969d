/* guarded.h - matrices in buffers that notice every stray write and, through NaN, every stray read.
 *
 * A guarded matrix lies between two guards. Its columns are longer than the matrix needs. At first all bytes are
 * poison (one NaN with a payload). The caller stores the elements that the routine may read, and guarded_snapshot
 * keeps a copy. After the call guarded_stray finds the first byte outside the routine's region that has changed. */
#ifndef TRIGON_TESTS_GUARDED_H
#define TRIGON_TESTS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "calls.h"

typedef struct guarded {
  unsigned char *block, *copy; /* guard, columns, guard; and the copy of the snapshot */
  size_t bytes, capacity;
  int guard; /* elements */
  trigon_matrix matrix;
} guarded;

/* The region that a call may write: nothing, all of the matrix, or one triangle with or without the diagonal. */
enum region_shape { REGION_NONE, REGION_ALL, REGION_LOWER, REGION_UPPER };
typedef struct region {
  enum region_shape shape;
  bool strict;
} region;

/* Returns the region of the operand `index` that the call may write. */
region written_region(const call *c, int index);

/* Returns the rows from..to-1 of column j that belong to the region. */
void region_rows(region r, int64_t rows, int64_t j, int64_t *from, int64_t *to);

/* Makes g a poisoned matrix of that shape with ld = max(1, rows) + gap. Calls reuse the memory. */
void guarded_shape(guarded *g, trigon_type type, int64_t rows, int64_t cols, int64_t gap);
void guarded_snapshot(guarded *g);
/* Restores all bytes of the snapshot. */
void guarded_restore(guarded *g);
/* Returns the matrix of the snapshot. */
trigon_matrix guarded_before(const guarded *g);
/* Describes the first change outside the region since the snapshot. Returns NULL if nothing has changed there. */
const char *guarded_stray(const guarded *g, region allowed, char *text, size_t size);
void guarded_free(guarded *g);

/* Returns whether an element of the type is poison. */
bool is_poison(const void *element, trigon_type type);

#endif
