/* product_error.h - how exact a GEMM is, element by element, on a sample. */
#ifndef TRIGON_CLI_BENCH_PRODUCT_ERROR_H
#define TRIGON_CLI_BENCH_PRODUCT_ERROR_H

#include "../problem.h"

/* Stores the largest |C - (C0 + op(A)·op(B))| / (|C0| + |op(A)||op(B)|) over real and imaginary parts of elements, for
 * the operands A, B, C before and after a GEMM with alpha = beta = 1. A complex product counts as a real product of
 * twice the inner size. The elements are those in 64 rows and 64 columns, one at random of each of 64 equal strips; or
 * all. The exact values are computed with twice the precision of double. Takes O((m + n + 64·64)·k) operations at most.
 * NaN if an element is NaN or infinite. Returns false if memory is short. */
bool product_error(const problem *p, const trigon_matrix *before, const trigon_matrix *after, double *error);

#endif
