/* many_columns_product.c - TRMM with a triangle whose rows are packed piece by piece.
 *
 * A team moves columns of B into panels together, as many as the buffer holds. From then on no row of B waits for
 * another one, because all read the panels: each thread draws blocks of rows of the triangle, packs them for itself
 * alone, and overwrites these rows of B. So a triangle's element goes into one thread's caches only, and the work is
 * even with any number of columns. */
#include <string.h>

#include "many_columns.h"

enum { most_block_rows = 96, rounds = 4 };

typedef struct product_job {
  const many_columns *leaf;
  int64_t columns; /* so many at once are in panels */
  int64_t rows;    /* of a block */
  int64_t moves;   /* tasks that move rows into panels */
} product_job;

static int64_t bytes_of_rows(const kernels *kernel, int64_t n, int64_t element) {
  return up_to_multiple(n, kernel->rows) * kernel->rows * element;
}

/* A thread's buffer ends with a block of B. */
static int64_t bytes_of_block(const kernels *kernel, int64_t element) {
  return most_block_rows * kernel->cols * element;
}

/* Rows i .. of one tile of L·X, into the tile y. */
static void multiply_tile(const many_columns *leaf, const char *a, int64_t i, const char *x, int64_t width, void *y) {
  const kernels *kernel = leaf->kernel;
  memset(y, 0, (size_t)(kernel->rows * kernel->cols * leaf->element));
  for (int64_t k = 0; k < i; k += leaf->depth)
    kernel->add_to_tile(least(leaf->depth, i - k), a + k * kernel->rows * leaf->element,
                        x + k * kernel->cols * leaf->element, 1, width, y);
  kernel->add_diagonal(a + i * kernel->rows * leaf->element, x + i * kernel->cols * leaf->element, y);
}

static void multiply_block(const many_columns *leaf, const column_group *g, int64_t begin, int64_t end, char *rows,
                           char *y) {
  const kernels *kernel = leaf->kernel;
  const int64_t n = leaf->t->n;
  lower_pack(&leaf->rows, begin, end, rows);
  for (int64_t p = 0; p < many_columns_panels(leaf, g); p++) {
    const share c = many_columns_of_panel(leaf, g, p);
    const operand B = many_columns_from_row(leaf, begin);
    for (int64_t i = begin; i < end; i += kernel->rows) {
      const char *a = rows + lower_at(kernel, leaf->element, i, 0) - lower_at(kernel, leaf->element, begin, 0);
      multiply_tile(leaf, a, i, g->data + p * g->bytes, c.end - c.first,
                    y + (i - begin) * kernel->cols * leaf->element);
    }
    kernel->store_panel(&B, least(end, n) - begin, g->first + c.first, c.end - c.first, kernel->cols, y);
  }
}

static column_group group_of(const product_job *j, int64_t number) {
  const many_columns *leaf = j->leaf;
  const int64_t first = number * j->columns;
  return (column_group){first, least(j->columns, leaf->t->width - first), leaf->packed->cols,
                        leaf->whole * leaf->kernel->cols * leaf->element};
}

/* Even phases move the rows of a group of columns into panels, odd ones compute blocks. */
static int64_t tasks_of_phase(void *of, int64_t phase) {
  const product_job *j = of;
  if (phase / 2 >= parts_of(j->leaf->t->width, j->columns)) return -1;
  return phase % 2 == 0 ? j->moves : parts_of(j->leaf->whole, j->rows);
}

/* The last rows, which have the most work, come first. */
static void run_task(void *of, int64_t phase, int64_t task, void *rows) {
  const product_job *j = of;
  const many_columns *leaf = j->leaf;
  const column_group g = group_of(j, phase / 2);
  if (phase % 2 == 0) {
    const share part = share_of(leaf->whole / leaf->kernel->rows, task, j->moves);
    many_columns_load(leaf, &g, part.first * leaf->kernel->rows, least(part.end * leaf->kernel->rows, leaf->t->n));
    return;
  }
  const int64_t last = leaf->whole - task * j->rows;
  char *y = (char *)rows + leaf->packed->row_bytes - bytes_of_block(leaf->kernel, leaf->element);
  multiply_block(leaf, &g, last > j->rows ? last - j->rows : 0, last, rows, y);
}

bool many_columns_product_fits(const packed *p, trigon_type type, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type), panel = up_to_multiple(n, kernel->rows) * kernel->cols * element;
  const int64_t rows = bytes_of_rows(kernel, n, element) + bytes_of_block(kernel, element);
  return rows <= p->row_bytes && panel <= p->column_bytes;
}

/* Rows of a block: as many as fit the buffer, and some blocks for each thread, because they have different work. */
static int64_t rows_of_block(const many_columns *leaf, int threads) {
  const int64_t step = leaf->kernel->rows;
  const int64_t room = leaf->packed->row_bytes - bytes_of_block(leaf->kernel, leaf->element);
  const int64_t fit = room / bytes_of_rows(leaf->kernel, leaf->t->n, leaf->element) * step;
  const int64_t even = threads == 1 ? leaf->whole : up_to_multiple(parts_of(leaf->whole, rounds * threads), step);
  return least(least(fit, even), most_block_rows / step * step);
}

void many_columns_multiply(const many_columns *leaf, int threads) {
  const int64_t panel = leaf->whole * leaf->kernel->cols * leaf->element;
  threads = team_size(leaf->packed, least(threads, leaf->whole / leaf->kernel->rows));
  product_job j = {.leaf = leaf, .columns = leaf->packed->column_bytes / panel * leaf->kernel->cols};
  j.columns = even_part(leaf->t->width, j.columns, leaf->kernel->cols);
  j.rows = rows_of_block(leaf, threads);
  j.moves = tasks_for(threads, leaf->whole / leaf->kernel->rows);
  run_team(leaf->packed, (team_work){.tasks = tasks_of_phase, .run = run_task}, threads, &j);
}
