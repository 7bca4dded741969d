/* matrix_batch.h - the operands of a batched call: sizes, addresses and leading dimensions of many matrices. For C and
 * C++, and for kernels. */
#ifndef TRIGON_MATRIX_BATCH_H
#define TRIGON_MATRIX_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host_device.h"

/* One size of all matrices: an array, or NULL and the size that all of them have. `position` is that of the argument in
 * LAPACK's list, or 0 if the routine does not have the size. */
typedef struct batch_size {
  const int64_t *of;
  int64_t all;
  int position;
} batch_size;

/* One operand of all matrices: arrays of addresses and of leading dimensions; or, if `at` is NULL, matrices `stride`
 * bytes apart, the first one at `first`. `rows` and `cols` name sizes of the batch: 'm', 'n' or 'k'. The argument's
 * position in LAPACK's list is 0 if the routine does not have the operand; the leading dimension comes next. */
typedef struct batch_operand {
  void *const *at;
  const int64_t *lds;
  void *first;
  int64_t ld, stride;
  char rows, cols;
  int position;
} batch_operand;

/* The eigenvalues of all matrices, n reals of `size` bytes for each: an array of addresses; or, if `at` is NULL, a
 * stride apart in bytes. The position is 0 if the routine has none. */
typedef struct batch_values {
  void *const *at;
  void *first;
  int64_t stride;
  int size, position;
} batch_values;

/* The arrays lie where the matrices lie. No n is above max_n, unless max_n is 0. info may be NULL if no entry can be
 * wrong. `is_checked`: infos of wrong entries are stored already. */
typedef struct matrix_batch {
  int64_t count, max_n;
  batch_size m, n, k;
  batch_operand A, B, C;
  batch_values w;
  int64_t *info;
  bool is_checked;
} matrix_batch;

TRIGON_HOST_DEVICE static inline int64_t size_at(const batch_size *s, int64_t i) { return s->of ? s->of[i] : s->all; }

TRIGON_HOST_DEVICE static inline void *address_at(const batch_operand *X, int64_t i) {
  return X->at ? X->at[i] : (char *)X->first + i * X->stride;
}

TRIGON_HOST_DEVICE static inline void *values_at(const batch_values *w, int64_t i) {
  return w->at ? w->at[i] : (char *)w->first + i * w->stride;
}

TRIGON_HOST_DEVICE static inline int64_t ld_at(const batch_operand *X, int64_t i) { return X->lds ? X->lds[i] : X->ld; }

/* The size that a letter names. */
TRIGON_HOST_DEVICE static inline const batch_size *sizes_named(const matrix_batch *b, char name) {
  return name == 'm' ? &b->m : name == 'n' ? &b->n : &b->k;
}

/* The size of matrix i that a letter names. */
TRIGON_HOST_DEVICE static inline int64_t size_named(const matrix_batch *b, char name, int64_t i) {
  return size_at(sizes_named(b, name), i);
}

TRIGON_HOST_DEVICE static inline int64_t operand_fault(const batch_operand *X, int64_t i, int64_t rows, int64_t cols,
                                                       int64_t alignment) {
  const void *address = address_at(X, i);
  const int64_t ld = ld_at(X, i);
  if (rows > 0 && cols > 0 && (!address || ((intptr_t)address & (alignment - 1)) != 0)) return -X->position;
  if (ld < rows) return -X->position - 1;
  /* The sizes are looked at before the product, because a division takes long. The largest element has 16 bytes. */
  return (cols | ld) >> 29 != 0 && rows > 0 && cols > 0 && ld > PTRDIFF_MAX / 16 / cols ? -X->position - 1 : 0;
}

/* On a host (alignment 1) values may have any address, as matrices do. */
TRIGON_HOST_DEVICE static inline int64_t values_fault(const matrix_batch *b, int64_t i, int64_t alignment) {
  const void *address = values_at(&b->w, i);
  const int64_t unaligned = alignment > 1 ? (intptr_t)address & (b->w.size - 1) : 0;
  return size_at(&b->n, i) > 0 && (!address || unaligned != 0) ? -b->w.position : 0;
}

/* What is wrong with the entries of matrix i, as LAPACK's info counts arguments; 0 if nothing is. Addresses must be
 * multiples of `alignment`, a power of two. */
TRIGON_HOST_DEVICE static inline int64_t entry_fault(const matrix_batch *b, int64_t i, int64_t alignment) {
  const int64_t n = size_at(&b->n, i);
  int64_t fault = 0;
  if (b->m.position > 0 && size_at(&b->m, i) < 0) return -b->m.position;
  if (n < 0 || (b->max_n > 0 && n > b->max_n)) return -b->n.position;
  if (b->k.position > 0 && size_at(&b->k, i) < 0) return -b->k.position;
  fault = operand_fault(&b->A, i, size_named(b, b->A.rows, i), size_named(b, b->A.cols, i), alignment);
  if (fault == 0 && b->B.position > 0)
    fault = operand_fault(&b->B, i, size_named(b, b->B.rows, i), size_named(b, b->B.cols, i), alignment);
  if (fault == 0 && b->C.position > 0)
    fault = operand_fault(&b->C, i, size_named(b, b->C.rows, i), size_named(b, b->C.cols, i), alignment);
  if (fault == 0 && b->w.position > 0) fault = values_fault(b, i, alignment);
  return fault;
}

static inline batch_size size_from(batch_size s, int64_t first) {
  if (s.of) s.of += first;
  return s;
}

static inline batch_values values_from(batch_values w, int64_t first) {
  if (w.at)
    w.at += first;
  else if (w.first)
    w.first = (char *)w.first + first * w.stride;
  return w;
}

static inline batch_operand operand_from(batch_operand X, int64_t first) {
  if (X.at) X.at += first;
  if (X.lds) X.lds += first;
  if (!X.at && X.first) X.first = (char *)X.first + first * X.stride;
  return X;
}

/* Matrices first .. first + count - 1 as a batch. */
static inline matrix_batch part_of(const matrix_batch *b, int64_t first, int64_t count) {
  matrix_batch part = *b;
  part.count = count;
  part.m = size_from(b->m, first), part.n = size_from(b->n, first), part.k = size_from(b->k, first);
  part.A = operand_from(b->A, first), part.B = operand_from(b->B, first), part.C = operand_from(b->C, first);
  part.w = values_from(b->w, first);
  if (b->info) part.info = b->info + first;
  return part;
}

#endif
