/* small_avx2.c - the small eigensolvers for AVX2 and FMA. */
#define FAMILY small_solvers_avx2
#define DOUBLES 4 /* of a vector */
#include "small_family.inc"
