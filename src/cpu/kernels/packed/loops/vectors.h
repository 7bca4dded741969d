/* vectors.h - products with one vector, and updates of rank one or two, without packed operands. */
#ifndef TRIGON_VECTORS_H
#define TRIGON_VECTORS_H

#include "cpu/kernels/packed/blocks/buffers.h"

/* Whether a product is one with a vector, or an update by vectors, of a matrix that has a stride of 1. */
bool vectors_take(const packed *, trigon_type, const product *);

/* Computes such a product. The result does not depend on the number of threads. */
void vectors_run(const packed *, int threads, trigon_type, const product *);

#endif
