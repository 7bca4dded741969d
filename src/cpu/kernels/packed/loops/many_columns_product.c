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
  const wide *wide;
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
static void multiply_tile(const wide *w, const char *a, int64_t i, const char *x, int64_t width, void *y) {
  const kernels *kernel = w->kernel;
  memset(y, 0, (size_t)(kernel->rows * kernel->cols * w->element));
  for (int64_t k = 0; k < i; k += w->depth)
    kernel->add_to_tile(least(w->depth, i - k), a + k * kernel->rows * w->element, x + k * kernel->cols * w->element, 1,
                        width, y);
  kernel->add_diagonal(a + i * kernel->rows * w->element, x + i * kernel->cols * w->element, y);
}

static void multiply_block(const wide *w, const column_group *g, int64_t begin, int64_t end, char *rows, char *y) {
  const kernels *kernel = w->kernel;
  const int64_t n = w->t->n;
  lower_pack(&w->rows, begin, end, rows);
  for (int64_t c = 0; c < g->width; c += kernel->cols) {
    const int64_t width = least(g->width - c, kernel->cols);
    const operand B = wide_from_row(w, begin);
    for (int64_t i = begin; i < end; i += kernel->rows) {
      const char *a = rows + lower_at(kernel, w->element, i, 0) - lower_at(kernel, w->element, begin, 0);
      multiply_tile(w, a, i, g->data + c / kernel->cols * g->bytes, width, y + (i - begin) * kernel->cols * w->element);
    }
    kernel->store_panel(&B, least(end, n) - begin, g->first + c, width, kernel->cols, y);
  }
}

/* Moves the member's part of the rows, and computes blocks until none is left. */
static void multiply_columns(product_job *j, member m, const column_group *g) {
  const wide *w = j->wide;
  const share part = share_of((long)(w->whole / w->kernel->rows), m.id, m.size);
  const int64_t end = least(part.end * w->kernel->rows, w->t->n);
  wide_load(w, g, part.first * w->kernel->rows, end);
  team_wait(m);
  char *rows = rows_of(w->packed, m), *y = rows + w->packed->row_bytes - bytes_of_block(w->kernel, w->element);
  for (;;) {
    const int64_t last = w->whole - atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed) * j->rows;
    if (last <= 0) break;
    multiply_block(w, g, last > j->rows ? last - j->rows : 0, last, rows, y);
  }
}

static void work_on_product(member m, void *of) {
  product_job *j = of;
  const wide *w = j->wide;
  for (int64_t first = 0; first < w->t->width; first += j->columns) {
    const column_group g = {first, least(j->columns, w->t->width - first), w->packed->cols,
                            w->whole * w->kernel->cols * w->element};
    if (m.id == 0) atomic_store(&j->next, 0);
    multiply_columns(j, m, &g);
    team_wait(m);
  }
}

bool wide_product_fits(const packed *p, trigon_type type, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type), panel = up_to_multiple(n, kernel->rows) * kernel->cols * element;
  const int64_t rows = bytes_of_rows(kernel, n, element) + bytes_of_block(kernel, element);
  return rows <= p->row_bytes && panel <= p->column_bytes;
}

/* Rows of a block: as many as fit the buffer, and some blocks for each member, because they have different work. */
static int64_t rows_of_block(const wide *w, int members) {
  const int64_t step = w->kernel->rows;
  const int64_t room = w->packed->row_bytes - bytes_of_block(w->kernel, w->element);
  const int64_t fit = room / bytes_of_rows(w->kernel, w->t->n, w->element) * step;
  const int64_t even = members == 1 ? w->whole : up_to_multiple(parts_of(w->whole, rounds * members), step);
  return least(least(fit, even), most_block_rows / step * step);
}

void wide_multiply(const wide *w, int threads) {
  const int64_t panel = w->whole * w->kernel->cols * w->element;
  const int members = team_size(w->packed, least(threads, w->whole / w->kernel->rows));
  product_job j = {.wide = w, .columns = w->packed->column_bytes / panel * w->kernel->cols};
  j.columns = even_part(w->t->width, j.columns, w->kernel->cols);
  j.rows = rows_of_block(w, members);
  team_run(members, work_on_product, &j);
}
