/* unblocked.c - the CPU's own leaves in all precisions: includes unblocked.inc four times. */
#include "unblocked.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* A complex number. If one part is Inf or NaN, `re + im * I` would spoil the other part, and some compilers lack
 * CMPLX. */
static float _Complex make_c(double re, double im) {
  float _Complex x;
  memcpy(&x, (float[2]){(float)re, (float)im}, sizeof x);
  return x;
}

static double _Complex make_z(double re, double im) {
  double _Complex x;
  memcpy(&x, (double[2]){re, im}, sizeof x);
  return x;
}

#define LEAF(name) s_##name
#define ELEMENT float
#define MAKE(re, im) ((void)(im), (float)(re))
#define REAL(x) (x)
#define IMAG(x) 0.0
#define CONJ(x) (x)
#include "unblocked.inc"
#define LEAF(name) d_##name
#define ELEMENT double
#define MAKE(re, im) ((void)(im), (double)(re))
#define REAL(x) (x)
#define IMAG(x) 0.0
#define CONJ(x) (x)
#include "unblocked.inc"
#define LEAF(name) c_##name
#define ELEMENT float _Complex
#define MAKE(re, im) make_c(re, im)
#define REAL(x) crealf(x)
#define IMAG(x) cimagf(x)
#define CONJ(x) conjf(x)
#include "unblocked.inc"
#define LEAF(name) z_##name
#define ELEMENT double _Complex
#define MAKE(re, im) make_z(re, im)
#define REAL(x) creal(x)
#define IMAG(x) cimag(x)
#define CONJ(x) conj(x)
#include "unblocked.inc"

const unblocked *unblocked_for(trigon_type type) {
  switch (type) {
  case TRIGON_S: return &s_leaves;
  case TRIGON_D: return &d_leaves;
  case TRIGON_C: return &c_leaves;
  default: return &z_leaves;
  }
}
