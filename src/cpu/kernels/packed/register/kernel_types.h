/* kernel_types.h - what callers of the register kernels know of them: the name of the table, the order of small leaves,
 * and groups of matrices. */
#ifndef TRIGON_KERNEL_TYPES_H
#define TRIGON_KERNEL_TYPES_H

#include "common/folded.h"

typedef struct kernels kernels; /* register_kernels.h */

/* Up to this order a triangle is not packed, except by POTRF. */
enum { small_order = 128 };

/* Lower triangles of orders 1 .. group_order that are overwritten by their Cholesky factors together, a matrix in each
 * lane of a vector. They are stored by columns (row = 1), or all by rows (col = 1), and none is conjugated. failure[l]
 * becomes 0, or the first column, from 1, whose pivot is not positive. Then the columns before it hold the factor, and
 * the others are unchanged. */
enum { most_lanes = 16, group_order = 128 };
typedef struct potrf_group {
  int count; /* at most the lanes of a vector: packed_lanes */
  bool by_columns;
  operand A[most_lanes];
  int64_t n[most_lanes], failure[most_lanes];
} potrf_group;

/* C = alpha·X·Yᵀ + beta·C, where X is m × k and Y is n × k. If beta is 0, C is overwritten without being read. If
 * `computed` is not REGION_ALL, only the lower triangle of C is computed, or the upper one if `upper` is set. The
 * operands are read where they are. It takes least time if the rows of C and the columns of Y are contiguous. */
typedef struct small_product {
  int64_t m, n, k;
  trigon_scalar alpha, beta;
  operand X, Y;
  void *C;
  int64_t row, col; /* strides of C in elements */
  region computed;
  bool upper;
} small_product;

/* Problems with vectors of orders up to small_order. Scalars stay where they are: to copy what was just written takes
 * longer than to add a column. */
typedef struct strided_vector {
  void *data;
  int64_t inc; /* distance of neighbours; may be negative */
} strided_vector;

/* y = alpha·A·x + beta·y, where A is m × k, and one of its strides is 1. If A is symmetric or Hermitian, m = k, and the
 * lower triangle is stored. If `conjugate` is set, conj(A) replaces A. */
typedef struct small_column {
  int64_t m, k, row, col;
  const trigon_scalar *alpha, *beta;
  void *A;
  strided_vector x, y;
  structure A_is;
  bool conjugate;
} small_column;

/* x = L·x, or x = L⁻¹·x if `solve` is set, for a lower or upper triangle L of order n. One of its strides is 1. If
 * `conjugate` is set, conj(L) replaces L. */
typedef struct column_triangle {
  int64_t n, row, col;
  const void *L;
  strided_vector x;
  bool lower, unit, solve, conjugate;
} column_triangle;

/* A = A + alpha·x·yᵀ, for an A of m × n elements whose columns are contiguous, or for one triangle. If `two` is set,
 * alpha·y·xᵀ is added, too. If `conjugates` is set, A = A + alpha·x·yᴴ, or alpha·x·yᴴ + conj(alpha)·y·xᴴ, and the
 * imaginary parts of a triangle's diagonal become zero. */
typedef struct small_column_update {
  int64_t m, n, ld;
  const trigon_scalar *alpha;
  strided_vector x, y;
  void *A;
  bool two, conjugates, triangle, upper;
} small_column_update;

#endif
