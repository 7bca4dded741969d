/* residue_products_mma.cu - products modulo several moduli, and bounds by products of ceilings, by mma.m16n8k32 of
 * signed bytes, for GPUs from Ampere on that have no wgmma, in one persistent launch.
 *
 * A block takes tiles of 256 rows of C (lines of A) and 128 columns (lines of B). Each of its 8 warps has 64 × 64 of
 * them. Both factors come as whole blocks of their planes (fp64/int8/residue_layout.h) into one of two stages in shared
 * memory. While warps multiply one stage, the copies of the next one are under way, also across the end of a tile. Two
 * stages are what every such GPU has room for.
 *
 * The columns of C are the rows of an mma, and the rows of C are its columns, as in Hopper's kernel. So a thread's sums
 * are the same runs of 16 neighbours, and residue_finish.h reduces and stores them. 8 neighbouring rows of a block have
 * their chunks in different banks, so that ldmatrix meets no conflicts.
 *
 * Counted for a stage of a warp: 4 steps of 8 ldmatrix.x4 and 32 mma. A block copies 48 KiB for 2^22 products. */
#include "element_bounds.h"
#include "fp64/int8/tile_walk.h"
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"
#include "residue_finish.h"

#if TG_HAS_MMA
namespace {

enum {
  COLS = residue_lines,
  ROWS = 2 * residue_lines,
  PART = 64, /* rows and columns of a warp */
  WARPS = COLS / PART * (ROWS / PART),
  THREADS = 32 * WARPS,
  STAGE = (COLS + ROWS) * residue_terms,
  STAGES = 2,
  SHARED = STAGES * STAGE,
  STEP = 32, /* terms of an mma */
  BAND = 8,
};
static_assert(SHARED <= TG_SHARED_INT8, "each GPU from Ampere on can run the kernel");

__device__ tile_walk walk_of_block(const residue_products &p) {
  return tile_walk_of(&p.part, p.m, p.n, ROWS, COLS, BAND, p.moduli ? *p.moduli : p.most, static_cast<int>(blockIdx.x),
                      static_cast<int>(gridDim.x));
}

/* The stages of all tiles of a block, one after the other. */
struct stage_copier {
  tile_walk walk;
  walked_tile tile;
  bool has_tile;
  int next = 0, blocks; /* blocks along k */

  __device__ explicit stage_copier(const residue_products &p)
      : walk(walk_of_block(p)), has_tile(next_tile(&walk, &tile)), blocks(static_cast<int>(residue_blocks(p.k))) {}

  /* Begins to copy the next stage. Lines of A behind the last block of lines are left out: no warp reads them. */
  __device__ void copy(const residue_products &p, int8_t *to) {
    if (has_tile) {
      const int8_t *const left = p.B + tile.modulus * p.b_plane;
      const int8_t *const right = p.A + tile.modulus * p.a_plane;
      copy_block(to, left, tile.col);
      for (int h = 0; h < ROWS / residue_lines; h++) {
        const int64_t line = static_cast<int64_t>(tile.row) * ROWS + h * residue_lines;
        if (line < p.m) copy_block(to + (1 + h) * residue_block, right, line / residue_lines);
      }
      if (++next == blocks) next = 0, has_tile = next_tile(&walk, &tile);
    }
    tg_commit_copies();
  }

private:
  __device__ void copy_block(int8_t *to, const int8_t *plane, int64_t lines) const {
    const int8_t *const from = plane + (lines * blocks + next) * residue_block;
#pragma unroll
    for (int i = 0; i < residue_block; i += THREADS * residue_chunk) {
      const int at = i + static_cast<int>(threadIdx.x) * residue_chunk;
      tg_copy_async_run(to + at, from + at, residue_chunk);
    }
  }
};

/* What a thread has of a block's tile: 16 neighbouring rows in 8 columns. */
struct thread_coord {
  int64_t first_row, first_col; /* of the warp */
  int lane_row, lane_col;
  __device__ explicit thread_coord(const walked_tile &tile)
      : first_row(static_cast<int64_t>(tile.row) * ROWS + warp() / (COLS / PART) * PART),
        first_col(static_cast<int64_t>(tile.col) * COLS + warp() % (COLS / PART) * PART) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4;
    lane_row = residue_run * (lane % 4);
    lane_col = 16 * (g >> 1) + (g & 1); /* residue_row is 8·run + g */
  }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ int64_t row_of(int) const { return first_row + lane_row; }
  __device__ int64_t col_of(int run) const { return first_col + lane_col + 2 * run; }
};

/* The sums are products of ceilings, and become bounds of the lines within a tile of fp64_tile rows and columns, of
 * which a warp has a quarter. */
struct bounds {
  struct task {
    residue_products p;
    emulation e;
  };
  __host__ __device__ static const residue_products &products(const task &t) { return t.p; }
  __device__ static bool is_idle(const task &t) { return is_hopeless(&t.e); }
  __device__ bounds(const task &, int) {}
  static constexpr bool begins = false;
  __device__ void shrink(residue_sums &) const {} /* sums are right modulo 2^32 */

  /* The largest of the lanes whose numbers differ in the bits of `lanes`. */
  __device__ static void gather(element_bounds &x, int lanes) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2)
      if (lanes & bit) {
        const unsigned upper = tg_shuffle(x.upper, lane ^ bit);
        raise(x, upper, tg_shuffle(x.need, lane ^ bit));
      }
  }

  __device__ static bound_line line_of_lane(const bound_line &x, int lane) {
    bound_line y;
    y.ceilings = tg_shuffle(x.ceilings, lane), y.more_nonzeros = tg_shuffle(x.more_nonzeros, lane);
    y.share = tg_shuffle(x.share, lane), y.need = tg_shuffle(x.need, lane);
    return y;
  }

  /* Rows that do not exist have zeros in their planes, so that their bounds are those of zeros. */
  __device__ static bound_line row_at(const emulation &e, int64_t row) {
    return bound_row(row < e.A.present ? e.A.stats[e.A.first + row] : line_stats{}, static_cast<unsigned>(e.k));
  }

  __device__ void store(const task &whole, int, const thread_coord &at, const residue_sums &d) const {
    const emulation &e = whole.e;
    if (!computes_tile(&e, (e.A.first + at.first_row) / fp64_tile, (e.B.first + at.first_col) / fp64_tile)) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bound_line mine[2] = {row_at(e, at.first_row + 2 * lane), row_at(e, at.first_row + 2 * lane + 1)};
    bound_line right[residue_runs];
    for (int run = 0; run < residue_runs; run++)
      right[run] = bound_col(at.col_of(run) < e.B.present ? e.B.stats[e.B.first + at.col_of(run)] : line_stats{});
    element_bounds of_cols[residue_runs];
#pragma unroll
    for (int i = 0; i < residue_run; i++) {
      const bound_line left = line_of_lane(mine[i % 2], (at.lane_row + i) / 2);
      element_bounds of_row;
#pragma unroll
      for (int run = 0; run < residue_runs; run++)
        add_bounds(of_row, of_cols[run], d[residue_sum_of(run, i)], left, right[run]);
      gather(of_row, 28);
      const int64_t row = at.row_of(0) + i;
      if (lane < 4 && row < e.A.present) raise_bounds(e.A, e.A.first + row, e.B.first + at.first_col, of_row);
    }
#pragma unroll
    for (int run = 0; run < residue_runs; run++) {
      gather(of_cols[run], 3);
      if (lane % 4 == 0 && at.col_of(run) < e.B.present)
        raise_bounds(e.B, e.B.first + at.col_of(run), e.A.first + at.first_row, of_cols[run]);
    }
  }
};

/* Adds the products of a stage. Lane 8m + r names row r of matrix m. The matrices are in the order of fragments: of the
 * rows of an mma, both halves of 8 and then the next chunk; of its columns, both chunks and then the next 8. Terms from
 * `left` on are zeros, which the simulated GPU leaves out, because it is slow. */
constexpr bool LEAVES_OUT = TG_TILE(true, false);
__device__ inline void add_stage(residue_sums &d, const int8_t *stage, int64_t left) {
  const int matrix = static_cast<int>(threadIdx.x) % 32 / 8, r = static_cast<int>(threadIdx.x) % 8;
  const int warp = thread_coord::warp(), col_part = warp % (COLS / PART), row_part = warp / (COLS / PART);
  const int8_t *const cols = stage + (col_part * PART + matrix % 2 * 8 + r) * residue_terms;
  const int8_t *const rows = stage + residue_block + (row_part * PART + matrix / 2 * 8 + r) * residue_terms;
#pragma unroll
  for (int k = 0; k < residue_terms / STEP; k++) {
    if (LEAVES_OUT && k * STEP >= left) break;
    const int col_chunk = residue_chunk * ((2 * k + matrix / 2) ^ r);
    const int row_chunk = residue_chunk * ((2 * k + matrix % 2) ^ r);
    unsigned b[4][4]; /* two groups of 8 columns each */
#pragma unroll
    for (int j = 0; j < 4; j++) tg_load_matrices(b[j], rows + j * 16 * residue_terms + row_chunk);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      unsigned a[4];
      tg_load_matrices(a, cols + i * 16 * residue_terms + col_chunk);
#pragma unroll
      for (int j = 0; j < 8; j++) {
        int(&sum)[4] = *reinterpret_cast<int(*)[4]>(&d[32 * i + 4 * j]);
        tg_mma(sum, a, {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]});
      }
    }
  }
}

template <class Finish>
__global__ void __launch_bounds__(THREADS, 1) residue_product_mma_kernel(typename Finish::task task) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (Finish::is_idle(task)) return; /* all blocks */
  const residue_products &p = Finish::products(task);
  int8_t *const stages = tg_shared<int8_t>();
  const int blocks = static_cast<int>(residue_blocks(p.k));
  constexpr int MOST = residue_terms_of_sum / residue_terms;
  stage_copier copier(p);
  tile_walk walk = walk_of_block(p);
  walked_tile tile;
  int slot = 0;
  copier.copy(p, stages);
  while (next_tile(&walk, &tile)) {
    const Finish finish(task, tile.modulus);
    const thread_coord at(tile);
    const bool has_part = at.first_row < p.m && at.first_col < p.n; /* the same for all lanes of a warp */
    residue_sums d = {};
    if constexpr (Finish::begins)
      if (has_part) finish.begin(task, tile.modulus, at, d);
    for (int b = 0; b < blocks; b++, slot ^= 1) {
      if (b > 0 && b % MOST == 0) finish.shrink(d);
      tg_await_copies<0>();
      __syncthreads(); /* all have the stage, and nobody reads the other one any more */
      copier.copy(p, stages + (slot ^ 1) * STAGE);
      if (has_part) add_stage(d, stages + slot * STAGE, p.k - static_cast<int64_t>(b) * residue_terms);
    }
    if (has_part) finish.store(task, tile.modulus, at, d);
  }
#else
  (void)task;
#endif
}

template <class Finish> const auto &row_of_kernel() {
  return registered<residue_product_mma_kernel<Finish>, SHARED, NEEDS_INT8_MMA>();
}

template <class Finish> cudaError_t launch_products(queue q, const typename Finish::task &task) {
  const residue_products &p = Finish::products(task);
  int device = 0, processors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const int64_t tiles = count_part_of_tiles(&p.part, p.m, p.n, ROWS, COLS) * p.most;
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  if (tiles == 0) return cudaSuccess;
  return launch_kernel(q, row_of_kernel<Finish>(), tiles < processors ? tiles : processors, THREADS, task);
}

} // namespace

cudaError_t find_int8_mma(int device, bool *has) {
  return tg_has_int8_mma(device, row_of_kernel<residues<false>>().function, has);
}

cudaError_t launch_residue_products_mma(queue q, const residue_products *p) {
  return p->adds ? launch_products<residues<true>>(q, *p) : launch_products<residues<false>>(q, *p);
}

cudaError_t launch_find_bounds_mma(queue q, const emulation *e) {
  bounds::task task = {};
  task.e = *e;
  task.p.m = e->A.present, task.p.n = e->B.present, task.p.k = e->k, task.p.most = 1;
  task.p.A = e->A.planes, task.p.B = e->B.planes, task.p.part = part_of_block(e);
  return launch_products<bounds>(q, task);
}

#else
cudaError_t find_int8_mma(int, bool *has) {
  *has = false;
  return cudaSuccess;
}
#endif
