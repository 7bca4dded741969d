/* eigen.h - the stages of the symmetric eigensolver. A = Q·T·Qᴴ with T real and tridiagonal; T = Z·Λ·Zᵀ; then A's
 * vectors are Q·Z. The machine must have eigen_support. */
#ifndef TRIGON_ALGO_EIGEN_H
#define TRIGON_ALGO_EIGEN_H

#include "algo/algo.h"
#include "core/eigen_support.h"

/* What a reduction leaves beside the reflectors, which take the place of A's triangle.
 *
 *     lower: column j holds v_j from row j + 1 on      upper: column j holds v_j in the rows above the diagonal
 *
 * e_j couples rows j and j + 1. Column j of an upper triangle belongs to e_(j-1). */
typedef struct reduced {
  trigon_uplo uplo;
  view A;
  view d, e; /* n × 1, real */
  view taus; /* n × 2, of A's type: tau_j and 1 / tau_j in row j */
} reduced;

/* The reflectors of some neighbouring columns, which were made one after the other: `cols` columns from `col` on, and
 * the rows that they change. */
typedef struct panel {
  int64_t col, cols, row, rows;
} panel;

/* Panel i of so many columns each, in the order in which they are reduced. The last one may be narrower. The column at
 * the end of the reduction has no reflector. */
static inline panel panel_of(const reduced *r, int64_t i, int64_t width) {
  const int64_t n = r->A.n, done = i * width, cols = n - done < width ? n - done : width, left = n - done - cols;
  if (r->uplo == TRIGON_LOWER) return (panel){done, cols, done + 1, n - done - 1};
  return (panel){left, cols, 0, left + cols - 1};
}

/* Reduces A to T. `work` has algo_tridiagonalize_bytes. */
trigon_status algo_tridiagonalize(engine *, const reduced *, int64_t width, void *work);
int64_t algo_tridiagonalize_bytes(const eigen_support *, trigon_type, int64_t n, int64_t width);

/* Reduces A to a band, with the machine's bandwidth b. Groups of panels update the matrix together: `group` columns, a
 * multiple of b. */
typedef struct band_space {
  view V, W;  /* n × group: of the group's reflectors, in the rows of A */
  view taus;  /* n × 2 */
  void *work; /* for factor_panel */
} band_space;
trigon_status algo_reduce_to_band(engine *, trigon_uplo uplo, view A, const band_space *);

/* Workspaces of a product with `width` reflectors at a time, of A's type. */
typedef struct apply_space {
  view V;    /* n × width */
  view S;    /* width × width */
  view Y, X; /* width × Z.n */
} apply_space;

/* Z = Q·Z, for the Q of that reduction; the width is a multiple of b. */
trigon_status algo_apply_band(engine *, trigon_uplo uplo, view A, view taus, view Z, const apply_space *);
/* Z = Q·Z. X is not used. */
trigon_status algo_apply_reflectors(engine *, const reduced *, view Z, const apply_space *);

/* What both reductions and both products do (block_reflector.c): */

/* S, the factor of the block reflector I - V·S⁻¹·Vᴴ: a triangle of VᴴV, with the second column of taus on the diagonal.
 * The other triangle stays. */
trigon_status algo_block_factor(engine *, trigon_uplo triangle, view V, view taus, view S);
/* P = (A - V·Wᴴ - W·Vᴴ)·X, for a triangle of A. `dots` is V.n × X.n; V may have no columns. */
trigon_status algo_multiply_updated(engine *, trigon_uplo uplo, view A, view V, view W, view X, view dots, view P);

/* T = Z·Λ·Zᵀ by divide and conquer; d becomes the values, `order` their ascending order; e is overwritten. The
 * values are those of T times scale(1), a power of two. Columns of Z that are not wanted are unspecified. */
typedef struct conquest {
  view d, e, scale, Z;
  view other;                  /* n × n, real, if merges alternate */
  void *spare;                 /* n² + 8·n reals */
  int64_t *order, *scratch;    /* n, and eigen_scratch·n */
  const eigen_problem *wanted; /* NULL: all values and vectors */
} conquest;
trigon_status algo_conquer(engine *, const conquest *);

#endif
