/* tridiagonal.c - the loops over a real tridiagonal matrix, in two precisions: files included twice. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eigen_kernels.h"

#define FUNCTION static

#define TABLE                                                                                                          \
  {                                                                                                                    \
    .values = KERNEL(values), .solve = KERNEL(solve), .sort = KERNEL(sort), .cut = KERNEL(cut),                        \
    .deflate = KERNEL(deflate), .root = KERNEL(root), .recompute = KERNEL(recompute), .vector = KERNEL(vector),        \
    .order = KERNEL(order)                                                                                             \
  }

#define KERNEL(name) s_##name
#define REAL float
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#include "common/eigen/implicit_ql.inc"
#include "common/eigen/secular.inc"

#include "common/eigen/deflate.inc"

#include "divide.inc"
#include "values.inc"
static const tridiagonal_kernels s_kernels = TABLE;
#undef SMALLEST
#undef EPSILON
#undef REAL
#undef KERNEL
#define KERNEL(name) d_##name
#define REAL double
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#include "common/eigen/implicit_ql.inc"
#include "common/eigen/secular.inc"

#include "common/eigen/deflate.inc"

#include "divide.inc"
#include "values.inc"
static const tridiagonal_kernels d_kernels = TABLE;

const tridiagonal_kernels *tridiagonal_kernels_for(trigon_type type) {
  return type == TRIGON_S || type == TRIGON_C ? &s_kernels : &d_kernels;
}
