/* trsm.c - TRSM: recursive in-place triangular solve, op(A)·X = alpha·B or X·op(A) = alpha·B.
 *
 *    left, lower, no transpose:   [ A11     ] [ X1 ]         [ B1 ]
 *                                 [ A21 A22 ] [ X2 ] = alpha [ B2 ]
 *
 * The other cases have the opposite order of the blocks (`forward`), or the product on the other side.
 * Source: Charara, Ltaief, Keyes, Euro-Par 2016, section 4. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_trsm(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  panels x = cut_panels(o->B, o->side == TRIGON_LEFT, n1);
  int first = forward(o) ? 0 : 1, last = 1 - first;

  /* A11·X1 = alpha·B1 */
  TRY(run(e, over(o, a.diag[first], x.panel[first], o->C)));
  /* B2 = alpha·B2 - A21·X1 */
  TRY(run(e, side_gemm(o->side, o->op, minus_one, a.off, x.panel[first], o->alpha, x.panel[last])));
  /* A22·X2 = B2 */
  return run(e, trsm(o->side, o->uplo, o->op, o->diag, one, a.diag[last], x.panel[last]));
}
