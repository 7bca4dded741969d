/* reflectors.c - loops of the reduction to tridiagonal form, in all types: includes reflectors.inc four times. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels/packed/register/register_kernels.h"
#include "eigen_kernels.h"

/* The elements are finite, so that the plain formula suffices for products. C's own takes a branch for NaN, and its
 * quotient scales: that one stays. */
static inline float _Complex c_product(float _Complex x, float _Complex y) {
  const float a = crealf(x), b = cimagf(x), c = crealf(y), d = cimagf(y);
  float _Complex z;
  memcpy(&z, (float[2]){a * c - b * d, a * d + b * c}, sizeof z);
  return z;
}
static inline double _Complex z_product(double _Complex x, double _Complex y) {
  const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
  double _Complex z;
  memcpy(&z, (double[2]){a * c - b * d, a * d + b * c}, sizeof z);
  return z;
}

#define KERNEL(name) s_##name
#define REAL float
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define ELEMENT float
#define PARTS 1
#define CONJ(x) (x)
#define REAL_PART(x) (x)
#define IMAG_PART(x) 0.0f
#define PRODUCT(x, y) ((x) * (y))
#define DIVIDE(x, y) ((x) / (y))
#include "reflectors.inc"
#define KERNEL(name) d_##name
#define REAL double
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define ELEMENT double
#define PARTS 1
#define CONJ(x) (x)
#define REAL_PART(x) (x)
#define IMAG_PART(x) 0.0
#define PRODUCT(x, y) ((x) * (y))
#define DIVIDE(x, y) ((x) / (y))
#include "reflectors.inc"
#define KERNEL(name) c_##name
#define REAL float
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define ELEMENT float _Complex
#define PARTS 2
#define CONJ(x) conjf(x)
#define REAL_PART(x) crealf(x)
#define IMAG_PART(x) cimagf(x)
#define PRODUCT(x, y) c_product(x, y)
#define DIVIDE(x, y) ((x) / (y))
#include "reflectors.inc"
#define KERNEL(name) z_##name
#define REAL double
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define ELEMENT double _Complex
#define PARTS 2
#define CONJ(x) conj(x)
#define REAL_PART(x) creal(x)
#define IMAG_PART(x) cimag(x)
#define PRODUCT(x, y) z_product(x, y)
#define DIVIDE(x, y) ((x) / (y))
#include "reflectors.inc"

const reflector_kernels *reflector_kernels_for(trigon_type type) {
  switch (type) {
  case TRIGON_S: return &s_reflectors;
  case TRIGON_D: return &d_reflectors;
  case TRIGON_C: return &c_reflectors;
  default: return &z_reflectors;
  }
}
