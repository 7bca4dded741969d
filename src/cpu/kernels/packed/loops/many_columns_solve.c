/* many_columns_solve.c - TRSM of a packed triangle, and the moves between B and column panels.
 *
 * A team packs the triangle together. Then each member takes as many columns of B as fit its buffer, moves them into
 * panels, and solves all of their rows before it stores them: a block of rows gets the products with all rows above it,
 * and then the triangle on the diagonal solves the block. So B is read and written once, and while the panels pass, a
 * piece of the triangle stays in the second-level cache. */
#include <stdatomic.h>

#include "many_columns.h"

typedef struct solve_job {
  const many_columns *leaf;
  long groups;        /* into which the columns are divided */
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
  atomic_long next;   /* the first group that no member has taken */
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

static char *panel_row(const many_columns *leaf, const column_group *g, int64_t c, int64_t k) {
  return g->data + c / leaf->kernel->cols * g->bytes + k * leaf->kernel->cols * leaf->element;
}

static void load_rows(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = many_columns_from_row(leaf, k0);
  const int cols = leaf->kernel->cols;
  for (int64_t c = 0; c < g->width; c += cols)
    leaf->kernel->load_panel(&B, k1 - k0, g->first + c, least(g->width - c, cols), cols, leaf->t->alpha,
                             panel_row(leaf, g, c, k0));
}

static void store_rows(const many_columns *leaf, const column_group *g, int64_t k0, int64_t k1) {
  const operand B = many_columns_from_row(leaf, k0);
  const int cols = leaf->kernel->cols;
  for (int64_t c = 0; c < g->width; c += cols)
    leaf->kernel->store_panel(&B, k1 - k0, g->first + c, least(g->width - c, cols), cols, panel_row(leaf, g, c, k0));
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
  for (int64_t c = 0; c < g->width; c += kernel->cols)
    for (int64_t i = i0; i < i1; i += kernel->rows)
      kernel->add_to_tile(k1 - k0, (char *)leaf->packed->cols + lower_at(kernel, leaf->element, i, k0),
                          panel_row(leaf, g, c, k0), -1, least(g->width - c, kernel->cols), panel_row(leaf, g, c, i));
}

static void solve_group(const many_columns *leaf, const column_group *g) {
  const int64_t order = leaf->depth / 2 / leaf->kernel->rows * leaf->kernel->rows;
  for (int64_t i = 0; i < leaf->whole; i += order) {
    const int64_t end = least(i + order, leaf->whole);
    for (int64_t k = 0; k < i; k += leaf->depth) update_block(leaf, g, i, end, k, least(k + leaf->depth, i));
    for (int64_t c = 0; c < g->width; c += leaf->kernel->cols)
      leaf->kernel->solve(leaf->packed->cols, i, end, panel_row(leaf, g, c, 0));
  }
}

/* Group `part` of the columns. Groups are whole vectors and differ by one vector at most. */
static column_group group_of(const solve_job *j, long part, member m) {
  const many_columns *leaf = j->leaf;
  const int64_t lanes = leaf->kernel->per_vector;
  const share vectors = share_of((long)parts_of(leaf->t->width, lanes), (int)part, (int)j->groups);
  return (column_group){.first = vectors.first * lanes,
                        .width = least(leaf->t->width, vectors.end * lanes) - vectors.first * lanes,
                        .data = rows_of(leaf->packed, m),
                        .bytes = leaf->whole * leaf->kernel->cols * leaf->element};
}

static void work_on_solve(member m, void *of) {
  solve_job *j = of;
  const many_columns *leaf = j->leaf;
  const int64_t n = leaf->t->n;
  if (!lower_pack_share(&leaf->rows, m, leaf->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  const bool unsafe = atomic_load(&j->unsafe);
  for (;;) {
    const long next = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (next >= j->groups) break;
    const column_group g = group_of(j, next, m);
    if (unsafe) {
      leaf->kernel->substitute(leaf->t, &leaf->rows.L, &leaf->B, g.first, g.width);
      continue;
    }
    many_columns_load(leaf, &g, 0, n);
    solve_group(leaf, &g);
    many_columns_store(leaf, &g, 0, n);
  }
}

/* As few groups as the buffers allow, but equally many for each member. A part of a panel takes the room of a panel. */
static long count_groups(const many_columns *leaf, int members) {
  const int64_t panel = leaf->whole * leaf->kernel->cols * leaf->element, fit = leaf->packed->row_bytes / panel;
  return (long)(parts_of(parts_of(leaf->t->width, fit * leaf->kernel->cols), members) * members);
}

void many_columns_solve(const many_columns *leaf, int threads) {
  const int members = team_size(leaf->packed, least(threads, parts_of(leaf->t->width, leaf->kernel->cols)));
  solve_job j = {.leaf = leaf, .groups = count_groups(leaf, members)};
  team_run(members, work_on_solve, &j);
}
