/* reference_d.c - the reference of reference.h for double-precision real matrices. */
#define LETTER d
#define REAL double
#define WIDE long double
#define WIDE_SQRT sqrtl
#define COMPLEX 0
#define UNIT_ROUNDOFF (DBL_EPSILON / 2)
#define LEAST DBL_TRUE_MIN
#include "reference.inc"
