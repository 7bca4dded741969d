/* scale_element.h - an element times its line's power of two as an integer in two's complement. */
#ifndef TRIGON_SCALE_ELEMENT_H
#define TRIGON_SCALE_ELEMENT_H

#include "gpu/vendor/vendor.h"

/* rint(a·2^e) in two's complement, as round_scaled finds it. A double of 2^52 and more is an integer, so that only the
 * first rounding is one. */
__device__ inline void scale_element(unsigned (&to)[2], double x) {
  const long long whole = llrint(x);
  to[0] = static_cast<unsigned>(whole), to[1] = static_cast<unsigned>(whole >> 32);
}
__device__ inline void scale_element(unsigned (&to)[3], double x) {
  const double whole = rint(x), high = rint(whole * 0x1p-32);
  const long long low = static_cast<long long>(fma(high, -0x1p32, whole)); /* at most 2^31 in magnitude */
  const long long upper = static_cast<long long>(high) + (low >> 32);
  to[0] = static_cast<unsigned>(low), to[1] = static_cast<unsigned>(upper), to[2] = static_cast<unsigned>(upper >> 32);
}

#endif
