/* probe_tiles.cu - computes a few elements of an emulated product ahead (fp64/int8/probe.h), by a block of threads for
 * each tile that is probed. A thread has every PROBE_THREADS-th term.
 *
 * On an H200 64 blocks read 8 lines each: for m = n = k = 4096 these are 17 MB, most of them from the L2 cache. This
 * takes 20 us, and 35 if all tiles fail, so that the grains are found, too (ncu). */
#include "fp64/int8/probe.h"
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"

enum { PROBE_THREADS = TG_TILE(16, 512) };

/* Calls join(x, other) until each thread's x is what all threads have. `shared` has room for half of the threads. */
template <class X, class Join> __device__ static void join_threads(X *shared, X &mine, Join join) {
  const unsigned thread = threadIdx.x;
  for (unsigned half = PROBE_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (thread >= half && thread < 2 * half) shared[thread - half] = mine;
    __syncthreads();
    if (thread < half) join(mine, shared[thread]);
  }
  __syncthreads();
  if (thread == 0) shared[0] = mine;
  __syncthreads();
  mine = shared[0];
}

/* The lines of a tile, from `first` on. PLAIN: of real doubles. */
template <bool PLAIN> struct probed_lines {
  const line_set &x;
  int64_t line[probe_lines];

  __device__ probed_lines(const line_set &set, int64_t first) : x(set) {
#pragma unroll
    for (int i = 0; i < probe_lines; i++) line[i] = probed_line(&x, first, i);
  }
  __device__ void load(double (&a)[probe_lines], int64_t l) const {
#pragma unroll
    for (int i = 0; i < probe_lines; i++)
      a[i] = PLAIN ? static_cast<const double *>(x.data)[line[i] * x.line_step + l * x.term_step]
                   : element_of_line(&x, line[i], l);
  }
};

struct probed_grains {
  int32_t of_row[probe_lines], of_col[probe_lines];
};

template <class Lines> __device__ static probed_grains grains_of(const Lines &A, const Lines &B, int64_t k) {
  probed_grains g;
  for (int i = 0; i < probe_lines; i++) g.of_row[i] = g.of_col[i] = no_grain;
  for (int64_t l = threadIdx.x; l < k; l += PROBE_THREADS) {
    double a[probe_lines], b[probe_lines];
    A.load(a, l), B.load(b, l);
    for (int i = 0; i < probe_lines; i++)
      g.of_row[i] = finer_grain(g.of_row[i], a[i]), g.of_col[i] = finer_grain(g.of_col[i], b[i]);
  }
  return g;
}

/* Whether the tile that begins at (row, col) fails. All threads of the block come here, and all of them know. */
template <bool PLAIN> __device__ static bool fails(const emulation &e, int64_t row, int64_t col) {
  const probed_lines<PLAIN> A(e.A, row), B(e.same_lines ? e.A : e.B, col);
  tile_probe mine;
  clear_probe(&mine);
#pragma unroll 2
  for (int64_t l = threadIdx.x; l < e.k; l += PROBE_THREADS) {
    double a[probe_lines], b[probe_lines];
    A.load(a, l), B.load(b, l);
    probe_term(&mine, a, b);
  }
  join_threads(tg_shared<tile_probe>(), mine, [](tile_probe &p, const tile_probe &more) { join_probes(&p, &more); });
  if (!tile_fails(&e, &mine)) return false;
  probed_grains grains = grains_of(A, B, e.k);
  join_threads(tg_shared<probed_grains>(), grains, [](probed_grains &g, const probed_grains &more) {
    for (int i = 0; i < probe_lines; i++) {
      g.of_row[i] = more.of_row[i] < g.of_row[i] ? more.of_row[i] : g.of_row[i];
      g.of_col[i] = more.of_col[i] < g.of_col[i] ? more.of_col[i] : g.of_col[i];
    }
  });
  for (int i = 0; i < probe_lines; i++) mine.rows[i].grain = grains.of_row[i], mine.cols[i].grain = grains.of_col[i];
  return tile_fails(&e, &mine);
}

template <bool PLAIN> __global__ static void __launch_bounds__(PROBE_THREADS) probe_tiles_kernel(emulation e) {
  const int64_t down = e.B.across, probes_down = probes_of(down);
  const int64_t row = probed_tile(blockIdx.x % probes_down, down),
                col = probed_tile(blockIdx.x / probes_down, e.A.across);
  if (!computes_tile(&e, row, col)) return;
  const bool failed = fails<PLAIN>(e, row * fp64_tile, col * fp64_tile);
  if (threadIdx.x > 0) return;
  tg_atomic_add(&e.probes->all, 1ull);
  if (failed) tg_atomic_add(&e.probes->unproved, 1ull);
}

static bool is_plain_set(const line_set &x) { return x.form == LINES_REAL && !x.single; }

cudaError_t launch_probe_tiles(queue q, const emulation *e) {
  constexpr size_t shared = PROBE_THREADS / 2 * sizeof(tile_probe);
  const auto &k = is_plain_set(e->A) && is_plain_set(e->B) ? registered<probe_tiles_kernel<true>, shared>()
                                                           : registered<probe_tiles_kernel<false>, shared>();
  return launch_kernel(q, k, probes_of(e->A.across) * probes_of(e->B.across), PROBE_THREADS, *e);
}
