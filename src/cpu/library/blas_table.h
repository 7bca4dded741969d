/* blas_table.h - a BLAS and LAPACK as a table of Fortran entry points, loaded by name.
 *
 * Every BLAS has the Fortran interface. This interface passes all arguments by address, so that one call serves four
 * precisions and both widths of integers. */
#ifndef TRIGON_BLAS_TABLE_H
#define TRIGON_BLAS_TABLE_H

#include "library.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An integer of a BLAS. The library's width says which member is set. */
typedef union blas_int {
  int32_t narrow;
  int64_t wide;
} blas_int;

/* The size_t arguments are the lengths of the CHARACTER arguments. Fortran compilers append these lengths. */
typedef void gemm_fn(const char *opA, const char *opB, const blas_int *m, const blas_int *n, const blas_int *k,
                     const void *alpha, const void *A, const blas_int *lda, const void *B, const blas_int *ldb,
                     const void *beta, void *C, const blas_int *ldc, size_t, size_t);
typedef void trxm_fn(const char *side, const char *uplo, const char *op, const char *diag, const blas_int *m,
                     const blas_int *n, const void *alpha, const void *A, const blas_int *lda, void *B,
                     const blas_int *ldb, size_t, size_t, size_t, size_t);
typedef void syrk_fn(const char *uplo, const char *op, const blas_int *n, const blas_int *k, const void *alpha,
                     const void *A, const blas_int *lda, const void *beta, void *C, const blas_int *ldc, size_t,
                     size_t);
typedef void syr2k_fn(const char *uplo, const char *op, const blas_int *n, const blas_int *k, const void *alpha,
                      const void *A, const blas_int *lda, const void *B, const blas_int *ldb, const void *beta, void *C,
                      const blas_int *ldc, size_t, size_t);
typedef void symm_fn(const char *side, const char *uplo, const blas_int *m, const blas_int *n, const void *alpha,
                     const void *A, const blas_int *lda, const void *B, const blas_int *ldb, const void *beta, void *C,
                     const blas_int *ldc, size_t, size_t);
typedef void factor_fn(const char *uplo, const blas_int *n, void *A, const blas_int *lda, blas_int *info, size_t);
typedef void trtri_fn(const char *uplo, const char *diag, const blas_int *n, void *A, const blas_int *lda,
                      blas_int *info, size_t, size_t);

/* Entries in the order s, d, c, z. The entries of a symmetric routine are [0] the symmetric form and [1] the Hermitian
 * form; for s and d both are the symmetric form. LAPACK's entries are NULL if the library lacks them. */
typedef struct blas {
  gemm_fn *gemm[4];
  trxm_fn *trmm[4], *trsm[4];
  syrk_fn *syrk[2][4];
  syr2k_fn *syr2k[2][4];
  symm_fn *symm[2][4];
  factor_fn *potrf[4], *lauum[4];
  trtri_fn *trtri[4];
  bool wide;                                         /* integers of 64 bits */
  bool lapack;                                       /* the table has potrf, trtri and lauum */
  bool serial;                                       /* the library says that it was built without threads */
  void *(*take_buffer)(int), (*give_buffer)(void *); /* OpenBLAS's functions, or NULL */
  bool counted;                                      /* the library's users include this table: a buffer is kept */
  int64_t int_max;                                   /* the largest size or leading dimension that a call can take */
  loaded_library *library;                           /* to be entered before calls; NULL: the table is empty */
  const char *core, *config;                         /* OpenBLAS's kind of CPU and build, or NULL */
  char name[64];                                     /* a short name, for the file of a tuning table */
  char described[256];                               /* library, version, threads, integer width, LAPACK */
} blas;

/* Loads `library` into a namespace of its own, where its symbols cannot clash with other symbols, and fills the table.
 * TRIGON_NOT_FOUND if the loader does not find the library or if a routine is missing; `why` says which. If the address
 * space of the process is limited, OpenBLAS takes a buffer for each table now, so that later calls find a buffer:
 * TRIGON_NO_MEMORY if the limit leaves no room for this buffer. blas_leave ends the use of the table. */
trigon_status blas_load(blas *table, const char *library, bool wide, reason *why);

/* Loads an installed BLAS: one with threads before one without, OpenBLAS before BLIS, and 64-bit integers before 32-bit
 * ones. TRIGON_NOT_FOUND if there is none. */
trigon_status blas_load_installed(blas *table, reason *why);

/* Ends the use of a table: its buffer may serve another table. Also to be called after a failure. */
void blas_leave(blas *table);

#endif
