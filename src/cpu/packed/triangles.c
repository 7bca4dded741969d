/* triangles.c - TRSM and TRMM of a packed triangle.
 *
 * A team packs the triangle together. Then each member takes as many columns of B as fit its buffer, moves them into
 * panels, and computes all of their rows before it stores them: a block of rows gets the products with all rows above
 * it, and then the triangle on the diagonal works on the block. So B is read and written once, and while the panels
 * pass, a piece of the triangle stays in the second-level cache, and a piece of a panel in the first-level cache. */
#include <stdatomic.h>

#include "buffers.h"
#include "thin.h"

typedef struct triangle_job {
  const packed *packed;
  const kernels *kernel;
  const triangular *t;
  operand L, B;
  int64_t element; /* bytes */
  int64_t depth;   /* the most inner indices of one product */
  long groups;     /* into which the columns are divided */
  bool solve;
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
  atomic_long next;   /* the first group that no member has taken */
} triangle_job;

/* Columns of B in panels: panel p begins at data + p·bytes. */
typedef struct column_group {
  int64_t first, width;
  char *data;
  int64_t bytes;
} column_group;

static int64_t whole_rows(const triangle_job *j) { return up_to_multiple(j->t->n, j->kernel->rows); }

/* A block of rows gets the products with the rows k0 .. k1 - 1. */
static void update_block(const triangle_job *j, const column_group *g, rows_of_panel rows, int64_t k0, int64_t k1) {
  const int64_t cols = j->kernel->cols;
  for (int64_t c = 0; c < g->width; c += cols)
    j->kernel->update(j->packed->cols, rows, k0, k1, least(g->width - c, cols), j->solve,
                      g->data + c / cols * g->bytes);
}

static void finish_block(const triangle_job *j, const column_group *g, rows_of_panel rows) {
  for (int64_t p = 0; p * j->kernel->cols < g->width; p++)
    (j->solve ? j->kernel->solve : j->kernel->multiply_triangle)(j->packed->cols, rows, g->data + p * g->bytes);
}

/* A solve goes from the first block to the last. A product goes from the last block to the first: what a block reads is
 * not overwritten yet. */
static void compute_group(const triangle_job *j, const column_group *g) {
  const int64_t n = whole_rows(j), order = j->depth / 2 / j->kernel->rows * j->kernel->rows,
                blocks = parts_of(n, order);
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t begin = (j->solve ? b : blocks - 1 - b) * order;
    const rows_of_panel rows = {begin, least(begin + order, n)};
    if (!j->solve) finish_block(j, g, rows);
    for (int64_t k = 0; k < begin; k += j->depth) update_block(j, g, rows, k, least(k + j->depth, begin));
    if (j->solve) finish_block(j, g, rows);
  }
}

static void move_group(const triangle_job *j, const column_group *g, bool load) {
  const int64_t cols = j->kernel->cols, n = j->t->n;
  for (int64_t c = 0; c < g->width; c += cols) {
    const int64_t w = least(g->width - c, cols);
    char *panel = g->data + c / cols * g->bytes;
    if (load)
      j->kernel->load_panel(&j->B, n, g->first + c, w, (int)cols, j->t->alpha, panel);
    else
      j->kernel->store_panel(&j->B, n, g->first + c, w, (int)cols, panel);
  }
}

/* Groups are whole vectors and differ by one vector at most. */
static void work_on_triangle(member m, void *of) {
  triangle_job *j = of;
  const kernels *kernel = j->kernel;
  const triangular *t = j->t;
  const long vectors = (long)parts_of(t->width, kernel->per_vector);
  for (int64_t i = m.id * kernel->rows; i < t->n; i += (int64_t)m.size * kernel->rows)
    if (!kernel->pack_triangle(&j->L, t->n, i, t->unit, j->solve, j->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  const bool unsafe = atomic_load(&j->unsafe);
  for (;;) {
    const long next = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (next >= j->groups) break;
    const share part = share_of(vectors, (int)next, (int)j->groups);
    const int64_t first = part.first * kernel->per_vector;
    const column_group g = {first, least(t->width, part.end * kernel->per_vector) - first, rows_of(j->packed, m),
                            whole_rows(j) * kernel->cols * j->element};
    if (unsafe) {
      kernel->substitute(t, &j->L, &j->B, g.first, g.width);
      continue;
    }
    move_group(j, &g, true);
    compute_group(j, &g);
    move_group(j, &g, false);
  }
}

/* As few groups as the buffers allow, but equally many for each member. A part of a panel takes the room of a panel. */
static long count_groups(const triangle_job *j, int members) {
  const int64_t panel = whole_rows(j) * j->kernel->cols * j->element, fit = j->packed->row_bytes / panel;
  const int64_t needed = parts_of(j->t->width, fit * j->kernel->cols);
  return (long)(parts_of(needed, members) * members);
}

static void run_wide(const packed *p, int threads, trigon_type type, const triangular *t, bool solve, int64_t b) {
  const int64_t element = type_size(type);
  triangle_job j = {.packed = p, .kernel = p->of[type_index(type)], .t = t, .solve = solve, .element = element};
  j.L = of_batch(t->L, b, element), j.B = of_batch(t->B, b, element);
  j.depth = p->blocks[type_index(type)].depth;
  j.groups = count_groups(&j, threads);
  team_run(threads, work_on_triangle, &j);
}

/* Few columns: as many at once as the panels have room for. */
typedef struct thin_job {
  const packed *packed;
  const kernels *kernel;
  trigon_type type;
  triangular t;
  bool solve;
} thin_job;

static void wait_for_team(void *m) { team_wait(*(const member *)m); }

static void work_on_thin(member m, void *of) {
  thin_job j = *(const thin_job *)of;
  const thin_member self = {m.id, m.size, wait_for_team, &m, rows_of(j.packed, m)};
  const int64_t element = type_size(j.type), width = j.t.width;
  while (thin_bytes(j.kernel, element, j.t.n, j.t.width) > j.packed->column_bytes) j.t.width /= 2;
  const int64_t at_once = j.t.width;
  for (int64_t first = 0; first < width; first += at_once) {
    j.t.width = least(at_once, width - first);
    thin_run(j.kernel, j.type, &j.t, j.solve, j.packed->cols, &self);
    team_wait(m);
    j.t.B.data = (char *)j.t.B.data + at_once * j.t.B.col * element;
  }
}

/* A triangle with few columns is read where it lies. If the columns are not so few, this pays only if the order is too
 * large for a packed triangle. */
static bool is_thin(trigon_type type, const triangular *t) {
  enum { few_columns = 16 };
  return thin_takes(t) && (t->width <= few_columns || (t->width <= packed_thin_width && t->n > packed_triangle_order(type)));
}

/* Solves of so many products take less time by division, element after element, than by vectors. From so many products
 * on, packing pays, because threads can share a packed triangle. The sizes alone decide: bits must not depend on
 * threads. */
enum { most_divided_products = 63, least_packed_products = 500000 };

static double products_of(const triangular *t) { return (double)(t->n * t->n) * (double)t->width; }

static void run_small(const packed *p, const kernels *kernel, const triangular *t, const operand *L, const operand *B,
                      bool solve) {
  const bool by_division = solve && products_of(t) <= most_divided_products;
  if (by_division || !kernel->small_triangle(t, L, B, solve, p->rows)) kernel->substitute(t, L, B, 0, t->width);
}

static void run_triangle(const packed *p, int threads, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type);
  if (t->n <= small_order && products_of(t) < least_packed_products && t->count == 1) {
    run_small(p, kernel, t, &t->L, &t->B, solve);
    return;
  }
  const bool few = is_thin(type, t);
  threads = team_size(p, few ? threads : least(threads, parts_of(t->width, kernel->cols)));
  for (int64_t b = 0; b < t->count; b++) {
    if (few) {
      thin_job j = {.packed = p, .kernel = kernel, .type = type, .t = *t, .solve = solve};
      j.t.L = of_batch(t->L, b, element), j.t.B = of_batch(t->B, b, element);
      team_run(threads, work_on_thin, &j);
      continue;
    }
    run_wide(p, threads, type, t, solve, b);
  }
}

void packed_trsm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, true);
}

void packed_trmm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, false);
}
