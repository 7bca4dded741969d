/* batch_units.h - POTRF of a double matrix that fits into shared memory, by one block with matrix units. */
#ifndef TRIGON_BATCH_UNITS_H
#define TRIGON_BATCH_UNITS_H

#include "factor_units.h"

/* Matrices of order ORDER at most. */
template <int ORDER_> struct resident_units {
  static constexpr int ORDER = ORDER_, WARPS = ORDER / 16, THREADS = 2 * ORDER, LD = ORDER + 4;
  static_assert(ORDER % 32 == 0, "whole warps have rows");
  struct workspace {
    alignas(16) double own[ORDER][LD]; /* [column][row] */
    unsigned long long vote;
    __device__ workspace() {}
  };
};

/* shared.own = the lower triangle A of order n, with the identity behind its end, as far as strips of 8 columns go. All
 * copies are under way at once. */
template <class G> __device__ inline void load_resident(typename G::workspace &shared, const matrix<double> &A, int n) {
  const int whole = (n + 7) / 8 * 8, thread = static_cast<int>(threadIdx.x);
  const bool fast = along_rows(A); /* neighbouring threads have neighbours in memory */
  for (int slow = thread / G::ORDER; slow < whole; slow += G::THREADS / G::ORDER) {
    const int other = thread % G::ORDER, r = fast ? other : slow, c = fast ? slow : other;
    if (other >= whole) continue;
    const bool stored = r < n && c <= r;
    if (r == c && r >= n)
      shared.own[c][r] = 1;
    else
      tg_copy_async(&shared.own[c][r], stored ? A.at(r, c) : A.data, stored);
  }
  tg_commit_copies();
  tg_await_copies<0>();
}

/* Factors the lower triangle A of order n. Returns the first column whose pivot is not positive, or -1, to the first
 * thread. Ends with a barrier. */
template <class G>
__device__ inline int factor_resident(typename G::workspace &shared, const matrix<double> &A, int n) {
  const int row = static_cast<int>(threadIdx.x);
  load_resident<G>(shared, A, n);
  const row_target target = {A.at(row, 0), A.col, row < n};
  const int failed = factor_units<G>(shared, target, (n + 7) / 8, nullptr, [](unsigned) { __syncthreads(); });
  __syncthreads();
  return failed;
}

#endif
