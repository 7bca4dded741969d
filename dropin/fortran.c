/* fortran.c - the symbols of BLAS and LAPACK for Fortran, in all precisions. */
#include <stddef.h>

#include "call.h"
#include "flags.h"
#include "names.h"
#include "offload.h"

#define LETTER s
#define COMPLEX 0
#define REAL float
#include "fortran_calls.inc"
#define LETTER d
#define COMPLEX 0
#define REAL double
#include "fortran_calls.inc"
#define LETTER c
#define COMPLEX 1
#define REAL float
#include "fortran_calls.inc"
#define LETTER z
#define COMPLEX 1
#define REAL double
#include "fortran_calls.inc"
