/* double_float_matrices.h - what the public functions for matrices of pairs ask for, as the host and the kernels take
 * it.
 *
 * A view of pairs has the type TRIGON_C, because a pair lies in memory as a complex float does. */
#ifndef TRIGON_DOUBLE_FLOAT_MATRICES_H
#define TRIGON_DOUBLE_FLOAT_MATRICES_H

#include "common/fold.h"
#include "double_float_lines.h"

/* A GEMM of real numbers. */
static inline double_float_product double_float_product_of(const operation *o) {
  const product p = fold_gemm(o);
  return (double_float_product){.m = p.m,
                                .n = p.n,
                                .k = p.k,
                                .a_row = p.A.row,
                                .a_col = p.A.col,
                                .b_row = p.B.row,
                                .b_col = p.B.col,
                                .ldc = p.C.col,
                                .A = p.A.data,
                                .B = p.B.data,
                                .C = p.C.data,
                                .alpha = double_float_of(o->alpha.re),
                                .beta = double_float_of(o->beta.re)};
}

/* From doubles to pairs, or from pairs to doubles. */
static inline double_float_copy double_float_copy_of(view from, view to) {
  const bool to_pairs = from.type == TRIGON_D;
  const view doubles = to_pairs ? from : to, pairs = to_pairs ? to : from;
  return (double_float_copy){.m = from.m,
                             .n = from.n,
                             .ld_doubles = doubles.ld,
                             .ld_pairs = pairs.ld,
                             .doubles = address_of(doubles),
                             .pairs = address_of(pairs),
                             .to_pairs = to_pairs};
}

#endif
