/* product_error.c - compares elements of a product with a reference of twice the precision.
 *
 * The reference is the compensated dot product of T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product (SIAM J.
 * Sci. Comput. 26, 2005), Dot2: its error is about k²u²|a||b|, far below what is measured. */
#include "product_error.h"
#include "../../matrix/dense.h"
#include "../../matrix/element_type.h"
#include "../../matrix/parallel.h"
#include "../../matrix/random.h"

#include <math.h>
#include <stdlib.h>

enum { STRIPS = 64 };

/* Rows of op(A), or columns of op(B), as vectors of reals. */
typedef struct lines {
  int64_t count, length; /* reals of a line */
  int64_t index[STRIPS];
  double *data;
} lines;

static void choose_lines(int64_t n, uint64_t seed, lines *l) {
  l->count = n < STRIPS ? n : STRIPS;
  for (int64_t s = 0; s < l->count; s++) {
    const int64_t begin = s * n / l->count, end = (s + 1) * n / l->count;
    l->index[s] = begin + (int64_t)(0.5 * (random_number(&seed) + 1) * (double)(end - begin));
  }
}

/* Loads line number s, which is a row or a column of the stored matrix. The reals of a complex line are pairs, the
 * imaginary parts times `sign`. */
static void load_line(const trigon_matrix *A, bool is_row, double sign, int64_t s, lines *l) {
  const int reals = type_reals(A->type);
  double pair[2], *to = l->data + s * l->length;
  for (int64_t i = 0; i < l->length / reals; i++) {
    dense_load(A, is_row ? l->index[s] : i, is_row ? i : l->index[s], 1, pair);
    to[reals * i] = pair[0];
    if (reals == 2) to[2 * i + 1] = sign * pair[1];
  }
}

/* Adds a·b to the sum hi + lo. */
static void add_product(double a, double b, double *hi, double *lo) {
  const double product = a * b, rest = fma(a, b, -product), sum = *hi + product, back = sum - *hi;
  *lo += rest + ((*hi - (sum - back)) + (product - back));
  *hi = sum;
}

/* A part of an element: the real one, or the imaginary one of a complex type. */
static double part_error(const double *a, const double *b, int64_t length, int reals, bool imaginary, double before,
                         double after) {
  double hi = before, lo = 0, size = fabs(before);
  for (int64_t i = 0; i < length; i += reals) {
    add_product(a[i], imaginary ? b[i + 1] : b[i], &hi, &lo);
    size += fabs(a[i] * (imaginary ? b[i + 1] : b[i]));
    if (reals == 1) continue;
    add_product(imaginary ? a[i + 1] : -a[i + 1], imaginary ? b[i] : b[i + 1], &hi, &lo);
    size += fabs(a[i + 1] * (imaginary ? b[i] : b[i + 1]));
  }
  const double error = fabs((after - hi) - lo);
  return error == 0 ? 0 : error / size;
}

static double worse(double a, double b) { return isnan(a) || a > b ? a : b; }

/* A comparison that several workers share. */
typedef struct error_search {
  const problem *p;
  const trigon_matrix *before, *after;
  lines rows, cols;
  double worst[MOST_WORKERS];
} error_search;

static bool is_transposed(const error_search *c, int factor) { return c->p->op[factor] != TRIGON_NOTRANS; }

static double sign_of(const error_search *c, int factor) { return c->p->op[factor] == TRIGON_CONJTRANS ? -1 : 1; }

static void load_lines(void *data, int worker, int workers) {
  error_search *c = data;
  for (int64_t s = worker; s < c->rows.count; s += workers)
    load_line(&c->before[0], !is_transposed(c, 0), sign_of(c, 0), s, &c->rows);
  for (int64_t s = worker; s < c->cols.count; s += workers)
    load_line(&c->before[1], is_transposed(c, 1), sign_of(c, 1), s, &c->cols);
}

static void compare_columns(void *data, int worker, int workers) {
  error_search *c = data;
  const int reals = type_reals(c->p->type);
  double before[2], after[2], worst = 0;
  for (int64_t j = worker; j < c->cols.count; j += workers)
    for (int64_t i = 0; i < c->rows.count; i++) {
      const double *a = c->rows.data + i * c->rows.length, *b = c->cols.data + j * c->cols.length;
      dense_load(&c->before[2], c->rows.index[i], c->cols.index[j], 1, before);
      dense_load(&c->after[2], c->rows.index[i], c->cols.index[j], 1, after);
      for (int part = 0; part < reals; part++)
        worst = worse(part_error(a, b, c->rows.length, reals, part == 1, before[part], after[part]), worst);
    }
  c->worst[worker] = worst;
}

bool product_error(const problem *p, const trigon_matrix *before, const trigon_matrix *after, double *error) {
  error_search c = {.p = p, .before = before, .after = after};
  choose_lines(p->size[M], 17, &c.rows);
  choose_lines(p->size[N], 18, &c.cols);
  c.rows.length = c.cols.length = p->size[K] * type_reals(p->type);
  c.rows.data = malloc(sizeof(double) * (size_t)(c.rows.count * c.rows.length));
  c.cols.data = malloc(sizeof(double) * (size_t)(c.cols.count * c.cols.length));
  const bool has_memory = c.rows.data && c.cols.data;
  *error = 0;
  if (has_memory) {
    const trigon_matrix work = {.rows = c.rows.count * c.cols.count, .cols = c.rows.length}; /* counts the workers */
    parallel_columns(&work, load_lines, &c);
    parallel_columns(&work, compare_columns, &c);
  }
  for (int i = 0; i < MOST_WORKERS; i++) *error = worse(c.worst[i], *error);
  free(c.rows.data);
  free(c.cols.data);
  return has_memory;
}
