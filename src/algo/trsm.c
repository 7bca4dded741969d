/* trsm.c - recursive in-place triangular solve, op(A)·X = alpha·B or X·op(A) = alpha·B.
 *
 *    left, lower, no transpose:   [ A11     ] [ X1 ]         [ B1 ]
 *                                 [ A21 A22 ] [ X2 ] = alpha [ B2 ]
 *
 * The other cases are this one with the order of the blocks reversed (`forward`) and the product on the other side.
 * Source: Charara, Ltaief, Keyes, Euro-Par 2016, section 4. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_trsm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                        trigon_scalar alpha, view A, view B) {
  int64_t n1 = b->split(b, TRIGON_TRSM, A.type, A.n, width(side, B));
  if (n1 == 0) return b->trsm(b, side, uplo, op, diag, alpha, A, B);

  halves a = cut_triangle(A, uplo, n1);
  panels x = cut_panels(B, side == TRIGON_LEFT, n1);
  int first = forward(side, uplo, op) ? 0 : 1, last = 1 - first;

  /* A11·X1 = alpha·B1 */
  TRY(algo_trsm(b, side, uplo, op, diag, alpha, a.diag[first], x.part[first]));
  /* B2 = alpha·B2 - A21·X1 */
  TRY(side_gemm(b, side, op, minus_one, a.off, x.part[first], alpha, x.part[last]));
  /* A22·X2 = B2 */
  return algo_trsm(b, side, uplo, op, diag, one, a.diag[last], x.part[last]);
}
