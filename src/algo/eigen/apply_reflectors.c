/* apply_reflectors.c - multiplies by the Q of a reduction: Z = Q·Z, a panel of reflectors at a time.
 *
 * A panel is a block reflector (block_reflector.c). Source: LAPACK xORMTR. */
#include "core/error.h"
#include "eigen.h"

trigon_status algo_apply_reflectors(engine *e, const reduced *r, view Z, const apply_space *space) {
  const eigen_support *support = e->machine->eigen;
  const int64_t width = space->S.n, n = r->A.n;
  const trigon_uplo triangle = r->uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER;
  for (int64_t i = (n - 1) / width; i >= 0; i--) {
    panel p = panel_of(r, i, width);
    /* The last column to be reduced has no reflector. */
    if (r->uplo == TRIGON_LOWER && p.col + p.cols == n) p.cols--;
    if (r->uplo == TRIGON_UPPER && p.col == 0) p.col++, p.cols--;
    if (p.cols == 0) continue;
    const view v = block(space->V, 0, 0, p.rows, p.cols), s = block(space->S, 0, 0, p.cols, p.cols);
    const view y = block(space->Y, 0, 0, p.cols, Z.n);
    const view rows = block(Z, p.row, 0, p.rows, Z.n);
    TRY(support->copy_reflectors(e->machine, r->uplo, block(r->A, p.row, p.col, p.rows, p.cols), v));
    TRY(algo_block_factor(e, triangle, v, block(r->taus, p.col, 0, p.cols, 2), s));
    /* Z = Z - V·S⁻¹·VᴴZ */
    TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, v, rows, zero, y)));
    TRY(run(e, trsm(TRIGON_LEFT, triangle, TRIGON_NOTRANS, TRIGON_NONUNIT, one, s, y)));
    TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, minus_one, v, y, one, rows)));
  }
  return TRIGON_OK;
}
