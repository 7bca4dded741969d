/* merge_halves.cu - the kernels of a merge of divide and conquer: deflation, roots of the secular equation, vectors of
 * the small problem. The mathematics is in common/eigen.
 *
 * The host does not know how many columns are kept. So the small problem has all n columns: those that are deflated are
 * columns of the identity, and the rotations are applied to its rows instead of the halves' columns. */
#include "block_sum.h"
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "secular_functions.h"

enum {
  CHOOSE_THREADS = TG_TILE(32, 512),
  ROOT_THREADS = TG_TILE(64, 128),
  VECTOR_THREADS = TG_TILE(32, 128),
  Z_THREADS = TG_TILE(64, 256),
  Z_ELEMENTS = 32, /* of a block: their distances are neighbours */
  WIDEST_WARP = 64 /* with narrower ones, blocks without work end at once */
};

/* The arrays of a merge. */
template <class R> struct merge_arrays {
  R *d, *z, *kept_d, *kept_z, *exact_z, *values, *cosine, *sine;
  R *rho; /* one number */
  int64_t *at, *sorted, *left, *right;
  int64_t *kept, *rotations; /* one number each */
  signed char *kind;
  R *sorted_d, *sorted_z; /* in ascending order, while columns are chosen */

  __device__ explicit merge_arrays(const merged_halves &p) {
    R *reals = static_cast<R *>(p.reals);
    const int64_t n = p.n;
    d = static_cast<R *>(p.d);
    z = reals, kept_d = reals + n, kept_z = reals + 2 * n, exact_z = reals + 3 * n, values = reals + 4 * n;
    cosine = reals + 5 * n, sine = reals + 6 * n, rho = reals + 7 * n;
    at = p.integers, sorted = at + n, left = at + 2 * n, right = at + 3 * n;
    kept = at + 4 * n, rotations = kept + 1;
    kind = reinterpret_cast<signed char *>(at + 5 * n);
    sorted_d = values, sorted_z = exact_z; /* which are not used yet */
  }
};

/* -------------------------------------------------------------------------------------------------- deflation -- */

/* How many of `count` columns, in ascending order, come before the value x: those that are smaller, or (`equal`) not
 * larger. */
template <class R>
__device__ static int64_t columns_before(const R *d, const int64_t *order, int64_t count, R x, bool equal) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const R value = sort_key(d[order[middle]]);
    if (value < x || (equal && value == x))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Sorts the columns of both halves. Ranks that NaN leave empty keep a valid column. */
template <class R> __device__ static void sort_columns(const merged_halves &p, const merge_arrays<R> &a) {
  const int64_t n1 = p.n1, n2 = p.n - n1;
  for (int64_t i = threadIdx.x; i < p.n; i += CHOOSE_THREADS) a.sorted[i] = i;
  __syncthreads();
  for (int64_t i = threadIdx.x; i < p.n; i += CHOOSE_THREADS) {
    const bool first = i < n1;
    const int64_t column = first ? p.order[i] : n1 + p.order[i];
    const R x = sort_key(a.d[column]);
    const int64_t others =
        first ? columns_before(a.d + n1, p.order + n1, n2, x, false) : columns_before(a.d, p.order, n1, x, true);
    a.sorted[(first ? i : i - n1) + others] = column;
  }
}

/* z: the last row of the first half's vectors and the first row of the second half's, of length 1 together. */
template <class R> __device__ static void make_z(const merged_halves &p, const merge_arrays<R> &a, R coupling) {
  const R *Z = static_cast<const R *>(p.Z), root = static_cast<R>(0.70710678118654752440);
  for (int64_t j = threadIdx.x; j < p.n; j += CHOOSE_THREADS) {
    const bool first = j < p.n1;
    a.z[j] = (first || coupling >= 0 ? root : -root) * Z[(first ? p.n1 - 1 : p.n1) + j * p.ldz];
  }
}

/* d and z in ascending order, so that one thread reads neighbours. */
template <class R> __device__ static void gather_sorted(const merged_halves &p, const merge_arrays<R> &a) {
  for (int64_t i = threadIdx.x; i < p.n; i += CHOOSE_THREADS) {
    const int64_t column = a.sorted[i];
    a.sorted_d[i] = a.d[column], a.sorted_z[i] = a.z[column];
    a.kind[i] = column < p.n1 ? secular<R>::top : secular<R>::bottom;
  }
}

/* The kept columns' d, and z of length 1, whose square goes into rho; the values of the deflated ones, by way of z.
 * Then positions in the order become columns. */
template <class R> __device__ static void collect(const merged_halves &p, const merge_arrays<R> &a, R rho, R *shared) {
  R square = 0;
  const int64_t kept = *a.kept, rotations = *a.rotations;
  for (int64_t i = threadIdx.x; i < kept; i += CHOOSE_THREADS) square += a.sorted_z[a.at[i]] * a.sorted_z[a.at[i]];
  square = block_sum<CHOOSE_THREADS>(square, shared);
  const R length = static_cast<R>(sqrt(static_cast<double>(square)));
  for (int64_t i = threadIdx.x; i < p.n; i += CHOOSE_THREADS) {
    a.kept_d[i] = a.z[i] = a.sorted_d[a.at[i]];
    if (i < kept) a.kept_z[i] = a.sorted_z[a.at[i]] / length;
    a.at[i] = a.sorted[a.at[i]];
    if (i < rotations) a.left[i] = a.sorted[a.left[i]], a.right[i] = a.sorted[a.right[i]];
  }
  __syncthreads();
  for (int64_t i = kept + threadIdx.x; i < p.n; i += CHOOSE_THREADS) a.values[i] = a.z[i];
  if (threadIdx.x == 0) *a.rho = rho * square;
}

/* One block. One thread goes through the columns in ascending order. */
template <class R> __global__ void __launch_bounds__(CHOOSE_THREADS) choose_kernel(merged_halves p) {
  R *shared = tg_shared<R>(), largest = 0;
  const merge_arrays<R> a(p);
  const R coupling = *static_cast<const R *>(p.coupling), rho = 2 * magnitude(coupling);
  make_z(p, a, coupling);
  sort_columns(p, a);
  __syncthreads();
  gather_sorted(p, a);
  for (int64_t j = threadIdx.x; j < p.n; j += CHOOSE_THREADS) {
    if (magnitude(a.d[j]) > largest) largest = magnitude(a.d[j]);
    if (magnitude(a.z[j]) > largest) largest = magnitude(a.z[j]);
  }
  largest = block_largest<CHOOSE_THREADS>(largest, shared);
  if (threadIdx.x == 0) {
    typename secular<R>::deflation o = {p.n,    a.sorted_d, a.sorted_z, NULL,   a.at, a.kind,
                                        a.left, a.right,    a.cosine,   a.sine, 0,    0};
    secular<R>::choose(&o, rho, largest);
    *a.kept = o.kept, *a.rotations = o.rotations;
  }
  __syncthreads();
  collect(p, a, rho, shared);
}

/* ------------------------------------------------------------------------------------------------------ roots -- */

/* The sum over the lanes of a warp, the same bits in each. */
template <class R> __device__ static R warp_sum(R x) {
  const int lane = static_cast<int>(threadIdx.x) % tg_warp();
  for (int step = 1; step < tg_warp(); step *= 2) x += tg_shuffle(x, lane ^ step);
  return x;
}

/* The poles from `first` to `end`, at origin + tau. */
template <class R>
__device__ static typename secular<R>::sums add_poles(const merge_arrays<R> &a, int64_t first, int64_t end, R origin,
                                                      R tau) {
  typename secular<R>::sums s = {0, 0};
  for (int64_t i = first + threadIdx.x % tg_warp(); i < end; i += tg_warp()) {
    const R t = a.kept_z[i] / ((a.kept_d[i] - origin) - tau);
    s.value += a.kept_z[i] * t, s.slope += t * t;
  }
  return {warp_sum(s.value), warp_sum(s.slope)};
}

template <class R> __device__ static typename secular<R>::search begin_search(const merge_arrays<R> &a, int64_t p) {
  if (p == *a.kept - 1) return secular<R>::begin_last(p, *a.rho);
  const R gap = a.kept_d[p + 1] - a.kept_d[p];
  const R f = 1 / *a.rho + add_poles<R>(a, 0, *a.kept, a.kept_d[p], gap / 2).value;
  return secular<R>::begin_between(p, gap, f, a.kept_z[p], a.kept_z[p + 1]);
}

/* A warp finds root p, and writes its distances from the poles. */
template <class R> __device__ static void find_root(const merged_halves &task, const merge_arrays<R> &a, int64_t p) {
  const int64_t kept = *a.kept;
  R *distances = static_cast<R *>(task.distances) + p * task.ld_distances;
  typename secular<R>::search s = {0, 0, 0, true, 0, *a.rho, *a.rho};
  if (kept > 1) {
    s = begin_search(a, p);
    bool done = false;
    for (int i = 0; i < secular<R>::most_steps && !done; i++) {
      const R origin = a.kept_d[s.origin];
      const auto psi = add_poles<R>(a, 0, s.left + 1, origin, s.tau);
      const auto phi = add_poles<R>(a, s.left + 1, kept, origin, s.tau);
      done = secular<R>::advance(&s, 1 / *a.rho, psi, phi, a.kept_d[s.left] - origin, a.kept_d[s.right] - origin);
    }
  }
  const R origin = a.kept_d[s.origin];
  for (int64_t i = threadIdx.x % tg_warp(); i < kept; i += tg_warp()) distances[i] = (a.kept_d[i] - origin) - s.tau;
  if (threadIdx.x % tg_warp() == 0) a.values[p] = origin + s.tau;
}

template <class R> __global__ void __launch_bounds__(ROOT_THREADS) roots_kernel(merged_halves task) {
  const merge_arrays<R> a(task);
  const int64_t warps = ROOT_THREADS / tg_warp(), p = blockIdx.x * warps + threadIdx.x / tg_warp();
  if (p < *a.kept) find_root(task, a, p);
}

/* ---------------------------------------------------------------------------------------------------- vectors -- */

/* The z to which the roots belong exactly: z_i² = Π_p (λ_p - d_i) / Π_(p≠i) (d_p - d_i). A few threads, of different
 * warps, share an element: each multiplies a part of the factors. */
template <class R> __global__ void __launch_bounds__(Z_THREADS) exact_z_kernel(merged_halves task) {
  enum { parts = Z_THREADS / Z_ELEMENTS };
  const merge_arrays<R> a(task);
  R *shared = tg_shared<R>();
  const R *distances = static_cast<const R *>(task.distances);
  const int t = static_cast<int>(threadIdx.x), part = t / Z_ELEMENTS;
  const int64_t kept = *a.kept, i = static_cast<int64_t>(blockIdx.x) * Z_ELEMENTS + t % Z_ELEMENTS;
  R square = part == 0 && i < kept ? -distances[i + i * task.ld_distances] : R(1);
  for (int64_t p = part; p < kept && i < kept; p += parts)
    if (p != i) square *= distances[i + p * task.ld_distances] / (a.kept_d[i] - a.kept_d[p]);
  shared[t] = square;
  __syncthreads();
  if (part > 0 || i >= kept) return;
  for (int q = 1; q < parts; q++) square *= shared[t + q * Z_ELEMENTS];
  const R size = square > 0 ? static_cast<R>(sqrt(static_cast<double>(square))) : 0;
  a.exact_z[i] = a.kept_z[i] < 0 ? -size : size;
}

/* A block makes a column of the small problem's vectors. */
template <class R> __global__ void __launch_bounds__(VECTOR_THREADS) vectors_kernel(merged_halves task) {
  const merge_arrays<R> a(task);
  const int64_t p = blockIdx.x, kept = *a.kept;
  const R *distances = static_cast<const R *>(task.distances) + p * task.ld_distances;
  R *column = static_cast<R *>(task.small) + p * task.n, square = 0;
  if (p >= kept) {
    if (threadIdx.x == 0) column[a.at[p]] = 1;
    return;
  }
  for (int64_t i = threadIdx.x; i < kept; i += VECTOR_THREADS) {
    const R x = a.exact_z[i] / distances[i];
    square += x * x;
  }
  square = block_sum<VECTOR_THREADS>(square, tg_shared<R>());
  const R length = static_cast<R>(sqrt(static_cast<double>(square)));
  for (int64_t i = threadIdx.x; i < kept; i += VECTOR_THREADS) column[a.at[i]] = a.exact_z[i] / distances[i] / length;
}

/* Applies the rotations to the rows of the small problem's vectors, the last one first, and stores the values and their
 * order. A thread has a column. */
template <class R> __global__ void __launch_bounds__(VECTOR_THREADS) rotations_kernel(merged_halves task) {
  const merge_arrays<R> a(task);
  const int64_t p = static_cast<int64_t>(blockIdx.x) * VECTOR_THREADS + threadIdx.x;
  if (p >= task.n) return;
  R *column = static_cast<R *>(task.small) + p * task.n;
  for (int64_t i = *a.rotations - 1; i >= 0; i--) {
    const R left = column[a.left[i]], right = column[a.right[i]];
    column[a.left[i]] = a.cosine[i] * left + a.sine[i] * right;
    column[a.right[i]] = a.cosine[i] * right - a.sine[i] * left;
  }
  a.d[p] = a.values[p];
  task.order[p] = p; /* where NaN leave a rank empty */
}

/* The rank of each value: how many come before it. */
template <class R> __global__ void __launch_bounds__(VECTOR_THREADS) ranks_kernel(merged_halves task) {
  const merge_arrays<R> a(task);
  const int64_t p = static_cast<int64_t>(blockIdx.x) * VECTOR_THREADS + threadIdx.x;
  if (p >= task.n) return;
  const R x = sort_key(a.values[p]);
  int64_t rank = 0;
  for (int64_t i = 0; i < task.n; i++) {
    const R other = sort_key(a.values[i]);
    rank += other < x || (other == x && i < p);
  }
  task.order[rank] = p;
}

template <class R> static cudaError_t launch(queue q, const merged_halves &p) {
  const int64_t warps = ROOT_THREADS / WIDEST_WARP, parts = (p.n + VECTOR_THREADS - 1) / VECTOR_THREADS;
  cudaError_t error = cudaMemsetAsync(p.small, 0, static_cast<size_t>(p.n * p.n) * sizeof(R), q.stream);
  auto add = [&](const auto &row, int64_t blocks, int threads) {
    if (error == cudaSuccess) error = launch_kernel(q, row, blocks, threads, p);
  };
  add(registered<choose_kernel<R>, CHOOSE_THREADS * sizeof(R)>(), 1, CHOOSE_THREADS);
  add(registered<roots_kernel<R>>(), (p.n + warps - 1) / warps, ROOT_THREADS);
  add(registered<exact_z_kernel<R>, Z_THREADS * sizeof(R)>(), (p.n + Z_ELEMENTS - 1) / Z_ELEMENTS, Z_THREADS);
  add(registered<vectors_kernel<R>, VECTOR_THREADS * sizeof(R)>(), p.n, VECTOR_THREADS);
  add(registered<rotations_kernel<R>>(), parts, VECTOR_THREADS);
  add(registered<ranks_kernel<R>>(), parts, VECTOR_THREADS);
  return error;
}

cudaError_t launch_merge_halves(queue q, trigon_type type, const merged_halves *p) {
  return with_type(type, [&](auto zero) { return launch<real_of<decltype(zero)>>(q, *p); });
}
