/* cholesky_inverse.c - TRTRI (the inverse of a triangle), LAUUM (LᴴL), and POTRI, which is both: A⁻¹ from A's factor.
 *
 *    lower:   [ A11     ]⁻¹   [       A11⁻¹                ]          [ L11     ]      [ L11ᴴL11 + L21ᴴL21          ]
 *             [ A21 A22 ]   = [ -A22⁻¹·A21·A11⁻¹    A22⁻¹  ]   LAUUM: [ L21 L22 ]  ->  [      L22ᴴL21        L22ᴴL22 ]
 *
 * The upper case is the transpose of the lower case: the same steps, with the triangle on the other side.
 * Source: LAPACK xTRTRI, xLAUUM, xPOTRI. */
#include "algo.h"
#include "recursion.h"

/* The block off the diagonal is multiplied by the inverse of one diagonal block, and solved with the other diagonal
 * block, which is not inverted yet. Products with both inverses would lose the bound on the residual (Higham, Accuracy
 * and Stability of Numerical Algorithms, section 14.2: methods 2B and 2C). The side of the product decides which
 * residual is small, X·L - I or L·X - I. POTRI needs X·L - I for L and U·X - I for U. Therefore the upper case is the
 * exact transpose of the lower case. */
trigon_status algo_invert(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  trigon_side side = o->uplo == TRIGON_LOWER ? TRIGON_LEFT : TRIGON_RIGHT;
  trigon_side other = o->uplo == TRIGON_LOWER ? TRIGON_RIGHT : TRIGON_LEFT;

  /* A22 = A22⁻¹ */
  TRY(run(e, over(o, a.diag[1], o->B, o->C)));
  /* A21 = A22⁻¹·A21 */
  TRY(run(e, trmm(side, o->uplo, TRIGON_NOTRANS, o->diag, one, a.diag[1], a.off)));
  /* A21 = -A21·A11⁻¹ */
  TRY(run(e, trsm(other, o->uplo, TRIGON_NOTRANS, o->diag, minus_one, a.diag[0], a.off)));
  /* A11 = A11⁻¹ */
  return run(e, over(o, a.diag[0], o->B, o->C));
}

trigon_status algo_trtri(engine *e, const operation *o) {
  if (o->diag == TRIGON_NONUNIT) TRY(run(e, as_routine(o, ROUTINE_CHECK_DIAGONAL)));
  return e->known_failure(e) > 0 ? TRIGON_OK : run(e, as_routine(o, ROUTINE_INVERT));
}

trigon_status algo_lauum(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  trigon_side side = o->uplo == TRIGON_LOWER ? TRIGON_LEFT : TRIGON_RIGHT;
  trigon_op op = o->uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;

  /* A11 = L11ᴴ·L11 */
  TRY(run(e, over(o, a.diag[0], o->B, o->C)));
  /* A11 = L21ᴴ·L21 + A11 */
  TRY(run(e, herk(o->uplo, op, one, a.off, one, a.diag[0])));
  /* A21 = L22ᴴ·L21 */
  TRY(run(e, trmm(side, o->uplo, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, a.diag[1], a.off)));
  /* A22 = L22ᴴ·L22 */
  return run(e, over(o, a.diag[1], o->B, o->C));
}

trigon_status algo_potri(engine *e, const operation *o) {
  operation inverse = as_routine(o, ROUTINE_TRTRI);
  inverse.diag = TRIGON_NONUNIT;
  TRY(algo_run(e, &inverse));
  if (e->known_failure(e) > 0) return TRIGON_OK;
  TRY(run(e, as_routine(o, ROUTINE_LAUUM)));
  return o->both ? run(e, as_routine(o, ROUTINE_MIRROR)) : TRIGON_OK;
}
