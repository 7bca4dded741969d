/* chase_reflectors.h - where the reflectors of bulge chasing are kept: in the triangle of A that is free.
 *
 * The reflectors of sweep s have n - 1 - s elements together, hop after hop: as many as a column of the triangle. The
 * place of a reflector's first element, which is one, has its tau. */
#ifndef TRIGON_CHASE_REFLECTORS_H
#define TRIGON_CHASE_REFLECTORS_H

#include "eigen_launchers.h"

/* The first element of sweep s, if the reduced triangle of A, of order n, is the lower one or the upper one. */
template <class T> __device__ inline T *kept_sweep(T *A, bool lower, int64_t n, int64_t ld, int64_t s) {
  return lower ? A + (n - 1 - s) * ld : A + s + 1 + s * ld;
}

#endif
