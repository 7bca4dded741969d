/* trigon_cluster.h - matrices that are distributed over the processes of an MPI program, as ScaLAPACK distributes them.
 *
 * A context over a library of ScaLAPACK computes the routines of trigon.h over trigon_matrix: GEMM, TRMM, TRSM, SYRK,
 * HERK, SYR2K, HER2K, SYMM, HEMM, POTRF, POTRS, POSV, POTRI, TRTRI, LAUUM, CHECK_DIAGONAL and LOGDET, of all four
 * types. The library, with its BLACS and its MPI, is loaded by name. This header and libtrigon need no header of MPI. A
 * program starts MPI, makes a grid by Cblacs_gridinit, and gives its number, an int, to trigon_cluster_create.
 *
 *  - A call is collective: each process of the grid makes it, with the same arguments, except for the address of the
 *    local part and the local leading dimension. One reduction of 13 integers compares the arguments before anything
 *    else is sent. If the arguments differ, or if a process refuses the call, then the call returns a status other than
 *    TRIGON_OK on every process, trigon_message says why, and nothing was written.
 *  - Status, info and the logarithm of LOGDET are the same on every process. info and logdet are in host memory.
 *  - After a failure of POTRF (info > 0) A is unspecified. POSV leaves B alone then. TRTRI and POTRI of a singular
 *    triangle leave A alone.
 *  - Blocks are square (mb = nb) in the operands that are triangular, symmetric or Hermitian, or factors. Every operand
 *    begins at a block: ia - 1 is a multiple of mb, and ja - 1 of nb. A call with another operand returns
 *    TRIGON_BAD_ARGUMENT.
 *  - Integers of ScaLAPACK have 32 bits. A local part of more than 2^31 - 1 elements gives TRIGON_NOT_SUPPORTED.
 *  - Batches, vectors, eigenproblems, emulated products, and functions that copy, return TRIGON_NOT_SUPPORTED.
 *    trigon_alloc gives memory of the calling process.
 *  - If a process ends, the others cannot know: mpirun ends the job. */
#ifndef TRIGON_CLUSTER_H
#define TRIGON_CLUSTER_H

#include <trigon.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a distributed matrix: the local part of the calling process, ScaLAPACK's descriptor of the whole matrix,
 * and the row and column, from 1, at which the part begins. trigon_cluster_matrix fills it in. A call only reads it. */
typedef struct trigon_cluster_view {
  uint64_t tag; /* tells a view from other memory */
  void *local;
  int descriptor[9]; /* type, BLACS context, m, n, mb, nb, rsrc, csrc, local leading dimension */
  int64_t ia, ja;
} trigon_cluster_view;

/* Makes a context over a library of ScaLAPACK. name is "cluster:LIBRARY", as in
 * "cluster:libscalapack-openmpi.so.2.2", or "cluster": then the program itself is linked to ScaLAPACK. Functions that
 * the library lacks, for example BLACS's, are looked for in the program. Behind a question mark options may follow, as
 * in trigon_create: trace=1, or native=1 (TRTRI and LAUUM by the library's routines, for comparison). grid is the
 * BLACS context, in which the calling process must have a place. The context ends by trigon_destroy, before
 * Cblacs_gridexit. trigon_cluster_create does not communicate.
 * Returns TRIGON_OK, TRIGON_BAD_ARGUMENT (the name, or the grid), TRIGON_NOT_FOUND (the library, a function in it, or
 * the plugin libtrigon-cluster.so), TRIGON_NOT_SUPPORTED (MPI has not started, or has ended), TRIGON_NO_MEMORY. why is
 * as in trigon_create. */
TRIGON_API trigon_status trigon_cluster_create(const char *name, int grid, trigon_context **ctx, char *why,
                                               size_t why_size);

/* Fills in *view, and returns a matrix over it for the routines of trigon.h: the rows × cols elements that begin at row
 * ia and column ja, from 1, of a distributed matrix. local is the local part of the calling process, which may be NULL
 * if it is empty, and descriptor is ScaLAPACK's, of 9 integers. *view must stay in place as long as the matrix is used.
 * Nothing is checked before a call uses the matrix. If view or descriptor is NULL, the matrix has no data. */
TRIGON_API trigon_matrix trigon_cluster_matrix(trigon_cluster_view *view, trigon_type type, int64_t rows, int64_t cols,
                                               void *local, const int *descriptor, int64_t ia, int64_t ja);

/* How many of `size` rows (or columns), in blocks of `block`, a process holds that stands at place `at` of `places`
 * rows (or columns) of the grid, if the place `first` holds the first block: ScaLAPACK's NUMROC. Returns 0 if an
 * argument makes no sense. */
TRIGON_API int64_t trigon_cluster_count(int64_t size, int64_t block, int64_t at, int64_t first, int64_t places);

#ifdef __cplusplus
}
#endif

#endif
