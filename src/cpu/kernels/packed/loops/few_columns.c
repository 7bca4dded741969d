/* few_columns.c - solves and products with few columns, which wait for the triangle's elements and not for arithmetic.
 * The triangle is read once, along its contiguous direction, and is not packed.
 *
 * Whole columns of L are contiguous: a block of columns updates all rows that depend on it. Rows of L are contiguous:
 * a block of rows gets the products with all rows on which it depends. */
#include "few_columns.h"

#include "common/fold.h"

/* Members share the rows of an update in pieces of this many, so that none writes another's cache line. */
enum { piece = 16 };
/* The order of the diagonal blocks, on each of which one member works alone. Orders 128 and 256 are no faster. */
enum { block_order = 64 };

typedef struct row_range {
  int64_t begin, end;
} row_range;

bool few_columns_takes(const triangular *t) {
  return t->L.row == 1 || t->L.row == -1 || t->L.col == 1 || t->L.col == -1;
}

/* Vectors in a row of a panel: the most, or one less if this leaves fewer lanes empty. */
static int panel_vectors(const kernels *kernel, int64_t width) {
  const int64_t all = (width + kernel->per_vector - 1) / kernel->per_vector;
  const int most = kernel->cols / kernel->per_vector;
  if (width == 1 || all <= most) return width == 1 ? 0 : (int)all;
  return most > 2 && up_to_multiple(all, most - 1) < up_to_multiple(all, most) ? most - 1 : most;
}

static int panel_width(const kernels *kernel, int vectors) { return vectors == 0 ? 1 : vectors * kernel->per_vector; }

int64_t few_columns_bytes(const kernels *kernel, int64_t element, int64_t n, int64_t width) {
  return up_to_multiple(n, kernel->rows) * up_to_multiple(width, panel_width(kernel, panel_vectors(kernel, width))) *
         element;
}

/* ------------------------------------------------------------------------------------------- blocks in sequence -- */

static void wait_for_others(const few_columns_member *m) {
  if (m->size > 1) m->wait(m->team);
}

static row_range share_of(const few_columns_member *m, row_range rows) {
  const int64_t each = up_to_multiple((rows.end - rows.begin + m->size - 1) / m->size, piece);
  const int64_t begin = least(rows.end, rows.begin + m->id * each);
  return (row_range){begin, least(rows.end, begin + each)};
}

/* Block `step` of a sequence in which no block is overwritten before it is read. */
static row_range block_of(const few_columns *t, row_range all, int64_t order, int64_t step) {
  const int64_t blocks = (all.end - all.begin + order - 1) / order;
  const int64_t begin = all.begin + (t->lower == t->solve ? step : blocks - 1 - step) * order;
  return (row_range){begin, least(all.end, begin + order)};
}

/* A member's share of a block's update. */
static void update(const kernels *kernel, const few_columns *t, row_range all, row_range block,
                   const few_columns_member *m) {
  const row_range other =
      t->lower == (t->row == 1) ? (row_range){block.end, all.end} : (row_range){all.begin, block.begin};
  const row_range rows = share_of(m, t->row == 1 ? other : block), inner = t->row == 1 ? block : other;
  if (rows.begin < rows.end && inner.begin < inner.end)
    kernel->few_columns_update(t, rows.begin, rows.end, inner.begin, inner.end);
}

/* A solve finishes a block before the block updates others, and updates a block before it is finished. */
static bool diagonal_first(const few_columns *t) { return t->solve == (t->row == 1); }

static void run_blocks(const kernels *kernel, const few_columns *t, row_range all, int64_t order,
                       const few_columns_member *m);

/* A tile, or smaller blocks: the larger the blocks, the less often vectors of the panels are read and written. */
static void run_diagonal(const kernels *kernel, const few_columns *t, row_range block, int64_t order) {
  const few_columns_member alone = {.size = 1};
  const int64_t smaller = t->vectors > 0 && order / 4 > kernel->rows ? order / 4 : kernel->rows;
  if (block.end - block.begin <= kernel->rows)
    kernel->few_columns_tile(t, block.begin, block.end);
  else
    run_blocks(kernel, t, block, smaller, &alone);
}

static void run_blocks(const kernels *kernel, const few_columns *t, row_range all, int64_t order,
                       const few_columns_member *m) {
  for (int64_t step = 0; step * order < all.end - all.begin; step++) {
    const row_range block = block_of(t, all, order, step);
    for (int half = 0; half < 2; half++) {
      if (diagonal_first(t) != (half == 0))
        update(kernel, t, all, block, m);
      else if (m->id == 0)
        run_diagonal(kernel, t, block, order);
      wait_for_others(m);
    }
  }
}

/* --------------------------------------------------------------------------------------------------- the panels -- */

/* Loads or stores rows of the panels. */
static void move_rows(const kernels *kernel, trigon_type type, const few_columns *t, operand B, row_range rows,
                      const trigon_scalar *alpha) {
  const int64_t element = type_size(type), n = rows.end - rows.begin;
  B.data = (char *)B.data + rows.begin * B.row * element;
  const int width = panel_width(kernel, t->vectors);
  for (int64_t j = 0; j < t->width && n > 0; j += width) {
    const int64_t w = least(t->width - j, width);
    char *panel = (char *)t->panels + (t->rows * j + rows.begin * width) * element;
    if (alpha)
      kernel->load_panel(&B, n, j, w, width, *alpha, panel);
    else
      kernel->store_panel(&B, n, j, w, width, panel);
  }
}

/* conj(L)·X = B is L·conj(X) = conj(B). */
void few_columns_run(const kernels *kernel, trigon_type type, const triangular *problem, bool solve, void *panels,
                     const few_columns_member *m) {
  const int64_t n = problem->n;
  const bool lower = problem->L.row > 0;
  const operand L = lower ? problem->L : reversed(type_size(type), problem->L, n);
  operand B = lower ? problem->B : rows_reversed(type_size(type), problem->B, n);
  const trigon_scalar alpha = L.conjugate ? conjugate(problem->alpha) : problem->alpha;
  const few_columns t = {.L = L.data,
                         .row = L.row,
                         .col = L.col,
                         .n = n,
                         .width = problem->width,
                         .rows = up_to_multiple(n, kernel->rows),
                         .vectors = panel_vectors(kernel, problem->width),
                         .lower = lower,
                         .unit = problem->unit,
                         .solve = solve,
                         .panels = panels,
                         .scratch = m->scratch};
  const row_range rows = share_of(m, (row_range){0, n});
  B.conjugate = L.conjugate;
  move_rows(kernel, type, &t, B, rows, &alpha);
  wait_for_others(m);
  run_blocks(kernel, &t, (row_range){0, n}, block_order, m);
  move_rows(kernel, type, &t, B, rows, NULL);
}
