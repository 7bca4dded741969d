/* reduce_to_band.c - reduces a symmetric or Hermitian matrix to a band, in panels of b columns.
 *
 *            [ A11           ]      The panel A21 = Q·R is factored, with Q = I - V·T·Vᴴ; R belongs to the band. Then
 *    lower:  [               ]
 *            [ A21   A22     ]      A22 = Qᴴ·A22·Q = A22 - V·Wᴴ - W·Vᴴ     W = P - ½·V·(Tᴴ·VᴴP), P = A22·V·T
 *
 * A group of panels updates the matrix behind it once. Until then a panel is brought up to date before it is factored,
 * and its product with A22 is corrected, with the V and W of the group. T is the inverse of S (block_reflector.c). An
 * upper triangle is the adjoint of a lower one: the panel is A12, and its adjoint is factored.
 * Source: LAPACK xSYTRD_SY2SB; C. Bischof, B. Lang, X. Sun (ACM TOMS 26, 2000). */
#include "core/error.h"
#include "core/sizes.h"
#include "eigen.h"

/* One panel: its columns begin at `col`, and `done` columns of V and W are there from the group's panels before. */
typedef struct band_panel {
  const band_space *s;
  trigon_uplo uplo;
  view A;
  int64_t col, cols, done, reflectors;
} band_panel;

static bool is_lower(const band_panel *p) { return p->uplo == TRIGON_LOWER; }
static int64_t behind(const band_panel *p) { return p->col + p->cols; }
static int64_t rest(const band_panel *p) { return p->A.n - behind(p); }

/* Rows of the group's V or W, of the panels before. */
static view before(const band_panel *p, view X, int64_t row, int64_t rows) { return block(X, row, 0, rows, p->done); }
/* The panel's own columns, in the rows behind it. */
static view own(const band_panel *p, view X) { return block(X, behind(p), p->done, rest(p), p->reflectors); }

/* A21, or A12. */
static view panel_block(const band_panel *p) {
  return is_lower(p) ? block(p->A, behind(p), p->col, rest(p), p->cols)
                     : block(p->A, p->col, behind(p), p->cols, rest(p));
}

/* C = C - V·Wᴴ - W·Vᴴ */
static operation rank_2k(const band_panel *p, view V, view W, view C) {
  return her2k(p->uplo, TRIGON_NOTRANS, minus_one, V, W, one, C);
}

/* C = C - X·Yᴴ */
static trigon_status subtract(engine *e, view X, view Y, view C) {
  return run(e, gemm(TRIGON_NOTRANS, TRIGON_CONJTRANS, minus_one, X, Y, one, C));
}

/* Brings the diagonal block and the panel up to date. */
static trigon_status update_panel(engine *e, const band_panel *p) {
  const band_space *s = p->s;
  const view V1 = before(p, s->V, p->col, p->cols), W1 = before(p, s->W, p->col, p->cols);
  if (p->done == 0) return TRIGON_OK;
  TRY(run(e, rank_2k(p, V1, W1, block(p->A, p->col, p->col, p->cols, p->cols))));
  if (rest(p) == 0) return TRIGON_OK;
  const view V2 = before(p, s->V, behind(p), rest(p)), W2 = before(p, s->W, behind(p), rest(p));
  const view C = panel_block(p);
  TRY(is_lower(p) ? subtract(e, V2, W1, C) : subtract(e, W1, V2, C));
  return is_lower(p) ? subtract(e, W2, V1, C) : subtract(e, V1, W2, C);
}

/* P = (A22 - V·Wᴴ - W·Vᴴ)·v, with the group's V and W, and v of this panel. */
static trigon_status multiply_reflectors(engine *e, const band_panel *p, view v, view P) {
  const band_space *s = p->s;
  const view V2 = before(p, s->V, behind(p), rest(p)), W2 = before(p, s->W, behind(p), rest(p));
  const view A22 = block(p->A, behind(p), behind(p), rest(p), rest(p));
  return algo_multiply_updated(e, p->uplo, A22, V2, W2, v, block(s->dots, 0, 0, p->done, p->reflectors), P);
}

/* T, where S was: the other triangle is zero. */
static trigon_status make_inverse_factor(engine *e, view V, view taus, view S) {
  TRY(algo_block_factor(e, TRIGON_UPPER, V, taus, S));
  return run(e, (operation){.routine = ROUTINE_INVERT, .uplo = TRIGON_UPPER, .diag = TRIGON_NONUNIT, .A = S});
}

/* W = P·T - ½·v·(Tᴴ·vᴴ(P·T)), with P = A22·v. */
static trigon_status complete(engine *e, const band_panel *p, view v, view P) {
  const band_space *s = p->s;
  const trigon_scalar minus_half = {-0.5, 0};
  const int64_t k = p->reflectors;
  const view T = block(s->S, 0, 0, k, k), M = block(s->M, 0, 0, k, k), M2 = block(s->dots, 0, 0, k, k);
  const view W = own(p, s->W);
  TRY(make_inverse_factor(e, v, block(s->taus, p->col, 0, k, 2), T));
  TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, one, P, T, zero, W)));
  TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, v, W, zero, M)));
  TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, T, M, zero, M2)));
  return run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, minus_half, v, M2, one, W));
}

static trigon_status reduce_panel(engine *e, const band_panel *p) {
  const band_space *s = p->s;
  const eigen_support *support = e->machine->eigen;
  TRY(update_panel(e, p));
  if (p->reflectors == 0) return TRIGON_OK;
  const view X = panel_block(p), v = own(p, s->V), P = block(s->P, 0, 0, rest(p), p->reflectors);
  TRY(support->factor_panel(e->machine, p->uplo, X, block(s->taus, p->col, 0, p->reflectors, 2), s->work));
  TRY(support->copy_panel(e->machine, p->uplo, X, v));
  TRY(multiply_reflectors(e, p, v, P));
  return complete(e, p, v, P);
}

/* Reduces panels from column `first` on, until the group has its columns, or the matrix ends. Returns the first column
 * behind the group in *next. */
static trigon_status reduce_group(engine *e, trigon_uplo uplo, view A, const band_space *s, int64_t first,
                                  int64_t *next) {
  const int64_t b = e->machine->eigen->bandwidth, n = A.n;
  band_panel p = {s, uplo, A, first, 0, 0, 0};
  while (p.col < n && p.done < s->V.n) {
    p.cols = least(b, n - p.col);
    p.reflectors = least(b, rest(&p));
    TRY(reduce_panel(e, &p));
    p.done += p.reflectors, p.col += p.cols;
  }
  *next = p.col;
  const int64_t left = n - p.col;
  if (left == 0 || p.done == 0) return TRIGON_OK;
  return run(
      e, rank_2k(&p, before(&p, s->V, p.col, left), before(&p, s->W, p.col, left), block(A, p.col, p.col, left, left)));
}

trigon_status algo_reduce_to_band(engine *e, trigon_uplo uplo, view A, const band_space *s) {
  int64_t first = 0;
  TRY(e->machine->eigen->clear(e->machine, s->S));
  while (first < A.n) TRY(reduce_group(e, uplo, A, s, first, &first));
  return TRIGON_OK;
}

/* ---------------------------------------------------------------------------------------------------- vectors -- */

/* Copies the reflectors of a panel to V, whose rows are those of A from `row` on. */
static trigon_status copy_reflectors(engine *e, const band_panel *p, int64_t row, int64_t column, view V) {
  return e->machine->eigen->copy_panel(e->machine, p->uplo, panel_block(p),
                                       block(V, behind(p) - row, column, rest(p), p->reflectors));
}

/* The product with the reflectors of the columns `first` to `end`: Z = Z - V·T·VᴴZ. */
static trigon_status apply_columns(engine *e, trigon_uplo uplo, view A, view taus, view Z, const apply_space *space,
                                   int64_t first, int64_t end) {
  const int64_t b = e->machine->eigen->bandwidth, n = A.n, row = least(first + b, n), rows = n - row;
  const eigen_support *support = e->machine->eigen;
  band_panel p = {NULL, uplo, A, first, 0, 0, 0};
  TRY(support->clear(e->machine, space->V));
  for (; p.col < end; p.col += p.cols) {
    p.cols = least(b, n - p.col), p.reflectors = least(b, rest(&p));
    if (p.reflectors > 0) TRY(copy_reflectors(e, &p, row, p.done, space->V));
    p.done += p.reflectors;
  }
  if (p.done == 0) return TRIGON_OK;
  const int64_t k = p.done;
  const view v = block(space->V, 0, 0, rows, k), s = block(space->S, 0, 0, k, k), z = block(Z, row, 0, rows, Z.n);
  const view y = block(space->Y, 0, 0, k, Z.n), x = block(space->X, 0, 0, k, Z.n);
  TRY(support->clear(e->machine, space->S));
  TRY(make_inverse_factor(e, v, block(taus, first, 0, k, 2), s));
  TRY(run(e, gemm(TRIGON_CONJTRANS, TRIGON_NOTRANS, one, v, z, zero, y)));
  TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, one, s, y, zero, x)));
  return run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, minus_one, v, x, one, z));
}

trigon_status algo_apply_band(engine *e, trigon_uplo uplo, view A, view taus, view Z, const apply_space *space) {
  const int64_t width = space->V.n;
  for (int64_t i = (A.n - 1) / width; i >= 0; i--)
    TRY(apply_columns(e, uplo, A, taus, Z, space, i * width, least(A.n, (i + 1) * width)));
  return TRIGON_OK;
}
