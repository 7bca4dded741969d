/* triangles.c - TRSM and TRMM of a packed triangle.
 *
 * The triangle goes where blocks of columns are packed otherwise, the panels of B where blocks of rows are. A team
 * packs the triangle together. Then each member takes one panel of B after another. */
#include <stdatomic.h>

#include "buffers.h"
#include "thin.h"

typedef struct triangle_job {
  const packed *packed;
  const kernels *kernel;
  const triangular *t;
  operand L, B;
  bool solve;
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
  atomic_long next;
} triangle_job;

static void work_on_triangle(member m, void *of) {
  triangle_job *j = of;
  const kernels *kernel = j->kernel;
  const triangular *t = j->t;
  const long panels = (long)parts_of(t->width, kernel->cols);
  void *panel = rows_of(j->packed, m);
  for (int64_t i = m.id * kernel->rows; i < t->n; i += (int64_t)m.size * kernel->rows)
    if (!kernel->pack_triangle(&j->L, t->n, i, t->unit, j->solve, j->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  const bool unsafe = atomic_load(&j->unsafe);
  for (;;) {
    const long next = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (next >= panels) break;
    const int64_t first = next * kernel->cols, w = least(t->width - first, kernel->cols);
    if (unsafe) {
      kernel->substitute(t, &j->L, &j->B, first, w);
      continue;
    }
    kernel->load_panel(&j->B, t->n, first, w, kernel->cols, t->alpha, panel);
    (j->solve ? kernel->solve : kernel->multiply_triangle)(t->n, j->packed->cols, panel);
    kernel->store_panel(&j->B, t->n, first, w, kernel->cols, panel);
  }
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
static bool is_thin(const triangular *t) {
  enum { few_columns = 16 };
  return thin_takes(t) && (t->width <= few_columns || (t->width <= packed_thin_width && t->n > packed_triangle_order));
}

/* Solves of so many products take less time by division, element after element, than by vectors. */
enum { most_divided_products = 63 };

void packed_small_triangle(const packed *p, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const bool by_division = solve && t->n * t->n * t->width <= most_divided_products;
  if (by_division || !kernel->small_triangle(t, &t->L, &t->B, solve, p->rows))
    kernel->substitute(t, &t->L, &t->B, 0, t->width);
}

static void run_triangle(const packed *p, int threads, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type);
  if (packed_is_small(t->n, t->width) && t->count == 1) {
    packed_small_triangle(p, type, t, solve);
    return;
  }
  const bool few = is_thin(t);
  threads = team_size(p, few ? threads : least(threads, parts_of(t->width, kernel->cols)));
  for (int64_t b = 0; b < t->count; b++) {
    if (few) {
      thin_job j = {.packed = p, .kernel = kernel, .type = type, .t = *t, .solve = solve};
      j.t.L = of_batch(t->L, b, element), j.t.B = of_batch(t->B, b, element);
      team_run(threads, work_on_thin, &j);
      continue;
    }
    triangle_job j = {.packed = p, .kernel = kernel, .t = t, .solve = solve};
    j.L = of_batch(t->L, b, element), j.B = of_batch(t->B, b, element);
    team_run(threads, work_on_triangle, &j);
  }
}

void packed_trsm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, true);
}

void packed_trmm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, false);
}
