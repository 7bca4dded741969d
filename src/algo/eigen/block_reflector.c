/* block_reflector.c - what the reductions to a band and to tridiagonal form have in common, and the products with Q.
 *
 * Reflectors H_1, ..., H_k that are applied one after the other are one block reflector:
 *
 *     H_1·...·H_k = I - V·S⁻¹·Vᴴ     S = strict triangle of VᴴV + diag(1 / tau)
 *
 * S is upper triangular if the columns of V are in the order of the reflectors (a reduced lower triangle), and lower
 * triangular if they are in the reverse order. No tau is zero, so that S can be inverted.
 * Source: T. Joffrain et al., Accumulating Householder transformations, revisited (2006). */
#include "core/error.h"
#include "eigen.h"

trigon_status algo_block_factor(engine *e, trigon_uplo triangle, view V, view taus, view S) {
  TRY(run(e, herk(triangle, TRIGON_CONJTRANS, one, V, zero, S)));
  return e->machine->eigen->set_diagonal(e->machine, taus, S);
}

trigon_status algo_multiply_updated(engine *e, trigon_uplo uplo, view A, view V, view W, view X, view dots, view P) {
  TRY(run(e, hemm(TRIGON_LEFT, uplo, one, A, X, zero, P)));
  if (V.n == 0) return TRIGON_OK;
  TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, W, X, zero, dots)));
  TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, minus_one, V, dots, one, P)));
  TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, V, X, zero, dots)));
  return run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, minus_one, W, dots, one, P));
}
