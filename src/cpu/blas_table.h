/* blas_table.h - a BLAS and LAPACK as a table of Fortran entry points, linked or loaded by name.
 *
 * The Fortran interface is the one that every BLAS has, and it passes all by address: so one call serves four
 * precisions, and both widths of integers. */
#ifndef TRIGON_BLAS_TABLE_H
#define TRIGON_BLAS_TABLE_H

#include "library.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An integer of a BLAS: the member that the library's width says is set. */
typedef union blas_int {
  int32_t narrow;
  int64_t wide;
} blas_int;

/* The size_t at the end are the lengths of the CHARACTER arguments, which Fortran compilers append. */
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

/* Entries by precision, s d c z; of the symmetric routines [0] is the symmetric, [1] the Hermitian form (for s and d
 * the symmetric one again). LAPACK's entries are NULL where the library has none. */
typedef struct blas {
  gemm_fn *gemm[4];
  trxm_fn *trmm[4], *trsm[4];
  syrk_fn *syrk[2][4];
  syr2k_fn *syr2k[2][4];
  symm_fn *symm[2][4];
  factor_fn *potrf[4], *lauum[4];
  trtri_fn *trtri[4];
  bool wide;                                         /* integers of 64 bits */
  bool lapack;                                       /* potrf, trtri and lauum are there */
  void *(*take_buffer)(int), (*give_buffer)(void *); /* OpenBLAS's, or NULL */
  bool counted;                                      /* among the library's users: a buffer is kept for it */
  int64_t int_max;                                   /* the largest size or leading dimension that a call can take */
  loaded_library *library;                           /* to be entered before calls; NULL: the one linked */
  char advice[256];                                  /* how to get faster kernels from it, or "" */
  char described[256];                               /* library, version, threads, integer width, LAPACK */
} blas;

/* The BLAS that the library was linked with. TRIGON_NO_MEMORY if the process's address space is limited and leaves no room
 * for a buffer of OpenBLAS for each table; if it does, OpenBLAS takes the buffer now, so that no later call can fail to get
 * one. To be left by blas_leave. */
trigon_status blas_linked(blas *table, reason *why);

/* Loads `library` into a namespace of its own, so that its symbols meet nobody else's. TRIGON_NOT_FOUND where it is not
 * there or lacks a routine; `why` says what. TRIGON_NO_MEMORY as above. */
trigon_status blas_load(blas *table, const char *library, bool wide, reason *why);

/* The table is not used any more: its buffer serves another. After a failure, too. */
void blas_leave(blas *table);

#endif
