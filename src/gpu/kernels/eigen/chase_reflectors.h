/* chase_reflectors.h - where the reflectors of bulge chasing are kept: in the triangle of A that is free; and when they
 * are applied to Z.
 *
 * The reflectors of sweep s have n - 1 - s elements together, hop after hop: as many as a column of the triangle. The
 * place of a reflector's first element, which is one, has its tau.
 *
 * Reflector (s, k) of sweep s and hop k changes the rows from s + 1 + k·b on, b of them. It must come after (s + 1, k)
 * and (s + 1, k - 1). So a pass takes neighbouring sweeps, the last one first, through the hops in ascending order.
 *
 * A set of threads that took all passes would wait for its own results. So a block has several sets, which take passes
 * in turn, all for the same columns. A set follows the set before some hops behind, and reads from Z what that one has
 * stored. All sets meet at the barriers of each hop. */
#ifndef TRIGON_CHASE_REFLECTORS_H
#define TRIGON_CHASE_REFLECTORS_H

#include "eigen_launchers.h"

/* The first element of sweep s, if the reduced triangle of A, of order n, is the lower one or the upper one. */
template <class T> __device__ inline T *kept_sweep(T *A, bool lower, int64_t n, int64_t ld, int64_t s) {
  return lower ? A + (n - 1 - s) * ld : A + s + 1 + s * ld;
}

/* The barrier of all sets. They may be at different places of the code, but not at different barriers. */
__device__ inline void meet_sets() { __syncthreads(); }

/* When the passes of a block begin, counted in hops: LAG hops after the pass before, and when the set has ended its
 * pass before. */
template <int SETS, int LAG> struct pass_times {
  int begin = -LAG, ends[SETS] = {}; /* ends: of the last passes, the newest one first */

  /* The next pass has so many hops. */
  __device__ void next(int hops) {
    const int after_set = ends[SETS - 1];
    begin = begin + LAG > after_set ? begin + LAG : after_set;
#pragma unroll
    for (int i = SETS - 1; i > 0; i--) ends[i] = ends[i - 1];
    ends[0] = begin + hops;
  }
  __device__ int end() const { return ends[0]; }
};

#endif
