/* guarded.h - matrices in buffers that notice every stray write, and through NaN every stray read.
 *
 * A guarded matrix stands between two guards, in columns longer than it needs. All of it starts as poison (one NaN
 * with a payload), the caller stores what the routine may read, and guarded_snapshot keeps a copy. After the call
 * guarded_stray finds the first byte outside the routine's region that is not as it was. */
#ifndef TRIGON_TESTS_GUARDED_H
#define TRIGON_TESTS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "calls.h"

typedef struct guarded {
  unsigned char *block, *copy; /* guard, columns, guard; and the same as it was at the snapshot */
  size_t bytes, capacity;
  trigon_matrix matrix;
} guarded;

/* What a call may write: nothing, all of the matrix, or one triangle, with or without the diagonal. */
enum region_shape { REGION_NONE, REGION_ALL, REGION_LOWER, REGION_UPPER };
typedef struct region {
  enum region_shape shape;
  bool strict;
} region;

/* What the call may write of its operand `index`. */
region written_region(const call *c, int index);

/* The rows from..to-1 of column j that belong to the region. */
void region_rows(region r, int64_t rows, int64_t j, int64_t *from, int64_t *to);

/* Makes g a poisoned matrix of that shape, ld = max(1, rows) + gap; memory is reused from call to call. */
void guarded_shape(guarded *g, trigon_type type, int64_t rows, int64_t cols, int64_t gap);
void guarded_snapshot(guarded *g);
/* Puts everything back as it was at the snapshot. */
void guarded_restore(guarded *g);
/* The matrix as it was at the snapshot. */
trigon_matrix guarded_before(const guarded *g);
/* Describes the first change outside the region since the snapshot; NULL where there is none. */
const char *guarded_stray(const guarded *g, region allowed, char *text, size_t size);
void guarded_free(guarded *g);

/* The poison, as the value of an element of the type. */
bool is_poison(const void *element, trigon_type type);

#endif
