/* cholesky.c - Cholesky factorization in place, and the solves with it.
 *
 *    lower:   [ A11      ]   [ L11     ] [ L11ᴴ L21ᴴ ]
 *             [ A21  A22 ] = [ L21 L22 ] [      L22ᴴ ]
 *
 * Upper is the transpose: the same steps with the triangle on the other side.
 * Source: LAPACK xPOTRF (recursive xPOTRF2), xPOTRS, xPOSV. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_potrf(backend *b, trigon_uplo uplo, view A) {
  int64_t n1 = b->split(b, TRIGON_POTRF, A.type, A.n, A.n);
  if (n1 == 0) return b->potrf(b, uplo, A);

  halves a = cut_triangle(A, uplo, n1);
  trigon_side side = uplo == TRIGON_LOWER ? TRIGON_RIGHT : TRIGON_LEFT;
  trigon_op op = uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;

  /* A11 = L11·L11ᴴ. Where that is known to have failed, the columns before the failure are completed and the rest is
   * left: solving with what stands there could carry a NaN back into them. */
  TRY(algo_potrf(b, uplo, a.diag[0]));
  bool failed = b->failed(b) > 0;
  int64_t sound = failed ? b->failed(b) - 1 - A.col : n1;
  view L11 = block(a.diag[0], 0, 0, sound, sound);
  view A21 = cut_panels(a.off, uplo == TRIGON_UPPER, sound).part[0];

  /* L21·L11ᴴ = A21 */
  if (sound > 0) TRY(algo_trsm(b, side, uplo, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, L11, A21));
  if (failed) return TRIGON_OK;
  /* A22 = A22 - L21·L21ᴴ */
  TRY(algo_syrk(b, TRIGON_CONJTRANS, uplo, op, minus_one, a.off, one, a.diag[1]));
  /* A22 = L22·L22ᴴ */
  return algo_potrf(b, uplo, a.diag[1]);
}

trigon_status algo_potrs(backend *b, trigon_uplo uplo, view A, view B) {
  trigon_op inner = uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  trigon_op outer = uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;

  /* L·Y = B */
  TRY(algo_trsm(b, TRIGON_LEFT, uplo, inner, TRIGON_NONUNIT, one, A, B));
  /* Lᴴ·X = Y */
  return algo_trsm(b, TRIGON_LEFT, uplo, outer, TRIGON_NONUNIT, one, A, B);
}

trigon_status algo_posv(backend *b, trigon_uplo uplo, view A, view B) {
  TRY(algo_potrf(b, uplo, A));
  if (B.n == 0 || b->failed(b) > 0) return TRIGON_OK;
  return algo_potrs(b, uplo, A, B);
}
