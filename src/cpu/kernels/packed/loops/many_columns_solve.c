/* many_columns_solve.c - TRSM of a packed triangle, and the moves between B and column panels.
 *
 * Each thread draws as many columns of B as fit its buffer, moves them into panels, and solves all of their rows before
 * it stores them: a block of rows gets the products with all rows above it, and then the triangle on the diagonal
 * solves the block. So B is read and written once.
 *
 * If there are many columns, the team packs the triangle before, together, because each thread needs it several times.
 * If each thread has one group of columns, it packs the triangle for itself, piece after piece: what another thread has
 * packed comes from that thread's cache, and that takes longer than packing. The sums are the same, bit for bit. */
#include <stdatomic.h>

#include "many_columns.h"

typedef struct solve_job {
  const many_columns *leaf;
  int64_t groups; /* into which the columns are divided */
  bool alone;     /* each thread packs the triangle for itself */
  int threads;
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
static int64_t block_order(const many_columns *leaf) {
  return leaf->depth / 4 / leaf->kernel->rows * leaf->kernel->rows;
}

static void solve_group(const many_columns *leaf, const column_group *g) {
  const int64_t order = block_order(leaf);
  for (int64_t i = 0; i < leaf->whole; i += order) {
    const int64_t end = least(i + order, leaf->whole);
    for (int64_t k = 0; k < i; k += leaf->depth) update_block(leaf, g, i, end, k, least(k + leaf->depth, i));
    for (int64_t p = 0; p < many_columns_panels(leaf, g); p++)
      leaf->kernel->solve(leaf->packed->cols, i, end, panel_row(leaf, g, p, 0));
  }
}

/* --------------------------------------------------------------------------- a triangle for one thread alone -- */

/* A piece has so many rows: whole row panels of all kernels. */
enum { piece_rows = 48 };

static int64_t piece_bytes(const many_columns *leaf) {
  const int64_t order = block_order(leaf), rectangle = piece_rows * leaf->depth;
  const int64_t triangle = order * (order + leaf->kernel->rows) / 2;
  return (rectangle > triangle ? rectangle : triangle) * leaf->element;
}

/* Packs rows i0 .. i1 - 1 of L, inner indices k0 .. k1 - 1, and subtracts their products. */
static void update_by_piece(const many_columns *leaf, const column_group *g, int64_t i0, int64_t i1, int64_t k0,
                            int64_t k1, char *piece) {
  const kernels *kernel = leaf->kernel;
  const source L = {.matrix = leaf->rows.L,
                    .is = STRUCTURE_GENERAL,
                    .i0 = i0,
                    .m = least(i1, leaf->t->n) - i0,
                    .k0 = k0,
                    .k = k1 - k0};
  kernel->pack(&L, kernel->rows, piece);
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++) {
    const share c = many_columns_of_panel(leaf, g, p);
    for (int64_t i = i0; i < i1; i += kernel->rows)
      kernel->add_to_tile(k1 - k0, piece + (i - i0) * (k1 - k0) * leaf->element, panel_row(leaf, g, p, k0), -1,
                          c.end - c.first, panel_row(leaf, g, p, i));
  }
}

/* Packs the triangle on the diagonal of rows i0 .. i1 - 1, and solves with it. Returns false, and does nothing, if a
 * reciprocal is not a normal number. */
static bool solve_by_piece(const many_columns *leaf, const column_group *g, int64_t i0, int64_t i1, char *piece) {
  lower_rows diagonal = leaf->rows;
  diagonal.n -= i0;
  diagonal.L.data = (char *)diagonal.L.data + i0 * (diagonal.L.row + diagonal.L.col) * leaf->element;
  if (!lower_pack(&diagonal, 0, i1 - i0, piece)) return false;
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++)
    leaf->kernel->solve(piece, 0, i1 - i0, panel_row(leaf, g, p, i0));
  return true;
}

/* As solve_group. Returns false if a reciprocal is not a normal number. */
static bool solve_group_alone(const many_columns *leaf, const column_group *g, char *piece) {
  const int64_t order = block_order(leaf);
  for (int64_t i = 0; i < leaf->whole; i += order) {
    const int64_t end = least(i + order, leaf->whole);
    for (int64_t k = 0; k < i; k += leaf->depth)
      for (int64_t r = i; r < end; r += piece_rows)
        update_by_piece(leaf, g, r, least(r + piece_rows, end), k, least(k + leaf->depth, i), piece);
    if (!solve_by_piece(leaf, g, i, end, piece)) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ the groups -- */

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

/* A first phase packs the triangle, unless threads do that for themselves; the other one solves. */
static int64_t tasks_of_phase(void *of, int64_t phase) {
  const solve_job *j = of;
  if (phase == 0 && !j->alone) return lower_pieces(&j->leaf->rows);
  return phase == (j->alone ? 0 : 1) ? j->groups : -1;
}

/* Returns false, and has stored nothing, if a reciprocal on the diagonal is not a normal number. */
static bool solve_columns(const solve_job *j, const column_group *g) {
  const many_columns *leaf = j->leaf;
  if (atomic_load(&j->unsafe)) return false;
  many_columns_load(leaf, g, 0, leaf->t->n);
  if (!j->alone) {
    solve_group(leaf, g);
  } else {
    char *piece = j->threads == 1 ? leaf->packed->cols : g->data + many_columns_panels(leaf, g) * g->bytes;
    if (!solve_group_alone(leaf, g, piece)) return false;
  }
  many_columns_store(leaf, g, 0, leaf->t->n);
  return true;
}

static void run_task(void *of, int64_t phase, int64_t task, void *panels) {
  solve_job *j = of;
  const many_columns *leaf = j->leaf;
  if (phase == 0 && !j->alone) {
    if (!lower_pack_piece(&leaf->rows, task, leaf->packed->cols)) atomic_store(&j->unsafe, true);
    return;
  }
  const column_group g = group_of(j, task, panels);
  if (!solve_columns(j, &g)) leaf->kernel->substitute(leaf->t, &leaf->rows.L, &leaf->B, g.first, g.width);
}

/* A part of a panel takes the room of a panel. */
static int64_t panel_bytes(const many_columns *leaf) { return leaf->whole * leaf->kernel->cols * leaf->element; }

/* As few groups as the buffers allow, but equally many for each thread. */
static int64_t count_groups(const many_columns *leaf, int threads) {
  const int64_t fit = leaf->packed->row_bytes / panel_bytes(leaf);
  return parts_of(parts_of(leaf->t->width, fit * leaf->kernel->cols), threads) * threads;
}

/* Whether each thread has one group of columns, and room for a piece of the triangle beside it. */
static bool packs_alone(const solve_job *j) {
  const many_columns *leaf = j->leaf;
  const int64_t lanes = leaf->kernel->per_vector,
                widest = parts_of(parts_of(leaf->t->width, lanes), j->threads) * lanes;
  const int64_t panels = parts_of(widest, leaf->kernel->cols) * panel_bytes(leaf), piece = piece_bytes(leaf);
  if (j->groups > j->threads) return false;
  return j->threads == 1 ? piece <= leaf->packed->column_bytes : panels + piece <= leaf->packed->row_bytes;
}

void many_columns_solve(const many_columns *leaf, int threads) {
  threads = team_size(leaf->packed, least(threads, parts_of(leaf->t->width, leaf->kernel->cols)));
  solve_job j = {.leaf = leaf, .groups = count_groups(leaf, threads), .threads = threads};
  j.alone = packs_alone(&j);
  run_team(leaf->packed, (team_work){.tasks = tasks_of_phase, .run = run_task}, threads, &j);
}
