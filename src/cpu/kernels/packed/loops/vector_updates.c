/* vector_updates.c - updates of rank one or two by vectors: the matrix is read and written once, where it lies. */
#include "vector_updates.h"

#include "contiguous.h"

bool is_vector_update(const packed *p, trigon_type type, const product *o) {
  const int64_t elements = 2 * (o->m + o->n + 4 * vector_multiple); /* of the vectors' copies */
  return o->k == 1 && is_one(o->beta) && o->A_is == STRUCTURE_GENERAL && has_unit_stride(&o->C) &&
         elements * type_size(type) <= p->column_bytes;
}

/* The columns of A are contiguous. */
typedef struct update_job {
  const kernels *kernel;
  int64_t element, m, n, ld;
  char *A;
  region computed;
  bool upper;          /* the region is the upper triangle */
  outer_product terms; /* contiguous */
  int64_t down;        /* how many blocks are below each other */
} update_job;

enum { update_cols = 32 };
_Static_assert(block_rows % update_cols == 0, "a diagonal block lies in one block of rows");

/* The terms of rows from i0 and columns from j0 on. */
static outer_product terms_of(const update_job *j, int64_t i0, int64_t j0) {
  const outer_product *t = &j->terms;
  const int64_t rows = i0 * j->element, cols = j0 * j->element;
  return (outer_product){(const char *)t->x + rows, (const char *)t->y + cols,
                         t->x2 ? (const char *)t->x2 + rows : NULL, t->x2 ? (const char *)t->y2 + cols : NULL};
}

/* Rows i0 .. i1 - 1 of columns j0 .. j1 - 1. */
static void update_block(const update_job *j, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  if (i0 >= i1) return;
  const outer_product part = terms_of(j, i0, j0);
  j->kernel->add_outer(i1 - i0, j1 - j0, &part, j->A + (i0 + j0 * j->ld) * j->element, j->ld);
}

/* The triangle on the diagonal of columns j0 .. j1 - 1. */
static void update_diagonal(const update_job *j, int64_t j0, int64_t j1) {
  const outer_product part = terms_of(j, j0, j0);
  j->kernel->add_outer_triangle(j1 - j0, j->upper, &part, j->A + (1 + j->ld) * j0 * j->element, j->ld);
}

static void run_update(void *of, int64_t phase, int64_t task, void *buffer) {
  const update_job *j = of;
  (void)phase, (void)buffer;
  const int64_t i0 = task % j->down * block_rows, j0 = task / j->down * update_cols;
  const int64_t i1 = least(j->m, i0 + block_rows), j1 = least(j->n, j0 + update_cols);
  if (j->computed == REGION_ALL || (j->upper ? i1 <= j0 : i0 >= j1)) {
    update_block(j, i0, i1, j0, j1);
    return;
  }
  update_diagonal(j, j0, j1);
  update_block(j, j->upper ? i0 : j1, j->upper ? j0 : i1, j0, j1);
}

void update_by_vectors(const packed *p, int threads, trigon_type type, const product *o, int64_t b) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t size = type_size(type);
  const operand C = of_batch(o->C, b, size);
  const bool by_rows = C.row != 1, two = o->A2.data != NULL;
  const operand left[] = {of_batch(o->A, b, size), of_batch(o->A2, b, size)};
  const operand right[] = {transposed(of_batch(o->B, b, size)), transposed(of_batch(o->B2, b, size))};
  update_job j = {.kernel = kernel,
                  .element = size,
                  .m = by_rows ? o->n : o->m,
                  .n = by_rows ? o->m : o->n,
                  .ld = by_rows ? C.row : C.col,
                  .A = C.data,
                  .computed = o->computed,
                  .upper = by_rows};
  char *room = p->cols;
  const void *x[2] = {0}, *y[2] = {0};
  for (int t = 0; t < (two ? 2 : 1); t++) {
    x[t] = contiguous(kernel, size, &left[t], o->m, one, &room);
    y[t] = contiguous(kernel, size, &right[t], o->n, t == 0 ? o->alpha : o->alpha2, &room);
  }
  j.terms = by_rows ? (outer_product){y[0], x[0], y[1], x[1]} : (outer_product){x[0], y[0], x[1], y[1]};
  j.down = parts_of(j.m, block_rows);
  run_team(p, (team_work){.count = j.down * parts_of(j.n, update_cols), .run = run_update}, threads, &j);
  if (o->computed == REGION_LOWER_HERMITIAN && type_is_complex(type)) kernel->make_real(o->n, C.data, C.row + C.col);
}
