/* triangles.c - TRSM and TRMM: chooses between kernels for small orders, few columns and many columns. */
#include "cpu/kernels/packed/blocks/buffers.h"
#include "few_columns.h"
#include "many_columns.h"

enum { few = 16 };

/* A triangle with few columns is read where it lies. If the columns are not so few, this pays only if the buffers are
 * too small for the triangle, or for what a product needs. */
static bool has_few_columns(const packed *p, trigon_type type, const triangular *t, bool solve) {
  const bool fits = solve ? t->n <= p->triangle_order[type_index(type)] : many_columns_product_fits(p, type, t->n);
  return few_columns_takes(t) && (t->width <= few || (t->width <= packed_few_columns_width && !fits));
}

/* Solves of so many products take less time by division, element after element, than by vectors. */
enum { most_divided_products = 8 };

/* From these orders on, one column alone is faster than a column panel with empty lanes (docs/notebook/vectors.md,
 * docs/notebook/cpu-kernels.md): one that is multiplied, one that is solved where it lies, and one that is copied to be
 * solved. */
enum { least_multiplied = 4, least_contiguous = tiny_order + 1, least_real_copy = 96, least_complex_copy = 32 };

static bool is_column(trigon_type type, const triangular *t, bool solve) {
  const bool contiguous = t->B.row == 1 || t->B.row == -1;
  const int64_t copied = type_is_complex(type) ? least_complex_copy : least_real_copy;
  const int64_t order = !solve ? least_multiplied : contiguous ? least_contiguous : copied;
  return t->width == 1 && t->n >= order && few_columns_takes(t);
}

void packed_small_triangle(const packed *p, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const bool by_division = solve && t->n * t->n * t->width <= most_divided_products;
  if (is_column(type, t, solve)) {
    few_columns_run(p, 1, type, t, solve);
    return;
  }
  if (by_division || !kernel->small_triangle(t, solve, p->rows)) kernel->substitute(t, &t->L, &t->B, 0, t->width);
}

/* A triangle that the buffers cannot hold is read where it lies, if B has at most 64 columns. If the triangle's columns
 * are contiguous, each of its tiles lies in as many places as it has columns, and each panel of B reads them again.
 * Then smaller triangles, which are packed, are faster: for all types but complex ones with tiles of four rows or more,
 * which use much of each line (docs/notebook/cpu-kernels.md). */
int64_t packed_trsm_order(const packed *p, trigon_type type, int64_t width) {
  const kernels *kernel = p->of[type_index(type)];
  const bool is_packed = width > few && width > kernel->cols && width <= packed_few_columns_width &&
                         (!type_is_complex(type) || kernel->rows < 4);
  return is_packed ? p->triangle_order[type_index(type)] : INT64_MAX;
}

/* As many columns at once as the panels have room for. */
static void run_few_columns(const packed *p, int threads, trigon_type type, const triangular *all, const operand *L,
                            const operand *B, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type);
  triangular t = *all;
  t.L = *L, t.B = *B;
  while (few_columns_bytes(kernel, element, t.n, t.width) > p->column_bytes) t.width /= 2;
  const int64_t at_once = t.width;
  for (int64_t first = 0; first < all->width; first += at_once) {
    t.width = least(at_once, all->width - first);
    few_columns_run(p, threads, type, &t, solve);
    t.B.data = (char *)t.B.data + at_once * t.B.col * element;
  }
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
  const bool in_place = has_few_columns(p, type, t, solve);
  for (int64_t b = 0; b < t->count; b++) {
    const operand L = of_batch(t->L, b, type_size(type)), B = of_batch(t->B, b, type_size(type));
    (in_place ? run_few_columns : run_many_columns)(p, threads, type, t, &L, &B, solve);
  }
}

void packed_trsm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, true);
}

void packed_trmm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, false);
}
