/* merge_arrays.h - the arrays of one merge of divide and conquer, for the kernels of deflate_columns.cu and
 * merge_halves.cu, and the places of its blocks of threads in a launch for all merges of a level. */
#ifndef TRIGON_MERGE_ARRAYS_H
#define TRIGON_MERGE_ARRAYS_H

#include "common/eigen/divide.h"
#include "eigen_launchers.h"

/* The blocks of threads that each merge of the level has, if a block takes so many rows. Merges of a level differ by
 * one row: all have the blocks of the largest one. */
TRIGON_HOST_DEVICE inline int64_t blocks_of_merge(const merged_level &p, int64_t rows_of_block) {
  const int64_t largest = ((p.n - 1) >> p.level) + 1;
  return (largest + rows_of_block - 1) / rows_of_block;
}

template <class R> struct merge_arrays {
  int64_t n1, n; /* rows of the first half, and of both */
  R *d, *distances, *small;
  const R *coupling, *Z; /* one number; the vectors of the halves */
  int64_t *order;
  R *z, *kept_d, *kept_z, *exact_z, *values, *cosine, *sine;
  R *rho; /* one number */
  int64_t *at, *left, *right;
  int64_t *kept, *rotations; /* one number each */
  int64_t *ascending;        /* which root or deflated value comes at which place */

  /* While columns are chosen, some memory has another use. In ascending order of d: */
  int64_t *sorted;        /* the columns; then free */
  R *sorted_d, *sorted_z; /* of all columns; then cosine and sine of the poles' rotations */
  /* The columns that have weight, the poles: */
  int64_t *column;
  R *pole_d, *pole_z;
  signed char *rotates; /* whether a pole is rotated away: first by its own values, then after the rotations before */
  int64_t *heads, *reach;

  __device__ merge_arrays(const merged_level &p, int64_t merge) {
    const int64_t first = block_begin(p.n, p.level, merge);
    n = block_begin(p.n, p.level, merge + 1) - first;
    n1 = block_begin(p.n, p.level + 1, 2 * merge + 1) - first;
    d = static_cast<R *>(p.d) + first, coupling = static_cast<const R *>(p.e) + first + n1 - 1;
    Z = static_cast<const R *>(p.Z) + first + first * p.ldz;
    distances = static_cast<R *>(p.distances) + first + first * p.ld_distances;
    small = static_cast<R *>(p.small) + first + first * p.ld_small;
    order = p.order + first;

    R *reals = static_cast<R *>(p.reals) + 8 * first;
    z = reals, kept_d = reals + n, kept_z = reals + 2 * n, exact_z = reals + 3 * n, values = reals + 4 * n;
    cosine = reals + 5 * n, sine = reals + 6 * n, rho = reals + 7 * n;
    int64_t *integers = p.integers + 6 * first;
    at = integers, left = integers + n, right = integers + 2 * n, sorted = integers + 3 * n, column = integers + 4 * n;
    kept = integers + 5 * n, rotations = kept + 1;
    ascending = sorted;

    sorted_d = values, sorted_z = exact_z, pole_d = d, pole_z = z;
    rotates = reinterpret_cast<signed char *>(kept + 2); /* n bytes: n is not less than 3 */
    heads = left, reach = right;
  }
};

#endif
