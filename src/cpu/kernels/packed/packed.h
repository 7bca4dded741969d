/* packed.h - products, triangular leaves, POTRF, the inverse of a triangle and LAUUM by register kernels of our own, on
 * one thread or a team.
 * Source: Goto, van de Geijn, ACM TOMS 34 (2008), art. 12; Van Zee, van de Geijn, ACM TOMS 41 (2015), art. 14. */
#ifndef TRIGON_PACKED_H
#define TRIGON_PACKED_H

#include "common/folded.h"
#include "core/error.h"
#include "cpu/kernels/packed/register/kernel_types.h"

/* The largest orders that one call takes, because they fit the smallest buffers: those of a context, or those of one
 * thread that computes whole matrices of a batch (packed_create_member). */
typedef struct packed_orders {
  int64_t triangle;    /* TRSM and TRMM */
  int64_t few_columns; /* the same, if the triangle is not packed: a panel of one vector has 128 bytes a row at most */
  int64_t potrf;
  int64_t panels; /* the inverse of a triangle, and LAUUM */
} packed_orders;

packed_orders packed_orders_of(trigon_type, bool is_member);

/* A triangle with at most this many columns is not packed, but read where it lies. */
enum { packed_few_columns_width = 64 };

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

/* Makes what one thread needs to compute whole matrices of a batch, without buffers: packed_lend lends them. The blocks
 * are smaller than a context's, so that many threads do not need much memory. */
trigon_status packed_create_member(const kernels *const *of, packed **out, reason *why);

/* Lends a member so many bytes, aligned to a page. packed_lendable is a part of the buffers of p that is as large. */
enum { packed_member_bytes = 1472 << 10 };
void packed_lend(packed *member, void *buffer);
void *packed_lendable(const packed *p);

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

/* Problems with vectors, by the calling thread: the matrix has at most small_order rows and columns. */
void packed_small_column(const packed *, trigon_type, const small_column *);
void packed_small_column_triangle(const packed *, trigon_type, const column_triangle *);
void packed_small_column_update(const packed *, trigon_type, const small_column_update *);

/* The order is at most `triangle` of packed_orders, or `few_columns` if the width is at most
 * packed_few_columns_width. */
void packed_trsm(const packed *, int threads, trigon_type, const triangular *);

/* The largest order that packed_trsm solves well with so many columns, if those of the triangle are contiguous. */
int64_t packed_trsm_order(const packed *, trigon_type, int64_t width);
void packed_trmm(const packed *, int threads, trigon_type, const triangular *);

/* TRSM (`solve`) or TRMM with one small triangle: see packed_is_small. */
void packed_small_triangle(const packed *, trigon_type, const triangular *, bool solve);

/* Overwrites the lower triangle A of order n, at most `potrf` of packed_orders, by its Cholesky factor. Returns 0, or
 * the first column, from 1, whose pivot is not positive. Then the columns before it hold the factor, and the others are
 * unchanged. */
int64_t packed_potrf(const packed *, int threads, trigon_type, const operand *A, int64_t n);

/* How many matrices of a type are factored together. What a matrix becomes does not depend on the others. */
int packed_lanes(const packed *, trigon_type);
void packed_potrf_group(const packed *, trigon_type, potrf_group *);

/* Overwrites the lower triangle L of order n, at most `panels` of packed_orders, by its inverse X, so that X·L - I is
 * small. If L is unit, the diagonal is neither read nor written. Returns false if the reciprocal of a diagonal element
 * is not a normal number. Then nothing has been written. */
bool packed_invert(const packed *, int threads, trigon_type, const operand *L, int64_t n, bool unit);

/* Overwrites the lower triangle L of order n, at most `panels` of packed_orders, by the lower triangle of Lᴴ·L. */
void packed_lauum(const packed *, int threads, trigon_type, const operand *L, int64_t n);

/* x = (L·Lᴴ)⁻¹·x for one contiguous column x and a lower triangle L of order n, at most small_order. One of L's strides
 * is 1. If L is conjugated, its conjugate is the factor. */
void packed_potrs_column(const packed *, trigon_type, const operand *L, int64_t n, void *x);

#endif
