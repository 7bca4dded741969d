/* triangles.c - TRSM and TRMM: chooses between kernels for small orders, few columns and many columns. */
#include "cpu/kernels/packed/blocks/buffers.h"
#include "few_columns.h"
#include "many_columns.h"

/* Few columns: as many at once as the panels have room for. */
typedef struct few_columns_job {
  const packed *packed;
  const kernels *kernel;
  trigon_type type;
  triangular t;
  bool solve;
} few_columns_job;

static void wait_for_team(void *m) { team_wait(*(const member *)m); }

static void work_on_few_columns(member m, void *of) {
  few_columns_job j = *(const few_columns_job *)of;
  const few_columns_member self = {m.id, m.size, wait_for_team, &m, rows_of(j.packed, m)};
  const int64_t element = type_size(j.type), width = j.t.width;
  while (few_columns_bytes(j.kernel, element, j.t.n, j.t.width) > j.packed->column_bytes) j.t.width /= 2;
  const int64_t at_once = j.t.width;
  for (int64_t first = 0; first < width; first += at_once) {
    j.t.width = least(at_once, width - first);
    few_columns_run(j.kernel, j.type, &j.t, j.solve, j.packed->cols, &self);
    team_wait(m);
    j.t.B.data = (char *)j.t.B.data + at_once * j.t.B.col * element;
  }
}

/* A triangle with few columns is read where it lies. If the columns are not so few, this pays only if the buffers are
 * too small for the triangle, or for what a product needs. */
static bool has_few_columns(const packed *p, trigon_type type, const triangular *t, bool solve) {
  enum { few = 16 };
  const bool fits = solve ? t->n <= packed_triangle_order(type) : many_columns_product_fits(p, type, t->n);
  return few_columns_takes(t) && (t->width <= few || (t->width <= packed_few_columns_width && !fits));
}

/* Solves of so many products take less time by division, element after element, than by vectors. */
enum { most_divided_products = 63 };

void packed_small_triangle(const packed *p, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const bool by_division = solve && t->n * t->n * t->width <= most_divided_products;
  if (by_division || !kernel->small_triangle(t, solve, p->rows)) kernel->substitute(t, &t->L, &t->B, 0, t->width);
}

static void run_few_columns(const packed *p, int threads, trigon_type type, const triangular *t, const operand *L,
                            const operand *B, bool solve) {
  few_columns_job j = {.packed = p, .kernel = p->of[type_index(type)], .type = type, .t = *t, .solve = solve};
  j.t.L = *L, j.t.B = *B;
  team_run(team_size(p, threads), work_on_few_columns, &j);
}

static void run_many_columns(const packed *p, int threads, trigon_type type, const triangular *t, const operand *L,
                             const operand *B, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const many_columns leaf = {.packed = p,
                             .kernel = kernel,
                             .t = t,
                             .rows = {kernel, *L, t->n, type_size(type), t->unit, solve},
                             .B = *B,
                             .element = type_size(type),
                             .depth = p->blocks[type_index(type)].depth,
                             .whole = up_to_multiple(t->n, kernel->rows)};
  (solve ? many_columns_solve : many_columns_multiply)(&leaf, threads);
}

static void run_triangle(const packed *p, int threads, trigon_type type, const triangular *t, bool solve) {
  if (packed_is_small(t->n, t->width) && t->count == 1) {
    packed_small_triangle(p, type, t, solve);
    return;
  }
  const bool few = has_few_columns(p, type, t, solve);
  for (int64_t b = 0; b < t->count; b++) {
    const operand L = of_batch(t->L, b, type_size(type)), B = of_batch(t->B, b, type_size(type));
    (few ? run_few_columns : run_many_columns)(p, threads, type, t, &L, &B, solve);
  }
}

void packed_trsm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, true);
}

void packed_trmm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, false);
}
