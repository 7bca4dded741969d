/* host_double_float.h - products of doubles by pairs of floats: the host reference of the mode `double-float`. */
#ifndef TRIGON_HOST_DOUBLE_FLOAT_H
#define TRIGON_HOST_DOUBLE_FLOAT_H

#include "core/machine.h"
#include "fp64/double_float/double_float_lines.h"

/* C = alpha·A·B + beta·C for one product of type TRIGON_D or TRIGON_Z without structure, all of C (common/folded.h;
 * fold_gemm makes it from an operation). If beta is 0, C is not read. If alpha is 0, k is 0, and A and B are not read.
 *
 * A row of A and a column of B are scaled by powers of two, and their elements become pairs. The products are added up
 * in the order of k, by one sum for each element. So the result depends neither on the threads nor on the workspace. If
 * everything is finite, the error of an element is at most
 *
 *   |alpha|·((3k + 8)·2^-48·|A||B| + k·2^-190·largest |a|·largest |b|) + 2^-53·|C| + 2^-1074
 *
 * for k up to 2^30 reals; the largest elements are those of its row of A and its column of B. Complex numbers have 2k
 * terms, and |A||B| is that of the real matrices. NaN and infinity come out as in plain arithmetic, except that
 * elements below 2^-190 of the largest one of their line may count as zeros.
 *
 * The workspace has double_float_least_workspace bytes or more, aligned as malloc aligns. `threads` lends its threads,
 * and may be NULL. */
void double_float_gemm(machine *threads, trigon_type, const product *, void *workspace, int64_t bytes);

/* A product of pairs. */
void gemm_pairs(machine *threads, const double_float_product *);

/* Doubles become pairs, or pairs doubles. */
void copy_pairs(machine *threads, const double_float_copy *);

#endif
