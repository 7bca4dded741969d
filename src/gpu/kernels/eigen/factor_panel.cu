/* factor_panel.cu - kernels that factor a panel of few columns, X = Q·R, by Householder reflectors.
 *
 * If the panel fits one cluster of blocks, there is one launch (panel_cluster.cu). Otherwise there is one launch a
 * column. A thread has a row. A launch applies the reflector of the column before, whose scalars come from sums that
 * the launch before has left, and leaves sums of its own column with all columns behind it:
 *
 *     vᴴ·x_i = pivot row(i) + Σ conj(x_j)·x_i / conj(pivot), over the rows below the pivot row
 *
 * The pivot row is copied, because its block of threads changes it while others read it. */
#include "gpu/kernels/launch.h"
#include "householder.h"
#include "panel_elements.h"

struct panel_step {
  factored_panel of;
  int column, reflectors;
};

/* The memory of the launches: sums of each block of threads, for even and odd columns, and pivot rows. */
template <class T> struct panel_work {
  T *sums[2], *pivots;
  int64_t blocks;

  __device__ explicit panel_work(const factored_panel &p) {
    blocks = (p.of.m + panel_rows - 1) / panel_rows;
    sums[0] = static_cast<T *>(p.work), sums[1] = sums[0] + blocks * band_width;
    pivots = sums[1] + blocks * band_width;
  }
};

enum { SUM_PARTS = panel_rows / band_width };

template <class T> struct panel_shared {
  union {
    T of_warps[panel_rows / TG_LEAST_WARP][band_width];
    T of_parts[SUM_PARTS][band_width];
  };
  T all[band_width], pivots[band_width], w[band_width];
};

/* The sums of column j over all blocks of threads: each thread adds a part of those of one column. */
template <class T> __device__ static void add_blocks(const T *sums, int64_t blocks, panel_shared<T> &shared) {
  const int t = static_cast<int>(threadIdx.x), i = t % band_width, part = t / band_width;
  T sum = {};
#pragma unroll 4
  for (int64_t b = part; b < blocks; b += SUM_PARTS) sum = add(sum, sums[b * band_width + i]);
  shared.of_parts[part][i] = sum;
  __syncthreads();
  if (t < band_width) {
    sum = T{};
    for (int q = 0; q < SUM_PARTS; q++) sum = add(sum, shared.of_parts[q][t]);
    shared.all[t] = sum;
  }
  __syncthreads();
}

/* A lane gives one half of its numbers away, and adds what it gets to the other half. */
template <int HALF, class T> __device__ static void add_halves(T (&x)[band_width]) {
  const int lane = static_cast<int>(threadIdx.x) % tg_warp();
  const bool upper = lane & HALF;
#pragma unroll
  for (int i = 0; i < HALF; i++) {
    const T given = upper ? x[i] : x[i + HALF], kept = upper ? x[i + HALF] : x[i];
    x[i] = add(kept, shuffle(given, lane ^ HALF));
  }
  if constexpr (HALF > 1) add_halves<HALF / 2>(x);
}

/* Sums x[i] over the lanes of a warp, for each i. Lane l returns the sum of x[l % band_width]. */
template <class T> __device__ static T warp_sums(T (&x)[band_width]) {
  const int lane = static_cast<int>(threadIdx.x) % tg_warp();
  add_halves<band_width / 2>(x);
  for (int step = band_width; step < tg_warp(); step *= 2) x[0] = add(x[0], shuffle(x[0], lane ^ step));
  return x[0];
}

/* Applies the reflector of column j to a row, and stores the row. */
template <class T>
__device__ static void apply_reflector(const panel_step &p, panel_shared<T> &shared, T (&x)[band_width], int64_t row,
                                       int j) {
  const panel_work<T> work(p.of);
  const int t = static_cast<int>(threadIdx.x), cols = p.of.of.cols;
  if (t < band_width) shared.pivots[t] = t >= j && t < cols ? work.pivots[j * band_width + t] : T{};
  add_blocks(work.sums[j % 2], work.blocks, shared);
  const householder<T> h(shared.pivots[j], real(shared.all[j]));
  const T inverse = h.factor_of_rest();
  if (t < band_width) shared.w[t] = add(shared.pivots[t], multiply(shared.all[t], conjugate(inverse)));
  if (blockIdx.x == 0 && t == 0) {
    T *const tau = static_cast<T *>(p.of.taus) + j;
    tau[0] = h.tau, tau[p.of.ld_taus] = h.inverse();
  }
  __syncthreads();
  T own = {};
#pragma unroll
  for (int i = 0; i < band_width; i++) own = i == j ? x[i] : own;
  const T v = row < j ? T{} : row == j ? one<T>() : multiply(own, inverse), left = multiply(conjugate(h.tau), v);
  const bool is_stored = row >= j && row < p.of.of.m;
#pragma unroll
  for (int i = 0; i < band_width; i++) {
    x[i] = i > j ? subtract(x[i], multiply(left, shared.w[i])) : x[i];
    if (is_stored && i > j && i < cols) store_element(p.of.of, row, i, x[i]);
  }
  if (is_stored) store_element(p.of.of, row, j, row == j ? make(T{}, h.end, real_of<T>(0)) : v);
}

/* Leaves the sums of column j with the columns from j on, and the pivot row. */
template <class T>
__device__ static void leave_sums(const panel_step &p, panel_shared<T> &shared, const T (&x)[band_width], int64_t row,
                                  int j) {
  const panel_work<T> work(p.of);
  const int t = static_cast<int>(threadIdx.x), lane = t % tg_warp();
  T mine = {}, products[band_width];
#pragma unroll
  for (int i = 0; i < band_width; i++) mine = i == j && row > j && row < p.of.of.m ? conjugate(x[i]) : mine;
#pragma unroll
  for (int i = 0; i < band_width; i++) products[i] = i >= j ? multiply(mine, x[i]) : T{};
  const T sum = warp_sums(products);
  if (lane < band_width) shared.of_warps[t / tg_warp()][lane] = sum;
  if (row == j)
#pragma unroll
    for (int i = 0; i < band_width; i++) work.pivots[j * band_width + i] = x[i];
  __syncthreads();
  if (t >= band_width) return;
  T all = {};
  for (int w = 0; w < panel_rows / tg_warp(); w++) all = add(all, shared.of_warps[w][t]);
  work.sums[j % 2][blockIdx.x * band_width + t] = all;
}

template <class T> __global__ void __launch_bounds__(panel_rows) panel_step_kernel(panel_step p) {
  panel_shared<T> &shared = *tg_shared<panel_shared<T>>();
  const int64_t row = static_cast<int64_t>(blockIdx.x) * panel_rows + threadIdx.x;
  const int j = p.column, first = j > 0 ? j - 1 : 0;
  T x[band_width];
#pragma unroll
  for (int i = 0; i < band_width; i++)
    x[i] = row < p.of.of.m && i >= first && i < p.of.of.cols ? load_element<T>(p.of.of, row, i) : T{};
  if (j > 0) apply_reflector(p, shared, x, row, j - 1);
  if (j < p.reflectors) leave_sums(p, shared, x, row, j);
}

cudaError_t launch_factor_panel(queue q, trigon_type type, const factored_panel *p) {
  const int64_t blocks = (p->of.m + panel_rows - 1) / panel_rows;
  const int reflectors = p->of.m < p->of.cols ? static_cast<int>(p->of.m) : p->of.cols;
  copied_panel copy = {p->of, p->ld_v, p->V};
  copy.of.cols = reflectors;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    bool done = false;
    cudaError_t error = launch_panel_cluster<T>(q, *p, &done);
    if (done) return error;
    for (int j = 0; j <= reflectors && error == cudaSuccess; j++)
      error = launch_kernel(q, registered<panel_step_kernel<T>, sizeof(panel_shared<T>)>(), blocks, panel_rows,
                            panel_step{*p, j, reflectors});
    return error == cudaSuccess ? launch_copy_panel(q, type, &copy) : error;
  });
}

template <class T> __global__ void __launch_bounds__(panel_rows) copy_panel_kernel(copied_panel p) {
  const int64_t parts = (p.of.m + panel_rows - 1) / panel_rows, j = blockIdx.x / parts;
  const int64_t row = blockIdx.x % parts * panel_rows + threadIdx.x;
  if (row >= p.of.m) return;
  static_cast<T *>(p.to)[row + j * p.ld] = row < j ? T{} : row == j ? one<T>() : load_element<T>(p.of, row, j);
}

cudaError_t launch_copy_panel(queue q, trigon_type type, const copied_panel *p) {
  const int64_t blocks = (p->of.m + panel_rows - 1) / panel_rows * p->of.cols;
  return with_type(type, [&](auto zero) {
    return launch_kernel(q, registered<copy_panel_kernel<decltype(zero)>>(), blocks, panel_rows, *p);
  });
}
