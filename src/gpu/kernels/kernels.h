/* kernels.h - the launchers of all kernels, callable from C. One problem stands for all flags of a routine: an operand
 * is an address with a stride in either direction (negative ones walk a triangle backwards) and a wish for the
 * conjugate, so that transposed, upper and backward cases are the lower, forward one over other strides (operand.h).
 * Launches are asynchronous and take no memory; sizes are >= 0, and nothing is launched for empty outputs.
 *
 * Every launcher returns what the launch returned. With `load` set it loads its kernels (launch_square: those of one
 * factorization) and launches nothing. */
#ifndef TRIGON_KERNELS_H
#define TRIGON_KERNELS_H

#include <trigon.h>

#include "../vendor/vendor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where to launch. */
typedef struct queue {
  cudaStream_t stream;
  bool load;
} queue;

/* Element (i, j) of matrix b stands at data + (i·row + j·col + b·next) elements; it is taken conjugated where
 * `conjugate` is set and the type is complex. */
typedef struct operand {
  void *data;
  int64_t row, col, next;
  bool conjugate;
} operand;

/* What the elements of A mean, of which the lower triangle is stored. */
typedef enum structure { STRUCTURE_GENERAL, STRUCTURE_SYMMETRIC, STRUCTURE_HERMITIAN } structure;

/* Which elements of C are computed: all, those on and below the diagonal, or these where the imaginary parts of the
 * diagonal are taken as zero and set to zero. */
typedef enum part_of { PART_ALL, PART_LOWER, PART_LOWER_HERMITIAN } part_of;

/* C = alpha·A·B + alpha2·A2·B2 + beta·C; A is m × k (m × m where it is symmetric or Hermitian: k = m), B k × n. The second
 * product is left out where A2.data is NULL; beta = 0 overwrites, alpha and beta are not rounded. */
typedef struct product {
  int64_t m, n, k, count;
  trigon_scalar alpha, alpha2, beta;
  operand A, B, A2, B2, C;
  structure A_is;
  part_of part;
} product;
cudaError_t launch_product(queue, trigon_type, const product *);

/* The lower triangle L of order n and the n × width matrix B of every one of `count` pairs:
 * B = alpha·L·B, or B = alpha·L⁻¹·B by substitution. L's opposite triangle is not read, nor its diagonal where it is unit. */
typedef struct triangular {
  int64_t n, width, count;
  bool unit, solve;
  trigon_scalar alpha;
  operand L, B;
} triangular;
cudaError_t launch_triangular(queue, trigon_type, const triangular *);

/* The lower triangle A of order n of every one of `count` matrices, in place: its Cholesky factor, A = L·Lᴴ; its inverse,
 * whose residual X·A - I is small; the lower triangle of Aᴴ·A. */
typedef enum factorization { FACTOR_POTRF, FACTOR_TRTRI, FACTOR_LAUUM } factorization;
typedef struct square {
  factorization what;
  int64_t n, count;
  bool unit;
  operand A;
  /* POTRF: the first column that fails, from 1, is recorded where nothing smaller is: columns of matrix b are counted
   * from first + b·step. */
  unsigned long long *failure;
  int64_t first, step;
} square;
cudaError_t launch_square(queue, trigon_type, const square *);

/* Records the first exact zero on the diagonals, as POTRF records a failure. */
cudaError_t launch_zero_diagonal(queue, trigon_type, const square *);

/* *logdet = 2·Σ log|real part| over the diagonal of A, of order n; 0 if n is 0. */
typedef struct log_sum {
  int64_t n;
  operand A;
  double *logdet;
} log_sum;
cudaError_t launch_logdet(queue, trigon_type, const log_sum *);

/* No failure: what *failure holds before a call. */
static const unsigned long long no_failure = ~0ull;

/* Ends a call: *info, or where that is NULL and nothing is kept yet *kept, gets the failure or 0; *failure is none again. */
typedef struct outcome {
  unsigned long long *failure;
  int64_t *info, *kept;
} outcome;
cudaError_t launch_outcome(queue, const outcome *);

/* Records the positive info of a vendor's factorization as POTRF records a failure. */
typedef struct vendor_info {
  const int *info;
  int64_t column; /* added to it */
  unsigned long long *failure;
} vendor_info;
cudaError_t launch_vendor_info(queue, const vendor_info *);

/* Keeps the stream busy for about so many nanoseconds. */
typedef struct delay {
  unsigned long long nanoseconds;
} delay;
cudaError_t launch_delay(queue, const delay *);

#ifdef __cplusplus
}
#endif

#endif
