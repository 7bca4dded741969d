/* residue_products_hopper.cu - products modulo several moduli, and bounds by products of ceilings, by Hopper's wgmma,
 * in one persistent launch.
 *
 * A cluster of blocks takes tiles of C. Each block has 128 columns of C (lines of B) and 256 rows (lines of A), and all
 * blocks of the cluster have the same rows: each of them copies a share of these lines of A to all. A warp copies, and
 * two warpgroups multiply, each 64 columns by 256 rows. wgmma reads 10 KiB of shared memory in 128 cycles then, and a
 * block's copies take 16 + 32 / CLUSTER KiB from the L2 cache in 1024 cycles.
 *
 * While one warpgroup reduces and stores its sums, the other one has the matrix units: the ring lets one be ahead.
 *
 * Tiles go in the order of fp64/int8/tile_walk.h. Of a triangle, only tiles count that have elements of it. */
#include "element_bounds.h"
#include "fp64/int8/tile_walk.h"
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"
#include "residue_finish.h"

#include "gpu/vendor/wgmma_cuda.h"

namespace {

enum {
  CLUSTER = 2,
  GROUP = 128, /* threads of a warpgroup */
  THREADS = 3 * GROUP,
  COLS = residue_lines,
  ROWS = 2 * residue_lines,
  RING = 192 << 10,
  STAGE = (COLS + ROWS) * residue_terms,
  STAGES = RING / STAGE,
  SHARE = ROWS / CLUSTER, /* lines of A that a block copies */
  BAND = 8,
  ALIGNMENT = 1024, /* of the swizzle */
  SHARED = ALIGNMENT + RING + 256,
  SHARED_ROWS = 2 * ROWS * 16, /* of bounds, behind */
};

struct ring_slot {
  unsigned slot = 0, parity = 0;
};
__device__ inline void advance(ring_slot &at) {
  if (++at.slot == STAGES) at.slot = 0, at.parity ^= 1;
}

/* Addresses in shared memory. */
struct ring {
  unsigned base;
  __device__ explicit ring(const void *shared)
      : base((tg_shared_address(shared) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) {}
  __device__ unsigned left(unsigned slot) const { return base + slot * STAGE; }
  __device__ unsigned right(unsigned slot) const { return base + slot * STAGE + COLS * residue_terms; }
  __device__ unsigned full(unsigned slot) const { return base + RING + 8 * slot; }
  __device__ unsigned empty(unsigned slot) const { return base + RING + 8 * (STAGES + slot); }
};

/* A cluster's tile, of ROWS rows and CLUSTER·COLS columns. */
using cluster_tile = walked_tile;

__device__ tile_walk walk_of_cluster(const residue_products &p) {
  return tile_walk_of(&p.part, p.m, p.n, ROWS, CLUSTER * COLS, BAND, p.moduli ? *p.moduli : p.most,
                      static_cast<int>(blockIdx.x / CLUSTER), static_cast<int>(gridDim.x / CLUSTER));
}

/* One thread copies the stages of all tiles of its block, and its share for the others. */
__device__ void copy_stages(const residue_products &p, const ring &to, int rank) {
  tile_walk walk = walk_of_cluster(p);
  cluster_tile tile;
  const int64_t blocks = residue_blocks(p.k), step = residue_block;
  const int64_t a_lines = (p.m + residue_lines - 1) / residue_lines * residue_lines;
  ring_slot at;
  while (next_tile(&walk, &tile)) {
    const int64_t left = static_cast<int64_t>(tile.col) * CLUSTER + rank;
    const bool has_left = left * residue_lines < p.n;
    const int8_t *from_left = p.B + tile.modulus * p.b_plane + left * blocks * step;
    const int64_t line = static_cast<int64_t>(tile.row) * ROWS;
    const int valid = static_cast<int>(min(a_lines - line, static_cast<int64_t>(ROWS)));
    const int expected = (valid + (has_left ? COLS : 0)) * residue_terms;
    for (int64_t b = 0; b < blocks; b++, advance(at)) {
      tg_barrier_await(to.empty(at.slot), at.parity ^ 1);
      const unsigned full = to.full(at.slot);
      tg_barrier_expect(full, expected);
      if (has_left) tg_bulk_copy(to.left(at.slot), from_left + b * step, residue_block, full, 0);
#pragma unroll
      for (int part = 0; part < SHARE; part += residue_lines) {
        constexpr int LINES = SHARE < residue_lines ? static_cast<int>(SHARE) : static_cast<int>(residue_lines);
        const int row = rank * SHARE + part; /* of the tile */
        if (row >= valid) break;
        const int8_t *from = p.A + tile.modulus * p.a_plane + ((line + row) / residue_lines * blocks + b) * step +
                             row % residue_lines * residue_terms;
        tg_bulk_copy(to.right(at.slot) + row * residue_terms, from, LINES * residue_terms, full,
                     CLUSTER > 1 ? (1u << CLUSTER) - 1 : 0);
      }
    }
  }
}

using sums = residue_sums;

/* What a thread of the two warpgroups has of a cluster's tile: 16 neighbouring rows of each 64, in two columns. */
struct thread_coord {
  int64_t first_row, first_col;
  int lane_row, line; /* of the first part; of column 0 */
  __device__ thread_coord(const cluster_tile &tile, int rank)
      : first_row(static_cast<int64_t>(tile.row) * ROWS),
        first_col((static_cast<int64_t>(tile.col) * CLUSTER + rank) * COLS) {
    const int thread = static_cast<int>(threadIdx.x) - GROUP, group = thread / GROUP, warp = thread / 32 % 4;
    const int g = thread % 32 / 4;
    lane_row = 16 * (thread % 4);
    line = 64 * group + 16 * (g >> 1) + 4 * warp + (g & 1); /* residue_row is 16·warp + 8·h + g */
  }
  __device__ int64_t row(int part) const { return first_row + 64 * part + lane_row; }
  __device__ int64_t col(int h) const { return first_col + line + 2 * h; }
  __device__ int64_t row_of(int run) const { return row(run / 2); }
  __device__ int64_t col_of(int run) const { return col(run % 2); }
  __device__ int row_in_part() const { return lane_row; }
  __device__ int64_t tile_col() const { return first_col; }
};

/* The sums are products of ceilings, and become bounds of the lines within tiles of fp64_tile rows and columns. A block
 * has two such tiles. */
struct bounds {
  static constexpr int MORE_SHARED = SHARED_ROWS;
  struct task {
    residue_products p;
    emulation e;
  };
  __host__ __device__ static const residue_products &products(const task &t) { return t.p; }
  __device__ static bool is_idle(const task &t) { return is_hopeless(&t.e); }
  __device__ bounds(const task &, int) {}
  static constexpr bool begins = false;
  __device__ void shrink(sums &) const {} /* sums are right modulo 2^32 */

  /* The largest of the lanes whose numbers differ in the bits of `lanes`. */
  __device__ static void gather(element_bounds &x, int lanes) {
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2)
      if (lanes & bit) raise(x, __shfl_xor_sync(0xffffffffu, x.upper, bit), __shfl_xor_sync(0xffffffffu, x.need, bit));
  }

  /* Each warpgroup has the tile's rows in shared memory, behind the ring. Rows that do not exist have zeros in their
   * planes, so that their bounds are those of zeros. */
  __device__ static const bound_line *load_rows(const emulation &e, int64_t first) {
    const int thread = static_cast<int>(threadIdx.x) - GROUP;
    bound_line *const rows =
        reinterpret_cast<bound_line *>(tg_shared<unsigned char>() + SHARED) + thread / GROUP * ROWS;
    const unsigned k = static_cast<unsigned>(e.k);
    tg_group_sync(thread / GROUP);
    for (int i = thread % GROUP; i < ROWS; i += GROUP)
      rows[i] = bound_row(first + i < e.A.present ? e.A.stats[e.A.first + first + i] : line_stats{}, k);
    tg_group_sync(thread / GROUP);
    return rows;
  }

  __device__ void store(const task &task, int, const thread_coord &at, const sums &d) const {
    const emulation &e = task.e;
    const bound_line *const rows = load_rows(e, at.first_row);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    bound_line right[2];
    for (int h = 0; h < 2; h++)
      right[h] = bound_col(at.col(h) < e.B.present ? e.B.stats[e.B.first + at.col(h)] : line_stats{});
    const bool has_block = at.tile_col() < e.B.present; /* otherwise the ring held no lines of B */
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int64_t half_row = at.first_row + half * fp64_tile;
      if (half_row >= e.A.present) break; /* the ring held no such lines */
      if (!computes_tile(&e, (e.A.first + half_row) / fp64_tile, (e.B.first + at.tile_col()) / fp64_tile)) continue;
      element_bounds of_cols[2];
#pragma unroll
      for (int part = 2 * half; part < 2 * half + 2; part++)
#pragma unroll
        for (int i = 0; i < 16; i++) {
          const bound_line left = rows[64 * part + at.row_in_part() + i];
          element_bounds of_row;
#pragma unroll
          for (int h = 0; h < 2; h++)
            add_bounds(of_row, of_cols[h], d[32 * part + 2 * h + 4 * (i / 2) + i % 2], left, right[h]);
          gather(of_row, 28);
          const int64_t row = at.row(part) + i;
          if (lane < 4 && has_block && row < e.A.present)
            raise_bounds(e.A, e.A.first + row, e.B.first + at.tile_col(), of_row);
        }
#pragma unroll
      for (int h = 0; h < 2; h++) {
        gather(of_cols[h], 3);
        if (lane % 4 == 0 && at.col(h) < e.B.present)
          raise_bounds(e.B, e.B.first + at.col(h), e.A.first + half_row, of_cols[h]);
      }
    }
  }
};

/* Keeps the compiler from moving accesses of the sums across a wait for products. */
__device__ inline void forget(sums &d) {
#pragma unroll
  for (int i = 0; i < 128; i++) asm volatile("" : "+r"(d[i]) : : "memory");
}

template <class Finish> __device__ void multiply_stages(const typename Finish::task &task, const ring &from, int rank) {
  const residue_products &p = Finish::products(task);
  const int thread = static_cast<int>(threadIdx.x) % GROUP, group = static_cast<int>(threadIdx.x) / GROUP - 1;
  tile_walk walk = walk_of_cluster(p);
  cluster_tile tile;
  const int blocks = static_cast<int>(residue_blocks(p.k));
  constexpr int MOST = residue_terms_of_sum / residue_terms;
  /* A lane of warp w releases a stage to block w of the cluster, which may then overwrite it. */
  const bool releases = thread % 32 == 0 && thread / 32 < CLUSTER;
  const uint64_t left = tg_warpgroup_operand<residue_terms>(from.left(0) + group * 64 * residue_terms);
  const uint64_t right = tg_warpgroup_operand<residue_terms>(from.right(0));
  sums d;
  ring_slot at;
  while (next_tile(&walk, &tile)) {
    const Finish finish(task, tile.modulus);
    if constexpr (Finish::begins) finish.begin(task, tile.modulus, thread_coord(tile, rank), d);
    for (int first = 0; first < blocks; first += MOST) {
      const int end = min(first + MOST, blocks);
      unsigned before = 0;
      forget(d);
      for (int b = first; b < end; b++) {
        tg_barrier_await(from.full(at.slot), at.parity);
        tg_warpgroup_begin();
#pragma unroll
        for (int k = 0; k < residue_terms; k += 32) {
          const uint64_t a = tg_further(left, at.slot * STAGE + k), c = tg_further(right, at.slot * STAGE + k);
          tg_wgmma(d, a, c, k > 0 || b > 0 || Finish::begins);
        }
        tg_warpgroup_commit();
        if (b > first) {
          tg_warpgroup_await<1>();
          if (releases) tg_barrier_arrive(from.empty(before), thread / 32);
        }
        before = at.slot;
        advance(at);
      }
      tg_warpgroup_await<0>();
      forget(d);
      if (releases) tg_barrier_arrive(from.empty(before), thread / 32);
      if (end < blocks) {
        finish.shrink(d);
        forget(d);
      }
    }
    finish.store(task, tile.modulus, thread_coord(tile, rank), d);
  }
}

template <class Finish> __global__ void __launch_bounds__(THREADS, 1) residue_wgmma_kernel(typename Finish::task task) {
#ifdef TG_WGMMA
  if (Finish::is_idle(task)) return; /* both blocks of the cluster */
  const ring stages(tg_shared<unsigned char>());
  const int rank = CLUSTER > 1 ? tg_cluster_rank() : 0;
  if (threadIdx.x == 0) {
    for (unsigned slot = 0; slot < STAGES; slot++) {
      tg_barrier_open(stages.full(slot), 1);
      tg_barrier_open(stages.empty(slot), 2 * CLUSTER);
    }
  }
  tg_barriers_opened();
  tg_cluster_sync();
  if (threadIdx.x < GROUP) {
    tg_fewer_registers<56>();
    if (threadIdx.x == 0) copy_stages(Finish::products(task), stages, rank);
    __syncwarp();
  } else {
    tg_more_registers<224>();
    multiply_stages<Finish>(task, stages, rank);
  }
  tg_cluster_sync(); /* no block ends while others release stages to it */
#else
  (void)task;
#endif
}

template <class Finish> cudaError_t launch_products(queue q, const typename Finish::task &task) {
  const auto &k = registered<residue_wgmma_kernel<Finish>, SHARED + Finish::MORE_SHARED, NEEDS_HOPPER>();
  const residue_products &p = Finish::products(task);
  int device = 0, processors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int64_t clusters = count_part_of_tiles(&p.part, p.m, p.n, ROWS, CLUSTER * COLS) * p.most;
  const int64_t room = processors / CLUSTER;
  if (clusters > INT32_MAX) return cudaErrorInvalidValue;
  if (clusters == 0) return cudaSuccess;
  return launch_kernel_clusters(q, k, (clusters < room ? clusters : room) * CLUSTER, THREADS, task, CLUSTER);
}

} // namespace

cudaError_t launch_residue_products_hopper(queue q, const residue_products *p) {
  return p->adds ? launch_products<residues<true>>(q, *p) : launch_products<residues<false>>(q, *p);
}

cudaError_t launch_find_bounds_hopper(queue q, const emulation *e) {
  bounds::task task = {};
  task.e = *e;
  task.p.m = e->A.present, task.p.n = e->B.present, task.p.k = e->k, task.p.most = 1;
  task.p.A = e->A.planes, task.p.B = e->B.planes, task.p.part = part_of_block(e);
  return launch_products<bounds>(q, task);
}
