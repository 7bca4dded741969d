/* wheel_host.c - stands in for the BLAS of a wheel: it computes nothing, and keeps what it was asked. */
#include <stddef.h>

#include "../../dropin/names.h"

typedef const blas_int *size;

EXPORTED int wheel_calls, wheel_asked_threads;

EXPORTED void FORTRAN(d, gemm)(const char *opA, const char *opB, size m, size n, size k, const double *alpha,
                               const double *A, size lda, const double *B, size ldb, const double *beta, double *C,
                               size ldc, size_t a, size_t b) {
  (void)opA, (void)opB, (void)m, (void)n, (void)k, (void)alpha, (void)A, (void)lda, (void)B, (void)ldb, (void)beta;
  (void)C, (void)ldc, (void)a, (void)b;
  wheel_calls++;
}

EXPORTED void FORTRAN(d, potrf)(const char *uplo, size n, double *A, size lda, blas_int *info, size_t a) {
  enum { lda_is_bad = -4 };
  (void)uplo, (void)n, (void)A, (void)lda, (void)a;
  wheel_calls++;
  *info = lda_is_bad;
}

EXPORTED int JOIN(DROPIN_PREFIX, openblas_get_num, _threads, DROPIN_SUFFIX, )(void) {
  wheel_asked_threads++;
  return 1;
}
