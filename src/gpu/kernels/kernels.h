/* kernels.h - the launchers of all kernels, callable from C. One problem stands for all flags of a routine: an operand
 * is an address with a stride in either direction (negative ones walk a triangle backwards) and a wish for the
 * conjugate, so that transposed, upper and backward cases are the lower, forward one over other strides (operand.h).
 * Launches are asynchronous and take no memory; sizes are >= 0, and nothing is launched for empty outputs.
 *
 * Every launcher returns what the launch returned. If `load` is set, it loads its kernels and launches nothing. */
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

/* Element (i, j) of matrix b stands at data + (i·row + j·col + b·batch_stride) elements; it is taken conjugated where
 * `conjugate` is set and the type is complex. */
typedef struct operand {
  void *data;
  int64_t row, col, batch_stride;
  bool conjugate;
} operand;

/* What the elements of A mean, of which the lower triangle is stored. */
typedef enum structure { STRUCTURE_GENERAL, STRUCTURE_SYMMETRIC, STRUCTURE_HERMITIAN } structure;

/* Which elements of C are computed: all, or those on and below the diagonal. If C is Hermitian, the imaginary parts of
 * its diagonal are taken as zero and set to zero. */
typedef enum region { REGION_ALL, REGION_LOWER, REGION_LOWER_HERMITIAN } region;

/* C = alpha·A·B + alpha2·A2·B2 + beta·C; A is m × k (m × m where it is symmetric or Hermitian: k = m), B k × n. The second
 * product is left out where A2.data is NULL; beta = 0 overwrites, alpha and beta are not rounded. */
typedef struct product {
  int64_t m, n, k, count;
  trigon_scalar alpha, alpha2, beta;
  operand A, B, A2, B2, C;
  structure A_is;
  region computed;
} product;
cudaError_t launch_gemm(queue, trigon_type, const product *);

/* The lower triangle L of order n and the n × width matrix B of every one of `count` pairs. TRSM: B = alpha·L⁻¹·B, by
 * substitution. TRMM: B = alpha·L·B. L's opposite triangle is not read, nor its diagonal if it is unit. */
typedef struct triangular {
  int64_t n, width, count;
  bool unit;
  trigon_scalar alpha;
  operand L, B;
} triangular;
cudaError_t launch_trsm(queue, trigon_type, const triangular *);
cudaError_t launch_trmm(queue, trigon_type, const triangular *);

/* The lower triangle A of order n of every one of `count` matrices, in place. POTRF: its Cholesky factor, A = L·Lᴴ. TRTRI:
 * its inverse X, whose residual X·A - I is small. LAUUM: the lower triangle of Aᴴ·A. */
typedef struct factor {
  int64_t n, count;
  bool unit;
  operand A;
  /* POTRF and the check of a diagonal record the first column that fails, from 1, if nothing smaller is recorded yet.
   * Columns of matrix b are counted from column + b·column_step. */
  unsigned long long *failure;
  int64_t column, column_step;
} factor;
cudaError_t launch_potrf(queue, trigon_type, const factor *);
cudaError_t launch_trtri(queue, trigon_type, const factor *);
cudaError_t launch_lauum(queue, trigon_type, const factor *);

/* Records the first exact zero on the diagonals. */
cudaError_t launch_check_diagonal(queue, trigon_type, const factor *);

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
