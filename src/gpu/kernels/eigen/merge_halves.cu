/* merge_halves.cu - the kernels of a merge of divide and conquer, behind those that choose its columns: roots of the
 * secular equation, vectors of the small problem. The mathematics is in common/eigen. A launch serves all merges of a
 * level.
 *
 * The host does not know how many columns are kept. So the small problem has all n columns: those that are deflated are
 * columns of the identity, and the rotations are applied to its rows instead of the halves' columns. Its columns come
 * in ascending order of the values, so that the host knows where those of a part of the spectrum are. */
#include "block_sum.h"
#include "gpu/kernels/launch.h"
#include "merge_arrays.h"
#include "secular_functions.h"

enum {
  ROOT_THREADS = TG_TILE(64, 128),
  VECTOR_THREADS = TG_TILE(32, 128),
  Z_THREADS = TG_TILE(64, 256),
  Z_ELEMENTS = 32, /* of a block: their distances are neighbours */
  WIDEST_WARP = 64 /* with narrower ones, blocks without work end at once */
};

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
template <class R> __device__ static void find_root(const merge_arrays<R> &a, int64_t p, R *distances) {
  const int64_t kept = *a.kept;
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

template <class R> __global__ void __launch_bounds__(ROOT_THREADS) roots_kernel(merged_level task) {
  const int64_t blocks = blocks_of_merge(task, ROOT_THREADS / WIDEST_WARP), warps = ROOT_THREADS / tg_warp();
  const merge_arrays<R> a(task, blockIdx.x / blocks);
  const int64_t p = blockIdx.x % blocks * warps + threadIdx.x / tg_warp();
  if (p < *a.kept) find_root(a, p, a.distances + p * task.ld_distances);
}

/* ---------------------------------------------------------------------------------------------------- vectors -- */

/* A part of the factors of an element of z: see z_kernel. */
template <class R>
__device__ static R multiply_factors(const merge_arrays<R> &a, int64_t ld, int64_t i, int64_t part, int64_t parts) {
  R square = part == 0 ? -a.distances[i + i * ld] : R(1);
  for (int64_t p = part; p < *a.kept; p += parts)
    if (p != i) square *= a.distances[i + p * ld] / (a.kept_d[i] - a.kept_d[p]);
  return square;
}

/* How many values of a part come before value i. */
template <class R>
__device__ static int64_t count_before(const merge_arrays<R> &a, int64_t i, int64_t part, int64_t parts) {
  const R x = sort_key(a.values[i]);
  int64_t before = 0;
  for (int64_t p = part; p < a.n; p += parts) {
    const R other = sort_key(a.values[p]);
    before += other < x || (other == x && p < i);
  }
  return before;
}

/* The z to which the roots belong exactly: z_i² = Π_p (λ_p - d_i) / Π_(p≠i) (d_p - d_i); and the place of each value in
 * ascending order. A few threads, of different warps, share an element. */
template <class R> __global__ void __launch_bounds__(Z_THREADS) z_kernel(merged_level task) {
  enum { parts = Z_THREADS / Z_ELEMENTS };
  const int64_t blocks = blocks_of_merge(task, Z_ELEMENTS);
  const merge_arrays<R> a(task, blockIdx.x / blocks);
  int64_t *counts = tg_shared<int64_t>();
  R *squares = reinterpret_cast<R *>(counts + Z_THREADS);
  const int t = static_cast<int>(threadIdx.x), part = t / Z_ELEMENTS;
  const int64_t kept = *a.kept, i = blockIdx.x % blocks * Z_ELEMENTS + t % Z_ELEMENTS;
  counts[t] = i < a.n ? count_before(a, i, part, parts) : 0;
  squares[t] = i < kept ? multiply_factors(a, task.ld_distances, i, part, parts) : R(1);
  __syncthreads();
  if (part > 0 || i >= a.n) return;
  for (int q = 1; q < parts; q++) counts[t] += counts[t + q * Z_ELEMENTS], squares[t] *= squares[t + q * Z_ELEMENTS];
  a.ascending[counts[t]] = i;
  const R size = squares[t] > 0 ? static_cast<R>(sqrt(static_cast<double>(squares[t]))) : 0;
  if (i < kept) a.exact_z[i] = a.kept_z[i] < 0 ? -size : size;
}

/* Applies the rotations to the rows of a column, the last one first. A thread takes rotations that follow each other:
 * the right column of one is the left column of the next one. All others have other columns. */
template <class R> __device__ static void rotate_rows(const merge_arrays<R> &a, R *column) {
  const int64_t rotations = *a.rotations;
  for (int64_t end = threadIdx.x; end < rotations; end += VECTOR_THREADS) {
    if (end + 1 < rotations && a.right[end] == a.left[end + 1]) continue;
    for (int64_t i = end; i == end || (i >= 0 && a.right[i] == a.left[i + 1]); i--) {
      const R left = column[a.left[i]], right = column[a.right[i]];
      column[a.left[i]] = a.cosine[i] * left + a.sine[i] * right;
      column[a.right[i]] = a.cosine[i] * right - a.sine[i] * left;
    }
  }
}

/* A block makes the vector of root or deflated value p. */
template <class R>
__device__ static void make_vector(const merge_arrays<R> &a, int64_t p, const R *distances, R *column) {
  const int64_t kept = *a.kept;
  R square = 0;
  for (int64_t i = threadIdx.x; i < kept && p < kept; i += VECTOR_THREADS) {
    const R x = a.exact_z[i] / distances[i];
    square += x * x;
  }
  square = block_sum<VECTOR_THREADS>(square, tg_shared<R>());
  const R length = static_cast<R>(sqrt(static_cast<double>(square)));
  for (int64_t i = threadIdx.x; i < a.n; i += VECTOR_THREADS)
    column[a.at[i]] = p >= kept ? R(i == p) : i < kept ? a.exact_z[i] / distances[i] / length : R(0);
  __syncthreads();
  rotate_rows(a, column);
}

/* A block takes the value at a place in ascending order, and makes its vector if it is wanted. */
template <class R> __global__ void __launch_bounds__(VECTOR_THREADS) vectors_kernel(merged_level task) {
  const int64_t blocks = blocks_of_merge(task, 1), place = blockIdx.x % blocks, column = place - task.first;
  const merge_arrays<R> a(task, blockIdx.x / blocks);
  if (place >= a.n) return;
  const int64_t p = a.ascending[place];
  if (column >= 0 && column < task.columns)
    make_vector(a, p, a.distances + p * task.ld_distances, a.small + column * task.ld_small);
  if (threadIdx.x == 0) a.d[place] = a.values[p], a.order[place] = place;
}

template <class R> static cudaError_t launch(queue q, const merged_level &p) {
  cudaError_t error = cudaSuccess;
  auto add = [&](const auto &row, int64_t rows_of_block, int threads) {
    if (error == cudaSuccess) error = launch_kernel(q, row, blocks_of_merge(p, rows_of_block) << p.level, threads, p);
  };
  add(registered<roots_kernel<R>>(), ROOT_THREADS / WIDEST_WARP, ROOT_THREADS);
  add(registered<z_kernel<R>, Z_THREADS *(sizeof(int64_t) + sizeof(R))>(), Z_ELEMENTS, Z_THREADS);
  add(registered<vectors_kernel<R>, VECTOR_THREADS * sizeof(R)>(), 1, VECTOR_THREADS);
  return error;
}

cudaError_t launch_merge_halves(queue q, trigon_type type, const merged_level *p) {
  return with_type(type, [&](auto zero) { return launch<real_of<decltype(zero)>>(q, *p); });
}
