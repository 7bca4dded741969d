/* lapack.h - a batch without batched routines: a loop over LAPACK that threads share. */
#ifndef TRIGON_CLI_BENCH_BATCH_LAPACK_H
#define TRIGON_CLI_BENCH_BATCH_LAPACK_H

#include "../direct.h"
#include "batch_operands.h"

/* The routine of the library (direct_open) for the batch, whose matrices are in host memory; NULL: there is none. */
direct_fn *batch_lapack_find(void *library, const batch_operands *b);

/* Threads that wait for batches. */
typedef struct lapack_loop lapack_loop;

/* Starts `threads` threads, the caller's counted, or as many as can be started. NULL: no memory. lapack_loop_stop takes
 * NULL, too. */
lapack_loop *lapack_loop_start(void *library, int threads);
void lapack_loop_stop(lapack_loop *loop);

/* Calls the routine for each matrix, and stores all infos. The threads take matrices in turns, as programs do it, and
 * the library computes each matrix in the thread that has taken it. */
void lapack_loop_run(lapack_loop *loop, direct_fn *routine, const batch_operands *b);

/* How many threads a loop should have: threads=N of the backend's name, else TRIGON_NUM_THREADS or OMP_NUM_THREADS, but
 * at most the number of processors that the process may use. */
int lapack_loop_threads(const char *backend);

#endif
