/* block_solver.h - a whole eigenproblem by a group of threads: reduction to tridiagonal form column by column, the
 * product of the reflectors in the matrix's place, and QL iterations that rotate that product's columns.
 *
 * A group is a block of threads, or a part of a warp that is a block: then the groups go through the same steps
 * together, each with a matrix of its own or none (order 0), so that all threads meet at each barrier.
 *
 * The matrix lies in shared memory, or, if it is too large, in its own place. Its lower triangle counts. In the steps a
 * thread has a row, or a column; or BY_PASSES chooses the forms of column_steps.h. One thread computes the rotations of
 * a QL sweep; meanwhile the others apply those of the sweep before to their rows. Or several sweeps follow each other
 * at once (sweep_pipeline.h). Or divide and conquer takes their place, and that of the product (divided_solver.h).
 * Source: LAPACK xSYTD2, xORG2L, xSTEQR. */
#ifndef TRIGON_BLOCK_SOLVER_H
#define TRIGON_BLOCK_SOLVER_H

#include "block_reduction.h"
#include "divided_solver.h"
#include "register_reduction.h"
#include "streamed_reduction.h"
#include "sweep_pipeline.h"
#include "tiny_solver.h"

/* A square matrix; LEADING = 0: its strides are known later. */
template <class T, int LEADING> struct stored_square {
  T *data;
  __device__ T &at(int i, int j) const { return data[i + j * LEADING]; }
};
template <class T> struct stored_square<T, 0> {
  T *data;
  int64_t row, col;
  __device__ T &at(int i, int j) const { return data[i * row + j * col]; }
};

/* The shared memory of a group beside the matrix. A sweep's rotations are those of rows first .. last; last < 0: there
 * is none. Or these rows are reversed. With SWEEPS > 1 several sweeps share a pass, and know their shifts. With
 * SWEEPS = 0 there are none. */
template <class T, int ORDER, int GROUP, int SWEEPS> struct solver_vectors {
  using R = real_of<T>;
  T v[ORDER], w[ORDER], tau[ORDER];
  rotation<R> rotations[2][SWEEPS > 1 ? SWEEPS : 1][ORDER];
  merge_vectors<R, SWEEPS == 0 ? ORDER : 1> merges;
  R d[ORDER], e[ORDER], shifts[SWEEPS > 1 ? ORDER : 1], partial[(GROUP + 31) / 32];
  int place[ORDER], swapped[ORDER];
  T alpha, by; /* of a register_reduction's column */
  int first[2], last[2], left;
  bool reverses[2], together[2];
  unsigned long long word;
  __device__ solver_vectors() {}
};

/* BY_PASSES: the reduction reads the matrix once a column. SWEEPS = 0: vectors by divide and conquer. */
template <class T, int ORDER, int LEADING, int GROUP, int SWEEPS = 1, bool BY_PASSES = false> struct block_solver {
  using R = real_of<T>;
  using element = T;
  using workspace = solver_vectors<T, ORDER, GROUP, SWEEPS>;
  static constexpr R eps = roundoff<R>::distance;
  static constexpr bool IS_SHARED = LEADING > 0, DIVIDES = SWEEPS == 0;
  static constexpr int MOST = ORDER;
  static constexpr int THREADS = GROUP, LANES = GROUP < 32 ? GROUP : 32, WARPS = GROUP / LANES;
  workspace &of;
  stored_square<T, LEADING> F;
  int n, most_n; /* the order, and the largest one of the block's groups */
  bool vectors;

  /* Where element i of the reflector of column k is kept, i > k. */
  __device__ T &reflector(int i, int k) const {
    if constexpr (DIVIDES)
      return half_vectors<T>{F.data, n}.reflector(i, k);
    else
      return F.at(i, k);
  }

  __device__ static int thread() { return static_cast<int>(threadIdx.x) % GROUP; }
  __device__ static int lane() { return thread() % LANES; }
  __device__ static int neighbour(int apart) {
    const int mine = static_cast<int>(threadIdx.x) % tg_warp();
    return mine - lane() + (lane() ^ apart);
  }

  /* The sum of what all threads of the group have, in a fixed order. Has barriers only if the group has several
   * warps. */
  __device__ R total(R x) const {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) x += tg_shuffle(x, neighbour(apart));
    if (WARPS == 1) return x;
    __syncthreads();
    if (lane() == 0) of.partial[thread() / 32] = x;
    __syncthreads();
    x = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) x += of.partial[i];
    return x;
  }

  /* The largest of numbers >= 0. */
  __device__ R most(R x) const {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
      const R other = tg_shuffle(x, neighbour(apart));
      if (other > x) x = other;
    }
    if (WARPS == 1) return x;
    __syncthreads();
    if (lane() == 0) of.partial[thread() / 32] = x;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WARPS; i++)
      if (of.partial[i] > x) x = of.partial[i];
    return x;
  }

  /* --------------------------------------------------------------------------------------------- iteration -- */

  /* `least` is the square of what is negligible beside any diagonal: what a sweep does not rotate, or more. */
  __device__ static bool is_negligible(R e, R a, R b, R least) { return e * e <= eps * eps * magnitude(a * b) + least; }

  /* The rotation that turns (f, g) into (0, r). */
  __device__ static rotation<R> rotation_of(R f, R g, R &r) {
    const R size = f * f + g * g;
    r = g;
    if (f == 0 || size < reflection<R>::least) return {1, 0};
    const R inverse = tg_rsqrt(size);
    r = size * inverse;
    R c = g * inverse, s = f * inverse;
    /* The length becomes 1: if a sweep changes little, the next ones repeat its errors, which would add up. */
    const R excess = R(0.5) * ((c * c - 1) + s * s);
    c -= excess * c, s -= excess * s;
    return {c, s};
  }

  /* One QL sweep over the rows l .. m, which stores its rotations; by one thread. Returns the end of the block
   * that row l or, if that has become a value, row l + 1 begins. */
  __device__ int sweep(int l, int m, R least, rotation<R> *rotations) const {
    const R first = of.d[l], ratio = (of.d[l + 1] - first) / (2 * of.e[l]), root = root_of(ratio * ratio + 1);
    const R shift = first - of.e[l] / (ratio < 0 ? ratio - root : ratio + root);
    R c = 1, s = 1, p = 0, upper = of.d[m], g = upper - shift, above = 0; /* `above`: the new value of row i + 2 */
    R off = of.e[m - 1], here = of.d[m - 1];
    int end = m;
#pragma unroll 1
    for (int i = m - 1; i >= l; i--) {
      const int next = i > l ? i - 1 : l; /* loads of the next row do not wait for this one's results */
      const R next_off = of.e[next], next_here = of.d[next];
      const R b = c * off;
      R r;
      rotations[i] = rotation_of(s * off, g, r);
      c = rotations[i].c, s = rotations[i].s;
      g = upper - p;
      const R t = (here - g) * s + 2 * c * b;
      p = s * t;
      const R value = g + p;
      of.d[i + 1] = value;
      if (i + 1 < m) {
        const bool splits = is_negligible(r, value, above, least);
        of.e[i + 1] = splits ? 0 : r;
        if (splits) end = i + 1;
      }
      g = c * t - b;
      above = value, upper = here, here = next_here, off = next_off;
    }
    const R value = upper - p;
    of.d[l] = value, of.e[l] = is_negligible(g, value, above, least) ? 0 : g;
    return end;
  }

  /* How far the iteration is, in one thread: values are known up to row l - 1, and the block l .. m is iterated. */
  struct progress {
    int l = 0, m = -1, left, sweeps = 0; /* sweeps for this value */
    R least = reflection<R>::least;

    __device__ void next_value() { l++, sweeps = 0, least = reflection<R>::least; }
  };

  /* The square of what is negligible beside the whole matrix. */
  __device__ R least_of_all() const {
    R largest = 0;
    for (int i = 0; i < n; i++) {
      if (magnitude(of.d[i]) > largest) largest = magnitude(of.d[i]);
      if (magnitude(of.e[i]) > largest) largest = magnitude(of.e[i]);
    }
    return eps * eps * largest * largest + reflection<R>::least;
  }

  /* Reverses the block l .. m: sweeps converge slowly, or not, if the block's large elements come first. */
  __device__ void reverse(int l, int m) const {
    for (int i = l, k = m; i < k; i++, k--) {
      const R x = of.d[i], y = of.e[i];
      of.d[i] = of.d[k], of.d[k] = x;
      if (i < k - 1) of.e[i] = of.e[k - 1], of.e[k - 1] = y;
    }
  }

  /* The next sweep, whose rotations go to the buffer `to`, or the next reversal. */
  __device__ void advance(progress &at, int to) const {
    enum { usual = 10, many = 20 }; /* hardly a value takes more than five sweeps */
    of.last[to] = -1;
    while (at.l < n) {
      if (at.l > at.m) {
        at.m = at.l;
        while (at.m + 1 < n && !is_negligible(of.e[at.m], of.d[at.m], of.d[at.m + 1], at.least)) at.m++;
        if (at.m + 1 < n) of.e[at.m] = 0;
      }
      if (at.l == at.m) {
        at.next_value();
        continue;
      }
      if (at.left-- == 0) return;
      at.sweeps++;
      if (at.sweeps == many) at.least = least_of_all();
      of.first[to] = at.l, of.last[to] = at.m;
      of.reverses[to] = at.sweeps == usual && magnitude(of.d[at.m]) < magnitude(of.d[at.l]);
      if (of.reverses[to]) {
        reverse(at.l, at.m);
        return;
      }
      at.m = sweep(at.l, at.m, at.least, of.rotations[to][0]);
      if (of.e[at.l] == 0) at.next_value();
      return;
    }
  }

  __device__ void reverse_columns(int l, int m) const {
    for (int r = thread(); r < n; r += GROUP)
      for (int i = l, k = m; i < k; i++, k--) {
        const T x = F.at(r, i);
        F.at(r, i) = F.at(r, k), F.at(r, k) = x;
      }
  }

  /* The first of the thread's rows. The warp whose first thread computes rotations has the last rows. */
  __device__ static int row_of_thread() { return (thread() + GROUP - LANES) % GROUP; }

  /* Rotates the columns of the thread's rows. */
  __device__ void rotate(int turn) const {
    const int l = of.first[turn], m = of.last[turn];
    if (m < 0) return;
    if (of.reverses[turn]) {
      reverse_columns(l, m);
      return;
    }
    for (int r = row_of_thread(); r < n; r += GROUP) {
      T x = F.at(r, m);
#pragma unroll 4
      for (int i = m - 1; i >= l; i--) {
        const rotation<R> by = of.rotations[turn][0][i];
        const T y = F.at(r, i);
        F.at(r, i + 1) = add(scale(y, by.s), scale(x, by.c));
        x = subtract(scale(y, by.c), scale(x, by.s));
      }
      F.at(r, l) = x;
    }
  }

  /* Whether a group of the block has a sweep. The groups' memories lie one behind the other. */
  __device__ static bool goes_on(const workspace *groups, int count, int turn) {
    bool any = false;
    for (int g = 0; g < count; g++) any = any || groups[g].last[turn] >= 0;
    return any;
  }

  /* Returns how many elements of e are not zero. */
  __device__ int iterate(const workspace *groups, int count) const {
    enum { turns_of_value = 30 }; /* LAPACK's number */
    progress at;
    at.left = turns_of_value * n;
    if (thread() == 0) advance(at, 0);
    __syncthreads();
    for (int turn = 0; goes_on(groups, count, turn); turn ^= 1) {
      if (thread() == 0) advance(at, turn ^ 1);
      if (vectors) rotate(turn);
      __syncthreads();
    }
    return count_left();
  }

  /* How many elements of e are not zero. */
  __device__ int count_left() const {
    if (thread() == 0) {
      int left = 0;
      for (int i = 0; i + 1 < n; i++) left += of.e[i] != 0;
      of.left = left;
    }
    __syncthreads();
    return of.left;
  }

  /* ------------------------------------------------------------------------------------------------ results -- */

  /* Stores the values in ascending order, and the place of each. */
  __device__ void store_values(R *w, R power) const {
    for (int j = thread(); j < n; j += GROUP) {
      int place = 0;
      const R mine = of.d[j];
      for (int i = 0; i < n; i++) place += of.d[i] < mine || (of.d[i] == mine && i < j);
      of.place[j] = place;
      w[place] = mine / power;
    }
    __syncthreads();
  }

  /* Stores the columns in the order of the values. */
  __device__ void store_vectors(T *A, int64_t ld) const {
    for (int j = 0; j < n; j++) {
      T *const to = A + of.place[j] * ld;
      for (int i = thread(); i < n; i += GROUP) to[i] = F.at(i, j);
    }
  }

  /* Brings the columns into that order in their own place: one thread lists exchanges, fewer than n. */
  __device__ void sort_vectors() const {
    if (thread() == 0) {
      int count = 0;
      for (int i = 0; i < n; i++)
        while (of.place[i] != i && count < n) {
          const int j = of.place[i];
          of.swapped[count++] = i * ORDER + j;
          of.place[i] = of.place[j], of.place[j] = j;
        }
      of.left = count;
    }
    __syncthreads();
    for (int r = thread(); r < n; r += GROUP)
      for (int k = 0; k < of.left; k++) {
        const int i = of.swapped[k] / ORDER, j = of.swapped[k] % ORDER;
        const T x = F.at(r, i);
        F.at(r, i) = F.at(r, j), F.at(r, j) = x;
      }
  }

  /* Values, and with them Q becomes the vectors. */
  __device__ int find(const workspace *groups, int count) const {
    if constexpr (SWEEPS == 1) {
      return iterate(groups, count);
    } else if constexpr (DIVIDES) {
      if (vectors) return divided_solver<block_solver>{*this}.solve();
      sweep_pipeline<block_solver, 1>{*this}.find_values();
      return 0;
    } else {
      const sweep_pipeline<block_solver, SWEEPS> together = {*this};
      if (vectors) return together.iterate();
      together.find_values();
      return 0;
    }
  }

  template <class Steps> __device__ void reduce_by(const Steps &steps) const {
    steps.reduce();
    if (vectors && !DIVIDES) steps.form();
  }

  /* The values in w, and with vectors Q in the matrix's place, its columns not yet ordered. Returns LAPACK's info. */
  __device__ int solve(R *w, R power, const workspace *groups, int count) const {
    if (n == 0 && DIVIDES) return 0;
    if constexpr (BY_PASSES && !IS_SHARED)
      reduce_by(streamed_reduction<block_solver>{{*this}});
    else if constexpr (BY_PASSES)
      reduce_by(register_reduction<block_solver>{{*this}});
    else
      reduce_by(block_reduction<block_solver>{*this});
    const int left = find(groups, count);
    store_values(w, power);
    return left;
  }
};

#endif
