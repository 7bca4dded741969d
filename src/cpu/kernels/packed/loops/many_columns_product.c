/* many_columns_product.c - TRMM with a triangle whose rows are packed piece by piece.
 *
 * A team moves columns of B into panels together, as many as the buffer holds. From then on no row of B waits for
 * another one, because all read the panels: each member takes blocks of rows of the triangle, packs them for itself
 * alone, and overwrites these rows of B. So a triangle's element goes into one member's caches only, and the work is
 * even with any number of columns. */
#include <stdatomic.h>
#include <string.h>

#include "many_columns.h"

enum { most_block_rows = 96, rounds = 4 };

typedef struct product_job {
  const many_columns *leaf;
  int64_t columns;  /* so many at once are in panels */
  int64_t rows;     /* of a block */
  atomic_long next; /* the first block, from the last rows on, that no member has taken */
} product_job;

static int64_t bytes_of_rows(const kernels *kernel, int64_t n, int64_t element) {
  return up_to_multiple(n, kernel->rows) * kernel->rows * element;
}

/* A member's buffer ends with a block of B. */
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
  for (int64_t c = 0; c < g->width; c += kernel->cols) {
    const int64_t width = least(g->width - c, kernel->cols);
    const operand B = many_columns_from_row(leaf, begin);
    for (int64_t i = begin; i < end; i += kernel->rows) {
      const char *a = rows + lower_at(kernel, leaf->element, i, 0) - lower_at(kernel, leaf->element, begin, 0);
      multiply_tile(leaf, a, i, g->data + c / kernel->cols * g->bytes, width,
                    y + (i - begin) * kernel->cols * leaf->element);
    }
    kernel->store_panel(&B, least(end, n) - begin, g->first + c, width, kernel->cols, y);
  }
}

/* Moves the member's part of the rows, and computes blocks until none is left. */
static void multiply_columns(product_job *j, member m, const column_group *g) {
  const many_columns *leaf = j->leaf;
  const share part = share_of((long)(leaf->whole / leaf->kernel->rows), m.id, m.size);
  const int64_t end = least(part.end * leaf->kernel->rows, leaf->t->n);
  many_columns_load(leaf, g, part.first * leaf->kernel->rows, end);
  team_wait(m);
  char *rows = rows_of(leaf->packed, m),
       *y = rows + leaf->packed->row_bytes - bytes_of_block(leaf->kernel, leaf->element);
  for (;;) {
    const int64_t last = leaf->whole - atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed) * j->rows;
    if (last <= 0) break;
    multiply_block(leaf, g, last > j->rows ? last - j->rows : 0, last, rows, y);
  }
}

static void work_on_product(member m, void *of) {
  product_job *j = of;
  const many_columns *leaf = j->leaf;
  for (int64_t first = 0; first < leaf->t->width; first += j->columns) {
    const column_group g = {first, least(j->columns, leaf->t->width - first), leaf->packed->cols,
                            leaf->whole * leaf->kernel->cols * leaf->element};
    if (m.id == 0) atomic_store(&j->next, 0);
    multiply_columns(j, m, &g);
    team_wait(m);
  }
}

bool many_columns_product_fits(const packed *p, trigon_type type, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type), panel = up_to_multiple(n, kernel->rows) * kernel->cols * element;
  const int64_t rows = bytes_of_rows(kernel, n, element) + bytes_of_block(kernel, element);
  return rows <= p->row_bytes && panel <= p->column_bytes;
}

/* Rows of a block: as many as fit the buffer, and some blocks for each member, because they have different work. */
static int64_t rows_of_block(const many_columns *leaf, int members) {
  const int64_t step = leaf->kernel->rows;
  const int64_t room = leaf->packed->row_bytes - bytes_of_block(leaf->kernel, leaf->element);
  const int64_t fit = room / bytes_of_rows(leaf->kernel, leaf->t->n, leaf->element) * step;
  const int64_t even = members == 1 ? leaf->whole : up_to_multiple(parts_of(leaf->whole, rounds * members), step);
  return least(least(fit, even), most_block_rows / step * step);
}

void many_columns_multiply(const many_columns *leaf, int threads) {
  const int64_t panel = leaf->whole * leaf->kernel->cols * leaf->element;
  const int members = team_size(leaf->packed, least(threads, leaf->whole / leaf->kernel->rows));
  product_job j = {.leaf = leaf, .columns = leaf->packed->column_bytes / panel * leaf->kernel->cols};
  j.columns = even_part(leaf->t->width, j.columns, leaf->kernel->cols);
  j.rows = rows_of_block(leaf, members);
  team_run(members, work_on_product, &j);
}
