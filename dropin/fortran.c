/* fortran.c - the symbols of BLAS and LAPACK for Fortran, in all precisions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <trigon_eigen.h>

#include "call.h"
#include "flags.h"
#include "names.h"
#include "offload.h"

#define CALLS "fortran_calls.inc"
#include "each_type.inc"
