/* symm.c - product with a symmetric or Hermitian matrix of which one triangle is stored.
 *
 *    left, lower:   [ C1 ]         [ A11 A21ᴴ ] [ B1 ]        [ C1 ]
 *                   [ C2 ] = alpha [ A21 A22  ] [ B2 ] + beta [ C2 ]
 *
 * The stored off-diagonal block serves twice, as it is and transposed; the products with A11 and A22 are the same
 * problem at half the order, independent of each other.
 * Source: BLAS xSYMM; GEMM-based as in Brown, Abdelfattah, Tomov, Dongarra, HPEC 2020, section III. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_symm(backend *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha, view A,
                        view B, trigon_scalar beta, view C) {
  int64_t n1 = b->split(b, TRIGON_SYMM, A.type, A.n, width(side, B));
  if (n1 == 0) return b->symm(b, adjoint, side, uplo, alpha, A, B, beta, C);

  halves a = cut_triangle(A, uplo, n1);
  panels x = cut_panels(B, side == TRIGON_LEFT, n1), y = cut_panels(C, side == TRIGON_LEFT, n1);
  int to = (side == TRIGON_LEFT) == (uplo == TRIGON_LOWER) ? 1 : 0, from = 1 - to; /* what `off` maps */

  /* C1 = alpha·A11·B1 + beta·C1, C2 = alpha·A22·B2 + beta·C2 */
  view A12, B12, C12;
  if (pair_up(a.diag[0], a.diag[1], &A12) && pair_up(x.part[0], x.part[1], &B12) &&
      pair_up(y.part[0], y.part[1], &C12)) {
    TRY(algo_symm(b, adjoint, side, uplo, alpha, A12, B12, beta, C12));
  } else {
    TRY(algo_symm(b, adjoint, side, uplo, alpha, a.diag[0], x.part[0], beta, y.part[0]));
    TRY(algo_symm(b, adjoint, side, uplo, alpha, a.diag[1], x.part[1], beta, y.part[1]));
  }
  /* C2 = alpha·A21·B1 + C2, C1 = alpha·A21ᴴ·B2 + C1 */
  TRY(side_gemm(b, side, TRIGON_NOTRANS, alpha, a.off, x.part[from], one, y.part[to]));
  return side_gemm(b, side, adjoint, alpha, a.off, x.part[to], one, y.part[from]);
}
