/* fold.h - the algebra that folds the flags: turns an operation into a problem of folded.h, in which every triangle is
 * lower, every substitution is forward, and every triangular matrix is on the left. */
#ifndef TRIGON_FOLD_H
#define TRIGON_FOLD_H

#include "address.h"
#include "core/operation.h"
#include "fold_flags.h"

static inline operand as_stored(view A) {
  return (operand){address_of(A), increment_of(A), A.ld, batch_stride_of(A), false};
}

/* A stored triangle as a lower one. An upper triangle becomes the lower one of Aᵀ. */
static inline operand as_lower(trigon_uplo uplo, void *data, int64_t ld) {
  const operand A = {data, 1, ld, 0, false};
  return uplo == TRIGON_LOWER ? A : transposed(A);
}

/* The copy of a triangle of op(from), whose `uplo` is that of `to`. */
static inline triangle_copy fold_triangle_copy(trigon_uplo uplo, trigon_op op, trigon_other other, view from, view to) {
  const bool swapped = op != TRIGON_NOTRANS, lower = uplo == TRIGON_LOWER;
  operand A = as_stored(from);
  A.conjugate = op == TRIGON_CONJTRANS;
  return (triangle_copy){.n = to.n,
                         .from = swapped == lower ? transposed(A) : A,
                         .to = lower ? as_stored(to) : transposed(as_stored(to)),
                         .other = other};
}

/* C = alpha·A·B + beta·C for the operands as they are stored. */
static inline product stored_product(const operation *o, view B) {
  return (product){.m = o->C.m,
                   .n = o->C.n,
                   .k = is_zero(o->alpha) ? 0 : sizes_of(o).k,
                   .count = o->C.count,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .A = as_stored(o->A),
                   .B = as_stored(B),
                   .C = as_stored(o->C)};
}

static inline product fold_gemm(const operation *o) { return fold_gemm_flags(o->op, o->opB, stored_product(o, o->B)); }

static inline product fold_update(const operation *o) {
  const bool two = o->routine == ROUTINE_SYR2K;
  return fold_update_flags(o->uplo, o->op, o->adjoint, two, stored_product(o, two ? o->B : o->A));
}

/* An upper triangle becomes the lower one of Aᵀ. On the right, the transposed problem has Aᵀ on the left. For a
 * Hermitian A, Aᵀ is conj(A). */
static inline product fold_symm(const operation *o) {
  const bool left = o->side == TRIGON_LEFT, hermitian = o->adjoint == TRIGON_CONJTRANS;
  operand A = o->uplo == TRIGON_LOWER ? as_stored(o->A) : transposed(as_stored(o->A));
  const operand B = as_stored(o->B), C = as_stored(o->C);
  A.conjugate = hermitian && (o->uplo == TRIGON_UPPER) != !left;
  return (product){.m = o->A.n,
                   .n = left ? o->C.n : o->C.m,
                   .k = o->A.n,
                   .count = o->C.count,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .A = A,
                   .B = left ? B : transposed(B),
                   .C = left ? C : transposed(C),
                   .A_is = hermitian ? STRUCTURE_HERMITIAN : STRUCTURE_SYMMETRIC};
}

/* A routine that is a product: GEMM, SYMM, SYRK or SYR2K. */
static inline product fold_product(const operation *o) {
  return o->routine == ROUTINE_GEMM ? fold_gemm(o) : o->routine == ROUTINE_SYMM ? fold_symm(o) : fold_update(o);
}

static inline triangular fold_triangular(const operation *o) {
  const view A = o->A, B = o->B;
  const triangular stored = {.n = A.n,
                             .width = o->side == TRIGON_LEFT ? B.n : B.m,
                             .count = B.count,
                             .unit = o->diag == TRIGON_UNIT,
                             .alpha = o->alpha,
                             .L = as_stored(A),
                             .B = as_stored(B)};
  return fold_triangle_flags(type_size(A.type), o->side, o->uplo, o->op, stored);
}

#endif
