/* trmm.c - TRMM: recursive in-place triangular product, B = alpha·op(A)·B or B = alpha·B·op(A).
 *
 *    left, lower, no transpose:   [ B1 ]         [ A11     ] [ B1 ]
 *                                 [ B2 ] = alpha [ A21 A22 ] [ B2 ]
 *
 * The blocks of B are overwritten in the reverse of TRSM's order, so that each block is read before it is overwritten.
 * The other cases have the opposite order (`forward`), or the product on the other side.
 * Source: Charara, Ltaief, Keyes, Euro-Par 2016, section 4. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_trmm(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  panels x = cut_panels(o->B, o->side == TRIGON_LEFT, n1);
  int first = forward(o) ? 1 : 0, last = 1 - first;

  /* B2 = alpha·A22·B2 */
  TRY(run(e, over(o, a.diag[first], x.panel[first], o->C)));
  /* B2 = alpha·A21·B1 + B2 */
  TRY(run(e, side_gemm(o->side, o->op, o->alpha, a.off, x.panel[last], one, x.panel[first])));
  /* B1 = alpha·A11·B1 */
  return run(e, over(o, a.diag[last], x.panel[last], o->C));
}
