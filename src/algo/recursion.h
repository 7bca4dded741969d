/* recursion.h - cuts operands in two; `forward` folds side, uplo and op into one order of the blocks. */
#ifndef TRIGON_RECURSION_H
#define TRIGON_RECURSION_H

#include "core/operation.h"

/* A rectangle is cut into two panels. A triangle is cut into two diagonal blocks and one block off the diagonal:
 *
 *            [ diag[0]         ]            [ diag[0]   off   ]
 *    lower:  [                 ]    upper:  [                 ]
 *            [   off   diag[1] ]            [         diag[1] ] */
typedef struct panels {
  view panel[2];
} panels;

typedef struct halves {
  view diag[2], off;
} halves;

static inline halves cut_triangle(view A, trigon_uplo uplo, int64_t n1) {
  int64_t n2 = A.n - n1;
  return (halves){
      .diag = {block(A, 0, 0, n1, n1), block(A, n1, n1, n2, n2)},
      .off = uplo == TRIGON_LOWER ? block(A, n1, 0, n2, n1) : block(A, 0, n1, n1, n2),
  };
}

/* Cuts B behind its first n1 rows or, if `rows` is false, columns. */
static inline panels cut_panels(view B, bool rows, int64_t n1) {
  if (rows) return (panels){{block(B, 0, 0, n1, B.n), block(B, n1, 0, B.m - n1, B.n)}};
  return (panels){{block(B, 0, 0, B.m, n1), block(B, 0, n1, B.m, B.n - n1)}};
}

/* Whether a substitution with op(A) on this side goes from the first block to the last. */
static inline bool forward(const operation *o) {
  return (o->side == TRIGON_LEFT) == ((o->uplo == TRIGON_LOWER) == (o->op == TRIGON_NOTRANS));
}

/* C = alpha·op(A)·B + beta·C, or alpha·B·op(A) + beta·C. */
static inline operation side_gemm(trigon_side side, trigon_op op, trigon_scalar alpha, view A, view B,
                                  trigon_scalar beta, view C) {
  if (side == TRIGON_LEFT) return gemm(op, TRIGON_NOTRANS, alpha, A, B, beta, C);
  return gemm(TRIGON_NOTRANS, op, alpha, B, A, beta, C);
}

/* C = alpha·A·Bᴴ + beta·C (NOTRANS), or C = alpha·Aᴴ·B + beta·C. The transposition ᴴ is `adjoint`. */
static inline operation outer_gemm(trigon_op adjoint, trigon_op op, trigon_scalar alpha, view A, view B,
                                   trigon_scalar beta, view C) {
  if (op == TRIGON_NOTRANS) return gemm(TRIGON_NOTRANS, adjoint, alpha, A, B, beta, C);
  return gemm(adjoint, TRIGON_NOTRANS, alpha, A, B, beta, C);
}

#endif
