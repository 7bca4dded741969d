/* block_reduction.h - the steps of a block's solver (block_solver.h) before its iteration: the reduction to tridiagonal
 * form, column by column, and the product of its reflectors.
 *
 * In shared memory a thread has a row, or a column. In memory outside, threads of a warp have neighbours of a column,
 * because loads of other rows would each be a transaction. Source: LAPACK xSYTD2, xORG2L. */
#ifndef TRIGON_BLOCK_REDUCTION_H
#define TRIGON_BLOCK_REDUCTION_H

#include "gpu/kernels/eigen/householder.h"

template <class Solver> struct block_reduction {
  using T = typename Solver::element;
  using R = typename Solver::R;
  static constexpr int THREADS = Solver::THREADS;
  const Solver &s;

  /* The sum over a warp. All its lanes call this together. */
  __device__ static T warp_sum(T x) {
    const int lane = static_cast<int>(threadIdx.x) % tg_warp();
    for (int apart = tg_warp() / 2; apart > 0; apart /= 2) x = add(x, shuffle(x, lane ^ apart));
    return x;
  }
  /* Σ conj(v_i)·x_i over the rows first .. n-1 of column j, by a warp. */
  __device__ T dot_of_column(int first, int j) const {
    T sum = {};
#pragma unroll 4
    for (int i = first + static_cast<int>(threadIdx.x) % tg_warp(); i < s.n; i += tg_warp())
      sum = multiply_add(conjugate(s.of.v[i]), s.F.at(i, j), sum);
    return warp_sum(sum);
  }

  /* Column k becomes v, in shared memory and in its place, and (d, e, tau). A matrix without this column waits. */
  __device__ void reflect(int k) const {
    const bool has_column = k + 1 < s.n;
    R sum = 0;
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) /* each thread overwrites what it has read itself */
      if (i > k + 1) sum += square(s.F.at(i, k));
    const R rest = s.total(sum);
    const T alpha = has_column ? s.F.at(k + 1, k) : T{};
    const householder<T> h(alpha, rest);
    const bool skips = h.is_zero || (rest == 0 && imaginary(alpha) == 0);
    const T by = skips ? T{} : h.factor_of_rest();
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) {
      const T x = i == k + 1 ? one<T>() : multiply(s.F.at(i, k), by);
      s.of.v[i] = x;
      if (i > k + 1) s.F.at(i, k) = x;
    }
    if (s.thread() != 0 || !has_column) return;
    s.of.d[k] = real(s.F.at(k, k)), s.of.e[k] = skips ? real(alpha) : h.end;
    s.of.tau[k] = skips ? T{} : h.tau;
  }

  /* w = A2·v. A thread writes, and reads afterwards, the rows that it has. */
  __device__ void multiply_matrix(int k) const {
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) {
      T p = {};
      const int end = Solver::IS_SHARED ? s.n : i + 1;
#pragma unroll 4
      for (int j = k + 1; j < end; j++) {
        const T x = j <= i ? s.F.at(i, j) : conjugate(s.F.at(j, i));
        p = multiply_add(x, s.of.v[j], p);
      }
      s.of.w[i] = p;
    }
    if constexpr (!Solver::IS_SHARED) { /* what is above the diagonal: each warp has a column, whose adjoint is a row */
      __syncthreads();
      for (int j = k + 1 + s.thread() / tg_warp(); j < s.n; j += THREADS / tg_warp()) {
        const T dot = conjugate(dot_of_column(j + 1, j));
        if (s.thread() % tg_warp() == 0) s.of.w[j] = add(s.of.w[j], dot);
      }
      __syncthreads();
    }
  }

  /* A2 = A2 - v·wᴴ - w·vᴴ, with w = tau·p - ½·|tau|²·(pᴴ·v)·v and p = A2·v. */
  __device__ void update(int k) const {
    const T tau = k + 1 < s.n ? s.of.tau[k] : T{};
    multiply_matrix(k);
    R sum = 0;
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) sum += real(multiply(conjugate(s.of.w[i]), s.of.v[i]));
    const R half = R(-0.5) * square(tau) * s.total(sum);
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS)
      s.of.w[i] = add(multiply(tau, s.of.w[i]), scale(s.of.v[i], half));
    __syncthreads();
    for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) {
      const T v = s.of.v[i], w = s.of.w[i];
#pragma unroll 4
      for (int j = k + 1; j <= i; j++) {
        const T x = subtract_product(s.F.at(i, j), v, conjugate(s.of.w[j]));
        const T y = subtract_product(x, w, conjugate(s.of.v[j]));
        s.F.at(i, j) = i == j ? only_real(y) : y;
      }
    }
  }

  __device__ void reduce() const {
    for (int k = 0; k + 1 < s.most_n; k++) {
      reflect(k);
      __syncthreads();
      update(k);
      __syncthreads();
    }
    if (s.thread() == 0 && s.n > 0) s.of.d[s.n - 1] = real(s.F.at(s.n - 1, s.n - 1)), s.of.e[s.n - 1] = 0;
    __syncthreads();
  }

  /* A2 = (I - tau·v·vᴴ)·A2. */
  __device__ void apply(int k, T tau) const {
    if constexpr (Solver::IS_SHARED) {
      for (int j = k + 1 + s.thread(); j < s.n; j += THREADS) {
        T sum = {};
#pragma unroll 4
        for (int i = k + 1; i < s.n; i++) sum = multiply_add(conjugate(s.of.v[i]), s.F.at(i, j), sum);
        const T by = multiply(tau, sum);
#pragma unroll 4
        for (int i = k + 1; i < s.n; i++) s.F.at(i, j) = subtract_product(s.F.at(i, j), s.of.v[i], by);
      }
    } else {
      const int lane = s.thread() % tg_warp();
      for (int j = k + 1 + s.thread() / tg_warp(); j < s.n; j += THREADS / tg_warp()) {
        const T by = multiply(tau, dot_of_column(k + 1, j));
#pragma unroll 4
        for (int i = k + 1 + lane; i < s.n; i += tg_warp())
          s.F.at(i, j) = subtract_product(s.F.at(i, j), s.of.v[i], by);
      }
    }
  }

  /* Q = H0·H1·... in the matrix's place, from the last reflector on: each one changes what is behind its own
   * column. */
  __device__ void form() const {
    if (s.thread() == 0 && s.n > 0) s.F.at(s.n - 1, s.n - 1) = one<T>();
    for (int k = s.most_n - 2; k >= 0; k--) {
      const bool has_column = k + 1 < s.n;
      for (int i = k + 1 + s.thread(); i < s.n; i += THREADS) {
        s.of.v[i] = i == k + 1 ? one<T>() : s.F.at(i, k);
        s.F.at(i, k) = T{}, s.F.at(k, i) = T{};
      }
      if (s.thread() == 0 && has_column) s.F.at(k, k) = one<T>();
      __syncthreads();
      const T tau = has_column ? s.of.tau[k] : T{};
      if (!is_zero(tau)) apply(k, tau);
      __syncthreads();
    }
  }
};

#endif
