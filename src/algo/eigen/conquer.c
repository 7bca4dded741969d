/* conquer.c - the eigenproblem of a tridiagonal matrix by divide and conquer, level by level.
 *
 *     T = [ T1    ] + coupling·u·uᵀ = [ Z1    ] ( D + rho·z·zᵀ ) [ Z1    ]ᵀ
 *         [    T2 ]                   [    Z2 ]                  [    Z2 ]
 *
 * The leaves are solved by QL iterations. A merge solves the small problem D + rho·z·zᵀ; its vectors are multiplied by
 * those of the halves. Source: LAPACK xSTEDC; J. Cuppen (Numer. Math. 36, 1981). */
#include "common/divide.h"
#include "core/error.h"
#include "eigen.h"

enum { leaf_order = 32 }; /* QL takes 3·n³ flops with vectors, by rotations; LAPACK's number is 25 */

/* The rows of the second half come first: small[0] lies in the rows that it overwrites last. */
static trigon_status multiply_halves(engine *e, const eigen_merge *m, const eigen_products *p) {
  for (int half = 1; half >= 0 && p->columns > 0; half--) {
    TRY(e->machine->eigen->copy_small(e->machine, m, p, half));
    TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, one, p->half[half], p->small[half], zero, p->to[half])));
  }
  return TRIGON_OK;
}

/* Merges the halves of block i of a level. */
static trigon_status merge_block(engine *e, const conquest *c, int level, int64_t i) {
  const int64_t n = c->d.m, first = block_begin(n, level, i), end = block_begin(n, level, i + 1);
  const int64_t middle = block_begin(n, level + 1, 2 * i + 1), size = end - first;
  const eigen_merge m = {.n1 = middle - first,
                         .n2 = end - middle,
                         .values = block(c->d, first, 0, size, 1),
                         .coupling = block(c->e, middle - 1, 0, 1, 1),
                         .Z = block(c->Z, first, first, size, size),
                         .spare = c->spare,
                         .order = c->order + first,
                         .scratch = c->scratch,
                         .wanted = level == 0 ? c->wanted : NULL,
                         .scale = c->scale};
  eigen_products p;
  TRY(e->machine->eigen->merge(e->machine, &m, &p));
  return multiply_halves(e, &m, &p);
}

trigon_status algo_conquer(engine *e, const conquest *c) {
  const int leaves = level_of_leaves(c->d.m, leaf_order);
  TRY(e->machine->eigen->leaves(e->machine, leaves, c->d, c->e, c->scale, c->Z, c->order));
  for (int level = leaves - 1; level >= 0; level--)
    for (int64_t i = 0; i < INT64_C(1) << level; i++) TRY(merge_block(e, c, level, i));
  return TRIGON_OK;
}
