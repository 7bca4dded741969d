/* deflate_columns.cu - which columns of a merge of divide and conquer take part in its small problem. The rules for one
 * column, and for two neighbours, are in common/eigen/deflate.inc.
 *
 * Columns without weight are left out by all threads. The others are poles, which rotations with their right neighbours
 * may deflate, one after the other: a rotation changes the pole to its right. All threads look at all pairs of
 * neighbours as they were before the rotations. These answers are right as long as nothing was rotated. So a run of
 * rotations begins at a pair that rotates by its own values, behind one that does not: its head. The run goes on until
 * a pair does not rotate. Runs that do not reach another head are independent, and each has a thread. */
#include "block_sum.h"
#include "gpu/kernels/launch.h"
#include "merge_arrays.h"
#include "secular_functions.h"

enum { CHOOSE_THREADS = TG_TILE(32, 512) };

/* A thread's share of `count` neighbours. */
struct share {
  int64_t begin, end;
  __device__ explicit share(int64_t count) {
    const int64_t each = (count + CHOOSE_THREADS - 1) / CHOOSE_THREADS, from = each * threadIdx.x;
    begin = from < count ? from : count, end = from + each < count ? from + each : count;
  }
};

/* ------------------------------------------------------------------------------------------- ascending columns -- */

/* z: the last row of the first half's vectors and the first row of the second half's, of length 1 together. */
template <class R> __device__ static void make_z(const merge_arrays<R> &a, int64_t ldz) {
  const R root = static_cast<R>(0.70710678118654752440);
  for (int64_t j = threadIdx.x; j < a.n; j += CHOOSE_THREADS) {
    const bool first = j < a.n1;
    a.z[j] = (first || *a.coupling >= 0 ? root : -root) * a.Z[(first ? a.n1 - 1 : a.n1) + j * ldz];
  }
}

/* How many of `count` ascending values come before x: those that are smaller, or (`equal`) not larger. */
template <class R> __device__ static int64_t values_before(const R *d, int64_t count, R x, bool equal) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const R value = sort_key(d[middle]);
    if (value < x || (equal && value == x))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Sorts the columns of both halves, each of which ascends. Places that NaN leave empty keep a valid column. */
template <class R> __device__ static void sort_columns(const merge_arrays<R> &a) {
  const int64_t n1 = a.n1, n2 = a.n - n1;
  for (int64_t i = threadIdx.x; i < a.n; i += CHOOSE_THREADS) a.sorted[i] = i;
  __syncthreads();
  for (int64_t i = threadIdx.x; i < a.n; i += CHOOSE_THREADS) {
    const R x = sort_key(a.d[i]);
    const int64_t others = i < n1 ? values_before(a.d + n1, n2, x, false) : values_before(a.d, n1, x, true);
    a.sorted[(i < n1 ? i : i - n1) + others] = i;
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < a.n; i += CHOOSE_THREADS)
    a.sorted_d[i] = a.d[a.sorted[i]], a.sorted_z[i] = a.z[a.sorted[i]];
  __syncthreads();
}

template <class R> __device__ static R find_tolerance(const merge_arrays<R> &a, R *shared) {
  R largest = 0;
  for (int64_t i = threadIdx.x; i < a.n; i += CHOOSE_THREADS) {
    const R value = magnitude(a.sorted_d[i]), weight = magnitude(a.sorted_z[i]);
    if (!(value <= largest)) largest = value;
    if (!(weight <= largest)) largest = weight;
  }
  return secular<R>::tolerance(block_largest<CHOOSE_THREADS>(largest, shared));
}

/* ------------------------------------------------------------------------------------------------------- poles -- */

/* Puts columns without weight behind the poles' places, and the others into the arrays of poles. Returns how many poles
 * there are. */
template <class R> __device__ static int64_t leave_out(const merge_arrays<R> &a, R rho, R tolerance, int64_t *shared) {
  const share s(a.n);
  int64_t count = 0, poles;
  for (int64_t i = s.begin; i < s.end; i++) count += !secular<R>::has_no_weight(a.sorted_z[i], rho, tolerance);
  int64_t k = block_before<CHOOSE_THREADS, false>(count, shared, &poles);
  for (int64_t i = s.begin; i < s.end; i++) {
    if (secular<R>::has_no_weight(a.sorted_z[i], rho, tolerance)) {
      const int64_t place = a.n - 1 - (i - k);
      a.at[place] = a.sorted[i], a.kept_d[place] = a.sorted_d[i];
    } else {
      a.column[k] = a.sorted[i], a.pole_d[k] = a.sorted_d[i], a.pole_z[k] = a.sorted_z[i];
      k++;
    }
  }
  __syncthreads();
  return poles;
}

template <class R> __device__ static typename secular<R>::pole pole_at(const merge_arrays<R> &a, int64_t k) {
  return {a.pole_d[k], a.pole_z[k]};
}

/* Whether each pair of neighbours rotates by its own values. Lists the heads, and returns how many there are. */
template <class R>
__device__ static int64_t find_heads(const merge_arrays<R> &a, int64_t poles, R tolerance, int64_t *shared) {
  for (int64_t k = threadIdx.x; k < poles; k += CHOOSE_THREADS) {
    typename secular<R>::pole left = pole_at(a, k), right = pole_at(a, k + 1 < poles ? k + 1 : k);
    R cosine, sine;
    a.rotates[k] = k + 1 < poles && secular<R>::rotates_away(&left, &right, tolerance, &cosine, &sine);
  }
  __syncthreads();
  const share s(poles);
  int64_t count = 0, heads;
  for (int64_t k = s.begin; k < s.end; k++) count += a.rotates[k] && !(k > 0 && a.rotates[k - 1]);
  int64_t at = block_before<CHOOSE_THREADS, false>(count, shared, &heads);
  for (int64_t k = s.begin; k < s.end; k++)
    if (a.rotates[k] && !(k > 0 && a.rotates[k - 1])) a.heads[at++] = k;
  __syncthreads();
  return heads;
}

/* Goes through the run that begins at pole k, but not to the pole `end`. Returns the pole at which it ends, which no
 * rotation has changed; or `end` - 1. APPLIES: stores the rotations, and which poles are rotated away. */
template <bool APPLIES, class R>
__device__ static int64_t follow(const merge_arrays<R> &a, int64_t k, int64_t end, R tolerance) {
  typename secular<R>::pole left = pole_at(a, k);
  for (; k + 1 < end; k++) {
    typename secular<R>::pole right = pole_at(a, k + 1);
    R cosine = 1, sine = 0;
    const bool rotates = secular<R>::rotates_away(&left, &right, tolerance, &cosine, &sine);
    const bool goes_on = rotates || (a.rotates[k] && a.rotates[k + 1]); /* the next pair is no head */
    if (APPLIES) {
      a.rotates[k] = rotates;
      a.pole_d[k] = left.d, a.pole_d[k + 1] = right.d, a.pole_z[k + 1] = right.z;
      a.sorted_d[k] = cosine, a.sorted_z[k] = sine; /* where nothing is sorted any more */
    }
    if (!goes_on) return k + 1;
    left = right;
  }
  return k;
}

/* reach[i] becomes the last pole to which runs from the heads before head i go. A run is followed no further than the
 * last head, and a pole behind it tells that the run has passed it. */
template <class R>
__device__ static void find_reach(const merge_arrays<R> &a, int64_t poles, int64_t heads, R tolerance,
                                  int64_t *shared) {
  const int64_t last = heads > 0 ? a.heads[heads - 1] + 2 : 0, end = last < poles ? last : poles;
  for (int64_t i = threadIdx.x; i < heads; i += CHOOSE_THREADS)
    a.reach[i] = follow<false>(a, a.heads[i], end, tolerance);
  __syncthreads();
  const share s(heads);
  int64_t most = 0, all;
  for (int64_t i = s.begin; i < s.end; i++) most = a.reach[i] > most ? a.reach[i] : most;
  most = block_before<CHOOSE_THREADS, true>(most, shared, &all);
  for (int64_t i = s.begin; i < s.end; i++) {
    const int64_t own = a.reach[i];
    a.reach[i] = most;
    most = own > most ? own : most;
  }
  __syncthreads();
}

/* A thread takes a head that no run from before reaches, and the heads behind it that such a run may reach. It changes
 * no pole from the next thread's head on. */
template <class R>
__device__ static void rotate_poles(const merge_arrays<R> &a, int64_t poles, int64_t heads, R tolerance) {
  auto is_reached = [&](int64_t i) { return a.reach[i] > a.heads[i]; };
  for (int64_t i = threadIdx.x; i < heads; i += CHOOSE_THREADS) {
    if (is_reached(i)) continue;
    int64_t next = i + 1, done = 0;
    while (next < heads && is_reached(next)) next++;
    const int64_t end = next < heads ? a.heads[next] : poles;
    for (int64_t j = i; j < next; j++)
      if (a.heads[j] >= done) done = follow<true>(a, a.heads[j], end, tolerance);
  }
  __syncthreads();
}

/* ----------------------------------------------------------------------------------------------------- results -- */

/* Parts the poles that are kept from those that rotations deflate, and lists the rotations. Returns how many are
 * kept. */
template <class R> __device__ static int64_t part_poles(const merge_arrays<R> &a, int64_t poles, int64_t *shared) {
  const share s(poles);
  int64_t count = 0, rotations;
  for (int64_t k = s.begin; k < s.end; k++) count += a.rotates[k];
  int64_t r = block_before<CHOOSE_THREADS, false>(count, shared, &rotations);
  for (int64_t k = s.begin; k < s.end; k++) {
    const int64_t place = a.rotates[k] ? poles - 1 - r : k - r;
    a.at[place] = a.column[k], a.kept_d[place] = a.pole_d[k];
    if (!a.rotates[k]) a.kept_z[place] = a.pole_z[k];
    if (!a.rotates[k]) continue;
    a.left[r] = a.column[k], a.right[r] = a.column[k + 1];
    a.cosine[r] = a.sorted_d[k], a.sine[r] = a.sorted_z[k];
    r++;
  }
  if (threadIdx.x == 0) *a.kept = poles - rotations, *a.rotations = rotations;
  __syncthreads();
  return poles - rotations;
}

/* z becomes of length 1, and its square goes into rho. The values of the deflated columns are known. */
template <class R> __device__ static void finish(const merge_arrays<R> &a, int64_t kept, R rho, R *shared) {
  R square = 0;
  for (int64_t i = threadIdx.x; i < kept; i += CHOOSE_THREADS) square += a.kept_z[i] * a.kept_z[i];
  square = block_sum<CHOOSE_THREADS>(square, shared);
  const R length = static_cast<R>(sqrt(static_cast<double>(square)));
  for (int64_t i = threadIdx.x; i < kept; i += CHOOSE_THREADS) a.kept_z[i] /= length;
  for (int64_t i = kept + threadIdx.x; i < a.n; i += CHOOSE_THREADS) a.values[i] = a.kept_d[i];
  if (threadIdx.x == 0) *a.rho = rho * square;
}

/* A block takes a merge. */
template <class R> __global__ void __launch_bounds__(CHOOSE_THREADS) choose_kernel(merged_level p) {
  int64_t *shared = tg_shared<int64_t>();
  R *reals = tg_shared<R>();
  const merge_arrays<R> a(p, blockIdx.x);
  const R rho = 2 * magnitude(*a.coupling);
  make_z(a, p.ldz);
  sort_columns(a);
  const R tolerance = find_tolerance(a, reals);
  const int64_t poles = leave_out(a, rho, tolerance, shared);
  const int64_t heads = find_heads(a, poles, tolerance, shared);
  find_reach(a, poles, heads, tolerance, shared);
  rotate_poles(a, poles, heads, tolerance);
  finish(a, part_poles(a, poles, shared), rho, reals);
}

cudaError_t launch_deflate_columns(queue q, trigon_type type, const merged_level *p) {
  return with_type(type, [&](auto zero) {
    using R = real_of<decltype(zero)>;
    return launch_kernel(q, registered<choose_kernel<R>, CHOOSE_THREADS * sizeof(int64_t)>(), INT64_C(1) << p->level,
                         CHOOSE_THREADS, *p);
  });
}
