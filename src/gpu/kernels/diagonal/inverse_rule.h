/* inverse_rule.h - when the inverse of a diagonal tile may replace substitution: one numerical policy, in one place.
 * Also how a thread finds the inverse of a small block. */
#ifndef TRIGON_INVERSE_RULE_H
#define TRIGON_INVERSE_RULE_H

#include "gpu/kernels/element.h"

/* What an inverse V of a diagonal tile L may be used for. Products with V may replace substitution if the residual
 * stays below the limit of RESIDUAL_LIMIT roundings for each of the n rows,
 *
 *     SUM_ROUNDINGS·ORDER·min(‖|V||L|‖, ‖|L||V|‖) <= RESIDUAL_LIMIT·n        (largest row sums)
 *
 * Products V·L' of V with other tiles may replace them under a stricter rule,
 *
 *     PRODUCT_ROUNDINGS·ORDER·‖|L||V|‖ <= RESIDUAL_LIMIT·n,
 *
 * because the residual of V·y - (V·L')·x is at most ‖|L||V|‖ times the roundings of both products. */
enum inverse_use { NO_INVERSE, FOR_SUMS, FOR_PRODUCTS };

constexpr int RESIDUAL_LIMIT = 30;   /* the limit of residuals that `trigon bench` and LAPACK's tests have */
constexpr int SUM_ROUNDINGS = 2;     /* for each term of V·y: those of V, and those of the sum */
constexpr int PRODUCT_ROUNDINGS = 6; /* three such sums: V·y, V·L', and (V·L')·x */

/* The two rules, for a row sum of |V||L| or |L||V|. NaN breaks both. */
template <int ORDER, class R> __device__ inline bool replaces_substitution(R row_sum, int64_t n) {
  return SUM_ROUNDINGS * ORDER * row_sum <= RESIDUAL_LIMIT * static_cast<R>(n);
}
template <int ORDER, class R> __device__ inline bool replaces_products(R row_sum, int64_t n) {
  return PRODUCT_ROUNDINGS * ORDER * row_sum <= RESIDUAL_LIMIT * static_cast<R>(n);
}

/* The rule for the inverse V of a block M of 8 × 8 in a small matrix: each column sum of |M||V| is at most BLOCK_LIMIT.
 * The sum bounds how much larger the residual of a product with V is than that of substitution, and does not depend on
 * the scales of the columns of M. NaN breaks the rule. The limit is the number of elements of a block: such an inverse
 * loses at most six bits. */
constexpr int BLOCK_LIMIT = 64;

/* What an inverse may be used for if a row breaks the first rule for |V||L|, the first rule for |L||V|, or the second
 * rule. */
__device__ inline inverse_use use_by_votes(bool first, bool second, bool strict) {
  return !strict ? FOR_PRODUCTS : first && second ? NO_INVERSE : FOR_SUMS;
}

/* Returns the sum of term(j) for the columns j <= row of a triangle. The sum takes whole blocks of columns, so term(j)
 * must be zero above the diagonal: a condition for each term would let each load wait for the one before. It has four
 * parts, because one addition waits for the one before. */
template <int ORDER, class R, class Term> __device__ inline R sum_of_row(int row, Term term) {
  constexpr int BLOCK = ORDER < 16 ? ORDER : 16;
  static_assert(ORDER % BLOCK == 0 && BLOCK % 4 == 0, "whole blocks");
  R part[4] = {};
#pragma unroll 1
  for (int first = 0; first <= row; first += BLOCK)
#pragma unroll
    for (int e = 0; e < BLOCK; e++) part[e % 4] += term(first + e);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The first norm is that of |V|·(|L|·1), the second that of |L|·(|V|·1). Comparisons with NaN reject. `usable` says
 * for the thread's row whether its reciprocal is not 0. d(i, j) and v(i, j) are elements of L and V. They are zero in
 * the rest of a row's last block (sum_of_row). All threads of the block call this function; it ends with a barrier. */
template <int ORDER, class R, class D, class V>
__device__ inline inverse_use use_of_inverse(R (&sums)[2][ORDER], unsigned long long *vote, int64_t n, bool usable, D d,
                                             V v) {
  const int thread = static_cast<int>(threadIdx.x), row = thread % ORDER, order = thread / ORDER;
  R bound = 0;
  if (order < 2)
    sums[order][row] = order == 0 ? sum_of_row<ORDER, R>(row, [&](int j) { return magnitude(d(row, j)); })
                                  : sum_of_row<ORDER, R>(row, [&](int j) { return magnitude(v(row, j)); });
  __syncthreads();
  if (order < 2)
    bound = order == 0 ? sum_of_row<ORDER, R>(row, [&](int j) { return magnitude(v(row, j)) * sums[0][j]; })
                       : sum_of_row<ORDER, R>(row, [&](int j) { return magnitude(d(row, j)) * sums[1][j]; });
  const bool rejected = !usable || !replaces_substitution<ORDER>(bound, n);
  const bool strict = !usable || !replaces_products<ORDER>(bound, n);
  const bool first = tg_any(order == 0 && rejected, vote), second = tg_any(order == 1 && rejected, vote);
  return use_by_votes(first, second, tg_any(order == 1 && strict, vote));
}

/* x = column c of the inverse of a lower triangle of ORDER rows, by substitution in registers. lower(i, j) is an
 * element, and rate(j) the reciprocal of element (j, j). */
template <int ORDER, class T, class Lower, class Rate>
__device__ inline void find_inverse_column(T (&x)[ORDER], int c, Lower lower, Rate rate) {
#pragma unroll
  for (int i = 0; i < ORDER; i++) x[i] = i == c ? one<T>() : T{};
#pragma unroll
  for (int j = 0; j < ORDER; j++) {
    x[j] = multiply(x[j], rate(j));
#pragma unroll
    for (int i = j + 1; i < ORDER; i++) x[i] = subtract(x[i], multiply(lower(i, j), x[j]));
  }
}

#endif
