/* cholesky_inverse.c - the inverse of a triangle, the product LᴴL, and the two of them in a row: A⁻¹ from its factor.
 *
 *    lower:   [ A11     ]⁻¹   [       A11⁻¹                ]          [ L11     ]      [ L11ᴴL11 + L21ᴴL21          ]
 *             [ A21 A22 ]   = [ -A22⁻¹·A21·A11⁻¹    A22⁻¹  ]   LAUUM: [ L21 L22 ]  ->  [      L22ᴴL21        L22ᴴL22 ]
 *
 * Upper is the transpose: the same steps from the other end.
 * Source: LAPACK xTRTRI, xLAUUM, xPOTRI. */
#include "algo.h"
#include "recursion.h"

/* One factor of the off-diagonal block is a product with a block inverted already, the other a solve with one that is
 * not yet: multiplying by both inverses would lose the bound on the residual (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 14.2: methods 2B and 2C). Which residual stays small, X·L - I or L·X - I, depends on
 * which of the two is the product. POTRI needs the first of L and the second of U, so upper is the exact transpose. */
static trigon_status invert(backend *b, trigon_uplo uplo, trigon_diag diag, view A) {
  int64_t n1 = b->split(b, TRIGON_TRTRI, A.type, A.n, A.n);
  if (n1 == 0) return b->trtri(b, uplo, diag, A);

  halves a = cut_triangle(A, uplo, n1);
  trigon_side side = uplo == TRIGON_LOWER ? TRIGON_LEFT : TRIGON_RIGHT;
  trigon_side other = uplo == TRIGON_LOWER ? TRIGON_RIGHT : TRIGON_LEFT;

  /* A22 = A22⁻¹ */
  TRY(invert(b, uplo, diag, a.diag[1]));
  /* A21 = A22⁻¹·A21 */
  TRY(algo_trmm(b, side, uplo, TRIGON_NOTRANS, diag, one, a.diag[1], a.off));
  /* A21 = -A21·A11⁻¹ */
  TRY(algo_trsm(b, other, uplo, TRIGON_NOTRANS, diag, minus_one, a.diag[0], a.off));
  /* A11 = A11⁻¹ */
  return invert(b, uplo, diag, a.diag[0]);
}

trigon_status algo_trtri(backend *b, trigon_uplo uplo, trigon_diag diag, view A) {
  if (diag == TRIGON_NONUNIT) TRY(b->check_diagonal(b, A));
  return b->failed(b) > 0 ? TRIGON_OK : invert(b, uplo, diag, A);
}

trigon_status algo_lauum(backend *b, trigon_uplo uplo, view A) {
  int64_t n1 = b->split(b, TRIGON_LAUUM, A.type, A.n, A.n);
  if (n1 == 0) return b->lauum(b, uplo, A);

  halves a = cut_triangle(A, uplo, n1);
  trigon_side side = uplo == TRIGON_LOWER ? TRIGON_LEFT : TRIGON_RIGHT;
  trigon_op op = uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;

  /* A11 = L11ᴴ·L11 */
  TRY(algo_lauum(b, uplo, a.diag[0]));
  /* A11 = L21ᴴ·L21 + A11 */
  TRY(algo_syrk(b, TRIGON_CONJTRANS, uplo, op, one, a.off, one, a.diag[0]));
  /* A21 = L22ᴴ·L21 */
  TRY(algo_trmm(b, side, uplo, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, a.diag[1], a.off));
  /* A22 = L22ᴴ·L22 */
  return algo_lauum(b, uplo, a.diag[1]);
}

trigon_status algo_potri(backend *b, trigon_uplo uplo, view A) {
  TRY(algo_trtri(b, uplo, TRIGON_NONUNIT, A));
  return b->failed(b) > 0 ? TRIGON_OK : algo_lauum(b, uplo, A);
}
