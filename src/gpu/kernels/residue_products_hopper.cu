/* residue_products_hopper.cu - products modulo several moduli by Hopper's wgmma, in one persistent launch.
 *
 * A cluster of blocks takes tiles of C. Each block has 128 columns of C (lines of B) and 256 rows (lines of A), and all
 * blocks of the cluster have the same rows: each of them copies a share of these lines of A to all. A warp copies, and
 * two warpgroups multiply, each 64 columns by 256 rows. wgmma reads 10 KiB of shared memory in 128 cycles then, and a
 * block's copies take 16 + 32 / CLUSTER KiB from the L2 cache in 1024 cycles.
 *
 * While one warpgroup reduces and stores its sums, the other one has the matrix units: the ring lets one be ahead.
 *
 * Tiles go in bands of BAND tiles along the rows of C, so that the tiles at work are about a square, and modulus by
 * modulus, so that the planes of one modulus stay in the L2 cache. */
#include "launch.h"
#include "residue_divisor.h"
#include "residue_products.h"

#include "../vendor/wgmma_cuda.h"

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
};

struct place {
  unsigned slot = 0, parity = 0;
};
__device__ inline void advance(place &at) {
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

/* A cluster's tile: the modulus, and the tile's place in units of ROWS rows and CLUSTER·COLS columns. */
struct cluster_tile {
  int modulus, row, col;
};

struct tiles {
  int rows, cols, all, step, first;
  __device__ explicit tiles(const residue_products &p)
      : rows(static_cast<int>((p.m + ROWS - 1) / ROWS)),
        cols(static_cast<int>((p.n + CLUSTER * COLS - 1) / (CLUSTER * COLS))), all(rows * cols * *p.moduli),
        step(static_cast<int>(gridDim.x / CLUSTER)), first(static_cast<int>(blockIdx.x / CLUSTER)) {}
  __device__ cluster_tile at(int number) const {
    const int modulus = number / (rows * cols), rest = number % (rows * cols);
    const int band = rest / (BAND * cols), within = rest % (BAND * cols);
    const int high = min(static_cast<int>(BAND), rows - band * BAND);
    return {modulus, band * BAND + within % high, within / high};
  }
};

/* One thread copies the stages of all tiles of its block, and its share for the others. */
__device__ void copy_stages(const residue_products &p, const ring &to, int rank) {
  const tiles all(p);
  const int64_t blocks = residue_blocks(p.k), step = residue_block;
  const int64_t a_lines = (p.m + residue_lines - 1) / residue_lines * residue_lines;
  place at;
  for (int number = all.first; number < all.all; number += all.step) {
    const cluster_tile tile = all.at(number);
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

using sums = int[128];

/* The sums of int32 become signed bytes modulo the tile's modulus. */
struct residues {
  residue_divisor by;
  __device__ residues(const residue_products &, const cluster_tile &tile)
      : by(divisor_of(residue_modulus(tile.modulus))) {}

  /* Makes room for further terms. */
  __device__ void shrink(sums &d) const {
#pragma unroll
    for (int i = 0; i < 128; i++) d[i] = static_cast<int8_t>(reduce_sum(d[i], by));
  }

  __device__ unsigned word(const int *two, const int *next) const {
    const unsigned low = __byte_perm(reduce_sum(two[0], by), reduce_sum(two[1], by), 0x0040);
    const unsigned high = __byte_perm(reduce_sum(next[0], by), reduce_sum(next[1], by), 0x0040);
    return __byte_perm(low, high, 0x5410);
  }

  /* A thread has 16 neighbours of each 64 rows, in two columns. */
  __device__ void store(const residue_products &p, const cluster_tile &tile, int rank, const sums &d) const {
    const int thread = static_cast<int>(threadIdx.x) - GROUP, group = thread / GROUP, warp = thread / 32 % 4;
    const int g = thread % 32 / 4, t = thread % 4;
    const int64_t row = static_cast<int64_t>(tile.row) * ROWS + 16 * t;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const int line = 64 * group + 16 * (g >> 1) + 4 * warp + 2 * h + (g & 1); /* residue_row is 16·warp + 8·h + g */
      const int64_t col = (static_cast<int64_t>(tile.col) * CLUSTER + rank) * COLS + line;
      int8_t *to = p.C + tile.modulus * p.c_plane + col * p.ldc + row;
#pragma unroll
      for (int part = 0; part < 4; part++) {
        const int *from = d + 32 * part + 2 * h;
        const uint4 x = {word(from, from + 4), word(from + 8, from + 12), word(from + 16, from + 20),
                         word(from + 24, from + 28)};
        if (col < p.n && row + 64 * part < p.m) *reinterpret_cast<uint4 *>(to + 64 * part) = x;
      }
    }
  }
};

/* Keeps the compiler from moving accesses of the sums across a wait for products. */
__device__ inline void forget(sums &d) {
#pragma unroll
  for (int i = 0; i < 128; i++) asm volatile("" : "+r"(d[i]) : : "memory");
}

template <class Finish> __device__ void multiply_stages(const residue_products &p, const ring &from, int rank) {
  const int thread = static_cast<int>(threadIdx.x) % GROUP, group = static_cast<int>(threadIdx.x) / GROUP - 1;
  const tiles all(p);
  const int blocks = static_cast<int>(residue_blocks(p.k));
  constexpr int MOST = residue_terms_of_sum / residue_terms;
  /* A lane of warp w tells block w of the cluster that a stage may be overwritten. */
  const bool tells = thread % 32 == 0 && thread / 32 < CLUSTER;
  const uint64_t left = tg_unit_operand<residue_terms>(from.left(0) + group * 64 * residue_terms);
  const uint64_t right = tg_unit_operand<residue_terms>(from.right(0));
  sums d;
  place at;
  for (int number = all.first; number < all.all; number += all.step) {
    const cluster_tile tile = all.at(number);
    const Finish finish(p, tile);
    for (int first = 0; first < blocks; first += MOST) {
      const int end = min(first + MOST, blocks);
      unsigned before = 0;
      forget(d);
      for (int b = first; b < end; b++) {
        tg_barrier_await(from.full(at.slot), at.parity);
        tg_units_begin();
#pragma unroll
        for (int k = 0; k < residue_terms; k += 32) {
          const uint64_t a = tg_further(left, at.slot * STAGE + k), c = tg_further(right, at.slot * STAGE + k);
          tg_wgmma(d, a, c, k > 0 || b > 0);
        }
        tg_units_commit();
        if (b > first) {
          tg_units_await<1>();
          if (tells) tg_barrier_arrive(from.empty(before), thread / 32);
        }
        before = at.slot;
        advance(at);
      }
      tg_units_await<0>();
      forget(d);
      if (tells) tg_barrier_arrive(from.empty(before), thread / 32);
      if (end < blocks) {
        finish.shrink(d);
        forget(d);
      }
    }
    finish.store(p, tile, rank, d);
  }
}

template <class Finish> __global__ void __launch_bounds__(THREADS, 1) residue_units_kernel(residue_products p) {
#ifdef TG_WGMMA
  const ring stages(tg_shared<unsigned char>());
  const int rank = CLUSTER > 1 ? tg_cluster_rank() : 0;
  if (threadIdx.x == 0) {
    for (unsigned slot = 0; slot < STAGES; slot++) {
      tg_barrier_open(stages.full(slot), 1);
      tg_barrier_open(stages.empty(slot), 2 * CLUSTER);
    }
  }
  tg_cluster_sync();
  if (threadIdx.x < GROUP) {
    tg_fewer_registers<56>();
    if (threadIdx.x == 0) copy_stages(p, stages, rank);
    __syncwarp();
  } else {
    tg_more_registers<224>();
    multiply_stages<Finish>(p, stages, rank);
  }
  tg_cluster_sync(); /* no block ends while others tell it that stages are free */
#else
  (void)p;
#endif
}

} // namespace

cudaError_t launch_residue_products_hopper(queue q, const residue_products *p) {
  const auto kernel = residue_units_kernel<residues>;
  if (q.load) return tg_load(kernel, SHARED);
  int device = 0, processors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int64_t rows = (p->m + ROWS - 1) / ROWS, cols = (p->n + CLUSTER * COLS - 1) / (CLUSTER * COLS);
  const int64_t clusters = rows * cols * p->most, room = processors / CLUSTER;
  if (clusters > INT32_MAX) return cudaErrorInvalidValue;
  cudaLaunchAttribute shape = {};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = CLUSTER, shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((clusters < room ? clusters : room) * CLUSTER));
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = SHARED;
  config.stream = q.stream;
  config.attrs = &shape;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, *p);
}
