/* secular_functions.h - the scalar mathematics of common/eigen in kernels, for both real types by overloading. */
#ifndef TRIGON_SECULAR_FUNCTIONS_H
#define TRIGON_SECULAR_FUNCTIONS_H

#include <math.h>

#include "gpu/kernels/element.h"

template <class R> struct secular;

#define FUNCTION __device__ static inline
#define KERNEL(name) s_##name
#define REAL float
#define EPSILON 0x1p-23f
#define SMALLEST 0x1p-126f
#include "common/eigen/implicit_ql.inc"
#include "common/eigen/secular.inc"

#include "common/eigen/deflate.inc"

#include "secular_of_type.inc"
#undef SMALLEST
#undef EPSILON
#undef REAL
#undef KERNEL
#define KERNEL(name) d_##name
#define REAL double
#define EPSILON 0x1p-52
#define SMALLEST 0x1p-1022
#include "common/eigen/implicit_ql.inc"
#include "common/eigen/secular.inc"

#include "common/eigen/deflate.inc"

#include "secular_of_type.inc"
#undef SMALLEST
#undef EPSILON
#undef REAL
#undef KERNEL
#undef FUNCTION

/* A number by which NaN can be sorted: behind all others. */
template <class R> __device__ inline R sort_key(R x) { return x == x ? x : static_cast<R>(INFINITY); }

#endif
