/* small_avx512.c - the small eigensolvers for AVX-512. */
#define FAMILY small_solvers_avx512
#define DOUBLES 8 /* of a vector */
#include "small_family.inc"
