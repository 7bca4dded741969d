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

_Static_assert(block_rows % update_cols == 0, "a block with a diagonal element has all of a block of columns");

/* The vectors from row i0 and column j0 on. */
static outer_product terms_from(const update_job *j, int64_t i0, int64_t j0) {
  const outer_product *t = &j->terms;
  const int64_t row = i0 * j->element, col = j0 * j->element;
  return (outer_product){(const char *)t->x + row, (const char *)t->y + col, t->x2 ? (const char *)t->x2 + row : NULL,
                         t->x2 ? (const char *)t->y2 + col : NULL};
}

/* Rows i0 .. i1 - 1 of columns j0 .. j1 - 1, as far as they are computed. */
static void update_block(const update_job *j, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  const bool whole = j->computed == REGION_ALL || (j->upper ? i1 <= j0 : i0 >= j1);
  if (!whole && j->upper) i1 = least(i1, j1);
  if (!whole && !j->upper) i0 = larger(i0, j0);
  if (i0 >= i1) return;
  const outer_product terms = terms_from(j, i0, j0);
  char *A = j->A + (i0 + j0 * j->ld) * j->element;
  if (whole)
    j->kernel->add_outer(i1 - i0, j1 - j0, &terms, A, j->ld);
  else
    j->kernel->add_outer_triangle(i1 - i0, j1 - j0, &terms, A, j->ld, j->upper);
}

static void run_update(void *of, int64_t phase, int64_t task, void *buffer) {
  const update_job *j = of;
  (void)phase, (void)buffer;
  const int64_t i0 = task % j->down * block_rows, j0 = task / j->down * update_cols;
  update_block(j, i0, least(j->m, i0 + block_rows), j0, least(j->n, j0 + update_cols));
}

void update_by_vectors(const packed *p, int threads, trigon_type type, const product *o, int64_t b) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t size = type_size(type);
  const operand C = of_batch(o->C, b, size);
  const bool by_rows = C.row != 1, two = o->A2.data != NULL;
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
    const operand left = of_batch(t == 0 ? o->A : o->A2, b, size), right = of_batch(t == 0 ? o->B : o->B2, b, size);
    const operand row = transposed(right);
    x[t] = contiguous(kernel, size, &left, o->m, one, &room);
    y[t] = contiguous(kernel, size, &row, o->n, t == 0 ? o->alpha : o->alpha2, &room);
  }
  j.terms = by_rows ? (outer_product){y[0], x[0], y[1], x[1]} : (outer_product){x[0], y[0], x[1], y[1]};
  j.down = parts_of(j.m, block_rows);
  if (threads == 1 && j.down == 1)
    update_block(&j, 0, j.m, 0, j.n);
  else
    run_team(p, (team_work){.count = j.down * parts_of(j.n, update_cols), .run = run_update}, threads, &j);
  if (o->computed == REGION_LOWER_HERMITIAN && type_is_complex(type)) kernel->make_real(o->n, C.data, C.row + C.col);
}
