/* symm.c - SYMM, HEMM: product with a symmetric or Hermitian matrix, of which one triangle is stored.
 *
 *    left, lower:   [ C1 ]         [ A11 A21ᴴ ] [ B1 ]        [ C1 ]
 *                   [ C2 ] = alpha [ A21 A22  ] [ B2 ] + beta [ C2 ]
 *
 * The stored block off the diagonal is used twice: as it is stored, and transposed. The products with A11 and A22 are
 * two SYMMs of half the order, which do not depend on each other.
 * Source: BLAS xSYMM; GEMM-based as in Brown, Abdelfattah, Tomov, Dongarra, HPEC 2020, section III. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_symm(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  panels x = cut_panels(o->B, o->side == TRIGON_LEFT, n1), y = cut_panels(o->C, o->side == TRIGON_LEFT, n1);
  /* The product with the stored block takes panel `from` of B to panel `to` of C. */
  int to = (o->side == TRIGON_LEFT) == (o->uplo == TRIGON_LOWER) ? 1 : 0, from = 1 - to;

  /* C1 = alpha·A11·B1 + beta·C1, C2 = alpha·A22·B2 + beta·C2 */
  view A12, B12, C12;
  if (merge_halves(a.diag[0], a.diag[1], &A12) && merge_halves(x.panel[0], x.panel[1], &B12) &&
      merge_halves(y.panel[0], y.panel[1], &C12)) {
    TRY(run(e, over(o, A12, B12, C12)));
  } else {
    TRY(run(e, over(o, a.diag[0], x.panel[0], y.panel[0])));
    TRY(run(e, over(o, a.diag[1], x.panel[1], y.panel[1])));
  }
  /* C2 = alpha·A21·B1 + C2, C1 = alpha·A21ᴴ·B2 + C1 */
  TRY(run(e, side_gemm(o->side, TRIGON_NOTRANS, o->alpha, a.off, x.panel[from], one, y.panel[to])));
  return run(e, side_gemm(o->side, o->adjoint, o->alpha, a.off, x.panel[to], one, y.panel[from]));
}
