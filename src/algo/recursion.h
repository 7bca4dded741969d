/* recursion.h - cutting operands in two, and the algebra that folds the cases. */
#ifndef TRIGON_RECURSION_H
#define TRIGON_RECURSION_H

#include "../backend.h"

/* Two blocks of a rectangle; or of a triangle, with the block off the diagonal:
 *
 *            [ diag[0]         ]            [ diag[0]   off   ]
 *    lower:  [                 ]    upper:  [                 ]
 *            [   off   diag[1] ]            [         diag[1] ]                                                        */
typedef struct panels {
  view part[2];
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

/* B cut behind its first n1 rows, or columns. */
static inline panels cut_panels(view B, bool rows, int64_t n1) {
  if (rows) return (panels){{block(B, 0, 0, n1, B.n), block(B, n1, 0, B.m - n1, B.n)}};
  return (panels){{block(B, 0, 0, B.m, n1), block(B, 0, n1, B.m, B.n - n1)}};
}

/* Whether substitution with op(A) on this side goes from the first block to the last. */
static inline bool forward(trigon_side side, trigon_uplo uplo, trigon_op op) {
  return (side == TRIGON_LEFT) == ((uplo == TRIGON_LOWER) == (op == TRIGON_NOTRANS));
}

/* How much of B a triangle on this side meets: its columns, or its rows. */
static inline int64_t width(trigon_side side, view B) { return side == TRIGON_LEFT ? B.n : B.m; }

/* C = alpha·op(A)·B + beta·C, or alpha·B·op(A) + beta·C. */
static inline trigon_status side_gemm(backend *b, trigon_side side, trigon_op op, trigon_scalar alpha, view A, view B,
                                      trigon_scalar beta, view C) {
  if (side == TRIGON_LEFT) return b->gemm(b, op, TRIGON_NOTRANS, alpha, A, B, beta, C);
  return b->gemm(b, TRIGON_NOTRANS, op, alpha, B, A, beta, C);
}

/* C = alpha·A·op(B) + beta·C where op is the adjoint (NOTRANS), or alpha·op(A)·B + beta·C. */
static inline trigon_status outer_gemm(backend *b, trigon_op adjoint, trigon_op op, trigon_scalar alpha, view A, view B,
                                       trigon_scalar beta, view C) {
  if (op == TRIGON_NOTRANS) return b->gemm(b, TRIGON_NOTRANS, adjoint, alpha, A, B, beta, C);
  return b->gemm(b, adjoint, TRIGON_NOTRANS, alpha, A, B, beta, C);
}

#endif
