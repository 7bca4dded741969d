/* small_portable.c - the small eigensolvers for every processor. */
#define FAMILY small_solvers_portable
#define DOUBLES 2 /* of a vector */
#include "small_family.inc"
