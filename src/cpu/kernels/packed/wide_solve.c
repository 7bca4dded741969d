/* wide_solve.c - TRSM of a packed triangle, and the moves between B and column panels.
 *
 * A team packs the triangle together. Then each thread draws as many columns of B as fit its buffer, moves them into
 * panels, and solves all of their rows before it stores them: a block of rows gets the products with all rows above it,
 * and then the triangle on the diagonal solves the block. So B is read and written once, and while the panels pass, a
 * piece of the triangle stays in the second-level cache. */
#include <stdatomic.h>

#include "wide.h"

typedef struct solve_job {
  const wide *wide;
  int64_t groups;     /* into which the columns are divided */
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
} solve_job;

/* ---------------------------------------------------------------------------------------------------- moves -- */

typedef void move_rows(const wide *, const column_group *, int64_t k0, int64_t k1);

/* If the rows of B are contiguous, a few of them at a time are moved from end to end: the first-level TLB has their
 * pages. */
static void move(const wide *w, const column_group *g, int64_t k0, int64_t k1, move_rows *rows) {
  enum { few_rows = 32 };
  const int64_t step = w->B.col == 1 || w->B.col == -1 ? few_rows : k1 - k0;
  for (int64_t k = k0; k < k1; k += step) rows(w, g, k, least(k + step, k1));
}

static char *panel_row(const wide *w, const column_group *g, int64_t c, int64_t k) {
  return g->data + c / w->kernel->cols * g->bytes + k * w->kernel->cols * w->element;
}

static void load_rows(const wide *w, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = wide_from_row(w, k0);
  const int cols = w->kernel->cols;
  for (int64_t c = 0; c < g->width; c += cols)
    w->kernel->load_panel(&B, k1 - k0, g->first + c, least(g->width - c, cols), cols, w->t->alpha,
                          panel_row(w, g, c, k0));
}

static void store_rows(const wide *w, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = wide_from_row(w, k0);
  const int cols = w->kernel->cols;
  for (int64_t c = 0; c < g->width; c += cols)
    w->kernel->store_panel(&B, k1 - k0, g->first + c, least(g->width - c, cols), cols, panel_row(w, g, c, k0));
}

void wide_load(const wide *w, const column_group *g, int64_t k0, int64_t k1) { move(w, g, k0, k1, load_rows); }
void wide_store(const wide *w, const column_group *g, int64_t k0, int64_t k1) { move(w, g, k0, k1, store_rows); }

/* -------------------------------------------------------------------------------------------------- solves -- */

/* Rows i0 .. i1 - 1 lose the products with rows k0 .. k1 - 1. */
static void update_block(const wide *w, const column_group *g, int64_t i0, int64_t i1, int64_t k0, int64_t k1) {
  const kernels *kernel = w->kernel;
  for (int64_t c = 0; c < g->width; c += kernel->cols)
    for (int64_t i = i0; i < i1; i += kernel->rows)
      kernel->add_to_tile(k1 - k0, (char *)w->packed->cols + lower_at(kernel, w->element, i, k0),
                          panel_row(w, g, c, k0), -1, least(g->width - c, kernel->cols), panel_row(w, g, c, i));
}

static void solve_group(const wide *w, const column_group *g) {
  const int64_t order = w->depth / 2 / w->kernel->rows * w->kernel->rows;
  for (int64_t i = 0; i < w->whole; i += order) {
    const int64_t end = least(i + order, w->whole);
    for (int64_t k = 0; k < i; k += w->depth) update_block(w, g, i, end, k, least(k + w->depth, i));
    for (int64_t c = 0; c < g->width; c += w->kernel->cols)
      w->kernel->solve(w->packed->cols, i, end, panel_row(w, g, c, 0));
  }
}

/* Group `part` of the columns. Groups are whole vectors and differ by one vector at most. */
static column_group group_of(const solve_job *j, int64_t part, void *panels) {
  const wide *w = j->wide;
  const int64_t lanes = w->kernel->per_vector;
  const share vectors = share_of(parts_of(w->t->width, lanes), part, j->groups);
  return (column_group){.first = vectors.first * lanes,
                        .width = least(w->t->width, vectors.end * lanes) - vectors.first * lanes,
                        .data = panels,
                        .bytes = w->whole * w->kernel->cols * w->element};
}

/* The first phase packs the triangle, the second one solves. */
static int64_t tasks_of_phase(void *of, int64_t phase) {
  const solve_job *j = of;
  return phase == 0 ? lower_pieces(&j->wide->rows) : phase == 1 ? j->groups : -1;
}

static void run_task(void *of, int64_t phase, int64_t task, void *panels) {
  solve_job *j = of;
  const wide *w = j->wide;
  if (phase == 0) {
    if (!lower_pack_piece(&w->rows, task, w->packed->cols)) atomic_store(&j->unsafe, true);
    return;
  }
  const column_group g = group_of(j, task, panels);
  if (atomic_load(&j->unsafe)) {
    w->kernel->substitute(w->t, &w->rows.L, &w->B, g.first, g.width);
    return;
  }
  wide_load(w, &g, 0, w->t->n);
  solve_group(w, &g);
  wide_store(w, &g, 0, w->t->n);
}

/* As few groups as the buffers allow, but equally many for each thread. A part of a panel takes the room of a panel. */
static int64_t count_groups(const wide *w, int threads) {
  const int64_t panel = w->whole * w->kernel->cols * w->element, fit = w->packed->row_bytes / panel;
  return parts_of(parts_of(w->t->width, fit * w->kernel->cols), threads) * threads;
}

void wide_solve(const wide *w, int threads) {
  threads = team_size(w->packed, least(threads, parts_of(w->t->width, w->kernel->cols)));
  solve_job j = {.wide = w, .groups = count_groups(w, threads)};
  run_team(w->packed, (team_work){.tasks = tasks_of_phase, .run = run_task}, threads, &j);
}
