/* many_columns_solve.c - TRSM of a packed triangle, and the moves between B and column panels.
 *
 * A team packs the triangle together. Then each thread draws as many columns of B as fit its buffer, moves them into
 * panels, and solves all of their rows before it stores them: a block of rows gets the products with all rows above it,
 * and then the triangle on the diagonal solves the block. So B is read and written once, and while the panels pass, a
 * piece of the triangle stays in the second-level cache. */
#include <stdatomic.h>

#include "many_columns.h"

typedef struct solve_job {
  const many_columns *leaf;
  int64_t groups;     /* into which the columns are divided */
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
} solve_job;

/* ---------------------------------------------------------------------------------------------------- moves -- */

typedef void move_rows(const many_columns *, const column_group *, int64_t k0, int64_t k1);

/* If the rows of B are contiguous, a few of them at a time are moved from end to end: the first-level TLB has their
 * pages. */
static void move(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1, move_rows *rows) {
  enum { few_rows = 32 };
  const int64_t step = leaf->B.col == 1 || leaf->B.col == -1 ? few_rows : k1 - k0;
  for (int64_t k = k0; k < k1; k += step) rows(leaf, g, k, least(k + step, k1));
}

static char *panel_row(const many_columns *leaf, const column_group *g, int64_t p, int64_t k) {
  return g->data + p * g->bytes + k * leaf->kernel->cols * leaf->element;
}

static void load_rows(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = many_columns_from_row(leaf, k0);
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++) {
    const share c = many_columns_of_panel(leaf, g, p);
    leaf->kernel->load_panel(&B, k1 - k0, g->first + c.first, c.end - c.first, leaf->kernel->cols, leaf->t->alpha,
                             panel_row(leaf, g, p, k0));
  }
}

static void store_rows(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = many_columns_from_row(leaf, k0);
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++) {
    const share c = many_columns_of_panel(leaf, g, p);
    leaf->kernel->store_panel(&B, k1 - k0, g->first + c.first, c.end - c.first, leaf->kernel->cols,
                              panel_row(leaf, g, p, k0));
  }
}

void many_columns_load(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  move(leaf, g, k0, k1, load_rows);
}
void many_columns_store(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  move(leaf, g, k0, k1, store_rows);
}

/* -------------------------------------------------------------------------------------------------- solves -- */

/* Rows i0 .. i1 - 1 lose the products with rows k0 .. k1 - 1. */
static void update_block(const many_columns *leaf, const column_group *g, int64_t i0, int64_t i1, int64_t k0,
                         int64_t k1) {
  const kernels *kernel = leaf->kernel;
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++) {
    const share c = many_columns_of_panel(leaf, g, p);
    for (int64_t i = i0; i < i1; i += kernel->rows)
      kernel->add_to_tile(k1 - k0, (char *)leaf->packed->cols + lower_at(kernel, leaf->element, i, k0),
                          panel_row(leaf, g, p, k0), -1, c.end - c.first, panel_row(leaf, g, p, i));
  }
}

/* A block of rows is so small that its part of the triangle stays in the second-level cache beside the panels. */
static void solve_group(const many_columns *leaf, const column_group *g) {
  const int64_t order = leaf->depth / 4 / leaf->kernel->rows * leaf->kernel->rows;
  for (int64_t i = 0; i < leaf->whole; i += order) {
    const int64_t end = least(i + order, leaf->whole);
    for (int64_t k = 0; k < i; k += leaf->depth) update_block(leaf, g, i, end, k, least(k + leaf->depth, i));
    for (int64_t p = 0; p < many_columns_panels(leaf, g); p++)
      leaf->kernel->solve(leaf->packed->cols, i, end, panel_row(leaf, g, p, 0));
  }
}

/* Group `part` of the columns. Groups are whole vectors and differ by one vector at most. */
static column_group group_of(const solve_job *j, int64_t part, void *panels) {
  const many_columns *leaf = j->leaf;
  const int64_t lanes = leaf->kernel->per_vector;
  const share vectors = share_of(parts_of(leaf->t->width, lanes), part, j->groups);
  return (column_group){.first = vectors.first * lanes,
                        .width = least(leaf->t->width, vectors.end * lanes) - vectors.first * lanes,
                        .data = panels,
                        .bytes = leaf->whole * leaf->kernel->cols * leaf->element};
}

/* The first phase packs the triangle, the second one solves. */
static int64_t tasks_of_phase(void *of, int64_t phase) {
  const solve_job *j = of;
  return phase == 0 ? lower_pieces(&j->leaf->rows) : phase == 1 ? j->groups : -1;
}

static void run_task(void *of, int64_t phase, int64_t task, void *panels) {
  solve_job *j = of;
  const many_columns *leaf = j->leaf;
  if (phase == 0) {
    if (!lower_pack_piece(&leaf->rows, task, leaf->packed->cols)) atomic_store(&j->unsafe, true);
    return;
  }
  const column_group g = group_of(j, task, panels);
  if (atomic_load(&j->unsafe)) {
    leaf->kernel->substitute(leaf->t, &leaf->rows.L, &leaf->B, g.first, g.width);
    return;
  }
  many_columns_load(leaf, &g, 0, leaf->t->n);
  solve_group(leaf, &g);
  many_columns_store(leaf, &g, 0, leaf->t->n);
}

/* As few groups as the buffers allow, but equally many for each thread. A part of a panel takes the room of a panel. */
static int64_t count_groups(const many_columns *leaf, int threads) {
  const int64_t panel = leaf->whole * leaf->kernel->cols * leaf->element, fit = leaf->packed->row_bytes / panel;
  return parts_of(parts_of(leaf->t->width, fit * leaf->kernel->cols), threads) * threads;
}

void many_columns_solve(const many_columns *leaf, int threads) {
  threads = team_size(leaf->packed, least(threads, parts_of(leaf->t->width, leaf->kernel->cols)));
  solve_job j = {.leaf = leaf, .groups = count_groups(leaf, threads)};
  run_team(leaf->packed, (team_work){.tasks = tasks_of_phase, .run = run_task}, threads, &j);
}
