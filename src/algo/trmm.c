/* trmm.c - recursive in-place triangular product, B = alpha·op(A)·B or B = alpha·B·op(A).
 *
 *    left, lower, no transpose:   [ B1 ]         [ A11     ] [ B1 ]
 *                                 [ B2 ] = alpha [ A21 A22 ] [ B2 ]
 *
 * The blocks are overwritten in the reverse of TRSM's order, so that each is read before it is written. The other cases
 * are this one with that order reversed (`forward`) and the product on the other side.
 * Source: Charara, Ltaief, Keyes, Euro-Par 2016, section 4. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_trmm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                        trigon_scalar alpha, view A, view B) {
  int64_t n1 = b->split(b, TRIGON_TRMM, A.type, A.n, width(side, B));
  if (n1 == 0) return b->trmm(b, side, uplo, op, diag, alpha, A, B);

  halves a = cut_triangle(A, uplo, n1);
  panels x = cut_panels(B, side == TRIGON_LEFT, n1);
  int first = forward(side, uplo, op) ? 1 : 0, last = 1 - first;

  /* B2 = alpha·A22·B2 */
  TRY(algo_trmm(b, side, uplo, op, diag, alpha, a.diag[first], x.part[first]));
  /* B2 = alpha·A21·B1 + B2 */
  TRY(side_gemm(b, side, op, alpha, a.off, x.part[last], one, x.part[first]));
  /* B1 = alpha·A11·B1 */
  return algo_trmm(b, side, uplo, op, diag, alpha, a.diag[last], x.part[last]);
}
