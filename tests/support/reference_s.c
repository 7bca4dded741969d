/* reference_s.c - the reference of reference.h for single-precision real matrices. */
#define LETTER s
#define REAL float
#define WIDE double
#define WIDE_SQRT sqrt
#define COMPLEX 0
#define UNIT_ROUNDOFF (FLT_EPSILON / 2)
#define LEAST FLT_TRUE_MIN
#include "reference.inc"
