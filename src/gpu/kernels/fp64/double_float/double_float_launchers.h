/* double_float_launchers.h - launchers of products of doubles by double-float arithmetic, and of matrices of
 * double-float numbers (pairs of floats), callable from C.
 *
 * The results have the bits of the host reference (decorators/fp64/host_double_float.c). Pairs in device memory are at
 * multiples of 8 bytes. */
#ifndef TRIGON_DOUBLE_FLOAT_LAUNCHERS_H
#define TRIGON_DOUBLE_FLOAT_LAUNCHERS_H

#include "fp64/double_float/double_float_lines.h"
#include "gpu/kernels/launchers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha·A·B + beta·C for products of type TRIGON_D or TRIGON_Z without structure, all of C. If alpha is 0, k is 0.
 * The workspace is device memory of double_float_least_workspace bytes or more, at a multiple of
 * double_float_alignment. The number of launches depends on the sizes and the workspace alone: three if the workspace
 * holds everything. */
cudaError_t launch_double_float_gemm(queue, trigon_type, const product *, void *workspace, int64_t bytes);

/* A product of pairs: one launch. */
cudaError_t launch_gemm_pairs(queue, const double_float_product *);

/* Doubles become pairs, or pairs doubles: one launch. */
cudaError_t launch_double_float_copy(queue, const double_float_copy *);

/* --------------------------------------------------------------------------------------- the steps of a product -- */

/* Some lines of an operand: those from `line` on, and their terms from `term` on, become pairs at `out`. Pairs lie in
 * the order in which the operand lies in memory. Each line has an exponent; those of the whole operand are at
 * `exponent`. */
typedef struct line_block {
  double_lines of;
  int64_t line, term, lines, terms; /* counted as reals */
  int32_t *exponent;
  double_float *out;
} line_block;
typedef struct line_blocks {
  line_block A, B;
} line_blocks;
cudaError_t launch_line_exponents(queue, const line_blocks *); /* of all lines */
cudaError_t launch_double_float_lines(queue, const line_blocks *);

#ifdef __cplusplus
}
#endif

#endif
