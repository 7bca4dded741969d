/* parallel.h - work on the columns of a matrix, shared out to several threads. */
#ifndef TRIGON_CLI_MATRIX_PARALLEL_H
#define TRIGON_CLI_MATRIX_PARALLEL_H

#include <trigon.h>

/* The work of one worker: the columns worker, worker + workers, worker + 2·workers, ... Taken in turns, the columns of
 * a triangle are as much work for one worker as for another. */
enum { MOST_WORKERS = 32 };
typedef void column_work(void *data, int worker, int workers);

/* Calls work(data, worker, workers) for each worker from 0 to workers - 1, as far as possible each in a thread of its
 * own. There are at most as many workers as the machine has cores, fewer for a small A, and never more than
 * MOST_WORKERS. */
void parallel_columns(const trigon_matrix *A, column_work *work, void *data);

#endif
