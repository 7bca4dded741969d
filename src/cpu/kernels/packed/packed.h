/* packed.h - products, triangular leaves, POTRF, the inverse of a triangle and LAUUM by register kernels of our own, on
 * one thread or a team.
 * Source: Goto, van de Geijn, ACM TOMS 34 (2008), art. 12; Van Zee, van de Geijn, ACM TOMS 41 (2015), art. 14. */
#ifndef TRIGON_PACKED_H
#define TRIGON_PACKED_H

#include "common/folded.h"
#include "core/error.h"
#include "cpu/kernels/packed/register/kernel_types.h"

/* The order of the largest triangle that one call solves with or multiplies by, and of the largest block that one call
 * factors, inverts or multiplies by its adjoint: what fits the smallest buffers. */
static inline int64_t packed_triangle_order(trigon_type type) { return type == TRIGON_Z ? 704 : 1024; }
static inline int64_t packed_factor_order(trigon_type type) { return type == TRIGON_Z ? 352 : 512; }

/* A triangle with at most this many columns is not packed, but read where it lies. Then one call takes a larger order:
 * a panel of one vector (128 bytes a row at most) fits the smallest buffer, 4.5 MiB. */
enum { packed_few_columns_width = 64, packed_few_columns_order = 32 << 10 };

/* Whether a triangle with so many columns is computed by the calling thread, which packs nothing. From so many products
 * on, packing pays, because threads can share a packed triangle. The sizes alone decide: bits must not depend on
 * threads. */
static inline bool packed_is_small(int64_t n, int64_t width) {
  enum { least_packed_products = 500000 };
  return n <= small_order && width < least_packed_products && n * n * width < least_packed_products;
}

typedef struct packed packed;

/* Makes buffers for these register kernels, which are indexed by the type. `threads` is the size of the largest team;
 * workers have buffers of their own. TRIGON_NO_MEMORY is the only failure. */
trigon_status packed_create(const kernels *const *of, int threads, packed **out, reason *why);
void packed_destroy(packed *);

/* Bytes of the buffers. p may be NULL. */
int64_t packed_memory(const packed *p);

/* Fills the begin of each buffer with NaN, for tests. */
void packed_make_dirty(packed *);

/* Changes the most threads that compute one leaf. */
void packed_set_threads(packed *, int threads);

/* `threads` is how many threads are wanted. A team has fewer if there is not enough work, or if others are busy. The
 * result does not depend on them. */
void packed_product(const packed *, int threads, trigon_type, const product *);

/* A product of at least one element by the calling thread, which packs nothing. Returns false, and does nothing, if
 * packing pays. */
bool packed_small_product(const packed *, trigon_type, const small_product *);

/* The order is at most packed_triangle_order, or packed_few_columns_order if the width is at most
 * packed_few_columns_width. */
void packed_trsm(const packed *, int threads, trigon_type, const triangular *);
void packed_trmm(const packed *, int threads, trigon_type, const triangular *);

/* TRSM (`solve`) or TRMM with one small triangle: see packed_is_small. */
void packed_small_triangle(const packed *, trigon_type, const triangular *, bool solve);

/* Overwrites the lower triangle A of order n, at most packed_factor_order, by its Cholesky factor. Returns 0, or the
 * first column, from 1, whose pivot is not positive. Then the columns before it hold the factor, and the others are
 * unchanged. */
int64_t packed_potrf(const packed *, int threads, trigon_type, const operand *A, int64_t n);

/* How many matrices of a type are factored together. What a matrix becomes does not depend on the others. */
int packed_lanes(const packed *, trigon_type);
void packed_potrf_group(const packed *, trigon_type, potrf_group *);

/* Overwrites the lower triangle L of order n, at most packed_factor_order, by its inverse X, so that X·L - I is
 * small. If L is unit, the diagonal is neither read nor written. Returns false if the reciprocal of a diagonal element
 * is not a normal number. Then nothing has been written. */
bool packed_invert(const packed *, int threads, trigon_type, const operand *L, int64_t n, bool unit);

/* Overwrites the lower triangle L of order n, at most packed_factor_order, by the lower triangle of Lᴴ·L. */
void packed_lauum(const packed *, int threads, trigon_type, const operand *L, int64_t n);

/* x = (L·Lᴴ)⁻¹·x for one contiguous column x and a lower triangle L of order n, at most small_order. One of L's strides
 * is 1. If L is conjugated, its conjugate is the factor. */
void packed_potrs_column(const packed *, trigon_type, const operand *L, int64_t n, void *x);

#endif
