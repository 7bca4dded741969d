/* cholesky.c - POTRF, POTRS, POSV: Cholesky factorization in place, and the solves with the factor.
 *
 *    lower:   [ A11      ]   [ L11     ] [ L11ᴴ L21ᴴ ]
 *             [ A21  A22 ] = [ L21 L22 ] [      L22ᴴ ]
 *
 * The upper case is the transpose of the lower case: the same steps, with the triangle on the other side.
 * Source: LAPACK xPOTRF (recursive xPOTRF2), xPOTRS, xPOSV. */
#include "algo.h"
#include "recursion.h"

trigon_status algo_potrf(engine *e, const operation *o, int64_t n1) {
  halves a = cut_triangle(o->A, o->uplo, n1);
  trigon_side side = o->uplo == TRIGON_LOWER ? TRIGON_RIGHT : TRIGON_LEFT;
  trigon_op op = o->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  operation first = over(o, a.diag[0], o->B, o->C), last = over(o, a.diag[1], o->B, o->C);
  last.column += n1;

  /* A11 = L11·L11ᴴ. If a failure is known, complete only the columns before the failure, and stop. A solve with the
   * other columns could carry a NaN into the sound columns. */
  TRY(algo_run(e, &first));
  int64_t failure = e->known_failure(e), sound = failure > 0 ? failure - 1 - o->column : n1;
  view L11 = block(a.diag[0], 0, 0, sound, sound);
  view A21 = cut_panels(a.off, o->uplo == TRIGON_UPPER, sound).panel[0];

  /* L21·L11ᴴ = A21 */
  if (sound > 0) TRY(run(e, trsm(side, o->uplo, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, L11, A21)));
  if (failure > 0) return TRIGON_OK;
  /* A22 = A22 - L21·L21ᴴ */
  TRY(run(e, herk(o->uplo, op, minus_one, a.off, one, a.diag[1])));
  /* A22 = L22·L22ᴴ */
  return algo_run(e, &last);
}

trigon_status algo_potrs(engine *e, const operation *o) {
  trigon_op inner = o->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  trigon_op outer = o->uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;

  /* L·Y = B */
  TRY(run(e, trsm(TRIGON_LEFT, o->uplo, inner, TRIGON_NONUNIT, one, o->A, o->B)));
  /* Lᴴ·X = Y */
  return run(e, trsm(TRIGON_LEFT, o->uplo, outer, TRIGON_NONUNIT, one, o->A, o->B));
}

trigon_status algo_posv(engine *e, const operation *o) {
  operation factor = as_routine(o, ROUTINE_POTRF);
  factor.B = (view){0}; /* the right-hand sides are no size of the factorization */
  TRY(algo_run(e, &factor));
  if (o->B.n == 0 || e->known_failure(e) > 0) return TRIGON_OK;
  return run(e, as_routine(o, ROUTINE_POTRS));
}
