/* tridiagonalize.c - reduces a symmetric or Hermitian matrix to a real tridiagonal one, in panels of columns.
 *
 *            [ d             ]      A column is brought up to date, with the reflectors of its panel that came
 *    lower:  [ e  A1         ]      before; then its own reflector is made. The matrix behind is updated once:
 *            [ 0  V   A2     ]
 *                                        A2 = A2 - V·Wᴴ - W·Vᴴ
 *
 * If the machine reduces small matrices without panels, it reduces what is left of that order.
 *
 * For the upper triangle the columns are reduced from the last one on, and vectors begin at their end.
 * Source: LAPACK xLATRD, xSYTRD; Brown, Abdelfattah, Tomov, Dongarra (HPEC 2020). */
#include "core/error.h"
#include "core/sizes.h"
#include "eigen.h"

/* One column within its panel. */
typedef struct reduction {
  const reduced *r;
  panel p;
  view W; /* column j of the panel has its w in column j - p.col, in the rows of A */
  view product, dots;
} reduction;

/* The columns of the panel that are reduced already. */
static panel done_before(const reduction *s, int64_t j) {
  const bool lower = s->r->uplo == TRIGON_LOWER;
  return lower ? (panel){s->p.col, j - s->p.col, 0, 0} : (panel){j + 1, s->p.col + s->p.cols - j - 1, 0, 0};
}

/* The rows of a column from its diagonal on, and those behind the diagonal. */
static panel rows_with(const reduction *s, int64_t j) {
  return s->r->uplo == TRIGON_LOWER ? (panel){.row = j, .rows = s->r->A.n - j} : (panel){.row = 0, .rows = j + 1};
}
static panel rows_behind(const reduction *s, int64_t j) {
  return s->r->uplo == TRIGON_LOWER ? (panel){.row = j + 1, .rows = s->r->A.n - j - 1} : (panel){.row = 0, .rows = j};
}

static view reflectors(const reduction *s, panel rows, panel cols) {
  return block(s->r->A, rows.row, cols.col, rows.rows, cols.cols);
}
static view products(const reduction *s, panel rows, panel cols) {
  return block(s->W, rows.row, cols.col - s->p.col, rows.rows, cols.cols);
}

/* A column that begins at its last row. */
static view turned(view x) {
  x.base = (char *)x.base + type_size(x.type) * (x.row + x.m - 1 + x.col * x.ld);
  x.row = x.col = 0, x.gap = -2;
  return x;
}

/* x = x - V·W(j, :)ᴴ - W·V(j, :)ᴴ */
static trigon_status update_column(engine *e, const reduction *s, int64_t j) {
  const panel rows = rows_with(s, j), done = done_before(s, j), row = {.row = j, .rows = 1};
  const view x = block(s->r->A, rows.row, j, rows.rows, 1);
  if (done.cols == 0) return TRIGON_OK;
  TRY(run(
      e, gemm(TRIGON_NOTRANS, TRIGON_CONJTRANS, minus_one, reflectors(s, rows, done), products(s, row, done), one, x)));
  return run(
      e, gemm(TRIGON_NOTRANS, TRIGON_CONJTRANS, minus_one, products(s, rows, done), reflectors(s, row, done), one, x));
}

/* p = A·v, for the matrix with all earlier reflectors of the panel: p = (A - V·Wᴴ - W·Vᴴ)·v */
static trigon_status multiply_reflector(engine *e, const reduction *s, view v, int64_t j) {
  const panel rows = rows_behind(s, j), done = done_before(s, j);
  const view A = block(s->r->A, rows.row, rows.row, rows.rows, rows.rows);
  return algo_multiply_updated(e, s->r->uplo, A, reflectors(s, rows, done), products(s, rows, done), v,
                               block(s->dots, 0, 0, done.cols, 1), block(s->product, rows.row, 0, rows.rows, 1));
}

static trigon_status reduce_column(engine *e, const reduction *s, int64_t j) {
  const reduced *r = s->r;
  const eigen_support *support = e->machine->eigen;
  const panel with = rows_with(s, j), rows = rows_behind(s, j);
  const bool lower = r->uplo == TRIGON_LOWER;
  const int64_t coupling = lower ? j : j > 0 ? j - 1 : 0;
  const view x = block(r->A, with.row, j, with.rows, 1), taus = block(r->taus, j, 0, 1, 2);
  TRY(update_column(e, s, j));
  TRY(support->reflect(e->machine, lower ? x : turned(x), block(r->d, j, 0, 1, 1), block(r->e, coupling, 0, 1, 1),
                       taus));
  if (rows.rows == 0) return TRIGON_OK;
  const view v = block(r->A, rows.row, j, rows.rows, 1);
  TRY(multiply_reflector(e, s, v, j));
  return support->complete(e->machine, v, taus, block(s->product, rows.row, 0, rows.rows, 1),
                           block(s->W, rows.row, j - s->p.col, rows.rows, 1));
}

/* A2 = A2 - V·Wᴴ - W·Vᴴ */
static trigon_status update_rest(engine *e, const reduction *s) {
  const bool lower = s->r->uplo == TRIGON_LOWER;
  const int64_t end = s->p.col + s->p.cols, first = lower ? end : 0, n = lower ? s->r->A.n - end : s->p.col;
  const panel rows = {.row = first, .rows = n};
  if (n == 0) return TRIGON_OK;
  return run(e, her2k(s->r->uplo, TRIGON_NOTRANS, minus_one, reflectors(s, rows, s->p), products(s, rows, s->p), one,
                      block(s->r->A, first, first, n, n)));
}

/* The largest order of a rest that the machine reduces without panels. */
static int64_t direct_order(const eigen_support *support, trigon_type type) {
  return support->reduce_directly ? support->direct_order(type) : 0;
}

/* The columns that the first panels leave: `rest` of them. */
static trigon_status reduce_rest(engine *e, const reduced *r, int64_t rest, void *work) {
  const int64_t first = r->uplo == TRIGON_LOWER ? r->A.n - rest : 0;
  return e->machine->eigen->reduce_directly(e->machine, r->uplo, block(r->A, first, first, rest, rest),
                                            block(r->d, first, 0, rest, 1), block(r->e, first, 0, rest, 1),
                                            block(r->taus, first, 0, rest, 2), work);
}

int64_t algo_tridiagonalize_bytes(const eigen_support *support, trigon_type type, int64_t n, int64_t width) {
  const int64_t panels = (n + width) * (width + 1) * type_size(type), rest = least(n, direct_order(support, type));
  const int64_t direct = rest > 0 ? support->direct_bytes(type, rest) : 0;
  return panels > direct ? panels : direct;
}

trigon_status algo_tridiagonalize(engine *e, const reduced *r, int64_t width, void *work) {
  const eigen_support *support = e->machine->eigen;
  const int64_t n = r->A.n, direct = direct_order(support, r->A.type);
  const view W = view_of((trigon_matrix){work, r->A.type, n + width, width + 1, n + width});
  for (int64_t i = 0; i * width < n; i++) {
    const int64_t rest = n - i * width;
    if (rest <= direct && support->leaves_panels(e->machine, rest)) return reduce_rest(e, r, rest, work);
    const panel p = panel_of(r, i, width);
    const reduction s = {r, p, block(W, 0, 0, n, p.cols), block(W, 0, width, n, 1), block(W, n, width, width, 1)};
    for (int64_t k = 0; k < p.cols; k++)
      TRY(reduce_column(e, &s, r->uplo == TRIGON_LOWER ? p.col + k : p.col + p.cols - 1 - k));
    TRY(update_rest(e, &s));
  }
  return TRIGON_OK;
}
