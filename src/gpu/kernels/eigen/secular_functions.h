/* secular_functions.h - the scalar mathematics of common/eigen in kernels, for both real types by overloading. */
#ifndef TRIGON_SECULAR_FUNCTIONS_H
#define TRIGON_SECULAR_FUNCTIONS_H

#include <math.h>

#include "gpu/kernels/element.h"

#define FUNCTION __device__ static inline
#define KERNEL(name) s_##name
#define REAL float
#define EPSILON 0x1p-23f
#define SMALLEST 0x1p-126f
#include "common/eigen/implicit_ql.inc"
#include "common/eigen/secular.inc"

#include "common/eigen/deflate.inc"
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
#undef SMALLEST
#undef EPSILON
#undef REAL
#undef KERNEL
#undef FUNCTION

/* The names without the letter of the type. */
template <class R> struct secular;
template <> struct secular<float> {
  using sums = s_sums;
  using search = s_search;
  using deflation = s_deflation;
  static constexpr int most_steps = s_most_steps;
  static constexpr signed char top = s_top, bottom = s_bottom;
  __device__ static void choose(deflation *o, float rho, float largest) { s_choose(o, rho, largest); }
  __device__ static search begin_last(int64_t p, float rho) { return s_begin_last(p, rho); }
  __device__ static search begin_between(int64_t p, float gap, float f, float z1, float z2) {
    return s_begin_between(p, gap, f, z1, z2);
  }
  __device__ static bool advance(search *s, float constant, sums psi, sums phi, float p1, float p2) {
    return s_advance(s, constant, psi, phi, p1, p2);
  }
  __device__ static int64_t solve(int64_t n, float *d, float *e, float *row, int64_t stride) {
    const int64_t failed = s_iterate(n, d, e, 1, row, stride);
    s_sort_vectors(n, d, 1, row, stride);
    return failed;
  }
};
template <> struct secular<double> {
  using sums = d_sums;
  using search = d_search;
  using deflation = d_deflation;
  static constexpr int most_steps = d_most_steps;
  static constexpr signed char top = d_top, bottom = d_bottom;
  __device__ static void choose(deflation *o, double rho, double largest) { d_choose(o, rho, largest); }
  __device__ static search begin_last(int64_t p, double rho) { return d_begin_last(p, rho); }
  __device__ static search begin_between(int64_t p, double gap, double f, double z1, double z2) {
    return d_begin_between(p, gap, f, z1, z2);
  }
  __device__ static bool advance(search *s, double constant, sums psi, sums phi, double p1, double p2) {
    return d_advance(s, constant, psi, phi, p1, p2);
  }
  /* A thread has one row of the vectors, whose elements are `stride` apart. */
  __device__ static int64_t solve(int64_t n, double *d, double *e, double *row, int64_t stride) {
    const int64_t failed = d_iterate(n, d, e, 1, row, stride);
    d_sort_vectors(n, d, 1, row, stride);
    return failed;
  }
};

/* A number by which NaN can be sorted: behind all others. */
template <class R> __device__ inline R sort_key(R x) { return x == x ? x : static_cast<R>(INFINITY); }

#endif
