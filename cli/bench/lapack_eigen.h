/* lapack_eigen.h - LAPACK's xSYEVD and xHEEVD, called as programs call them. */
#ifndef TRIGON_CLI_BENCH_LAPACK_EIGEN_H
#define TRIGON_CLI_BENCH_LAPACK_EIGEN_H

#include "direct.h"

/* Calls the library's routine for the operands A and w. As LAPACKE does, the call asks for the sizes of the workspaces,
 * allocates them, and frees them at the end. Returns TRIGON_NO_MEMORY if memory is short. */
trigon_status lapack_syevd(direct_fn *routine, const problem *p, const trigon_matrix *X);

#endif
