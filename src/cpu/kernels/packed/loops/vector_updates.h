/* vector_updates.h - updates of rank one or two by vectors, without packed operands. */
#ifndef TRIGON_VECTOR_UPDATES_H
#define TRIGON_VECTOR_UPDATES_H

#include "cpu/kernels/packed/blocks/buffers.h"

/* Whether a product is such an update, of a matrix that has a stride of 1, and the buffer has room for its vectors. */
bool is_vector_update(const packed *, trigon_type, const product *);

/* Computes matrix b of such a product. */
void update_by_vectors(const packed *, int threads, trigon_type, const product *, int64_t b);

#endif
