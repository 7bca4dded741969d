/* cluster_diagonal.c - what is asked of a diagonal: each process looks at its own blocks, then one reduction
 * follows. */
#include <limits.h>
#include <math.h>

#include "cluster.h"

/* The local elements of one diagonal block: `count` elements from the diagonal's element `first` (from 0) on, of which
 * neighbours are `step` apart. */
typedef struct diagonal_block {
  const void *data;
  int64_t first, count, step;
} diagonal_block;

/* Finds block number b of a diagonal that begins at a block. Returns whether this process holds it. */
static bool find_block(const cluster *c, view A, int64_t b, diagonal_block *out) {
  const piece p = piece_of(A);
  const int *d = p.of->descriptor;
  const int64_t size = d[DESC_NB], row = (p.ia - 1) / size + b, col = (p.ja - 1) / size + b;
  const grid *g = &c->grid;
  if ((row + d[DESC_RSRC]) % g->rows != g->row || (col + d[DESC_CSRC]) % g->cols != g->col) return false;
  const int64_t left = A.n - b * size;
  const int64_t at = row / g->rows * size + col / g->cols * size * d[DESC_LLD];
  *out = (diagonal_block){.data = (const char *)p.of->local + at * type_size(A.type),
                          .first = b * size,
                          .count = left < size ? left : size,
                          .step = d[DESC_LLD] + 1};
  return true;
}

static int64_t block_count(view A) {
  if (A.n == 0) return 0;
  const int64_t size = piece_of(A).of->descriptor[DESC_NB];
  return (A.n + size - 1) / size;
}

/* Element i of a block. */
static trigon_scalar element(const diagonal_block *d, trigon_type type, int64_t i) {
  const int64_t at = i * d->step;
  switch (type) {
  case TRIGON_S: return (trigon_scalar){((const float *)d->data)[at], 0};
  case TRIGON_D: return (trigon_scalar){((const double *)d->data)[at], 0};
  case TRIGON_C: return (trigon_scalar){((const float *)d->data)[2 * at], ((const float *)d->data)[2 * at + 1]};
  default: return (trigon_scalar){((const double *)d->data)[2 * at], ((const double *)d->data)[2 * at + 1]};
  }
}

static bool is_bad(trigon_scalar x, pivot_test test) { return test == PIVOT_ZERO ? is_zero(x) : !(x.re > 0); }

/* The first bad element of this process, from 1; INT_MAX: none. */
static int first_local(const cluster *c, view A, pivot_test test) {
  diagonal_block d;
  for (int64_t b = 0; b < block_count(A); b++)
    if (find_block(c, A, b, &d))
      for (int64_t i = 0; i < d.count; i++)
        if (is_bad(element(&d, A.type, i), test)) return (int)(d.first + i + 1);
  return INT_MAX;
}

/* BLACS compares absolute values. So what is compared is how far the element is from the last one that could be. */
int64_t cluster_first_bad_pivot(const cluster *c, view A, pivot_test test) {
  int before = INT_MAX - first_local(c, A, test);
  scalapack_maximum(&c->library, &c->grid, 1, &before);
  return before == 0 ? 0 : INT_MAX - before;
}

double cluster_log_diagonal(const cluster *c, view A) {
  diagonal_block d;
  double sum = 0;
  for (int64_t b = 0; b < block_count(A); b++)
    if (find_block(c, A, b, &d))
      for (int64_t i = 0; i < d.count; i++) sum += log(fabs(element(&d, A.type, i).re));
  return 2 * scalapack_sum(&c->library, &c->grid, sum);
}
