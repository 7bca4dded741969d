/* lapack_eigen.h - LAPACK's xSYEVD, xSYGVD and xSYEVR, and xHEEVD, ..., called as programs call them. */
#ifndef TRIGON_CLI_BENCH_LAPACK_EIGEN_H
#define TRIGON_CLI_BENCH_LAPACK_EIGEN_H

#include "direct.h"

/* The workspaces of a call: elements, reals (of complex types), integers. The vectors of SYEVR, and where they are not
 * zero: it does not store vectors in A. */
typedef struct eigen_workspaces {
  void *work, *rwork;
  int32_t *iwork;
  trigon_matrix vectors;
  int32_t *support;
  int32_t lwork, lrwork, liwork;
} eigen_workspaces;

/* Asks the routine for the sizes of the workspaces of a matrix of order n, and allocates them. Returns false if memory
 * is short. lapack_eigen_free is due in either case. Problems of smaller orders may use the workspaces, too. */
bool lapack_eigen_alloc(direct_fn *routine, const problem *p, int64_t n, eigen_workspaces *s);
void lapack_eigen_free(eigen_workspaces *s);

/* Calls the routine for the operands A (with SYGVD: A and B) and w. Returns LAPACK's info. */
int32_t lapack_eigen_call(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s);

/* Calls the library's routine for the operands. As LAPACKE does, the call asks for the sizes of the workspaces,
 * allocates them, and frees them at the end; the vectors of SYEVR are copied to A. Returns TRIGON_NO_MEMORY if memory
 * is short. */
trigon_status lapack_eigen(direct_fn *routine, const problem *p, const trigon_matrix *X);

#endif
