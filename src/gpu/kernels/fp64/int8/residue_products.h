/* residue_products.h - products modulo the first moduli, C_t = A_t·B_tᵀ mod p_t, or a triangle of them, callable from
 * C. */
#ifndef TRIGON_RESIDUE_PRODUCTS_H
#define TRIGON_RESIDUE_PRODUCTS_H

#include "fp64/int8/triangle_part.h"
#include "gpu/kernels/launchers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A has m lines and B has n lines, both of k terms, in the planes of fp64/int8/residue_layout.h. C has planes of m × n
 * bytes with neighbours along m; ldc is a multiple of 16. The number of moduli is read from device memory. It is at
 * most `most`, for which the planes have room. Rows of C behind m, up to the next multiple of 16, are overwritten. If
 * `adds` is set, the products are added to the residues in C. Outside of `part`, elements are computed or left as they
 * are. */
typedef struct residue_products {
  int64_t m, n, k;
  int most;
  const int *moduli; /* device memory, 0 .. most; kernels for matrix units take `most` if it is NULL */
  const int8_t *A, *B;
  int64_t a_plane, b_plane, c_plane; /* bytes from plane to plane */
  int8_t *C;
  int64_t ldc;
  bool adds;
  triangle_part part;
} residue_products;

/* Hopper's kernel is taken if the queue has int8_wgmma, else that of matrix units if it has int8_mma. */
cudaError_t launch_residue_products(queue, const residue_products *);

/* Hopper's kernel alone (residue_products_hopper.cu, only in builds with TG_HAS_HOPPER). k is not 0. */
cudaError_t launch_residue_products_hopper(queue, const residue_products *);

/* The kernel for matrix units alone (residue_products_mma.cu, only in builds with TG_HAS_MMA). k is not 0. */
cudaError_t launch_residue_products_mma(queue, const residue_products *);

#ifdef __cplusplus
}
#endif

#endif
