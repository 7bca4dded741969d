/* lapack.h - a batch without batched routines: a loop over the linked LAPACK. */
#ifndef TRIGON_CLI_BENCH_BATCH_LAPACK_H
#define TRIGON_CLI_BENCH_BATCH_LAPACK_H

#include "../linked.h"
#include "batch_operands.h"

/* LAPACK's routine for the batch, whose matrices are in host memory; NULL if LAPACK or OpenMP is missing. */
linked_fn *batch_lapack_find(const batch_operands *b);

/* Calls it for each matrix, and stores all infos. The threads of OpenMP take matrices in turns, as programs do it. In
 * such a loop the OpenMP build of OpenBLAS uses one thread for each matrix. */
void batch_lapack_run(linked_fn *lapack, const batch_operands *b);

#endif
