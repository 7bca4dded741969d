/* reduce_to_band.c - reduces a symmetric or Hermitian matrix to a band, in panels of b columns.
 *
 *            [ A11           ]      The panel A21 = Q·R is factored, with Q = I - V·T·Vᴴ; R belongs to the band. Then
 *    lower:  [               ]
 *            [ A21   A22     ]      A22 = Qᴴ·A22·Q = A22 - V·Wᴴ - W·Vᴴ     W = P - ½·V·(Tᴴ·VᴴP), P = A22·V·T
 *
 * A group of panels updates the matrix behind it once. Until then a panel is brought up to date before it is factored,
 * and its product with A22 is corrected, with the V and W of the group. T is the inverse of S (block_reflector.c). An
 * upper triangle is the adjoint of a lower one: the panel is A12, and its adjoint is factored. Most products of a panel
 * have few columns, and wait for memory: the machine does them together (update_panel, complete_panel).
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

/* Rows of the group's V or W, of the panels before, and with the panel itself. */
static view before(const band_panel *p, view X, int64_t row, int64_t rows) { return block(X, row, 0, rows, p->done); }
static view so_far(const band_panel *p, view X) { return block(X, behind(p), 0, rest(p), p->done + p->reflectors); }
/* The panel's own columns, in the rows behind it. */
static view own(const band_panel *p, view X) { return block(X, behind(p), p->done, rest(p), p->reflectors); }

/* A21, or A12. */
static view panel_block(const band_panel *p) {
  return is_lower(p) ? block(p->A, behind(p), p->col, rest(p), p->cols)
                     : block(p->A, p->col, behind(p), p->cols, rest(p));
}

/* Brings the diagonal block and the panel up to date. */
static trigon_status update_panel(engine *e, const band_panel *p) {
  const band_space *s = p->s;
  const int64_t left = p->A.n - p->col;
  const view X = is_lower(p) ? block(p->A, p->col, p->col, left, p->cols) : block(p->A, p->col, p->col, p->cols, left);
  if (p->done == 0) return TRIGON_OK;
  return e->machine->eigen->update_panel(e->machine, p->uplo, before(p, s->V, p->col, left),
                                         before(p, s->W, p->col, left), X);
}

static trigon_status reduce_panel(engine *e, const band_panel *p) {
  const band_space *s = p->s;
  const eigen_support *support = e->machine->eigen;
  const view v = own(p, s->V), A22 = block(p->A, behind(p), behind(p), rest(p), rest(p));
  const view taus = block(s->taus, p->col, 0, p->reflectors, 2);
  TRY(update_panel(e, p));
  if (p->reflectors == 0) return TRIGON_OK;
  TRY(support->factor_panel(e->machine, p->uplo, panel_block(p), taus, v, s->work));
  TRY(run(e, hemm(TRIGON_LEFT, p->uplo, one, A22, v, zero, own(p, s->W))));
  return support->complete_panel(e->machine, so_far(p, s->V), so_far(p, s->W), taus);
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
  const view V = before(&p, s->V, p.col, left), W = before(&p, s->W, p.col, left);
  return run(e, her2k(uplo, TRIGON_NOTRANS, minus_one, V, W, one, block(A, p.col, p.col, left, left)));
}

trigon_status algo_reduce_to_band(engine *e, trigon_uplo uplo, view A, const band_space *s) {
  int64_t first = 0;
  while (first < A.n) TRY(reduce_group(e, uplo, A, s, first, &first));
  return TRIGON_OK;
}

/* ---------------------------------------------------------------------------------------------------- vectors -- */

/* Copies the reflectors of a panel to V, whose rows are those of A from `row` on. */
static trigon_status copy_reflectors(engine *e, const band_panel *p, int64_t row, int64_t column, view V) {
  return e->machine->eigen->copy_panel(e->machine, p->uplo, panel_block(p),
                                       block(V, behind(p) - row, column, rest(p), p->reflectors));
}

/* T, where S was: the other triangle is zero. */
static trigon_status make_inverse_factor(engine *e, view V, view taus, view S) {
  TRY(algo_block_factor(e, TRIGON_UPPER, V, taus, S));
  return run(e, (operation){.routine = ROUTINE_INVERT, .uplo = TRIGON_UPPER, .diag = TRIGON_NONUNIT, .A = S});
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
