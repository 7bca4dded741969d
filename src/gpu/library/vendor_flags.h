/* vendor_flags.h - the flags of the vendor's BLAS. */
#ifndef TRIGON_VENDOR_FLAGS_H
#define TRIGON_VENDOR_FLAGS_H

#include "gpu/vendor/blas_library.h"
#include "trigon.h"

static inline cublasSideMode_t side_of(trigon_side side) {
  return side == TRIGON_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
static inline cublasFillMode_t fill_of(trigon_uplo uplo) {
  return uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static inline cublasDiagType_t diag_of(trigon_diag diag) {
  return diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

#endif
