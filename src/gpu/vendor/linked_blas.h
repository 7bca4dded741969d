/* linked_blas.h - finds the products of a BLAS that is linked: cuBLAS, or the BLAS of the simulated GPU (see
 * vendor.h). */
#ifndef TRIGON_LINKED_BLAS_H
#define TRIGON_LINKED_BLAS_H

typedef void tg_blas_function(void);

static inline tg_blas_function *tg_blas_gemm(char letter) {
  return letter == 'S'   ? (tg_blas_function *)cublasSgemm_64
         : letter == 'D' ? (tg_blas_function *)cublasDgemm_64
         : letter == 'C' ? (tg_blas_function *)cublasCgemm_64
                         : (tg_blas_function *)cublasZgemm_64;
}

static inline tg_blas_function *tg_blas_batched(char letter) {
  return letter == 'S'   ? (tg_blas_function *)cublasSgemmStridedBatched_64
         : letter == 'D' ? (tg_blas_function *)cublasDgemmStridedBatched_64
         : letter == 'C' ? (tg_blas_function *)cublasCgemmStridedBatched_64
                         : (tg_blas_function *)cublasZgemmStridedBatched_64;
}

#endif
