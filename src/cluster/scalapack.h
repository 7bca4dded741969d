/* scalapack.h - the functions of BLACS, PBLAS and ScaLAPACK that the engine calls, loaded by name.
 *
 * Integers are int, as in every installed ScaLAPACK of 32-bit integers. A function of Fortran takes addresses, and
 * behind its last argument the length of each text. Functions in C, such as PBLAS's, do not read these lengths. */
#ifndef TRIGON_SCALAPACK_H
#define TRIGON_SCALAPACK_H

#include <stddef.h>

#include "core/error.h"
#include "core/type.h"

/* A matrix is its local part, the row and column where the operand begins, and the descriptor. */
#define MATRIX_ARGUMENT void *, const int *, const int *, const int *
typedef void gemm_fn(const char *, const char *, const int *, const int *, const int *, const void *, MATRIX_ARGUMENT,
                     MATRIX_ARGUMENT, const void *, MATRIX_ARGUMENT, size_t, size_t);
typedef void symm_fn(const char *, const char *, const int *, const int *, const void *, MATRIX_ARGUMENT,
                     MATRIX_ARGUMENT, const void *, MATRIX_ARGUMENT, size_t, size_t);
typedef void syrk_fn(const char *, const char *, const int *, const int *, const void *, MATRIX_ARGUMENT, const void *,
                     MATRIX_ARGUMENT, size_t, size_t);
typedef void syr2k_fn(const char *, const char *, const int *, const int *, const void *, MATRIX_ARGUMENT,
                      MATRIX_ARGUMENT, const void *, MATRIX_ARGUMENT, size_t, size_t);
typedef void trxm_fn(const char *, const char *, const char *, const char *, const int *, const int *, const void *,
                     MATRIX_ARGUMENT, MATRIX_ARGUMENT, size_t, size_t, size_t, size_t);
typedef void potrf_fn(const char *, const int *, MATRIX_ARGUMENT, int *, size_t);
typedef void trtri_fn(const char *, const char *, const int *, MATRIX_ARGUMENT, int *, size_t, size_t);
typedef void lauum_fn(const char *, const int *, MATRIX_ARGUMENT, size_t);
#undef MATRIX_ARGUMENT

/* The routines of one type. hemm, herk and her2k of a real type are symm, syrk and syr2k. trti2 and lauu2 take one
 * block. */
typedef struct scalapack_type {
  gemm_fn *gemm;
  symm_fn *symm, *hemm;
  syrk_fn *syrk, *herk;
  syr2k_fn *syr2k, *her2k;
  trxm_fn *trmm, *trsm;
  potrf_fn *potrf;
  trtri_fn *trtri, *trti2;
  lauum_fn *lauum, *lauu2;
} scalapack_type;

typedef struct scalapack {
  void *handle;                  /* of the library; NULL: the program itself */
  scalapack_type of_type[TYPES]; /* by type_index */
  void (*gridinfo)(int context, int *rows, int *cols, int *row, int *col);
  void (*imax)(int context, const char *scope, const char *top, int m, int n, int *A, int lda, int *rA, int *cA,
               int ldia, int rdest, int cdest); /* igamx2d */
  void (*dsum)(int context, const char *scope, const char *top, int m, int n, double *A, int lda, int rdest,
               int cdest); /* dgsum2d */
  int (*mpi_initialized)(int *flag), (*mpi_finalized)(int *flag);
} scalapack;

/* The processes of a BLACS context, and the place of this one. */
typedef struct grid {
  int context, rows, cols, row, col;
} grid;

/* Loads the library of this name, or the program's own functions if the name is "". The library stays loaded.
 * TRIGON_NOT_FOUND, and `why` has the loader's words or the missing function's name. */
trigon_status scalapack_load(const char *name, scalapack *out, reason *why);

/* Asks BLACS for the grid. TRIGON_NOT_SUPPORTED if MPI does not run, TRIGON_BAD_ARGUMENT if the process is not in the
 * grid. */
trigon_status scalapack_grid(const scalapack *s, int context, grid *out, reason *why);

/* The largest of each of `count` numbers, over all processes of the grid. */
void scalapack_maximum(const scalapack *s, const grid *g, int count, int *numbers);

/* The sum over all processes of the grid. */
double scalapack_sum(const scalapack *s, const grid *g, double x);

#endif
