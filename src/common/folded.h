/* folded.h - problems without flags, one for each kind of leaf. Kernels and register kernels compute them.
 *
 * An operand is an address with a stride in either direction and a flag for the conjugate. So a transposed, upper or
 * backward case is the lower, forward case with other strides: a negative stride walks a triangle from its end. fold.h
 * turns operations into these problems. For C and C++. */
#ifndef TRIGON_FOLDED_H
#define TRIGON_FOLDED_H

#include <stdbool.h>
#include <stdint.h>
#include <trigon.h>

/* Element (i, j) of matrix b is at data + (i·row + j·col + b·batch_stride) elements. If `conjugate` is set and the type
 * is complex, kernels use the conjugate of the element. */
typedef struct operand {
  void *data;
  int64_t row, col, batch_stride;
  bool conjugate;
} operand;

/* The structure of A. If A is symmetric or Hermitian, only its lower triangle is stored. */
typedef enum structure { STRUCTURE_GENERAL, STRUCTURE_SYMMETRIC, STRUCTURE_HERMITIAN } structure;

/* Which elements of C are computed: all, or the lower triangle with the diagonal. If C is Hermitian, the imaginary
 * parts of its diagonal are taken as zero and set to zero. */
typedef enum region { REGION_ALL, REGION_LOWER, REGION_LOWER_HERMITIAN } region;

/* Leaves tiles of C out: a tile of height × width elements is computed only if its number of `headroom_bits` is larger
 * than *headroom, which is INT32_MAX if none is. The number of tile (r, c) is headroom_bits[r·row_step + c·col_step].
 * Heights and widths are multiples of 64. If `headroom_bits` is NULL, no tile is left out. */
typedef struct tile_mask {
  const int32_t *headroom_bits, *headroom;
  int64_t row_step, col_step, height, width;
} tile_mask;

/* C = alpha·A·B + alpha2·A2·B2 + beta·C. A is m × k, B is k × n. If A is symmetric or Hermitian, k = m. If A2.data is
 * NULL, the second product is left out. If beta is 0, C is overwritten without being read. The scalars are rounded
 * to the type. */
typedef struct product {
  int64_t m, n, k, count;
  trigon_scalar alpha, alpha2, beta;
  operand A, B, A2, B2, C;
  structure A_is;
  region computed;
  tile_mask mask; /* for kernels alone, with one matrix */
} product;

/* `count` pairs of a lower triangle L of order n and an n × width matrix B. TRSM: B = alpha·L⁻¹·B, by substitution.
 * TRMM: B = alpha·L·B. L's opposite triangle is not read. If L is unit, its diagonal is not read. */
typedef struct triangular {
  int64_t n, width, count;
  bool unit;
  trigon_scalar alpha;
  operand L, B;
} triangular;

/* The lower triangle of `from`, of order n, is copied to that of `to`. The upper triangle of `to` stays as it is, or
 * becomes zero, or the adjoint of the lower one. */
typedef struct triangle_copy {
  int64_t n;
  operand from, to;
  trigon_other other;
} triangle_copy;

#endif
