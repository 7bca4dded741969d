/* syrk.c - symmetric and Hermitian updates of rank k and 2k, one triangle of C.
 *
 *    lower, no transpose:   [ C11     ]         [ A1 ]              H         [ C11     ]
 *                           [ C21 C22 ] = alpha [ A2 ] · [ A1  A2 ]    + beta [ C21 C22 ]
 *
 * C21 is a GEMM; C11 and C22 are the same problem at half the order, and independent of each other: where they are
 * equal in size both go into one call.
 * Source: BLAS xSYRK; GEMM-based as in Brown, Abdelfattah, Tomov, Dongarra, HPEC 2020, section III. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_syrk(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, view A,
                        trigon_scalar beta, view C) {
  int64_t n1 = b->split(b, TRIGON_SYRK, C.type, C.n, op == TRIGON_NOTRANS ? A.n : A.m);
  if (n1 == 0) return b->syrk(b, adjoint, uplo, op, alpha, A, beta, C);

  halves c = cut_triangle(C, uplo, n1);
  panels a = cut_panels(A, op == TRIGON_NOTRANS, n1);
  int row = uplo == TRIGON_LOWER ? 1 : 0, col = 1 - row; /* of the off-diagonal block */

  /* C21 = alpha·A2·A1ᴴ + beta·C21 */
  TRY(outer_gemm(b, adjoint, op, alpha, a.part[row], a.part[col], beta, c.off));
  /* C11 = alpha·A1·A1ᴴ + beta·C11, C22 = alpha·A2·A2ᴴ + beta·C22 */
  view C12, A12;
  if (pair_up(c.diag[0], c.diag[1], &C12) && pair_up(a.part[0], a.part[1], &A12))
    return algo_syrk(b, adjoint, uplo, op, alpha, A12, beta, C12);
  TRY(algo_syrk(b, adjoint, uplo, op, alpha, a.part[0], beta, c.diag[0]));
  return algo_syrk(b, adjoint, uplo, op, alpha, a.part[1], beta, c.diag[1]);
}

trigon_status algo_syr2k(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha, view A,
                         view B, trigon_scalar beta, view C) {
  int64_t n1 = b->split(b, TRIGON_SYR2K, C.type, C.n, op == TRIGON_NOTRANS ? A.n : A.m);
  if (n1 == 0) return b->syr2k(b, adjoint, uplo, op, alpha, A, B, beta, C);

  halves c = cut_triangle(C, uplo, n1);
  panels x = cut_panels(A, op == TRIGON_NOTRANS, n1), y = cut_panels(B, op == TRIGON_NOTRANS, n1);
  int row = uplo == TRIGON_LOWER ? 1 : 0, col = 1 - row;
  trigon_scalar mirrored = adjoint == TRIGON_CONJTRANS ? conjugate(alpha) : alpha;

  /* C21 = alpha·A2·B1ᴴ + conj(alpha)·B2·A1ᴴ + beta·C21. HER2K with op = ᴴ is alpha·A2ᴴ·B1 + conj(alpha)·B2ᴴ·A1. */
  TRY(outer_gemm(b, adjoint, op, alpha, x.part[row], y.part[col], beta, c.off));
  TRY(outer_gemm(b, adjoint, op, mirrored, y.part[row], x.part[col], one, c.off));
  view C12, A12, B12;
  if (pair_up(c.diag[0], c.diag[1], &C12) && pair_up(x.part[0], x.part[1], &A12) && pair_up(y.part[0], y.part[1], &B12))
    return algo_syr2k(b, adjoint, uplo, op, alpha, A12, B12, beta, C12);
  TRY(algo_syr2k(b, adjoint, uplo, op, alpha, x.part[0], y.part[0], beta, c.diag[0]));
  return algo_syr2k(b, adjoint, uplo, op, alpha, x.part[1], y.part[1], beta, c.diag[1]);
}
