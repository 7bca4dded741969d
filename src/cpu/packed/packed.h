/* packed.h - products, triangular leaves and POTRF by register kernels of our own, on the calling thread.
 * Source: Goto, van de Geijn, ACM TOMS 34 (2008), art. 12; Van Zee, van de Geijn, ACM TOMS 41 (2015), art. 14. */
#ifndef TRIGON_PACKED_H
#define TRIGON_PACKED_H

#include "../../core/error.h"
#include "../../core/folded.h"

/* The order of the largest triangle that one call solves with, multiplies by, or factors. */
enum { packed_triangle_order = 256 };

/* A triangle with at most this many columns is not packed, but read where it lies. Then one call takes a larger order:
 * a column of it fits the buffer. */
enum { packed_thin_width = 64, packed_thin_order = 256 << 10 };

typedef struct packed packed;

/* Chooses register kernels: those of the named instruction set ("portable", "avx2", "avx512"), or if the name is "" the
 * best that the CPU has. TRIGON_NOT_SUPPORTED if the CPU lacks the instructions. */
trigon_status packed_create(const char *kernels, packed **out, reason *why);
void packed_destroy(packed *);

/* Bytes of the buffers. p may be NULL. */
int64_t packed_memory(const packed *p);

/* Fills the begin of each buffer with NaN, for tests. */
void packed_make_dirty(const packed *);

void packed_product(const packed *, trigon_type, const product *);

/* The order is at most packed_triangle_order, or packed_thin_order if the width is at most packed_thin_width. */
void packed_trsm(const packed *, trigon_type, const triangular *);
void packed_trmm(const packed *, trigon_type, const triangular *);

/* Overwrites the lower triangle A of order n, at most packed_triangle_order, by its Cholesky factor. Returns 0, or the
 * first column, from 1, whose pivot is not positive. Then the columns before it hold the factor, and the others are
 * unchanged. */
int64_t packed_potrf(const packed *, trigon_type, const operand *A, int64_t n);

#endif
