/* many_columns_solve.c - TRSM of a packed triangle, and the moves between B and column panels.
 *
 * A team packs the triangle together. Then each member takes as many columns of B as fit its buffer, moves them into
 * panels, and solves all of their rows before it stores them: a block of rows gets the products with all rows above it,
 * and then the triangle on the diagonal solves the block. So B is read and written once, and while the panels pass, a
 * piece of the triangle stays in the second-level cache. */
#include <stdatomic.h>

#include "many_columns.h"

typedef struct solve_job {
  const wide *wide;
  long groups;        /* into which the columns are divided */
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
  atomic_long next;   /* the first group that no member has taken */
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
static column_group group_of(const solve_job *j, long part, member m) {
  const wide *w = j->wide;
  const int64_t lanes = w->kernel->per_vector;
  const share vectors = share_of((long)parts_of(w->t->width, lanes), (int)part, (int)j->groups);
  return (column_group){.first = vectors.first * lanes,
                        .width = least(w->t->width, vectors.end * lanes) - vectors.first * lanes,
                        .data = rows_of(w->packed, m),
                        .bytes = w->whole * w->kernel->cols * w->element};
}

static void work_on_solve(member m, void *of) {
  solve_job *j = of;
  const wide *w = j->wide;
  const int64_t n = w->t->n;
  if (!lower_pack_share(&w->rows, m, w->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  const bool unsafe = atomic_load(&j->unsafe);
  for (;;) {
    const long next = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (next >= j->groups) break;
    const column_group g = group_of(j, next, m);
    if (unsafe) {
      w->kernel->substitute(w->t, &w->rows.L, &w->B, g.first, g.width);
      continue;
    }
    wide_load(w, &g, 0, n);
    solve_group(w, &g);
    wide_store(w, &g, 0, n);
  }
}

/* As few groups as the buffers allow, but equally many for each member. A part of a panel takes the room of a panel. */
static long count_groups(const wide *w, int members) {
  const int64_t panel = w->whole * w->kernel->cols * w->element, fit = w->packed->row_bytes / panel;
  return (long)(parts_of(parts_of(w->t->width, fit * w->kernel->cols), members) * members);
}

void wide_solve(const wide *w, int threads) {
  const int members = team_size(w->packed, least(threads, parts_of(w->t->width, w->kernel->cols)));
  solve_job j = {.wide = w, .groups = count_groups(w, members)};
  team_run(members, work_on_solve, &j);
}
