/* few_columns.h - solves and products with few columns, straight from the triangle where it lies. */
#ifndef TRIGON_FEW_COLUMNS_H
#define TRIGON_FEW_COLUMNS_H

#include "cpu/kernels/packed/blocks/buffers.h"

/* Whether a stride of the triangle is 1 or -1. */
bool few_columns_takes(const triangular *);

/* Bytes of the panels for problems of this shape. */
int64_t few_columns_bytes(const kernels *, int64_t element, int64_t n, int64_t width);

/* B = alpha·L⁻¹·B (`solve`) or B = alpha·L·B, for a single matrix (the count is not read). The panels of all columns
 * must fit the shared buffer. */
void few_columns_run(const packed *, int threads, trigon_type, const triangular *, bool solve);

#endif
