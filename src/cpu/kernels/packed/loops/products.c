/* products.c - products of packed operands: blocks for each level of cache, packed once and used often.
 *
 * C = alpha·X·Yᵀ + beta·C, with X and Y as sources of rows. The transpose of C exchanges them. A team packs a block of
 * Y together. Then it computes all rows and columns of C that need the block. If C has few rows, the team packs X. */
#include "vectors.h"

typedef struct term {
  source X, Y;
  trigon_scalar alpha;
} term;

typedef struct job {
  const packed *packed;
  const kernels *kernel;
  const blocking *blocks;
  int64_t element; /* bytes */
  int64_t m, n, k;
  trigon_scalar beta;
  void *C;
  int64_t row, col;
  region computed;
  bool upper;
  term term;
  int threads;
  int64_t cols, depth; /* of a block of Y */
} job;

/* Whether the region has elements in rows i0 .. i0 + m - 1 and columns j0 .. j0 + n - 1. */
static bool has_elements(const job *j, int64_t i0, int64_t m, int64_t j0, int64_t n) {
  if (j->computed == REGION_ALL) return true;
  return j->upper ? i0 < j0 + n : j0 < i0 + m;
}

/* A block of Y that is packed, and the inner indices of the product with it. */
typedef struct packed_block {
  int64_t j0, n, k0, k;
} packed_block;

/* The blocks of Y come one after the other: those of the same columns of C follow each other. There is one at least,
 * for beta. */
static int64_t blocks_deep(const job *j) { return j->k == 0 ? 1 : parts_of(j->k, j->depth); }

static packed_block block_of(const job *j, int64_t number) {
  const int64_t j0 = number / blocks_deep(j) * j->cols, k0 = number % blocks_deep(j) * j->depth;
  return (packed_block){j0, least(j->n - j0, j->cols), k0, least(j->k - k0, j->depth)};
}

/* Packs a share of the block's panels. */
static void pack_columns(const job *j, packed_block y, int64_t task, int64_t tasks) {
  const int64_t width = j->kernel->cols;
  const share part = share_of(parts_of(y.n, width), task, tasks);
  source Y = j->term.Y;
  Y.i0 = y.j0 + part.first * width, Y.m = least(y.n, part.end * width) - part.first * width;
  Y.k0 = y.k0, Y.k = y.k;
  j->kernel->pack(&Y, (int)width, (char *)j->packed->cols + part.first * width * y.k * j->element);
}

/* How a block of C is divided into tasks: by rows and, if the rows are too few for the team, by columns. */
typedef struct tasks {
  int64_t rows, cols;   /* of a task */
  int64_t down, across; /* how many there are */
} tasks;

/* Some tasks for each thread: in a triangle they have different work, and a thread may come late. But a task has some
 * tiles of rows, because it reads all packed columns. */
static tasks divide(const job *j, int64_t n) {
  enum { fewest_tiles = 4, rounds_of_team = 4 };
  const int64_t tile = j->kernel->rows, width = j->kernel->cols, least_rows = fewest_tiles * tile;
  const int64_t fewest = j->threads == 1 ? 1 : rounds_of_team;
  const int64_t needed = parts_of(j->m, j->threads * j->blocks->rows), rounds = needed > fewest ? needed : fewest;
  tasks t = {.rows = up_to_multiple(parts_of(j->m, rounds * j->threads), tile), .cols = n, .across = 1};
  if (t.rows < least_rows && j->threads > 1) t.rows = least_rows;
  t.down = parts_of(j->m, t.rows);
  const int64_t parts = rounds * j->threads / t.down;
  if (parts > 1) t.cols = up_to_multiple(parts_of(n, parts), width);
  t.across = parts_of(n, t.cols);
  return t;
}

/* Computes m rows of C from i0 on, and n columns from `first` on in the packed block. */
static void multiply_rows(const job *j, void *rows, packed_block y, int64_t i0, int64_t m, int64_t first, int64_t n) {
  if (!has_elements(j, i0, m, y.j0 + first, n)) return;
  source X = j->term.X;
  X.i0 = i0, X.m = m, X.k0 = y.k0, X.k = y.k;
  j->kernel->pack(&X, j->kernel->rows, rows);
  j->kernel->multiply(&(target){.m = m,
                                .n = n,
                                .k = y.k,
                                .X = rows,
                                .Y = (char *)j->packed->cols + first * y.k * j->element,
                                .alpha = j->term.alpha,
                                .beta = y.k0 == 0 ? j->beta : one,
                                .C = (char *)j->C + (i0 * j->row + (y.j0 + first) * j->col) * j->element,
                                .row = j->row,
                                .col = j->col,
                                .computed = j->computed,
                                .upper = j->upper,
                                .below = i0 - y.j0 - first});
}

/* Even phases pack a block of Y, odd ones multiply by it. */
static int64_t tasks_of_phase(void *of, int64_t phase) {
  const job *j = of;
  if (phase / 2 >= parts_of(j->n, j->cols) * blocks_deep(j)) return -1;
  const packed_block y = block_of(j, phase / 2);
  const tasks t = divide(j, y.n);
  if (phase % 2 == 1) return t.down * t.across;
  return y.k == 0 ? 0 : tasks_for(j->threads, parts_of(y.n, j->kernel->cols));
}

static void run_task(void *of, int64_t phase, int64_t task, void *rows) {
  const job *j = of;
  const packed_block y = block_of(j, phase / 2);
  if (phase % 2 == 0) {
    pack_columns(j, y, task, tasks_for(j->threads, parts_of(y.n, j->kernel->cols)));
    return;
  }
  const tasks t = divide(j, y.n);
  const int64_t i0 = task / t.across * t.rows, first = task % t.across * t.cols;
  multiply_rows(j, rows, y, i0, least(j->m - i0, t.rows), first, least(y.n - first, t.cols));
}

/* ------------------------------------------------------------------------------------------------ few rows -- */

/* If C has few rows, packing Y takes a large part of the time, and waits for memory. So the team packs the whole of X
 * instead. Then each thread packs one panel of Y after the other, and multiplies. The next panel is fetched
 * meanwhile. */

/* 128 rows are what was measured: with more, packing is less than a tenth of the time. Panels of Y are the tasks, so
 * there must be enough of them. Both ways sum up in the same order, so the bits do not depend on the threads. */
static bool has_few_rows(const job *j) {
  enum { most_few_rows = 128 };
  const int64_t bytes = up_to_multiple(j->m, j->kernel->rows) * j->k * j->element;
  return j->m <= most_few_rows && parts_of(j->n, j->kernel->cols) >= 4 * j->threads && j->computed == REGION_ALL &&
         bytes <= j->packed->column_bytes && j->k > 0 && j->term.Y.is == STRUCTURE_GENERAL;
}

/* Where inner index k0 of the packed X begins. */
static char *few_rows_at(const job *j, int64_t k0) {
  return (char *)j->packed->cols + up_to_multiple(j->m, j->kernel->rows) * k0 * j->element;
}

static int64_t few_rows_tasks(void *of, int64_t phase) {
  const job *j = of;
  if (phase > 1) return -1;
  return tasks_for(j->threads, phase == 0 ? blocks_deep(j) : parts_of(j->n, j->kernel->cols));
}

/* The inner indices of a block of X. */
static packed_block depth_block(const job *j, int64_t number) {
  const int64_t k0 = number * j->depth;
  return (packed_block){.k0 = k0, .k = least(j->k - k0, j->depth)};
}

static void pack_few_rows(const job *j, share depths) {
  for (int64_t d = depths.first; d < depths.end; d++) {
    const packed_block b = depth_block(j, d);
    source X = j->term.X;
    X.i0 = 0, X.m = j->m, X.k0 = b.k0, X.k = b.k;
    j->kernel->pack(&X, j->kernel->rows, few_rows_at(j, b.k0));
  }
}

/* Packs a panel of Y, and multiplies by it. If `has_next`, the panel behind it is packed next. */
static void multiply_panel(const job *j, void *panel, packed_block y, bool has_next) {
  source Y = j->term.Y;
  Y.i0 = y.j0, Y.m = y.n, Y.k0 = y.k0, Y.k = y.k;
  j->kernel->pack(&Y, j->kernel->cols, panel);
  target t = {.m = j->m,
              .n = y.n,
              .k = y.k,
              .X = few_rows_at(j, y.k0),
              .Y = panel,
              .alpha = j->term.alpha,
              .beta = y.k0 == 0 ? j->beta : one,
              .C = (char *)j->C + y.j0 * j->col * j->element,
              .row = j->row,
              .col = j->col};
  if (has_next && Y.matrix.row == 1) {
    t.next = (const char *)Y.matrix.data + (y.j0 + y.n + y.k0 * Y.matrix.col) * j->element;
    t.next_columns = y.k, t.next_step = Y.matrix.col * j->element;
  }
  j->kernel->multiply(&t);
}

static void multiply_panels(const job *j, void *panel, share panels) {
  const int64_t width = j->kernel->cols;
  for (int64_t d = 0; d < blocks_deep(j); d++)
    for (int64_t p = panels.first; p < panels.end; p++) {
      packed_block y = depth_block(j, d);
      y.j0 = p * width, y.n = least(j->n - y.j0, width);
      multiply_panel(j, panel, y, p + 1 < panels.end);
    }
}

static void run_few_rows(void *of, int64_t phase, int64_t task, void *panel) {
  const job *j = of;
  const int64_t count = few_rows_tasks(of, phase);
  if (phase == 0)
    pack_few_rows(j, share_of(blocks_deep(j), task, count));
  else
    multiply_panels(j, panel, share_of(parts_of(j->n, j->kernel->cols), task, count));
}

/* As many columns as a block of Y may have. A member of a batch has a small buffer, and fills it though the depth may
 * be less than the largest one. */
static int64_t most_columns(const job *j) {
  enum { least_depth = 128 }; /* with less, a block would have more columns than pay */
  const int64_t width = j->kernel->cols, depth = j->depth < least_depth ? least_depth : j->depth;
  if (!j->packed->is_member) return j->blocks->cols;
  return j->packed->column_bytes / (depth * j->element) / width * width;
}

/* The sizes alone decide: bits must not depend on threads. */
static bool is_small_product(const kernels *kernel, int64_t m, int64_t n, int64_t k) {
  return m <= small_order && n <= small_order && k <= small_order && m * n * k <= kernel->small_products;
}

bool packed_small_product(const packed *p, trigon_type type, const small_product *s) {
  const kernels *kernel = p->of[type_index(type)];
  if (!is_small_product(kernel, s->m, s->n, s->k)) return false;
  kernel->small_product(s, p->rows);
  return true;
}

static void run_small_term(const job *j) {
  const small_product s = {.m = j->m,
                           .n = j->n,
                           .k = j->k,
                           .alpha = j->term.alpha,
                           .beta = j->beta,
                           .X = j->term.X.matrix,
                           .Y = j->term.Y.matrix,
                           .C = j->C,
                           .row = j->row,
                           .col = j->col,
                           .computed = j->computed,
                           .upper = j->upper};
  j->kernel->small_product(&s, j->packed->rows);
}

/* Tiles are stored fast along rows of C: a C that is stored by columns is turned. */
static void run_term(job j) {
  if (j.row == 1 && j.col != 1) {
    const source X = j.term.X;
    const int64_t m = j.m, row = j.row;
    j.term.X = j.term.Y, j.term.Y = X;
    j.m = j.n, j.n = m;
    j.row = j.col, j.col = row;
    j.upper = true;
  }
  if (j.k > 0 && j.term.X.is == STRUCTURE_GENERAL && j.term.Y.is == STRUCTURE_GENERAL &&
      is_small_product(j.kernel, j.m, j.n, j.k)) {
    run_small_term(&j);
    return;
  }
  j.depth = even_part(j.k, j.blocks->depth, depth_step);
  j.cols = even_part(j.n, most_columns(&j), j.kernel->cols);
  team_work work = {.tasks = tasks_of_phase, .run = run_task};
  if (has_few_rows(&j)) work = (team_work){.tasks = few_rows_tasks, .run = run_few_rows};
  if (j.m > 0 && j.n > 0) run_team(j.packed, work, j.threads, &j);
}

void packed_product(const packed *p, int threads, trigon_type type, const product *o) {
  const int64_t element = type_size(type);
  if (vectors_take(p, type, o)) {
    vectors_run(p, threads, type, o);
    return;
  }
  for (int64_t b = 0; b < o->count; b++) {
    job j = {
        .packed = p, .kernel = p->of[type_index(type)], .blocks = &p->blocks[type_index(type)], .element = element};
    j.threads = team_size(p, threads);
    const operand C = of_batch(o->C, b, element);
    j.m = o->m, j.n = o->n, j.k = o->k, j.beta = o->beta, j.computed = o->computed;
    j.C = C.data, j.row = C.row, j.col = C.col;
    j.term = (term){.X = {.matrix = of_batch(o->A, b, element), .is = o->A_is},
                    .Y = {.matrix = transposed(of_batch(o->B, b, element))},
                    .alpha = o->alpha};
    run_term(j);
    if (!o->A2.data) continue;
    j.beta = one;
    j.term.X.matrix = of_batch(o->A2, b, element), j.term.Y.matrix = transposed(of_batch(o->B2, b, element));
    j.term.alpha = o->alpha2;
    run_term(j);
  }
}
