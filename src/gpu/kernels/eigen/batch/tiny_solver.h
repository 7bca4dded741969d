/* tiny_solver.h - a whole eigenproblem of an order up to 4 by one thread, in registers: Jacobi's method.
 *
 * A rotation of the columns p and q makes A(q, p) zero. All pairs follow each other in a sweep, until a sweep rotates
 * none. An element is negligible beside the two of its pair, so that matrices with a graded diagonal keep their small
 * values; after some sweeps, beside the whole matrix, so that the noise of a singular matrix does not go on for ever.
 * Loops are unrolled, because registers have no addresses. Rows and columns behind the order are zeros.
 * Source: H. Rutishauser (Numer. Math. 9, 1966). */
#ifndef TRIGON_TINY_SOLVER_H
#define TRIGON_TINY_SOLVER_H

#include "common/eigen/scale_rule.h"
#include "gpu/kernels/eigen/householder.h"

enum { tiny_order = 4, tiny_sweeps = 30, tiny_strict_sweeps = 8 };

template <class R> struct roundoff;
template <> struct roundoff<float> { static constexpr float distance = 0x1p-23f; };
template <> struct roundoff<double> { static constexpr double distance = 0x1p-52; };

/* The larger absolute value of both parts. */
template <class R> __device__ inline R larger_part(R x) { return magnitude(x); }
template <class R> __device__ inline R larger_part(complex<R> x) { return larger_component(x); }

/* x / |x| */
template <class R> __device__ inline R phase_of(R x, R) { return x < 0 ? R(-1) : R(1); }
template <class R> __device__ inline complex<R> phase_of(complex<R> x, R size) { return divide(x, size); }

/* By which power of two a matrix with this largest element is multiplied; see scale_triangle.cu. */
template <class R> __device__ inline R power_of_matrix(R largest) {
  const R far = 256;
  const bool stays = largest == 0 || (largest < far && largest > 1 / far);
  return stays ? 1 : static_cast<R>(power_for(static_cast<double>(largest), sizeof(R) == sizeof(float)));
}

template <class T> struct tiny_solver {
  using R = real_of<T>;
  static constexpr int N = tiny_order;
  T lower[N][N], v[N][N]; /* below the diagonal; the vectors */
  R d[N];
  int n;
  bool vectors;

  /* Element (i, j), i != j. */
  __device__ TG_INLINE T get(int i, int j) const { return i > j ? lower[i][j] : conjugate(lower[j][i]); }
  __device__ TG_INLINE void put(int i, int j, T x) {
    if (i > j)
      lower[i][j] = x;
    else
      lower[j][i] = conjugate(x);
  }

  /* Stores the largest part of an element. Returns the first column of the stored triangle that holds a NaN or an
   * infinity, from 1, or 0. */
  __device__ int load(const T *A, int64_t ld, bool is_lower, R *largest) {
    int bad = 0;
    R most = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
      d[i] = 0;
#pragma unroll
      for (int j = 0; j <= i; j++) {
        T x = {};
        if (i < n) x = is_lower ? A[i + j * ld] : conjugate(A[j + i * ld]);
        if (i == j) x = only_real(x);
        const int column = (is_lower ? j : i) + 1;
        if (!is_finite(x) && (bad == 0 || column < bad)) bad = column;
        if (larger_part(x) > most) most = larger_part(x);
        if (i == j)
          d[i] = real(x);
        else
          lower[i][j] = x;
        v[i][j] = i == j ? one<T>() : T{};
        if (i != j) v[j][i] = T{};
      }
    }
    *largest = most;
    return bad;
  }

  __device__ void multiply(R power) {
#pragma unroll
    for (int i = 0; i < N; i++) {
      d[i] *= power;
#pragma unroll
      for (int j = 0; j < i; j++) lower[i][j] = scale(lower[i][j], power);
    }
  }

  /* The columns become c·x - s·u·y and s·x + c·u·y. */
  __device__ static TG_INLINE void rotate(T &x, T &y, R c, R s, T u) {
    const T left = x, right = ::multiply(u, y);
    x = subtract(scale(left, c), scale(right, s)), y = add(scale(left, s), scale(right, c));
  }

  /* Rotates a pair, p < q, unless its element counts for nothing. Returns whether it did. */
  __device__ TG_INLINE bool pair(int p, int q, R floor) {
    const T h = lower[q][p];
    const R square_h = square(h), beside = magnitude(d[p]) * magnitude(d[q]);
    const R u = roundoff<R>::distance / 2;
    if (square_h <= u * u * beside || square_h <= floor * floor) return false;
    const R size = root_of(square_h), theta = (d[q] - d[p]) / (2 * size);
    const R far = magnitude(theta) + root_of(theta * theta + 1), t = (theta < 0 ? R(-1) : R(1)) / far;
    const R c = 1 / root_of(t * t + 1), s = t * c;
    const T phase = phase_of(h, size);
    d[p] -= t * size, d[q] += t * size, lower[q][p] = T{};
#pragma unroll
    for (int r = 0; r < N; r++) {
      if (r != p && r != q) {
        T x = get(r, p), y = get(r, q);
        rotate(x, y, c, s, phase);
        put(r, p, x), put(r, q, y);
      }
      if (vectors) rotate(v[r][p], v[r][q], c, s, phase);
    }
    return true;
  }

  /* Returns how many elements off the diagonal are left. `largest` is that of the matrix. */
  __device__ int iterate(R largest) {
#pragma unroll 1
    for (int sweep = 0; sweep < tiny_sweeps; sweep++) {
      /* squares of smaller elements lose digits */
      const R floor = sweep < tiny_strict_sweeps ? root_of(reflection<R>::least) : roundoff<R>::distance * largest / 4;
      bool any = false;
#pragma unroll
      for (int p = 0; p + 1 < N; p++)
#pragma unroll
        for (int q = p + 1; q < N; q++) any = pair(p, q, floor) || any;
      if (!any) return 0;
    }
    return n;
  }

  __device__ void store(T *A, int64_t ld, R *w, R power) const {
#pragma unroll
    for (int j = 0; j < N; j++) {
      int place = 0;
#pragma unroll
      for (int i = 0; i < N; i++) place += i < n && (d[i] < d[j] || (d[i] == d[j] && i < j));
      if (j >= n) continue;
      w[place] = d[j] / power;
#pragma unroll
      for (int i = 0; i < N; i++)
        if (vectors && i < n) A[i + place * ld] = v[i][j];
    }
  }

  /* Returns LAPACK's info. */
  __device__ int solve(T *A, int64_t ld, bool is_lower, R *w) {
    R largest;
    const int bad = load(A, ld, is_lower, &largest);
    if (bad > 0) return bad;
    const R power = power_of_matrix(largest);
    multiply(power);
    const int left = iterate(largest * power);
    store(A, ld, w, power);
    return left;
  }
};

#endif
