/* apply_chase_mma.cu - the product Z = Q·Z with the Q of bulge chasing, for doubles on matrix units.
 *
 * The reflectors of 8 neighbouring sweeps at one hop change b + 7 neighbouring rows of Z. Together they are
 *
 *     H(s)·H(s+1)···H(s+7) = I - Y·Vᵀ      Y = V·T, T an upper triangle of order 8
 *
 * A pass takes GROUPS such blocks of sweeps down the hops, the last sweeps first, as reflector (s, k) must come after
 * (s + 1, k) and (s + 1, k - 1). A warp has 16 columns of Z, and keeps the window of rows that a hop of the pass
 * changes in registers, as tiles of Zᵀ in the fragments of sums. With the rows of a tile numbered as these fragments
 * have them, a sum is at once a left factor: W = Zᵀ·V, then Zᵀ = Zᵀ - W·Yᵀ. So nothing but V and Y is loaded, which a
 * kernel before has stored as fragments in the order of use. All warps of a block take them from a ring in shared
 * memory. Source: LAPACK xLARFT, xLARFB for the block reflectors. */
#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"

#if TG_HAS_MMA

enum {
  SWEEPS = 8,                       /* of a block: the inner size of a product */
  TILES = (band_width + 7) / 8 + 1, /* of 8 rows, which a block changes */
  MOVED = band_width / 8,           /* tiles by which the window moves from hop to hop */
  GROUPS = TG_TILE(2, 12),          /* blocks of a hop: so many that the window still fits into the registers */
  WINDOW = GROUPS - 1 + TILES,      /* tiles */
  STAGE_BLOCKS = TG_TILE(1, 6),     /* blocks that are copied together; divides GROUPS */
  STAGES = 3,                       /* of the ring */
  COLUMNS = 16,                     /* of Z, in a warp */
  WARPS = TG_TILE(2, 4),            /* one for each part of a multiprocessor */
  APPLY_THREADS = 32 * WARPS,
  LANE_PAIRS = 2 * TILES, /* of a block: a pair of V and one of Y for each tile */
  BLOCK_ELEMENTS = LANE_PAIRS * 32 * 2,
  STAGE_ELEMENTS = STAGE_BLOCKS * BLOCK_ELEMENTS,
  PACK_THREADS = 32
};
static_assert(band_width % 8 == 0 && GROUPS % STAGE_BLOCKS == 0, "tiles and stages are whole");

/* Passes first .. end - 1 of the product. Their factors lie in `factors`, the last pass first. */
struct chase_passes {
  chase_product of;
  int64_t first, end;
  double *factors;
};

__host__ __device__ static int64_t first_sweep(int64_t pass) { return pass * GROUPS * SWEEPS; }

/* The hops of a pass: those of its first sweep. */
__host__ __device__ static int64_t hops_of(int64_t n, int64_t pass) {
  return (n - 1 - first_sweep(pass) + band_width - 1) / band_width;
}

/* ----------------------------------------------------------------------------------------------------- factors -- */

struct pack_shared {
  double v[SWEEPS][8 * TILES]; /* column c of V */
  double dots[SWEEPS][SWEEPS], t[SWEEPS][SWEEPS], tau[SWEEPS];
};

/* The place of a block of threads: pass, hop and first sweep. */
struct packed_place {
  int64_t sweep, hop;

  __device__ packed_place(const chase_passes &p, int64_t block) {
    int64_t pass = p.end - 1;
    while (block >= hops_of(p.of.n, pass) * GROUPS) block -= hops_of(p.of.n, pass--) * GROUPS;
    hop = block / GROUPS;
    sweep = first_sweep(pass) + (GROUPS - 1 - block % GROUPS) * SWEEPS;
  }
};

/* V, whose column c begins in row c, and the taus. */
__device__ static void load_reflectors(const chase_product &p, const packed_place &at, pack_shared &shared) {
  double *const A = static_cast<double *>(const_cast<void *>(p.A));
  for (int e = static_cast<int>(threadIdx.x); e < SWEEPS * 8 * TILES; e += PACK_THREADS) {
    const int c = e / (8 * TILES), row = e % (8 * TILES), i = row - c;
    const int64_t sweep = at.sweep + c, element = at.hop * band_width + i;
    const bool valid = i >= 0 && i < band_width && sweep < p.n - 1 && element < p.n - 1 - sweep;
    const double x = valid ? kept_sweep(A, p.lower, p.n, p.ld, sweep)[element] : 0;
    shared.v[c][row] = i == 0 && valid ? 1 : x;
    if (i == 0) shared.tau[c] = x;
  }
  __syncthreads();
}

/* T: column j is -tau_j·T·(Vᵀ·v_j), above tau_j. */
__device__ static void make_factor(pack_shared &shared) {
  const int t = static_cast<int>(threadIdx.x);
  for (int e = t; e < SWEEPS * SWEEPS; e += PACK_THREADS) {
    const int i = e / SWEEPS, j = e % SWEEPS;
    double sum = 0;
    for (int r = j; r < 8 * TILES && i < j; r++) sum += shared.v[i][r] * shared.v[j][r];
    shared.dots[i][j] = sum;
    shared.t[i][j] = i == j ? shared.tau[j] : 0;
  }
  for (int j = 1; j < SWEEPS; j++) {
    __syncthreads();
    double sum = 0;
    for (int l = t; l < j; l++) sum += shared.t[t][l] * shared.dots[l][j];
    if (t < j) shared.t[t][j] = -shared.tau[j] * sum;
  }
  __syncthreads();
}

/* Element (row, c) of Y = V·T. */
__device__ static double element_of_y(const pack_shared &shared, int row, int c) {
  double sum = 0;
  for (int l = 0; l <= c; l++) sum += shared.v[l][row] * shared.t[l][c];
  return sum;
}

__global__ void __launch_bounds__(PACK_THREADS) pack_chase_kernel(chase_passes p) {
  pack_shared &shared = *tg_shared<pack_shared>();
  const int lane = static_cast<int>(threadIdx.x), g = lane / 4, t = lane % 4;
  load_reflectors(p.of, packed_place(p, blockIdx.x), shared);
  make_factor(shared);
  double *const to = p.factors + static_cast<int64_t>(blockIdx.x) * BLOCK_ELEMENTS;
  for (int i = 0; i < TILES; i++)
    for (int e = 0; e < 2; e++) {
      to[(2 * i * 32 + lane) * 2 + e] = shared.v[g][8 * i + 2 * t + e];
      to[((2 * i + 1) * 32 + lane) * 2 + e] = element_of_y(shared, 8 * i + g, 2 * t + e);
    }
}

/* ----------------------------------------------------------------------------------------------------- product -- */

/* A tile of Zᵀ, or W: the sums of a product. */
typedef double z_tile[4];

/* The sums as a left factor. */
__device__ static TG_INLINE void as_factor(const z_tile &x, double (&a)[4]) {
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) a[2 * i + h] = x[2 * h + i];
}

/* The 16 columns of a warp. */
struct warp_columns {
  double *at[2]; /* of the lane: the first row of each column, or NULL */
  int64_t n;
  int t;

  __device__ explicit warp_columns(const chase_product &p) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int64_t j = (static_cast<int64_t>(blockIdx.x) * WARPS + warp) * COLUMNS + lane / 4;
    double *const Z = static_cast<double *>(p.Z);
    for (int h = 0; h < 2; h++) at[h] = j + 8 * h < p.cols ? Z + (j + 8 * h) * p.ldz : NULL;
    n = p.n, t = lane % 4;
  }
  __device__ TG_INLINE void load(z_tile &x, int64_t row) const {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const int64_t r = row + 2 * t + e;
        x[2 * h + e] = at[h] && r < n ? at[h][r] : 0;
      }
  }
  __device__ TG_INLINE void store(const z_tile &x, int64_t row) const {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const int64_t r = row + 2 * t + e;
        if (at[h] && r < n) at[h][r] = x[2 * h + e];
      }
  }
};

/* The ring of factors. A stage is used after all threads have copied their parts of it. */
struct factor_ring {
  double *shared;
  const double *from;
  int64_t stage, stages; /* the next one to be used, and how many there are */

  __device__ TG_INLINE void copy(int64_t which) const {
    double *const to = shared + which % STAGES * STAGE_ELEMENTS;
    for (int at = 2 * static_cast<int>(threadIdx.x); at < STAGE_ELEMENTS && which < stages; at += 2 * APPLY_THREADS)
      tg_copy_async_pair(to + at, from + which * STAGE_ELEMENTS + at, 2);
    tg_commit_copies();
  }
  __device__ void begin() {
    for (int which = 0; which < STAGES - 1; which++) copy(which);
  }
  /* Returns the next stage. All threads call this. */
  __device__ TG_INLINE const double *next() {
    tg_await_copies<STAGES - 2>();
    __syncthreads();
    copy(stage + STAGES - 1); /* where the stage was that all threads have left */
    return shared + stage++ % STAGES * STAGE_ELEMENTS;
  }
};

/* z = z - (z·V)·Yᵀ, for the tiles of a block. */
__device__ static TG_INLINE void apply_block(const double *factors, z_tile *z) {
  const double *const own = factors + static_cast<int>(threadIdx.x) % 32 * 2;
  z_tile w[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  double a[4];
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    const double b[2] = {own[2 * i * 64], own[2 * i * 64 + 1]};
    as_factor(z[i], a);
    tg_mma(w[i % 2], a, b);
  }
#pragma unroll
  for (int x = 0; x < 4; x++) w[0][x] = -(w[0][x] + w[1][x]);
  as_factor(w[0], a);
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    const double b[2] = {own[(2 * i + 1) * 64], own[(2 * i + 1) * 64 + 1]};
    tg_mma(z[i], a, b);
  }
}

/* The window begins at row first_sweep + 1, and moves down to the end of Z. */
__device__ static void apply_pass(const warp_columns &columns, int64_t pass, factor_ring &ring) {
  z_tile z[WINDOW];
  int64_t row = first_sweep(pass) + 1;
#pragma unroll
  for (int i = 0; i < WINDOW; i++) columns.load(z[i], row + 8 * i);
  for (int64_t hop = hops_of(columns.n, pass); hop > 0; hop--, row += band_width) {
    z_tile behind[MOVED];
#pragma unroll
    for (int stage = GROUPS / STAGE_BLOCKS - 1; stage >= 0; stage--) {
      const double *const factors = ring.next();
#pragma unroll
      for (int i = 0; i < MOVED && stage == 0; i++) columns.load(behind[i], row + 8 * (WINDOW + i));
#pragma unroll
      for (int g = STAGE_BLOCKS - 1; g >= 0; g--)
        apply_block(factors + (STAGE_BLOCKS - 1 - g) * BLOCK_ELEMENTS, z + stage * STAGE_BLOCKS + g);
    }
#pragma unroll
    for (int i = 0; i < MOVED; i++) columns.store(z[i], row + 8 * i);
#pragma unroll
    for (int i = 0; i < WINDOW; i++)
#pragma unroll
      for (int x = 0; x < 4; x++) z[i][x] = i + MOVED < WINDOW ? z[i + MOVED][x] : behind[i + MOVED - WINDOW][x];
  }
#pragma unroll
  for (int i = 0; i < WINDOW; i++) columns.store(z[i], row + 8 * i);
}

struct apply_shared {
  double ring[STAGES * STAGE_ELEMENTS];
};

__global__ void __launch_bounds__(APPLY_THREADS, 2) apply_passes_kernel(chase_passes p) {
  factor_ring ring = {tg_shared<apply_shared>()->ring, p.factors, 0, 0};
  for (int64_t pass = p.first; pass < p.end; pass++) ring.stages += hops_of(p.of.n, pass) * (GROUPS / STAGE_BLOCKS);
  const warp_columns columns(p.of);
  ring.begin();
  for (int64_t pass = p.end - 1; pass >= p.first; pass--) apply_pass(columns, pass, ring);
  tg_await_copies<0>();
}

/* ---------------------------------------------------------------------------------------------------- launches -- */

static int64_t elements_of(int64_t n, int64_t pass) { return hops_of(n, pass) * GROUPS * BLOCK_ELEMENTS; }

/* The first pass has the most hops. */
bool apply_chase_fits_mma(queue q, trigon_type type, const chase_product *p) {
  return type == TRIGON_D && q.has.fp64_mma && q.arch->limits->chase_on_mma && p->n > 1 &&
         elements_of(p->n, 0) <= p->work_elements;
}

/* As many passes together as the memory holds the factors of. */
cudaError_t launch_apply_chase_mma(queue q, const chase_product *p) {
  const int64_t sweeps = p->n - 1, blocks = (p->cols + WARPS * COLUMNS - 1) / (WARPS * COLUMNS);
  chase_passes task = {*p, 0, (sweeps + GROUPS * SWEEPS - 1) / (GROUPS * SWEEPS), static_cast<double *>(p->work)};
  cudaError_t error = cudaSuccess;
  for (; task.end > 0 && error == cudaSuccess; task.end = task.first) {
    int64_t elements = 0;
    task.first = task.end;
    while (task.first > 0 && elements + elements_of(p->n, task.first - 1) <= p->work_elements)
      elements += elements_of(p->n, --task.first);
    error = launch_kernel(q, registered<pack_chase_kernel, sizeof(pack_shared)>(), elements / BLOCK_ELEMENTS,
                          PACK_THREADS, task);
    if (error == cudaSuccess)
      error = launch_kernel(q, registered<apply_passes_kernel, sizeof(apply_shared), NEEDS_MMA>(), blocks,
                            APPLY_THREADS, task);
  }
  return error;
}

#else
bool apply_chase_fits_mma(queue, trigon_type, const chase_product *) { return false; }
cudaError_t launch_apply_chase_mma(queue, const chase_product *) { return cudaErrorInvalidValue; }
#endif
