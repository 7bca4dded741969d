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
 * kernel before has stored as fragments in the order of use. Warps take them from a ring in shared memory.
 *
 * The sets of a block meet at the barriers of the rings. Source: LAPACK xLARFT, xLARFB for the block reflectors. */
#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"

#if TG_HAS_MMA

enum {
  SWEEPS = 8,                       /* of a block: the inner size of a product */
  TILES = (band_width + 7) / 8 + 1, /* of 8 rows, which a block changes */
  MOVED = band_width / 8,           /* tiles by which the window moves from hop to hop */
  GROUPS = TG_TILE(4, 12),          /* blocks of a hop: so many that the window still fits into the registers */
  WINDOW = GROUPS - 1 + TILES,      /* tiles */
  STAGES = 3,                       /* of a ring */
  LAG = 2,                          /* hops by which a pass follows the one before: see apply_pass */
  COLUMNS = 16,                     /* of Z, in a warp */
  WARPS = 8,                        /* two for each part of a multiprocessor */
  /* 16 on each of 132 multiprocessors: up to here blocks have eight sets, up to twice as many columns four, and so
   * on. */
  NARROW_COLUMNS = TG_TILE(24, 2112),
  APPLY_THREADS = 32 * WARPS,
  LANE_PAIRS = 2 * TILES, /* of a block: a pair of V and one of Y for each tile */
  BLOCK_ELEMENTS = LANE_PAIRS * 32 * 2,
  PACK_THREADS = 32
};
static_assert(band_width % 8 == 0 && GROUPS * SWEEPS % band_width == 0, "windows of passes are whole hops apart");

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

/* A block's sets. The blocks of a hop are copied in more stages if there are more sets, so that the rings fit. */
template <int SETS_> struct warp_sets {
  enum {
    SETS = SETS_,
    SET_WARPS = WARPS / SETS,
    THREADS = 32 * SET_WARPS, /* of a set */
    BLOCK_COLUMNS = SET_WARPS * COLUMNS,
    HOP_STAGES = SETS < WARPS ? SETS : GROUPS,
    STAGE_BLOCKS = GROUPS / HOP_STAGES,
    STAGE_ELEMENTS = STAGE_BLOCKS * BLOCK_ELEMENTS
  };
  static_assert(WARPS % SETS == 0 && GROUPS % HOP_STAGES == 0, "sets and stages are whole");
  __device__ static int set() { return static_cast<int>(threadIdx.x) / THREADS; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) % THREADS / 32; }
};

/* The same as an integer of a register: orders are below 2^28. */
__device__ static int hops_in(int n, int pass) { return static_cast<int>(hops_of(n, pass)); }

/* The 16 columns of a warp. */
struct warp_columns {
  double *at[2]; /* of the lane: the first row of each column, or NULL */
  int n, t;

  __device__ warp_columns(const chase_product &p, int64_t column) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int64_t j = column + lane / 4;
    double *const Z = static_cast<double *>(p.Z);
    for (int h = 0; h < 2; h++) at[h] = j + 8 * h < p.cols ? Z + (j + 8 * h) * p.ldz : NULL;
    n = static_cast<int>(p.n), t = lane % 4;
  }
  __device__ TG_INLINE void load(z_tile &x, int row) const {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const int r = row + 2 * t + e;
        x[2 * h + e] = at[h] && r < n ? at[h][r] : 0;
      }
  }
  __device__ TG_INLINE void store(const z_tile &x, int row) const {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const int r = row + 2 * t + e;
        if (at[h] && r < n) at[h][r] = x[2 * h + e];
      }
  }
};

/* The ring of a set's factors. Its passes are every SETS-th one. A stage is used after all threads of the set have
 * copied their parts of it. */
template <class S> struct factor_ring {
  double *shared;
  const double *from; /* the next stage to be copied; `left` ones of its pass */
  int n, pass, first, left;
  int free_slot = 0, slot = 0;

  __device__ factor_ring(double *rings, const chase_passes &p)
      : shared(rings + S::set() * STAGES * S::STAGE_ELEMENTS), from(p.factors), n(static_cast<int>(p.of.n)),
        pass(static_cast<int>(p.end)), first(static_cast<int>(p.first)), left(0) {
    skip_passes(1 + S::set());
    for (int i = 0; i < STAGES - 1; i++) copy();
  }
  __device__ static int after(int at) { return at + 1 < STAGES ? at + 1 : 0; }

  /* Goes on to the pass that comes so many passes later, whose factors lie behind theirs. */
  __device__ void skip_passes(int passes) {
    for (int i = 0; i < passes; i++) {
      if (i > 0 && pass > first) from += hops_in(n, pass) * (S::HOP_STAGES * static_cast<int64_t>(S::STAGE_ELEMENTS));
      pass--;
    }
    left = pass >= first ? hops_in(n, pass) * S::HOP_STAGES : 0;
  }
  __device__ TG_INLINE void copy() {
    double *const to = shared + free_slot * S::STAGE_ELEMENTS;
    const int t = static_cast<int>(threadIdx.x) % S::THREADS;
    for (int at = 2 * t; at < S::STAGE_ELEMENTS && left > 0; at += 2 * S::THREADS)
      tg_copy_async_pair(to + at, from + at, 2);
    tg_commit_copies();
    free_slot = after(free_slot);
    if (left == 0) return;
    from += S::STAGE_ELEMENTS;
    if (--left == 0) skip_passes(S::SETS);
  }
  /* Returns the next stage. All threads of the block call this, or `wait` in a turn in which they have nothing to
   * do. */
  __device__ TG_INLINE const double *next() {
    tg_await_copies<STAGES - 2>();
    meet_sets();
    copy(); /* where the stage was that the set has left */
    const double *const stage = shared + slot * S::STAGE_ELEMENTS;
    slot = after(slot);
    return stage;
  }
  /* So many hops of other sets go by. */
  __device__ static void wait(int hops) {
    for (int i = hops * S::HOP_STAGES; i > 0; i--) meet_sets();
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

/* The window begins at row first_sweep + 1, and moves down to the end of Z. The rows that hop k loads were stored by
 * hop k + 1 of the pass before, and the window's last rows at the beginning by its hop 0. So this pass begins LAG hops
 * after that one: then a barrier is in between. */
template <class S> __device__ static void apply_pass(const warp_columns &columns, int pass, factor_ring<S> &ring) {
  z_tile z[WINDOW];
  int row = static_cast<int>(first_sweep(pass)) + 1;
#pragma unroll
  for (int i = 0; i < WINDOW; i++) columns.load(z[i], row + 8 * i);
  for (int hop = hops_in(columns.n, pass); hop > 0; hop--, row += band_width) {
    z_tile behind[MOVED];
#pragma unroll
    for (int stage = S::HOP_STAGES - 1; stage >= 0; stage--) {
      const double *const factors = ring.next();
#pragma unroll
      for (int i = 0; i < MOVED && stage == 0; i++) columns.load(behind[i], row + 8 * (WINDOW + i));
#pragma unroll
      for (int g = S::STAGE_BLOCKS - 1; g >= 0; g--)
        apply_block(factors + (S::STAGE_BLOCKS - 1 - g) * BLOCK_ELEMENTS, z + stage * S::STAGE_BLOCKS + g);
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

template <int SETS> struct apply_shared { double rings[SETS * STAGES * warp_sets<SETS>::STAGE_ELEMENTS]; };

template <int SETS> __global__ void __launch_bounds__(APPLY_THREADS, 1) apply_passes_kernel(chase_passes p) {
  using S = warp_sets<SETS>;
  const warp_columns columns(p.of, static_cast<int64_t>(blockIdx.x) * S::BLOCK_COLUMNS + S::warp() * COLUMNS);
  factor_ring<S> ring(tg_shared<apply_shared<SETS>>()->rings, p);
  pass_times<SETS, LAG> times;
  int now = 0;
  for (int pass = static_cast<int>(p.end) - 1, i = 0; pass >= p.first; pass--, i++) {
    times.next(hops_in(columns.n, pass));
    if (i % SETS != S::set()) continue;
    ring.wait(times.begin - now);
    apply_pass(columns, pass, ring);
    now = times.end();
  }
  ring.wait(times.end() - now); /* the last pass has the most hops, and ends last */
  tg_await_copies<0>();
}

/* ---------------------------------------------------------------------------------------------------- launches -- */

static int64_t elements_of(int64_t n, int64_t pass) { return hops_of(n, pass) * GROUPS * BLOCK_ELEMENTS; }

/* The first pass has the most hops. */
bool apply_chase_fits_mma(queue q, trigon_type type, const chase_product *p) {
  return type == TRIGON_D && q.has.fp64_mma && q.arch->limits->chase_on_mma && p->n > 1 &&
         elements_of(p->n, 0) <= p->work_elements;
}

/* With as many sets as leave no multiprocessor without columns. */
template <int SETS> static cudaError_t launch_passes(queue q, const chase_passes &task) {
  enum { COLS = warp_sets<SETS>::BLOCK_COLUMNS };
  if constexpr (SETS > 1)
    if (task.of.cols > NARROW_COLUMNS * int64_t{WARPS} / SETS) return launch_passes<SETS / 2>(q, task);
  return launch_kernel(q, registered<apply_passes_kernel<SETS>, sizeof(apply_shared<SETS>), NEEDS_MMA>(),
                       (task.of.cols + COLS - 1) / COLS, APPLY_THREADS, task);
}

/* As many passes together as the memory holds the factors of. */
cudaError_t launch_apply_chase_mma(queue q, const chase_product *p) {
  const int64_t sweeps = p->n - 1;
  chase_passes task = {*p, 0, (sweeps + GROUPS * SWEEPS - 1) / (GROUPS * SWEEPS), static_cast<double *>(p->work)};
  cudaError_t error = cudaSuccess;
  for (; task.end > 0 && error == cudaSuccess; task.end = task.first) {
    int64_t elements = 0;
    task.first = task.end;
    while (task.first > 0 && elements + elements_of(p->n, task.first - 1) <= p->work_elements)
      elements += elements_of(p->n, --task.first);
    error = launch_kernel(q, registered<pack_chase_kernel, sizeof(pack_shared)>(), elements / BLOCK_ELEMENTS,
                          PACK_THREADS, task);
    if (error == cudaSuccess) error = launch_passes<WARPS>(q, task);
  }
  return error;
}

#else
bool apply_chase_fits_mma(queue, trigon_type, const chase_product *) { return false; }
cudaError_t launch_apply_chase_mma(queue, const chase_product *) { return cudaErrorInvalidValue; }
#endif
