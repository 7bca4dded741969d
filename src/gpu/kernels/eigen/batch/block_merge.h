/* block_merge.h - a merge of divide and conquer by a team of threads of a block: which columns of the halves deflate,
 * the roots of the secular equation, and the small problem's vectors element by element. All merges of a level go
 * through the same steps, a team each, and meet at the block's barriers. The mathematics is in common/eigen.
 *
 * A rotation of two columns may mix both halves, whose vectors are squares of their own. So it is applied to the rows
 * of the small problem. A chain of rotations takes poles k, k + 1, ..., m to one pole that is kept. Row i of the chain
 * is then a multiple of that pole's row: this factor is cosine(i-1)·sine(i)·...·sine(m-1).
 * Source: LAPACK xLAED2, xLAED3, xLAED4; M. Gu, S. Eisenstat (SIAM J. Matrix Anal. 16, 1995). */
#ifndef TRIGON_BLOCK_MERGE_H
#define TRIGON_BLOCK_MERGE_H

#include "common/eigen/divide.h"
#include "gpu/kernels/eigen/secular_functions.h"
#include "half_vectors.h"

/* Shared memory of all merges of a level. Elements of a merge begin at its first row. A column is one of the halves'
 * vectors. A slot is a kept pole's root, or behind the kept ones a column that deflates. */
template <class R, int ORDER> struct merge_vectors {
  R pole_d[ORDER], pole_z[ORDER]; /* ascending; pole_z later: kept_z with length 1 */
  R kept_d[ORDER], kept_z[ORDER]; /* first: all columns, sorted */
  R exact_z[ORDER], tau[ORDER], inverse[ORDER], cosine[ORDER], sine[ORDER], factor[ORDER], values[ORDER];
  int column[ORDER];   /* of a pole */
  int pole[ORDER];     /* of a column; -1: it has no weight */
  int root[ORDER];     /* of a column: the kept pole of its chain */
  int origin[ORDER];   /* of a root: the pole from which tau is measured */
  int at[ORDER];       /* of a slot that deflates: its column, or the pole that is rotated away */
  int slot[ORDER];     /* at a place in ascending order; first: the sorted columns */
  bool rotates[ORDER]; /* a pole is rotated away; first: whether a sorted column has weight */
  int poles[ORDER], kept[ORDER];
  unsigned long long head[ORDER]; /* the first pole that rotates by its own values */
};

/* 1 / x with an error of about a rounding, for distances of poles from points: T has a norm near 1, and what is nearer
 * than its roundoff is deflated, so that no distance is near the ends of the range. Without a quotient's branches
 * several of them are computed at once. */
__device__ inline float reciprocal_distance(float x) { return 1 / x; }
__device__ inline double reciprocal_distance(double x) {
#if TG_HAS_MMA
  double y = tg_reciprocal_seed(x);
  y = fma(y, fma(-x, y, 1.), y);
  return fma(y, fma(-x, y, 1.), y);
#else
  return 1 / x;
#endif
}

/* The secular equation of the kept poles. */
template <class R> struct secular_equation {
  const R *d, *z;
  int kept;
  R rho;
  using search = typename secular<R>::search;

  __device__ typename secular<R>::sums add_poles(int first, int end, R origin, R tau) const {
    typename secular<R>::sums s = {0, 0};
#pragma unroll 4
    for (int i = first; i < end; i++) {
      const R t = z[i] * reciprocal_distance((d[i] - origin) - tau);
      s.value += z[i] * t, s.slope += t * t;
    }
    return s;
  }
  __device__ search begin(int p) const {
    if (p == kept - 1) return secular<R>::begin_last(p, rho);
    const R gap = d[p + 1] - d[p], f = 1 / rho + add_poles(0, kept, d[p], gap / 2).value;
    return secular<R>::begin_between(p, gap, f, z[p], z[p + 1]);
  }
  /* Root p, by one thread. */
  __device__ search find(int p) const {
    if (kept == 1) return {0, 0, 0, true, 0, rho, rho};
    search s = begin(p);
    bool done = false;
#pragma unroll 1
    for (int i = 0; i < secular<R>::most_steps && !done; i++) {
      const R origin = d[s.origin];
      const auto psi = add_poles(0, static_cast<int>(s.left) + 1, origin, s.tau);
      const auto phi = add_poles(static_cast<int>(s.left) + 1, kept, origin, s.tau);
      done = secular<R>::advance(&s, 1 / rho, psi, phi, d[s.left] - origin, d[s.right] - origin);
    }
    return s;
  }
};

template <class R, int ORDER, int THREADS> struct block_merge {
  using arrays = merge_vectors<R, ORDER>;
  static constexpr int SHARING = THREADS >= 2 * ORDER ? 2 : 1; /* threads that share an element of z, or a slot */
  static_assert(THREADS >= ORDER && (THREADS & (THREADS - 1)) == 0, "a team has a thread for each row");
  arrays &of;
  R *d;
  int first, n1, n;       /* the first row; the rows of the first half, and of both */
  int number, t, threads; /* of the merge; of this thread in its team */
  R rho, tolerance;

  /* Merge number i of the level has the team of threads from i·(THREADS >> level) on. */
  __device__ block_merge(arrays &all, R *values, const R *e, int order, int level) : of(all), d(values) {
    threads = THREADS >> level, t = static_cast<int>(threadIdx.x) % threads;
    move(order, level, static_cast<int>(threadIdx.x) / threads);
    d += first, rho = 2 * magnitude(e[first + n1 - 1]);
  }
  /* To another merge of the level, for its vectors alone. */
  __device__ void move(int order, int level, int to) {
    number = to, first = static_cast<int>(block_begin(order, level, to));
    n = static_cast<int>(block_begin(order, level, to + 1)) - first;
    n1 = static_cast<int>(block_begin(order, level + 1, 2 * to + 1)) - first;
  }

  /* What the other thread of a pair has, or `alone` if threads do not share. */
  template <class X> __device__ static X of_pair(X x, X alone) {
    return SHARING == 1 ? alone : tg_shuffle(x, (static_cast<int>(threadIdx.x) % tg_warp()) ^ 1);
  }

  /* ------------------------------------------------------------------------------------------------- deflation -- */

  /* How many of `count` ascending values come before x: those that are smaller, or (`equal`) not larger. */
  __device__ static int values_before(const R *values, int count, R x, bool equal) {
    int low = 0;
    while (low < count) {
      const int middle = (low + count) / 2;
      const R value = sort_key(values[middle]);
      if (value < x || (equal && value == x))
        low = middle + 1;
      else
        count = middle;
    }
    return low;
  }
  /* How many of the first `count` flags are `wanted`. */
  __device__ int flags(int count, bool wanted) const {
    int found = 0;
#pragma unroll 8
    for (int i = 0; i < count; i++) found += of.rotates[first + i] == wanted;
    return found;
  }

  /* Sorts the columns of both halves. z: the last row of the first half's vectors and the first row of the second
   * half's, of length 1 together. */
  __device__ void sort(const half_vectors<R> &halves, R coupling) {
    R largest = 1; /* no element of z is larger; T has a norm near 1 */
    const int ends[] = {0, n1 - 1, n1, n - 1};
    for (int i : ends)
      if (magnitude(d[i]) > largest) largest = magnitude(d[i]);
    tolerance = secular<R>::tolerance(largest);
    if (t >= n) return;
    const R root = static_cast<R>(0.70710678118654752440), x = sort_key(d[t]);
    const bool upper = t < n1;
    const int from = upper ? 0 : n1, ld = halves.leading_at(first + from);
    const R *const Z = halves.square_at(first + from) + (upper ? n1 - 1 : 0);
    const R z = (upper || coupling >= 0 ? root : -root) * Z[(t - from) * ld];
    const int others = upper ? values_before(d + n1, n - n1, x, false) : values_before(d, n1, x, true);
    const int place = first + t - from + others;
    of.slot[place] = t, of.kept_d[place] = d[t], of.kept_z[place] = z;
    of.rotates[place] = !secular<R>::has_no_weight(z, rho, tolerance);
  }

  /* Columns with weight become poles. */
  __device__ void leave_out() const {
    if (t >= n) return;
    const int before = flags(t, true), poles = before + flags_behind(t, true), column = of.slot[first + t];
    if (of.rotates[first + t]) {
      const int k = first + before;
      of.column[k] = column, of.pole_d[k] = of.kept_d[first + t], of.pole_z[k] = of.kept_z[first + t];
      of.pole[first + column] = before;
    } else {
      const int slot = first + poles + t - before;
      of.at[slot] = column, of.values[slot] = of.kept_d[first + t];
      of.pole[first + column] = -1, of.root[first + column] = 0, of.factor[first + column] = 0;
    }
    if (t == 0) of.poles[number] = poles, of.head[number] = static_cast<unsigned long long>(ORDER);
  }
  __device__ int flags_behind(int from, bool wanted) const {
    int found = 0;
#pragma unroll 8
    for (int i = from; i < n; i++) found += of.rotates[first + i] == wanted;
    return found;
  }

  __device__ typename secular<R>::pole pole_at(int k) const { return {of.pole_d[first + k], of.pole_z[first + k]}; }

  /* Which poles rotate by their own values with their right neighbours. */
  __device__ void find_heads() const {
    const int poles = of.poles[number];
    if (t >= poles) return;
    typename secular<R>::pole left = pole_at(t), right = pole_at(t + 1 < poles ? t + 1 : t);
    R cosine, sine;
    const bool rotates = t + 1 < poles && secular<R>::rotates_away(&left, &right, tolerance, &cosine, &sine);
    of.rotates[first + t] = rotates;
    if (rotates) tg_atomic_min(&of.head[number], static_cast<unsigned long long>(t));
  }

  /* One thread follows the runs of rotations, if there are any (deflate_columns.cu). */
  __device__ void rotate_poles() const {
    const int poles = of.poles[number];
    if (t != 0) return;
    for (int k = static_cast<int>(of.head[number]); k + 1 < poles; k++) {
      if (!of.rotates[first + k]) continue;
      typename secular<R>::pole left = pole_at(k);
      bool rotates = true;
      for (; k + 1 < poles && rotates; k++) {
        typename secular<R>::pole right = pole_at(k + 1);
        R cosine = 1, sine = 0;
        rotates = secular<R>::rotates_away(&left, &right, tolerance, &cosine, &sine);
        of.rotates[first + k] = rotates;
        if (!rotates) break;
        of.cosine[first + k] = cosine, of.sine[first + k] = sine;
        of.pole_d[first + k] = left.d, of.pole_d[first + k + 1] = right.d, of.pole_z[first + k + 1] = right.z;
        left = right;
      }
    }
  }

  /* Parts the poles that are kept from the others. */
  __device__ void part_poles() const {
    const int poles = of.poles[number];
    int all = 0;
    for (int i = 0; i < poles; i++) all += !of.rotates[first + i];
    if (t == 0) of.kept[number] = all;
    if (t >= poles) return;
    const int before = flags(t, false), column = of.column[first + t];
    if (of.rotates[first + t]) {
      const int slot = first + all + t - before;
      of.at[slot] = t, of.values[slot] = of.pole_d[first + t];
    } else {
      of.kept_d[first + before] = of.pole_d[first + t], of.kept_z[first + before] = of.pole_z[first + t];
    }
    of.root[first + column] = before;
    R by = begin_of_factor(t);
    for (int l = t; of.rotates[first + l]; l++) by *= of.sine[first + l];
    of.factor[first + column] = by;
  }
  __device__ R begin_of_factor(int k) const {
    return k > 0 && of.rotates[first + k - 1] ? of.cosine[first + k - 1] : R(1);
  }

  /* ----------------------------------------------------------------------------------------------------- roots -- */

  /* z gets length 1, and its square goes into rho. */
  __device__ void normalize() {
    const int kept = of.kept[number];
    R square = 0;
#pragma unroll 4
    for (int i = 0; i < kept; i++) square += of.kept_z[first + i] * of.kept_z[first + i];
    const R length = static_cast<R>(sqrt(static_cast<double>(square)));
    rho *= square;
    if (t < kept) of.pole_z[first + t] = of.kept_z[first + t] / length;
  }
  __device__ void find_roots() const {
    const int kept = of.kept[number];
    if (t >= kept) return;
    const secular_equation<R> equation = {of.kept_d + first, of.pole_z + first, kept, rho};
    const auto s = equation.find(t);
    of.origin[first + t] = static_cast<int>(s.origin), of.tau[first + t] = s.tau;
    of.values[first + t] = of.kept_d[first + s.origin] + s.tau;
  }
  /* From root p to kept pole i. */
  __device__ R distance(int i, int p) const {
    return (of.kept_d[first + i] - of.kept_d[first + of.origin[first + p]]) - of.tau[first + p];
  }
  /* The z to which the roots belong exactly (merge_halves.cu). */
  __device__ void find_exact_z() const {
    const int kept = of.kept[number], i = t / SHARING, part = t % SHARING;
    R square = 1;
    if (i < kept) {
      if (part == 0) square = -distance(i, i);
#pragma unroll 4
      for (int p = part; p < kept; p += SHARING)
        if (p != i) square *= distance(i, p) * reciprocal_distance(of.kept_d[first + i] - of.kept_d[first + p]);
    }
    square *= of_pair(square, R(1));
    const R size = square > 0 ? static_cast<R>(sqrt(static_cast<double>(square))) : R(0);
    if (i < kept && part == 0) of.exact_z[first + i] = of.kept_z[first + i] < 0 ? -size : size;
  }
  /* Lengths of the small problem's vectors, and the ascending order of the values. */
  __device__ void finish() const {
    const int kept = of.kept[number], slot = t / SHARING, part = t % SHARING;
    R square = 0;
    int before = 0;
    if (slot < kept) {
#pragma unroll 4
      for (int i = part; i < kept; i += SHARING) {
        const R x = of.exact_z[first + i] * reciprocal_distance(distance(i, slot));
        square += x * x;
      }
    }
    const R mine = slot < n ? of.values[first + slot] : R(0), x = sort_key(mine);
    for (int i = part; i < n && slot < n; i += SHARING) {
      const R other = sort_key(of.values[first + i]);
      before += other < x || (other == x && i < slot);
    }
    square += of_pair(square, R(0)), before += of_pair(before, 0);
    if (slot >= n || part != 0) return;
    of.inverse[first + slot] = square > 0 ? 1 / static_cast<R>(sqrt(static_cast<double>(square))) : R(0);
    of.slot[first + before] = slot, d[before] = mine;
  }

  /* Everything before the product. Ends with a barrier. */
  __device__ void prepare(const half_vectors<R> &halves, R coupling) {
    sort(halves, coupling);
    __syncthreads();
    leave_out();
    __syncthreads();
    find_heads();
    __syncthreads();
    rotate_poles();
    __syncthreads();
    part_poles();
    __syncthreads();
    normalize();
    __syncthreads();
    find_roots();
    __syncthreads();
    find_exact_z();
    __syncthreads();
    finish();
    __syncthreads();
  }

  /* --------------------------------------------------------------------------------------------------- vectors -- */

  /* Element k of the vector of pole q, which is rotated away. */
  __device__ R deflated_element(int k, int q) const {
    const int i = of.pole[first + k];
    if (i < 0 || i > q + 1) return 0;
    if (i == q + 1) return -of.sine[first + q];
    R x = begin_of_factor(i) * of.cosine[first + q];
    for (int l = i; l < q; l++) x = of.rotates[first + l] ? x * of.sine[first + l] : R(0);
    return x;
  }
  /* Row k, which belongs to this column of the halves, of the small problem's vector at place j. */
  __device__ R element(int k, int j) const {
    const int slot = of.slot[first + j];
    if (slot < of.kept[number]) {
      const int i = of.root[first + k];
      const R by = of.factor[first + k];
      return by == 0 ? R(0)
                     : by * of.inverse[first + slot] * (of.exact_z[first + i] * reciprocal_distance(distance(i, slot)));
    }
    if (slot < of.poles[number]) return deflated_element(k, of.at[first + slot]);
    return R(k == of.at[first + slot]);
  }
};

#endif
