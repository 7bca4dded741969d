/* syrk.c - SYRK, HERK, SYR2K, HER2K: updates of rank k and 2k of one triangle of C.
 *
 *    lower, no transpose:   [ C11     ]         [ A1 ]              H         [ C11     ]
 *                           [ C21 C22 ] = alpha [ A2 ] · [ A1  A2 ]    + beta [ C21 C22 ]
 *
 * C21 is a GEMM. C11 and C22 are two SYRKs of half the order, which do not depend on each other. If both have one size,
 * one call computes both.
 * Source: BLAS xSYRK; GEMM-based as in Brown, Abdelfattah, Tomov, Dongarra, HPEC 2020, section III. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_syrk(engine *e, const operation *o, int64_t n1) {
  halves c = cut_triangle(o->C, o->uplo, n1);
  panels a = cut_panels(o->A, o->op == TRIGON_NOTRANS, n1);
  int row = o->uplo == TRIGON_LOWER ? 1 : 0, col = 1 - row; /* the place of the block off the diagonal */

  /* C21 = alpha·A2·A1ᴴ + beta·C21 */
  TRY(run(e, outer_gemm(o->adjoint, o->op, o->alpha, a.panel[row], a.panel[col], o->beta, c.off)));
  /* C11 = alpha·A1·A1ᴴ + beta·C11, C22 = alpha·A2·A2ᴴ + beta·C22 */
  view C12, A12;
  if (merge_halves(c.diag[0], c.diag[1], &C12) && merge_halves(a.panel[0], a.panel[1], &A12))
    return run(e, over(o, A12, o->B, C12));
  TRY(run(e, over(o, a.panel[0], o->B, c.diag[0])));
  return run(e, over(o, a.panel[1], o->B, c.diag[1]));
}

trigon_status algo_syr2k(engine *e, const operation *o, int64_t n1) {
  halves c = cut_triangle(o->C, o->uplo, n1);
  panels x = cut_panels(o->A, o->op == TRIGON_NOTRANS, n1), y = cut_panels(o->B, o->op == TRIGON_NOTRANS, n1);
  int row = o->uplo == TRIGON_LOWER ? 1 : 0, col = 1 - row;
  trigon_scalar mirrored = o->adjoint == TRIGON_CONJTRANS ? conjugate(o->alpha) : o->alpha;

  /* C21 = alpha·A2·B1ᴴ + conj(alpha)·B2·A1ᴴ + beta·C21. HER2K with op = ᴴ is alpha·A2ᴴ·B1 + conj(alpha)·B2ᴴ·A1. */
  TRY(run(e, outer_gemm(o->adjoint, o->op, o->alpha, x.panel[row], y.panel[col], o->beta, c.off)));
  TRY(run(e, outer_gemm(o->adjoint, o->op, mirrored, y.panel[row], x.panel[col], one, c.off)));
  /* C11 = alpha·A1·B1ᴴ + conj(alpha)·B1·A1ᴴ + beta·C11, and C22 likewise */
  view C12, A12, B12;
  if (merge_halves(c.diag[0], c.diag[1], &C12) && merge_halves(x.panel[0], x.panel[1], &A12) &&
      merge_halves(y.panel[0], y.panel[1], &B12))
    return run(e, over(o, A12, B12, C12));
  TRY(run(e, over(o, x.panel[0], y.panel[0], c.diag[0])));
  return run(e, over(o, x.panel[1], y.panel[1], c.diag[1]));
}
