/* unblocked.h - the CPU's own leaves: POTRF, TRTRI and LAUUM for a BLAS without LAPACK and for blocks that LAPACK must
 * not have; products and solves whose vectors a BLAS cannot take; copies, scaling, checks of a diagonal. */
#ifndef TRIGON_UNBLOCKED_H
#define TRIGON_UNBLOCKED_H

#include "common/folded.h"

/* The leaves of one precision. n is the order, ld the leading dimension. */
typedef struct unblocked {
  int64_t (*potrf)(trigon_uplo, int64_t n, void *A, int64_t ld);
  void (*trtri)(trigon_uplo, trigon_diag, int64_t n, void *A, int64_t ld);
  void (*lauum)(trigon_uplo, int64_t n, void *A, int64_t ld);
  void (*copy)(trigon_uplo, int64_t n, const void *from, int64_t ld_from, void *to, int64_t ld_to);
  void (*transpose)(trigon_uplo, int64_t n, const void *from, int64_t ld_from, void *to, int64_t ld_to);
  void (*copy_triangle)(const triangle_copy *);
  void (*multiply)(const product *);
  void (*apply_triangle)(const triangular *, bool solve);
  void (*scale)(bool whole, trigon_uplo, int64_t m, int64_t n, trigon_scalar beta, void *A, int64_t ld);
  void (*make_diagonal_real)(int64_t n, void *A, int64_t ld);
  int64_t (*zero_pivot)(int64_t n, const void *A, int64_t ld); /* the first exact zero, from 1, or 0 */
  int64_t (*nan_pivot)(int64_t n, const void *A, int64_t ld);  /* the first NaN among the real parts, from 1, or 0 */
  bool (*finite_diagonal)(int64_t n, const void *A, int64_t ld);
  double (*log_diagonal)(int64_t n, const void *A, int64_t ld); /* the sum of log|real part| */
} unblocked;

const unblocked *unblocked_for(trigon_type type);

#endif
