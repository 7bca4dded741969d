/* find_lines.cu - statistics of the lines of an emulated product, and the ceilings of its elements.
 *
 * Launches, because a line's scale must be known before anything is added up at this scale:
 *
 *   probe_tiles    whether the rest is worth while, from a few elements (probe_tiles.cu); the guaranteed grade alone
 *   find_largest   the largest elements, the grains, and how many elements are not zero: reads all elements
 *   find_cuts      what is cut off, from samples; the guaranteed grade alone
 *   add_elements   sums of ceilings and squares, and the ceilings' planes: reads all elements once more, the last ones
 *                  first, because these may still be in the L2 cache
 *   finish_lines   the statistics
 *
 * Tiles take any number of terms of a line, and add to the line's totals by atomic operations on integers. So the work
 * is spread evenly whatever the shape is, and neighbouring blocks read neighbouring memory.
 *
 * For m = n = k = 8192 an H200 reads 2 x 1.07 GB and writes 0.13 GB: 0.54 ms at 4.2 TB/s. A thread has 25 and 43
 * instructions for each element: 0.12 and 0.20 ms if every slot is used, which the loads of other blocks cover. The
 * samples of an operand whose terms are neighbours are sectors of 34 MB: 0.01 ms. With three gaps between launches that
 * is 0.57 ms, and 0.15 ms for 4096. */
#include <initializer_list>

#include "gpu/kernels/launch.h"
#include "line_tile.h"
#include "residue_divisor.h"

/* With what a plane of residues has behind the last line and the last term. */
static __host__ __device__ line_extent padded(const line_set &x, int64_t k) {
  return {(x.count + residue_lines - 1) / residue_lines * residue_lines, residue_blocks(k) * residue_terms};
}

/* A block of threads for each tile. The number of tiles may be above what one launch can have; so there is no loop in
 * the kernels, whose state would need registers. */
struct tile_task {
  emulation e;
  tile_map A, B;
  int64_t first; /* tile of the launch */
};

/* Calls what(x, tile) for a tile of the task. The tiles of B follow those of A. */
template <class What> __device__ static void with_tile(const tile_task &t, int64_t at, What what) {
  const bool first = at < t.A.tiles;
  const line_set &x = first ? t.e.A : t.e.B;
  const tile_map &map = first ? t.A : t.B;
  const unsigned number = static_cast<unsigned>(first ? at : at - t.A.tiles);
  if (x.term_step == 1)
    what(x, tile_at<true>(map, number));
  else
    what(x, tile_at<false>(map, number));
}

/* --------------------------------------------------------------------------------------------- largest elements -- */

struct magnitude_part {
  unsigned long long largest;
  unsigned nonzeros, grain; /* as in line_totals */
};

/* How far the exponent of the last one of |x| is below no_grain; 0 if x is 0. `bits` are those of |x|. LOW: the lower
 * word is not 0. */
template <bool LOW> __device__ static unsigned grain_below(unsigned long long bits) {
  const unsigned low = static_cast<unsigned>(bits), high = static_cast<unsigned>(bits >> 32), biased = high >> 20;
  const int zeros = LOW || low ? trailing_zeros(low) : 32 + trailing_zeros(high | 1u << 20);
  return LOW || bits ? static_cast<unsigned>(no_grain + 1075 - zeros) - (biased ? biased : 1) : 0;
}

struct word_bounds {
  unsigned high, low; /* the largest upper word, and the least lower word: most doubles have one that is not 0 */
};

__device__ static unsigned upper_word(double a) { return static_cast<unsigned>(bits_of(a) >> 32); }
__device__ static unsigned lower_word(double a) { return static_cast<unsigned>(bits_of(a)); }

__device__ static word_bounds bounds_of(const double (&a)[HELD]) {
  word_bounds b = {0, UINT32_MAX};
#pragma unroll
  for (int i = 0; i < HELD; i++) {
    const unsigned high = upper_word(a[i]), low = lower_word(a[i]);
    b.high = high > b.high ? high : b.high, b.low = low < b.low ? low : b.low;
  }
  return b;
}

template <bool LOW> __device__ static magnitude_part part_of(const double (&a)[HELD], unsigned largest_high) {
  magnitude_part p = {0, 0, 0};
  unsigned largest_low = 0;
#pragma unroll
  for (int i = 0; i < HELD; i++) {
    const unsigned grain = grain_below<LOW>(bits_of(a[i])), low = lower_word(a[i]);
    if (upper_word(a[i]) == largest_high && low > largest_low) largest_low = low;
    p.grain = grain > p.grain ? grain : p.grain, p.nonzeros += LOW || a[i] != 0;
  }
  p.largest = static_cast<unsigned long long>(largest_high) << 32 | largest_low;
  return p;
}

template <bool REAL, class Tile>
__device__ static void find_tile_largest(const emulation &e, const line_set &x, const Tile &at, magnitude_part *parts) {
  double a[HELD];
  load_tile<REAL>(a, x, at, e.k);
#pragma unroll
  for (int i = 0; i < HELD; i++) a[i] = fabs(a[i]);
  word_bounds bounds = bounds_of(a);
  if (bounds.high >= 2047u << 20) {
    drop_infinite(a), bounds = bounds_of(a);
    tg_atomic_max(&x.totals[at.line].infinite, 1u);
  }
  magnitude_part part = bounds.low ? part_of<true>(a, bounds.high) : part_of<false>(a, bounds.high);
  at.mine(parts) = part;
  at.fold(parts, [](magnitude_part &p, const magnitude_part &more) {
    p.largest = more.largest > p.largest ? more.largest : p.largest;
    p.grain = more.grain > p.grain ? more.grain : p.grain, p.nonzeros += more.nonzeros;
  });
  part = at.mine(parts);
  if (at.part > 0 || !part.nonzeros) return;
  line_totals &all = x.totals[at.line];
  tg_atomic_max(&all.largest, part.largest), tg_atomic_max(&all.grain, part.grain);
  tg_atomic_add(&all.nonzeros, static_cast<unsigned long long>(part.nonzeros));
}

template <bool REAL>
__global__ static void __launch_bounds__(TILE_THREADS, REAL ? 8 : 4) find_largest_kernel(tile_task t) {
  magnitude_part *const parts = tg_shared<magnitude_part>();
  if (is_hopeless(&t.e)) return;
  with_tile(t, t.first + blockIdx.x,
            [&](const line_set &x, const auto &at) { find_tile_largest<REAL>(t.e, x, at, parts); });
}

/* -------------------------------------------------------------------------------------------------------- cuts -- */

__device__ static double largest_of(const line_totals &all) {
  const unsigned long long bits = all.largest; /* a copy of the member itself would be a copy byte by byte */
  double largest;
  memcpy(&largest, &bits, sizeof largest);
  return largest;
}

/* The samples of a line, by the threads that have a part of it. */
template <class Tile>
__device__ static void find_cut(const emulation &e, const line_set &x, const Tile &at, line_sample *samples) {
  enum { MINE = (line_samples + Tile::PARTS - 1) / Tile::PARTS };
  const bool exists = at.line < x.count;
  const line_scale scale = scale_of_line(&e, exists ? largest_of(x.totals[at.line]) : 0);
  const int64_t step = sample_step(&e);
  double a[MINE];
  with_reader(x, at.line, [&](auto read) {
#pragma unroll
    for (int i = 0; i < MINE; i++) {
      const int64_t term = (at.part + i * Tile::PARTS) * step;
      a[i] = exists && term < e.k ? read(term) : 0;
    }
  });
  line_sample sample = {0, 0};
#pragma unroll
  for (int i = 0; i < MINE; i++) add_sample(&sample, a[i], fine_power(&scale));
  at.mine(samples) = sample;
  at.fold(samples, [](line_sample &s, const line_sample &more) { s.logs += more.logs, s.count += more.count; });
  if (at.part == 0 && exists) x.totals[at.line].cut = cut_for(&at.mine(samples), e.bits);
}

__global__ static void __launch_bounds__(TILE_THREADS) find_cuts_kernel(tile_task t) {
  line_sample *const samples = tg_shared<line_sample>();
  if (is_hopeless(&t.e)) return;
  with_tile(t, t.first + blockIdx.x, [&](const line_set &x, const auto &at) { find_cut(t.e, x, at, samples); });
}

/* -------------------------------------------------------------------------------------------------------- sums -- */

struct sums_part {
  unsigned long long squares, excess_squares, ceilings;
};

template <bool REAL, class Tile>
__device__ static void add_tile(const emulation &e, const line_set &x, const Tile &at, sums_part *parts) {
  double a[HELD];
  load_tile<REAL>(a, x, at, e.k);
  line_scale scale = scale_of_line(&e, 0);
  if (at.line < x.count) {
    const line_totals &all = x.totals[at.line];
    if (all.infinite) drop_infinite(a);
    scale = scale_of_line(&e, largest_of(all)), scale.cut = all.cut;
  }
  const split_power fine_scale = fine_power(&scale);
  const unsigned limit = excess_limit(&scale);
  unsigned ceiling[HELD], ceilings = 0;
  sums_part part = {0, 0, 0};
#pragma unroll
  for (int i = 0; i < HELD; i++) {
    const unsigned fine = ceiling_integer(a[i], fine_scale), excess = (fine > limit ? fine : limit) - limit;
    ceiling[i] = ceiling_of(fine, &scale, scale.cut), ceilings += ceiling[i];
    part.squares += static_cast<unsigned long long>(fine) * fine;
    part.excess_squares += static_cast<unsigned long long>(excess) * excess;
  }
  part.ceilings = ceilings;
  if (e.packs) store_ceilings(x.planes, at, padded(x, e.k), e.k, ceiling);
  at.mine(parts) = part;
  at.fold(parts, [](sums_part &p, const sums_part &more) {
    p.squares += more.squares, p.excess_squares += more.excess_squares, p.ceilings += more.ceilings;
  });
  part = at.mine(parts);
  if (at.part > 0 || !part.ceilings) return;
  line_totals &all = x.totals[at.line];
  tg_atomic_add(&all.squares, part.squares), tg_atomic_add(&all.ceilings, part.ceilings);
  if (part.excess_squares) tg_atomic_add(&all.excess_squares, part.excess_squares);
}

template <bool REAL>
__global__ static void __launch_bounds__(TILE_THREADS, REAL ? 8 : 4) add_elements_kernel(tile_task t) {
  sums_part *const parts = tg_shared<sums_part>();
  if (is_hopeless(&t.e)) return;
  with_tile(t, t.A.tiles + t.B.tiles - 1 - t.first - blockIdx.x,
            [&](const line_set &x, const auto &at) { add_tile<REAL>(t.e, x, at, parts); });
}

/* -------------------------------------------------------------------------------------------------- statistics -- */

struct largest_norms {
  float norm, excess;
};

/* One thread stores the largest norms of the block's threads. */
__device__ static void merge_largest(const line_set &x, const largest_norms &mine, largest_norms *all) {
  all[threadIdx.x] = mine;
  for (unsigned half = TILE_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    largest_norms &a = all[threadIdx.x];
    const largest_norms &b = all[threadIdx.x + half];
    a.norm = b.norm > a.norm ? b.norm : a.norm, a.excess = b.excess > a.excess ? b.excess : a.excess;
  }
  if (threadIdx.x > 0) return;
  tg_atomic_max(reinterpret_cast<unsigned *>(x.largest), bits_of_float(all->norm));
  if (all->excess > 0) tg_atomic_max(reinterpret_cast<unsigned *>(x.largest + 1), bits_of_float(all->excess));
}

__host__ __device__ static int64_t line_groups(const line_set &x) {
  return (x.count + TILE_THREADS - 1) / TILE_THREADS;
}

__global__ static void __launch_bounds__(TILE_THREADS) finish_lines_kernel(emulation e) {
  largest_norms *const norms = tg_shared<largest_norms>();
  const int64_t rows = line_groups(e.A), all = is_hopeless(&e) ? 0 : rows + line_groups(e.B);
  for (int64_t at = blockIdx.x; at < all; at += gridDim.x) {
    const line_set &x = at < rows ? e.A : e.B;
    const int64_t i = (at < rows ? at : at - rows) * TILE_THREADS + threadIdx.x;
    largest_norms mine = {0, 0};
    if (i < x.count) {
      const line_totals &totals = x.totals[i];
      const line_sums sums = sums_of_totals(&totals);
      line_scale scale = scale_of_line(&e, largest_of(totals));
      scale.cut = totals.cut;
      const line_stats stats = stats_of(&sums, &scale, !totals.infinite, e.k);
      x.stats[i] = stats, mine = {stats.norm, stats.excess};
    }
    merge_largest(x, mine, norms);
    __syncthreads();
  }
}

/* ---------------------------------------------------------------------------------------------------- launches -- */

static tile_map map_for(const line_set &x, const line_extent &covered) {
  return x.term_step == 1 ? map_of<true>(covered) : map_of<false>(covered);
}

/* `extent` says what the tiles cover of lines. */
template <class Extent>
static cudaError_t launch_line_tiles(queue q, const kernel_of<tile_task> &k, const emulation *e, Extent extent) {
  cudaError_t error = cudaSuccess;
  tile_task task = {*e, map_for(e->A, extent(e->A)), map_for(e->B, extent(e->B)), 0};
  const int64_t tiles = task.A.tiles + task.B.tiles;
  for (int64_t blocks; error == cudaSuccess && task.first < tiles; task.first += blocks) {
    blocks = blocks_for(tiles - task.first, TILE_THREADS);
    error = launch_kernel(q, k, blocks, TILE_THREADS, task);
  }
  return error;
}

template <bool REAL> static cudaError_t launch_all(queue q, const emulation *e) {
  const auto elements = [&](const line_set &x) { return line_extent{x.count, e->k}; };
  const auto lines = [](const line_set &x) { return line_extent{x.count, 1}; };
  const auto added = [&](const line_set &x) { return e->packs ? padded(x, e->k) : elements(x); };
  const auto &find_largest = registered<find_largest_kernel<REAL>, TILE_THREADS * sizeof(magnitude_part)>();
  const auto &find_cuts = registered<find_cuts_kernel, TILE_THREADS * sizeof(line_sample)>();
  const auto &add_elements = registered<add_elements_kernel<REAL>, TILE_THREADS * sizeof(sums_part)>();
  cudaError_t error = launch_line_tiles(q, find_largest, e, elements);
  if (error == cudaSuccess && e->grade == FP64_GUARANTEED) error = launch_line_tiles(q, find_cuts, e, lines);
  if (error == cudaSuccess) error = launch_line_tiles(q, add_elements, e, added);
  if (error != cudaSuccess) return error;
  return launch_kernel(q, registered<finish_lines_kernel, TILE_THREADS * sizeof(largest_norms)>(),
                       blocks_for(line_groups(e->A) + line_groups(e->B), TILE_THREADS), TILE_THREADS, *e);
}

cudaError_t launch_find_lines(queue q, const emulation *e) {
  if (e->grade == FP64_GUARANTEED) {
    const cudaError_t error = launch_probe_tiles(q, e);
    if (error != cudaSuccess) return error;
  }
  const bool real = e->A.form == LINES_REAL && e->B.form == LINES_REAL;
  return real ? launch_all<true>(q, e) : launch_all<false>(q, e);
}
