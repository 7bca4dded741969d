/* few_columns.h - solves and products with few columns, straight from the triangle where it lies. */
#ifndef TRIGON_FEW_COLUMNS_H
#define TRIGON_FEW_COLUMNS_H

#include "cpu/kernels/packed/register/register_kernels.h"

/* The threads that compute one problem. Each calls few_columns_run with its own id. */
typedef struct few_columns_member {
  int id, size;
  void (*wait)(void *team); /* until all members have come; not called if size is 1 */
  void *team;
  void *scratch; /* the member's own: few_columns_scratch_bytes */
} few_columns_member;

/* Whether a stride of the triangle is 1 or -1. */
bool few_columns_takes(const triangular *);

/* Bytes of the panels for problems of this shape. */
int64_t few_columns_bytes(const kernels *, int64_t element, int64_t n, int64_t width);

/* B = alpha·L⁻¹·B (`solve`) or B = alpha·L·B, for a single matrix (the count is not read). The caller waits until all
 * members have come back before anybody uses the panels again. */
void few_columns_run(const kernels *, trigon_type, const triangular *, bool solve, void *panels,
                     const few_columns_member *);

#endif
