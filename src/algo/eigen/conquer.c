/* conquer.c - the eigenproblem of a tridiagonal matrix by divide and conquer, level by level.
 *
 *     T = [ T1    ] + coupling·u·uᵀ = [ Z1    ] ( D + rho·z·zᵀ ) [ Z1    ]ᵀ
 *         [    T2 ]                   [    Z2 ]                  [    Z2 ]
 *
 * The leaves are solved by QL iterations. A merge solves the small problem D + rho·z·zᵀ; its vectors are multiplied by
 * those of the halves. Source: LAPACK xSTEDC; J. Cuppen (Numer. Math. 36, 1981). */
#include "common/eigen/divide.h"
#include "core/error.h"
#include "eigen.h"

enum { leaf_order = 32 }; /* QL takes 3·n³ flops with vectors, by rotations; LAPACK's number is 25 */

/* The rows of the second half come first: small[0] lies in the rows that it overwrites last. */
static trigon_status multiply_halves(engine *e, const eigen_merge *m, const eigen_products *p) {
  const eigen_support *support = e->machine->eigen;
  for (int half = 1; half >= 0 && p->columns > 0; half--) {
    if (support->copy_small) TRY(support->copy_small(e->machine, m, p, half));
    TRY(run(e, gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, one, p->half[half], p->small[half], zero, p->to[half])));
  }
  return TRIGON_OK;
}

/* The same block of `count` equal merges, which are neighbours: the diagonal blocks step by their rows. */
static view repeated(view A, int64_t count, int64_t step) {
  if (count > 1) A.count = count, A.row_step = A.col_step = step;
  return A;
}

/* Merges the halves of block i of a level, and of the blocks behind it: `count` equal ones. */
static trigon_status merge_blocks(engine *e, const conquest *c, view Z, view other, int level, int64_t i,
                                  int64_t count) {
  const int64_t n = c->d.m, first = block_begin(n, level, i), end = block_begin(n, level, i + 1);
  const int64_t middle = block_begin(n, level + 1, 2 * i + 1), size = end - first;
  const eigen_merge m = {.n1 = middle - first,
                         .n2 = end - middle,
                         .values = block(c->d, first, 0, size, 1),
                         .coupling = block(c->e, middle - 1, 0, 1, 1),
                         .Z = block(Z, first, first, size, size),
                         .other = block(other, first, first, size, size),
                         .spare = c->spare,
                         .order = c->order + first,
                         .scratch = c->scratch,
                         .wanted = level == 0 ? c->wanted : NULL,
                         .scale = c->scale};
  eigen_products p;
  TRY(e->machine->eigen->merge(e->machine, &m, &p));
  for (int half = 0; half < 2; half++) {
    p.half[half] = repeated(p.half[half], count, size);
    p.small[half] = repeated(p.small[half], count, size);
    p.to[half] = repeated(p.to[half], count, size);
  }
  return multiply_halves(e, &m, &p);
}

/* If the machine does all merges at once, and all are equal, so does each product. */
static trigon_status merge_level(engine *e, const conquest *c, view Z, view other, int level) {
  const eigen_support *support = e->machine->eigen;
  const int64_t blocks = INT64_C(1) << level;
  const eigen_level all = {.level = level,
                           .values = c->d,
                           .couplings = c->e,
                           .Z = Z,
                           .other = other,
                           .spare = c->spare,
                           .order = c->order,
                           .scratch = c->scratch,
                           .wanted = level == 0 ? c->wanted : NULL,
                           .scale = c->scale};
  if (support->merge_level) TRY(support->merge_level(e->machine, &all));
  const int64_t together = support->merge_level && c->d.m % (2 * blocks) == 0 ? blocks : 1;
  for (int64_t i = 0; i < blocks; i += together) TRY(merge_blocks(e, c, Z, other, level, i, together));
  return TRIGON_OK;
}

/* If merges alternate, the leaves begin where the last merge ends in c->Z. */
trigon_status algo_conquer(engine *e, const conquest *c) {
  const int leaves = level_of_leaves(c->d.m, leaf_order);
  const bool alternates = e->machine->eigen->alternates;
  view from = alternates && leaves % 2 ? c->other : c->Z, to = alternates && leaves % 2 ? c->Z : c->other;
  TRY(e->machine->eigen->leaves(e->machine, leaves, c->d, c->e, c->scale, from, c->order));
  for (int level = leaves - 1; level >= 0; level--) {
    TRY(merge_level(e, c, from, to, level));
    if (!alternates) continue;
    const view merged = to;
    to = from, from = merged;
  }
  return TRIGON_OK;
}
