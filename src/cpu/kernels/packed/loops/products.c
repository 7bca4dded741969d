/* products.c - products of packed operands: blocks for each level of cache, packed once and used often.
 *
 * C = alpha·X·Yᵀ + beta·C, with X and Y as sources of rows. The transpose of C exchanges them. A team packs a block of
 * Y together. Then each member computes its part of the rows and columns of C. */
#include <stdatomic.h>

#include "cpu/kernels/packed/blocks/buffers.h"

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
  atomic_long next; /* the first task that no member has taken */
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

/* Packs the member's part of the block's panels. */
static void pack_columns(const job *j, member m, packed_block y) {
  const int width = j->kernel->cols;
  const share part = share_of((y.n + width - 1) / width, m.id, m.size);
  source Y = j->term.Y;
  Y.i0 = y.j0 + part.first * width, Y.m = least(y.n, part.end * width) - part.first * width;
  Y.k0 = y.k0, Y.k = y.k;
  if (Y.m > 0) j->kernel->pack(&Y, width, (char *)j->packed->cols + part.first * width * y.k * j->element);
}

/* How a block of C is divided into tasks: by rows and, if the rows are too few for the team, by columns. */
typedef struct tasks {
  int64_t rows, cols; /* of a task */
  long down, across;  /* how many there are */
} tasks;

/* The tasks of rows are equal and as many for each member, because a member that has none left waits. In a triangle
 * they have different work, so there are several for each member. But a task has some tiles of rows, because it reads
 * all packed columns. */
static tasks divide(const job *j, int members, int64_t n) {
  enum { fewest_tiles = 4, triangle_rounds = 4 };
  const int64_t tile = j->kernel->rows, width = j->kernel->cols, least_rows = fewest_tiles * tile;
  const int64_t fewest = j->computed == REGION_ALL || members == 1 ? 1 : triangle_rounds;
  const int64_t needed = parts_of(j->m, members * j->blocks->rows), rounds = needed > fewest ? needed : fewest;
  tasks t = {.rows = up_to_multiple(parts_of(j->m, rounds * members), tile), .cols = n, .across = 1};
  if (t.rows < least_rows && members > 1) t.rows = least_rows;
  t.down = (long)parts_of(j->m, t.rows);
  if (t.down < members) t.cols = up_to_multiple(parts_of(n, parts_of(members, t.down)), width);
  t.across = (long)parts_of(n, t.cols);
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

/* Packs the block of Y together with the other members, and computes tasks until none is left. */
static void multiply_block(job *j, member m, packed_block y) {
  const tasks t = divide(j, m.size, y.n);
  if (m.id == 0) atomic_store_explicit(&j->next, 0, memory_order_relaxed);
  pack_columns(j, m, y);
  team_wait(m);
  for (;;) {
    const long task = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (task >= t.down * t.across) break;
    const int64_t i0 = task / t.across * t.rows, first = task % t.across * t.cols;
    multiply_rows(j, rows_of(j->packed, m), y, i0, least(j->m - i0, t.rows), first, least(y.n - first, t.cols));
  }
  team_wait(m);
}

static void multiply(member m, void *of) {
  job *j = of;
  const int64_t cols = even_part(j->n, j->blocks->cols, j->kernel->cols);
  const int64_t depth = even_part(j->k, j->blocks->depth, depth_step);
  for (int64_t j0 = 0; j0 < j->n; j0 += cols) {
    int64_t k0 = 0;
    do { /* once at least, for beta */
      multiply_block(j, m, (packed_block){j0, least(j->n - j0, cols), k0, least(j->k - k0, depth)});
      k0 += depth;
    } while (k0 < j->k);
  }
}

/* Tiles are stored fast along rows of C: a C that is stored by columns is turned. */
static void run_term(job j, int threads) {
  if (j.row == 1 && j.col != 1) {
    const source X = j.term.X;
    const int64_t m = j.m, row = j.row;
    j.term.X = j.term.Y, j.term.Y = X;
    j.m = j.n, j.n = m;
    j.row = j.col, j.col = row;
    j.upper = true;
  }
  if (j.m > 0 && j.n > 0) team_run(threads, multiply, &j);
}

void packed_product(const packed *p, int threads, trigon_type type, const product *o) {
  const int64_t element = type_size(type);
  threads = team_size(p, threads);
  for (int64_t b = 0; b < o->count; b++) {
    job j = {
        .packed = p, .kernel = p->of[type_index(type)], .blocks = &p->blocks[type_index(type)], .element = element};
    const operand C = of_batch(o->C, b, element);
    j.m = o->m, j.n = o->n, j.k = o->k, j.beta = o->beta, j.computed = o->computed;
    j.C = C.data, j.row = C.row, j.col = C.col;
    j.term = (term){.X = {.matrix = of_batch(o->A, b, element), .is = o->A_is},
                    .Y = {.matrix = transposed(of_batch(o->B, b, element))},
                    .alpha = o->alpha};
    run_term(j, threads);
    if (!o->A2.data) continue;
    j.beta = one;
    j.term.X.matrix = of_batch(o->A2, b, element), j.term.Y.matrix = transposed(of_batch(o->B2, b, element));
    j.term.alpha = o->alpha2;
    run_term(j, threads);
  }
}
