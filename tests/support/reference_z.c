/* reference_z.c - the reference of reference.h for double-precision complex matrices. */
#define LETTER z
#define REAL double
#define WIDE long double
#define WIDE_SQRT sqrtl
#define COMPLEX 1
#define UNIT_ROUNDOFF (DBL_EPSILON / 2)
#define LEAST DBL_TRUE_MIN
#include "reference.inc"
