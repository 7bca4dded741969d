/* fold_flags.h - the algebra over operands that turns flags into strides. For C and C++, and for kernels, which fold
 * each matrix of a batch. */
#ifndef TRIGON_FOLD_FLAGS_H
#define TRIGON_FOLD_FLAGS_H

#include "core/host_device.h"
#include "folded.h"

TRIGON_HOST_DEVICE static inline operand transposed(operand A) {
  const int64_t row = A.row;
  A.row = A.col, A.col = row;
  return A;
}

TRIGON_HOST_DEVICE static inline operand conjugated(operand A) {
  A.conjugate = !A.conjugate;
  return A;
}

/* op(A). The adjoint of a symmetric or Hermitian routine is also an op. */
TRIGON_HOST_DEVICE static inline operand apply(trigon_op op, operand A) {
  if (op == TRIGON_NOTRANS) return A;
  return op == TRIGON_TRANS ? transposed(A) : conjugated(transposed(A));
}

/* A with its n rows in reverse order. An element has `size` bytes. */
TRIGON_HOST_DEVICE static inline operand rows_reversed(int64_t size, operand A, int64_t n) {
  A.data = (char *)A.data + size * (n > 0 ? n - 1 : 0) * A.row;
  A.row = -A.row;
  return A;
}

TRIGON_HOST_DEVICE static inline operand reversed(int64_t size, operand A, int64_t n) {
  return transposed(rows_reversed(size, transposed(rows_reversed(size, A, n)), n));
}

/* TRMM and TRSM, for a triangle L and a matrix B as they are stored. A problem on the right becomes the transposed
 * problem on the left. An upper triangle becomes a lower one by reversing rows and columns. */
TRIGON_HOST_DEVICE static inline triangular fold_triangle_flags(int64_t size, trigon_side side, trigon_uplo uplo,
                                                                trigon_op op, triangular t) {
  const bool left = side == TRIGON_LEFT;
  const bool lower = left == ((uplo == TRIGON_LOWER) == (op == TRIGON_NOTRANS));
  t.L.conjugate = op == TRIGON_CONJTRANS;
  if (left != (op == TRIGON_NOTRANS)) t.L = transposed(t.L);
  if (!left) t.B = transposed(t.B);
  if (!lower) t.L = reversed(size, t.L, t.n), t.B = rows_reversed(size, t.B, t.n);
  return t;
}

/* GEMM, for A and B as they are stored. */
TRIGON_HOST_DEVICE static inline product fold_gemm_flags(trigon_op op, trigon_op opB, product p) {
  p.A = apply(op, p.A), p.B = apply(opB, p.B);
  return p;
}

/* The product Cᵀ = alpha·Bᵀ·Aᵀ + beta·Cᵀ, for a general A. */
TRIGON_HOST_DEVICE static inline product transposed_product(product p) {
  product t = p;
  t.m = p.n, t.n = p.m;
  t.A = transposed(p.B), t.B = transposed(p.A), t.C = transposed(p.C);
  return t;
}

/* SYRK and SYR2K, for X, Y and C as they are stored: p.A is X, and p.B is Y (SYRK: X again). C = alpha·X·Yᴴ
 * (+ alpha2·Y·Xᴴ) + beta·C, for one triangle. ᴴ is `adjoint`. The upper triangle becomes the lower one of Cᵀ. */
TRIGON_HOST_DEVICE static inline product fold_update_flags(trigon_uplo uplo, trigon_op op, trigon_op adjoint, bool two,
                                                           product p) {
  const bool lower = uplo == TRIGON_LOWER, hermitian = adjoint == TRIGON_CONJTRANS;
  const operand X = apply(op, p.A), Y = apply(op, p.B), Xh = apply(adjoint, X), Yh = apply(adjoint, Y);
  p.alpha2 = p.alpha;
  if (hermitian) p.alpha2.im = -p.alpha.im;
  p.A = lower ? X : transposed(Yh), p.B = lower ? Yh : transposed(X);
  if (two) p.A2 = lower ? Y : transposed(Xh), p.B2 = lower ? Xh : transposed(Y);
  if (!lower) p.C = transposed(p.C);
  p.computed = hermitian ? REGION_LOWER_HERMITIAN : REGION_LOWER;
  return p;
}

#endif
