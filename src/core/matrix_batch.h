/* matrix_batch.h - the operand of a batched call: arrays with one entry for each matrix. For C and C++, and for
 * kernels. */
#ifndef TRIGON_MATRIX_BATCH_H
#define TRIGON_MATRIX_BATCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRIGON_ALSO_IN_KERNELS __host__ __device__
#else
#define TRIGON_ALSO_IN_KERNELS
#endif

/* Square matrices: their orders, addresses, leading dimensions and infos. The arrays lie where the matrices lie. No
 * order is above max_n, unless max_n is 0. */
typedef struct matrix_batch {
  int64_t count, max_n;
  const int64_t *n;
  void *const *A;
  const int64_t *ld;
  int64_t *info;
} matrix_batch;

/* What is wrong with the entry of matrix i, as LAPACK's info counts the arguments of POTRF; 0 if nothing is. Addresses
 * must be multiples of `alignment`, a power of two. The sizes are looked at before the product, because a division
 * takes long. */
TRIGON_ALSO_IN_KERNELS static inline int64_t entry_fault(const matrix_batch *b, int64_t i, int64_t alignment) {
  const int64_t n = b->n[i], ld = b->ld[i];
  if (n < 0 || (b->max_n > 0 && n > b->max_n)) return -2;
  if (n > 0 && (!b->A[i] || ((intptr_t)b->A[i] & (alignment - 1)) != 0)) return -3;
  if (ld < n) return -4;
  return (n | ld) >> 29 != 0 && n > 0 && ld > PTRDIFF_MAX / 16 / n ? -4 : 0; /* the largest element has 16 bytes */
}

/* Matrices first .. first + count - 1 as a batch. */
static inline matrix_batch part_of(const matrix_batch *b, int64_t first, int64_t count) {
  const matrix_batch part = {count, b->max_n, b->n + first, b->A + first, b->ld + first, b->info + first};
  return part;
}

#endif
