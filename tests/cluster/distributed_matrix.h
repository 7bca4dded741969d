/* distributed_matrix.h - test matrices that are distributed over a grid of processes, each local part between
 * guards. */
#ifndef TRIGON_TESTS_DISTRIBUTED_MATRIX_H
#define TRIGON_TESTS_DISTRIBUTED_MATRIX_H

#include <trigon_cluster.h>

#include "support/guarded.h"

/* BLACS in C, as ScaLAPACK's library exports it. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

/* A grid of processes, and the place of this one. */
typedef struct process_grid {
  int context, rows, cols, row, col;
} process_grid;

/* Makes a grid of all processes, row by row. */
process_grid grid_open(int rows, int cols);

/* How a matrix is distributed: blocks of mb × nb, the first of them at (rsrc, csrc); how many blocks of other elements
 * come before and behind the operand, in each direction. */
typedef struct distribution {
  int mb, nb, rsrc, csrc;
  int rows_before, cols_before, rows_behind, cols_behind;
} distribution;

typedef struct distributed {
  const process_grid *grid;
  distribution how;
  trigon_type type;
  int64_t rows, cols; /* of the operand */
  int descriptor[9];
  guarded local;
  trigon_cluster_view view;
} distributed;

/* Distributes a matrix that every process has. Everything else in the local part is poison. Calls reuse the memory. */
void distribute(distributed *d, const process_grid *g, const distribution *how, trigon_matrix whole);

/* The operand for a call. */
trigon_matrix distributed_operand(distributed *d);

/* Collects the operand in the matrix `whole` of the process `root` of MPI. The other processes have a buffer there. */
void collect(const distributed *d, trigon_matrix whole, int root);

/* Describes the first element of this process, or byte of a guard, outside of the operand's region that has changed.
 * NULL: nothing has. */
const char *distributed_stray(const distributed *d, region allowed, char *text, size_t size);

void distributed_free(distributed *d);

#endif
