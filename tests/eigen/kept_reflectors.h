/* kept_reflectors.h - reflectors as bulge chasing keeps them in a triangle (chase_reflectors.h), in tests: their
 * elements on the host, and Q in long doubles. */
#ifndef TRIGON_KEPT_REFLECTORS_H
#define TRIGON_KEPT_REFLECTORS_H

#include "gpu/kernels/eigen/eigen_launchers.h"
#include "kernels/launch_runs.h"

/* Q, kept in A: in its upper triangle if the lower one is reduced. */
typedef struct kept_q {
  bool lower;
  int64_t n;
  const stored *A;
} kept_q;

/* Element i of sweep s, in the triangle that is free (chase_reflectors.h). */
static inline int64_t row_of(const kept_q *q, int64_t s, int64_t i) { return q->lower ? i : s + 1 + i; }
static inline int64_t column_of(const kept_q *q, int64_t s) { return q->lower ? q->n - 1 - s : s; }
static inline number reflector_element(const kept_q *q, int64_t s, int64_t i) {
  return get(q->A, row_of(q, s, i), column_of(q, s));
}
static inline void put_element(const kept_q *q, int64_t s, int64_t i, number x) {
  put(q->A, row_of(q, s, i), column_of(q, s), x);
}

static inline int64_t length_of(const kept_q *q, int64_t s, int64_t first) {
  return q->n - 1 - s - first < band_width ? q->n - 1 - s - first : band_width;
}

/* z = H·z, for the reflector of sweep s whose first element is this one. */
static inline void apply_reflector(const kept_q *q, int64_t s, int64_t first, number *z) {
  const int64_t length = length_of(q, s, first);
  number *const at = z + s + 1 + first, w = at[0];
  for (int64_t i = 1; i < length; i++) {
    const number v = conjugate_if(true, reflector_element(q, s, first + i)), x = times(v, at[i]);
    w.re += x.re, w.im += x.im;
  }
  w = times(reflector_element(q, s, first), w);
  for (int64_t i = 0; i < length; i++) {
    const number x = times(i == 0 ? (number){1, 0} : reflector_element(q, s, first + i), w);
    at[i].re -= x.re, at[i].im -= x.im;
  }
}

/* z = Q·z: the last sweep first. */
static inline void apply_kept(const kept_q *q, number *z) {
  for (int64_t s = q->n - 2; s >= 0; s--)
    for (int64_t first = 0; first < q->n - 1 - s; first += band_width) apply_reflector(q, s, first, z);
}

#endif
