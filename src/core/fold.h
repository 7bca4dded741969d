/* fold.h - the algebra that folds the flags: turns an operation into a problem of folded.h, in which every triangle is
 * lower, every substitution is forward, and every triangular matrix is on the left. */
#ifndef TRIGON_FOLD_H
#define TRIGON_FOLD_H

#include "address.h"
#include "folded.h"
#include "operation.h"

static inline operand as_stored(view A) { return (operand){address_of(A), 1, A.ld, batch_stride_of(A), false}; }

static inline operand transposed(operand A) { return (operand){A.data, A.col, A.row, A.batch_stride, A.conjugate}; }

static inline operand conjugated(operand A) {
  A.conjugate = !A.conjugate;
  return A;
}

/* A stored triangle as a lower one. An upper triangle becomes the lower one of Aᵀ. */
static inline operand as_lower(trigon_uplo uplo, void *data, int64_t ld) {
  const operand A = {data, 1, ld, 0, false};
  return uplo == TRIGON_LOWER ? A : transposed(A);
}

/* op(A). The adjoint of a symmetric or Hermitian routine is also an op. */
static inline operand apply(trigon_op op, operand A) {
  if (op == TRIGON_NOTRANS) return A;
  return op == TRIGON_TRANS ? transposed(A) : conjugated(transposed(A));
}

/* A with its n rows in reverse order. */
static inline operand rows_reversed(trigon_type type, operand A, int64_t n) {
  A.data = (char *)A.data + type_size(type) * (n > 0 ? n - 1 : 0) * A.row;
  A.row = -A.row;
  return A;
}

static inline operand reversed(trigon_type type, operand A, int64_t n) {
  return transposed(rows_reversed(type, transposed(rows_reversed(type, A, n)), n));
}

static inline product fold_gemm(const operation *o) {
  return (product){.m = o->C.m,
                   .n = o->C.n,
                   .k = is_zero(o->alpha) ? 0 : sizes_of(o).k,
                   .count = o->C.count,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .A = apply(o->op, as_stored(o->A)),
                   .B = apply(o->opB, as_stored(o->B)),
                   .C = as_stored(o->C)};
}

/* SYRK and SYR2K: C = alpha·X·Yᴴ (+ alpha2·Y·Xᴴ) + beta·C, for one triangle. ᴴ is `adjoint`. The upper triangle becomes
 * the lower one of Cᵀ. */
static inline product fold_update(const operation *o) {
  const bool two = o->routine == ROUTINE_SYR2K, hermitian = o->adjoint == TRIGON_CONJTRANS;
  const bool lower = o->uplo == TRIGON_LOWER;
  const operand X = apply(o->op, as_stored(o->A)), Y = two ? apply(o->op, as_stored(o->B)) : X;
  const operand Xh = apply(o->adjoint, X), Yh = apply(o->adjoint, Y), C = as_stored(o->C);
  product p = {.m = o->C.n,
               .n = o->C.n,
               .k = is_zero(o->alpha) ? 0 : sizes_of(o).k,
               .count = o->C.count,
               .alpha = o->alpha,
               .alpha2 = hermitian ? conjugate(o->alpha) : o->alpha,
               .beta = o->beta,
               .A = lower ? X : transposed(Yh),
               .B = lower ? Yh : transposed(X),
               .C = lower ? C : transposed(C),
               .computed = hermitian ? REGION_LOWER_HERMITIAN : REGION_LOWER};
  if (two) p.A2 = lower ? Y : transposed(Xh), p.B2 = lower ? Xh : transposed(Y);
  return p;
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

/* TRMM and TRSM, for a triangle L and a matrix B as they are stored. A problem on the right becomes the transposed
 * problem on the left. An upper triangle becomes a lower one by reversing rows and columns. */
static inline triangular fold_flags(trigon_type type, trigon_side side, trigon_uplo uplo, trigon_op op, triangular t) {
  const bool left = side == TRIGON_LEFT;
  const bool lower = left == ((uplo == TRIGON_LOWER) == (op == TRIGON_NOTRANS));
  t.L.conjugate = op == TRIGON_CONJTRANS;
  if (left != (op == TRIGON_NOTRANS)) t.L = transposed(t.L);
  if (!left) t.B = transposed(t.B);
  if (!lower) t.L = reversed(type, t.L, t.n), t.B = rows_reversed(type, t.B, t.n);
  return t;
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
  return fold_flags(A.type, o->side, o->uplo, o->op, stored);
}

#endif
