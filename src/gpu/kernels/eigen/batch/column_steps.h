/* column_steps.h - the reduction of a column to tridiagonal form by a block of threads, beside its product with the
 * matrix: what the reductions in registers and in memory outside share.
 *
 * With u, the column below its pivot, v = (1, by·u). One pass through the matrix applies the update of the column
 * before and makes S = A2·(0, u). One warp finds by and tau before its part of this. Then each row has a thread:
 *
 *     p = by·S + a               a: the column of A2 at the pivot
 *     pᴴ·v = a_1 + |by|²·uᴴ·S + 2·Re(by·S_1)
 *     w = tau·p - ½·|tau|²·(pᴴ·v)·v
 *
 * The next column is a - v·conj(w_1) - w. It does not wait for the update of the matrix.
 * Source: LAPACK xSYTD2. */
#ifndef TRIGON_COLUMN_STEPS_H
#define TRIGON_COLUMN_STEPS_H

#include "gpu/kernels/eigen/householder.h"

template <class Solver> struct column_steps {
  using T = typename Solver::element;
  using R = typename Solver::R;
  const Solver &s;

  __device__ static int lane_apart(int apart) { return (static_cast<int>(threadIdx.x) % tg_warp()) ^ apart; }

  /* The reduction's memory: that of rotations, which come later. u changes places with that of the column before. */
  __device__ T *memory(int array) const { return reinterpret_cast<T *>(s.of.rotations[0]) + array * Solver::MOST; }
  __device__ T *sums() const { return memory(0); }
  __device__ T *column() const { return memory(1); }
  __device__ T *u_of(int k) const { return memory(2 + (k & 1)); }

  /* The first column, and an update of nothing. Ends with a barrier. */
  __device__ void begin() const {
    for (int i = s.thread(); i < s.n; i += Solver::THREADS) {
      const T x = s.F.at(i, 0);
      s.of.w[i] = T{}, u_of(-1)[i] = T{}, u_of(0)[i] = i > 1 ? x : T{};
      if (i == 0) s.of.d[0] = real(x);
      if (i == 1) s.of.alpha = x;
    }
    __syncthreads();
  }

  /* The reflector of column k, by the last warp. In a warp of 64 lanes both halves do the same. */
  __device__ void reflect(int k) const {
    if (s.thread() / tg_warp() != (Solver::THREADS - 1) / tg_warp()) return;
    R rest = 0;
    for (int i = s.lane(); i < s.n; i += Solver::LANES) rest += square(u_of(k)[i]);
#pragma unroll
    for (int apart = Solver::LANES / 2; apart > 0; apart /= 2) rest += tg_shuffle(rest, lane_apart(apart));
    if (s.thread() != Solver::THREADS - 1) return;
    const T alpha = s.of.alpha;
    store_reflector(k, alpha, rest);
  }

  /* The rule of householder.h by one reciprocal root and one quotient. A column that is zero, or zero below its pivot,
   * stays as it is. */
  __device__ void store_reflector(int k, T alpha, R rest) const {
    const R all = square(alpha) + rest;
    const bool is_zero = all < reflection<R>::least, skips = is_zero || (rest == 0 && imaginary(alpha) == 0);
    const R inverse = tg_rsqrt(skips ? R(1) : all), sign = real(alpha) < 0 ? R(-1) : R(1);
    const R end = -sign * inverse * all;
    const T pivot = skips ? one<T>() : subtract(alpha, make(T{}, end, R(0)));
    s.of.by = skips ? T{} : divide(one<T>(), pivot);
    s.of.e[k] = skips ? real(alpha) : end;
    s.of.tau[k] = skips ? T{} : scale(pivot, sign * inverse);
  }

  /* A thread's part of uᴴ·S. */
  __device__ void store_part(R part) const {
#pragma unroll
    for (int apart = Solver::LANES / 2; apart > 0; apart /= 2) part += tg_shuffle(part, lane_apart(apart));
    if (s.lane() == 0) s.of.partial[s.thread() / Solver::LANES] = part;
  }

  /* w, times conj(by) because the registers have u in place of v, and the next column. A thread has row i. */
  __device__ void finish_row(int k, int i) const {
    const int first = k + 1;
    R q = 0;
#pragma unroll
    for (int g = 0; g < Solver::WARPS; g++) q += s.of.partial[g];
    const T by = s.of.by, tau = s.of.tau[k], sum_1 = sums()[first], a_1 = only_real(column()[first]);
    const R of_v = real(a_1) + real(multiply(by, add(scale(conjugate(by), q), scale(sum_1, R(2)))));
    const R half = R(-0.5) * square(tau) * of_v;
    const T w_1 = add(multiply(tau, multiply_add(by, sum_1, a_1)), make(T{}, half, R(0)));
    const T v = i == first ? one<T>() : multiply(by, u_of(k)[i]);
    const T a = i == first ? a_1 : column()[i];
    const T w = add(multiply(tau, multiply_add(by, sums()[i], a)), scale(v, half));
    const T next = subtract(subtract_product(a, v, conjugate(w_1)), w);
    s.of.w[i] = i > first ? multiply(w, conjugate(by)) : T{}; /* a finished row stays finite */
    u_of(k + 1)[i] = i > first + 1 ? next : T{};
    s.reflector(i, k) = v;
    if (i == first) s.of.d[first] = real(next);
    if (i == first + 1) s.of.alpha = next;
  }

  /* Behind the barrier after the product. Ends with a barrier. */
  __device__ void finish_column(int k) const {
    if (s.thread() > k && s.thread() < s.n) finish_row(k, s.thread());
    __syncthreads();
  }
  __device__ void end() const {
    if (s.thread() == 0 && s.n > 0) s.of.e[s.n - 1] = 0;
    __syncthreads();
  }
};

#endif
