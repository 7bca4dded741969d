/* reference_c.c - the reference of reference.h for single-precision complex matrices. */
#define LETTER c
#define REAL float
#define WIDE double
#define WIDE_SQRT sqrt
#define COMPLEX 1
#define UNIT_ROUNDOFF (FLT_EPSILON / 2)
#define LEAST FLT_TRUE_MIN
#include "reference.inc"
