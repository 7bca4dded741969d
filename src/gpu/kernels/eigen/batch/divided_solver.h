/* divided_solver.h - divide and conquer in a block of threads, for real matrices that fit its shared memory, with
 * vectors, behind the reduction in registers (register_reduction.h).
 *
 * T is cut into leaves, which QL solves, a thread for each row. Teams of threads merge pairs of blocks, level by level
 * (block_merge.h). The vectors of both halves lie in the matrix's place (half_vectors.h). The last merge's product
 * stays in registers (merge_product.h), the reflectors are applied to it there (reflector_product.h), and the result
 * takes the matrix's place. So no Q is formed.
 * Source: J. Cuppen (Numer. Math. 36, 1981); LAPACK xSTEDC, xLAED1, xORMTR. */
#ifndef TRIGON_DIVIDED_SOLVER_H
#define TRIGON_DIVIDED_SOLVER_H

#include "divided_leaves.h"
#include "reflector_product.h"

template <class Solver> struct divided_solver {
  using R = typename Solver::R;
  static constexpr int ORDER = Solver::MOST, THREADS = Solver::THREADS;
  static constexpr int ACROSS = 8, HALF = (ORDER + 1) / 2, QUARTER = (HALF + 1) / 2;
  /* A thread's rows of each half, in the last merge and in those before it. */
  using whole_tile = product_tile<R, (HALF + ACROSS - 1) / ACROSS>;
  using half_tile = product_tile<R, (QUARTER + ACROSS - 1) / ACROSS>;
  static_assert(THREADS >= 2 * ORDER && (THREADS & (THREADS - 1)) == 0, "teams have two threads for each row");
  static_assert(THREADS / ACROSS * whole_tile::COLUMNS >= ORDER, "threads hold all columns");
  static_assert(half_vectors<R>::size(ORDER) <= (ORDER | 1) * ORDER, "in the matrix's place");
  const Solver &s;

  using merge = block_merge<R, ORDER, THREADS>;

  /* The merges of a level above the last one. */
  __device__ void multiply_halves(const merge &m, const half_vectors<R> &halves, int most_rows) const {
    half_tile Z;
    Z.multiply(m, halves, most_rows);
    __syncthreads();
    R *const place = halves.square_at(m.first);
    const int ld = halves.leading_at(m.first);
    Z.each(m, [&](R x, int i, int j) { place[i + j * ld] = x; });
    __syncthreads();
  }

  /* The vectors of the last merge, times the reflectors, in the matrix's place. */
  __device__ void multiply_whole(const merge &m, const half_vectors<R> &halves, int most_rows) const {
    const reflector_product<R, whole_tile::GROUPS> reflectors = {halves, s.of.tau, s.of.v};
    for (int k = s.thread(); k < s.n; k += THREADS) {
      s.of.v[k] = reflectors.dot_of(k);
      if (k + 1 == s.n) s.of.tau[k] = 0;
    }
    whole_tile Z;
    Z.multiply(m, halves, most_rows);
    __syncthreads();
    reflectors.apply_all(Z);
    __syncthreads();
    Z.each(m, [&](R x, int i, int j) { s.F.at(i, j) = x; });
  }

  /* The values in d and the vectors in the matrix's place, both in ascending order. Returns how many values were not
   * found. */
  __device__ int solve() const {
    const half_vectors<R> halves = {s.F.data, s.n};
    const divided_leaves<R, THREADS> leaves = {s.of.d, s.of.e, s.n};
    int level = level_of_leaves(s.n, DIVIDED_LEAF_ROWS);
    const R power = leaves.cut(level, s.most(leaves.largest()));
    const int failed = leaves.solve(halves, level);
    for (;;) {
      level--;
      merge m(s.of.merges, s.of.d, s.of.e, s.n, level);
      m.prepare(halves, s.of.e[m.first + m.n1 - 1]);
      const int most_rows = ((s.n - 1) >> (level + 1)) + 1;
      if (level == 0) {
        multiply_whole(m, halves, most_rows);
        break;
      }
      multiply_halves(m, halves, most_rows);
    }
    for (int i = s.thread(); i < s.n; i += THREADS) s.of.d[i] /= power;
    return static_cast<int>(s.most(R(failed)));
  }
};

#endif
