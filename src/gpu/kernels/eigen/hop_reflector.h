/* hop_reflector.h - the reflector of a hop that stays (chase_hops.cu). */
#ifndef TRIGON_HOP_REFLECTOR_H
#define TRIGON_HOP_REFLECTOR_H

#include "chase_hops.h"

/* A reflector: lane i has the element of slot i. `sent` has tau in the place of the leading one. */
template <class T> struct hop_reflector {
  T v, tau, sent;
  real_of<T> end;
};

/* root = √x and inverse = 1 / √x for x >= reflection<R>::least. One correction makes the root as good as rounding
 * allows, so that H' is unitary. */
__device__ static inline void roots(double x, double &root, double &inverse) {
  inverse = tg_rsqrt(x);
  const double near = x * inverse;
  root = near + (x - near * near) * (0.5 * inverse);
}
__device__ static inline void roots(float x, float &root, float &inverse) {
  root = sqrtf(x);
  inverse = 1 / root;
}
template <class R> __device__ inline R inverse_of(R x) { return 1 / x; }
template <class R> __device__ inline complex<R> inverse_of(complex<R> x) { return scale(conjugate(x), 1 / square(x)); }

/* The reflector of a column whose first element is in slot `lead`: householder.h, without divisions where the next hop
 * waits. If ADDS, `beside` becomes its sum over the lanes. If there is nothing to reflect, what was chased is gone. */
template <bool ADDS = true, class T>
__device__ static hop_reflector<T> make_hop_reflector(T x, int lead, real_of<T> &beside) {
  using R = real_of<T>;
  const int at = static_cast<int>(threadIdx.x) % tg_warp();
  const bool leads = row_of_thread() == lead;
  R rest = leads ? R(0) : square(x), root, inverse;
#pragma unroll
  for (int step = 1; step < band_width; step *= 2) {
    rest += shuffle(rest, at ^ step);
    if (ADDS) beside += shuffle(beside, at ^ step);
  }
  const T alpha = of_lane(x, lead);
  const R all = square(alpha) + rest;
  roots(all, root, inverse);
  const bool negative = real(alpha) < 0, skips = all < reflection<R>::least || (rest == 0 && imaginary(alpha) == 0);
  hop_reflector<T> h;
  h.end = negative ? root : -root;
  const T pivot = subtract(alpha, make(T{}, h.end, R(0)));
  const T below = skips ? T{} : multiply(x, inverse_of(pivot));
  h.tau = skips ? T{} : scale(pivot, negative ? -inverse : inverse);
  if (skips) h.end = real(alpha);
  h.v = leads ? one<T>() : below;
  h.sent = leads ? h.tau : below;
  return h;
}

#endif
