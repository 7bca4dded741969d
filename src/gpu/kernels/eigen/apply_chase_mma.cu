/* apply_chase_mma.cu - the product Z = Q·Z with the Q of bulge chasing, on matrix units for doubles.
 *
 * Blocks of reflectors and passes are those of chase_blocks.h. A warp has 16 columns of Z, and keeps the window of rows
 * that a hop of the pass changes in registers, as tiles of Zᵀ in the fragments of sums, as doubles in all types
 * (apply_block.h). Warps take V and Y from a ring in shared memory. A complex tile has twice as many registers, so that
 * a pass has fewer blocks, and the rows that come next are copied to shared memory.
 *
 * The sets of a block meet at the barriers of the rings. Source: LAPACK xLARFT, xLARFB for the block reflectors. */
#include "chase_blocks.h"

#if TG_HAS_MMA

#include "apply_block.h"

enum {
  LAG = 2,      /* hops by which a pass follows the one before: see apply_pass */
  COLUMNS = 16, /* of Z, in a warp */
  WARPS = 8,    /* two for each part of a multiprocessor */
  /* 16 on each of 132 multiprocessors: up to here blocks have eight sets, up to twice as many columns four, and so
   * on. */
  NARROW_COLUMNS = TG_TILE(24, 2112),
  APPLY_THREADS = 32 * WARPS
};

/* A block's sets. The blocks of a hop are copied in more stages if there are more sets, and their rings have fewer
 * stages if they are large, so that the rings fit. */
template <class F_, int SETS_> struct warp_sets {
  using F = F_;
  using T = typename F::T;
  enum {
    SETS = SETS_,
    SET_WARPS = WARPS / SETS,
    THREADS = 32 * SET_WARPS, /* of a set */
    BLOCK_COLUMNS = SET_WARPS * COLUMNS,
    HOP_STAGES = SETS < WARPS && SETS < F::GROUPS ? SETS : F::GROUPS,
    STAGE_BLOCKS = F::GROUPS / HOP_STAGES,
    STAGE_ELEMENTS = STAGE_BLOCKS * F::BLOCK_ELEMENTS,
    STAGES = F::is_complex && SETS == WARPS ? 2 : 3 /* of a ring */
  };
  static_assert(WARPS % SETS == 0 && F::GROUPS % HOP_STAGES == 0, "sets and stages are whole");
  __device__ static int set() { return static_cast<int>(threadIdx.x) / THREADS; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) % THREADS / 32; }
};

/* What a lane has of a tile, as it is in memory. */
template <class T> struct tile_elements { T of[4]; };

/* Elements become doubles, and the other way. */
template <class T>
__device__ static TG_INLINE void take_elements(z_tile<block_form<T>> &x, const tile_elements<T> &from) {
#pragma unroll
  for (int i = 0; i < 4; i++)
    if constexpr (block_form<T>::is_complex)
      x.of[0][i] = from.of[i].re, x.of[1][i] = from.of[i].im;
    else
      x.of[0][i] = from.of[i];
}
template <class T> __device__ static TG_INLINE T element_of_tile(const z_tile<block_form<T>> &x, int i) {
  using R = real_of<T>;
  if constexpr (block_form<T>::is_complex)
    return {static_cast<R>(x.of[0][i]), static_cast<R>(x.of[1][i])};
  else
    return static_cast<R>(x.of[0][i]);
}

/* The hops of a pass as an integer of a register: orders are below 2^28. */
template <class F> __device__ static int hops_in(int n, int pass) { return static_cast<int>(F::hops_of(n, pass)); }

/* The 16 columns of a warp. */
template <class T> struct warp_columns {
  T *at[2]; /* of the lane: the first row of each column, or NULL */
  T *any;   /* an address that may be read */
  int n, t;

  __device__ warp_columns(const chase_product &p, int64_t column) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int64_t j = column + lane / 4;
    any = static_cast<T *>(p.Z);
    for (int h = 0; h < 2; h++) at[h] = j + 8 * h < p.cols ? any + (j + 8 * h) * p.ldz : NULL;
    n = static_cast<int>(p.n), t = lane % 4;
  }
  /* Calls visit(i, column, row, valid) for the lane's elements of the tile that begins in this row. */
  template <class Visit> __device__ TG_INLINE void each(int row, Visit visit) const {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        const int r = row + tile_row(t, e);
        visit(2 * h + e, at[h], r, at[h] && r < n);
      }
  }
  __device__ TG_INLINE void load(tile_elements<T> &x, int row) const {
    each(row, [&](int i, const T *column, int r, bool valid) { x.of[i] = valid ? column[r] : T{}; });
  }
  __device__ TG_INLINE void load(z_tile<block_form<T>> &x, int row) const {
    tile_elements<T> from;
    load(from, row);
    take_elements<T>(x, from);
  }
  __device__ TG_INLINE void store(const z_tile<block_form<T>> &x, int row) const {
    each(row, [&](int i, T *column, int r, bool valid) {
      if (valid) column[r] = element_of_tile<T>(x, i);
    });
  }
};

/* The tiles behind the window, which the next hop needs. They wait in registers, or, if S says so, in shared memory,
 * where a lane reads what it has copied itself. `copy` belongs to the next group of copies; `load` comes behind it, so
 * that its registers are free until then. */
template <class S, bool SHARED = S::F::is_complex> struct tiles_behind {
  using T = typename S::T;
  enum { SHARED_ELEMENTS = 0 };
  tile_elements<T> of[MOVED];

  __device__ explicit tiles_behind(T *) {}
  __device__ TG_INLINE void copy(const warp_columns<T> &, int, int) {}
  __device__ TG_INLINE void load(const warp_columns<T> &columns, int row, int stage) {
#pragma unroll
    for (int i = 0; i < MOVED && stage == 0; i++) columns.load(of[i], row + 8 * i);
  }
  __device__ TG_INLINE void await() {}
  __device__ TG_INLINE void take(z_tile<block_form<T>> &x, int i) { take_elements<T>(x, of[i]); }
};
template <class S> struct tiles_behind<S, true> {
  using T = typename S::T;
  enum { SHARED_ELEMENTS = WARPS * MOVED * 4 * 32 };
  T *own;

  __device__ explicit tiles_behind(T *shared)
      : own(shared + static_cast<int>(threadIdx.x) / 32 * (MOVED * 4 * 32) + static_cast<int>(threadIdx.x) % 32) {}
  __device__ TG_INLINE void load(const warp_columns<T> &, int, int) {}
  __device__ TG_INLINE void copy(const warp_columns<T> &columns, int row, int stage) {
#pragma unroll
    for (int i = 0; i < MOVED && stage == S::HOP_STAGES - 1; i++)
      columns.each(row + 8 * i, [&](int e, const T *column, int r, bool valid) {
        tg_copy_async_one(own + (4 * i + e) * 32, valid ? column + r : columns.any, valid);
      });
  }
  /* The copies are in the group of the hop's first stage. */
  __device__ TG_INLINE void await() { tg_await_copies<S::HOP_STAGES - 1>(); }
  __device__ TG_INLINE void take(z_tile<block_form<T>> &x, int i) {
    tile_elements<T> from;
#pragma unroll
    for (int e = 0; e < 4; e++) from.of[e] = own[(4 * i + e) * 32];
    take_elements<T>(x, from);
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
      : shared(rings + S::set() * S::STAGES * S::STAGE_ELEMENTS), from(p.factors), n(static_cast<int>(p.of.n)),
        pass(static_cast<int>(p.end)), first(static_cast<int>(p.first)), left(0) {
    skip_passes(1 + S::set());
    for (int i = 0; i < S::STAGES - 1; i++) copy();
  }
  __device__ static int after(int at) { return at + 1 < S::STAGES ? at + 1 : 0; }

  /* Goes on to the pass that comes so many passes later, whose factors lie behind theirs. */
  __device__ void skip_passes(int passes) {
    for (int i = 0; i < passes; i++) {
      if (i > 0 && pass > first)
        from += hops_in<typename S::F>(n, pass) * (S::HOP_STAGES * static_cast<int64_t>(S::STAGE_ELEMENTS));
      pass--;
    }
    left = pass >= first ? hops_in<typename S::F>(n, pass) * S::HOP_STAGES : 0;
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
   * do. What also() copies belongs to the group of the stage that begins now. */
  template <class Also> __device__ TG_INLINE const double *next(Also also) {
    tg_await_copies<S::STAGES - 2>();
    meet_sets();
    also();
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

/* The window begins at row first_sweep + 1, and moves down to the end of Z. The rows that hop k loads were stored by
 * hop k + 1 of the pass before, and the window's last rows at the beginning by its hop 0. So this pass begins LAG hops
 * after that one: then a barrier is in between. */
template <class S, class T = typename S::T>
__device__ static void apply_pass(const warp_columns<T> &columns, int pass, factor_ring<S> &ring, T *shared) {
  using F = typename S::F;
  z_tile<F> z[F::WINDOW];
  int row = static_cast<int>(F::first_sweep(pass)) + 1;
#pragma unroll
  for (int i = 0; i < F::WINDOW; i++) columns.load(z[i], row + 8 * i);
  for (int hop = hops_in<F>(columns.n, pass); hop > 0; hop--, row += band_width) {
    tiles_behind<S> behind(shared);
#pragma unroll
    for (int stage = S::HOP_STAGES - 1; stage >= 0; stage--) {
      const double *const factors = ring.next([&] { behind.copy(columns, row + 8 * F::WINDOW, stage); });
      behind.load(columns, row + 8 * F::WINDOW, stage);
#pragma unroll
      for (int g = S::STAGE_BLOCKS - 1; g >= 0; g--)
        apply_block<T>(factors + (S::STAGE_BLOCKS - 1 - g) * F::BLOCK_ELEMENTS, z + stage * S::STAGE_BLOCKS + g);
    }
#pragma unroll
    for (int i = 0; i < MOVED; i++) columns.store(z[i], row + 8 * i);
    behind.await();
#pragma unroll
    for (int i = 0; i < F::WINDOW; i++)
      if (i + MOVED < F::WINDOW)
        z[i] = z[i + MOVED];
      else
        behind.take(z[i], i + MOVED - F::WINDOW);
  }
#pragma unroll
  for (int i = 0; i < F::WINDOW; i++) columns.store(z[i], row + 8 * i);
}

template <class S>
constexpr size_t
    apply_shared = S::SETS *S::STAGES *S::STAGE_ELEMENTS * sizeof(double) + tiles_behind<S>::SHARED_ELEMENTS *
                                                                                sizeof(typename S::T);

template <class S> __global__ void __launch_bounds__(APPLY_THREADS, 1) apply_passes_kernel(chase_passes p) {
  using T = typename S::T;
  const warp_columns<T> columns(p.of, static_cast<int64_t>(blockIdx.x) * S::BLOCK_COLUMNS + S::warp() * COLUMNS);
  double *const rings = tg_shared<double>();
  T *const behind = reinterpret_cast<T *>(rings + S::SETS * S::STAGES * S::STAGE_ELEMENTS);
  factor_ring<S> ring(rings, p);
  pass_times<S::SETS, LAG> times;
  int now = 0;
  for (int pass = static_cast<int>(p.end) - 1, i = 0; pass >= p.first; pass--, i++) {
    times.next(hops_in<typename S::F>(columns.n, pass));
    if (i % S::SETS != S::set()) continue;
    ring.wait(times.begin - now);
    apply_pass(columns, pass, ring, behind);
    now = times.end();
  }
  ring.wait(times.end() - now); /* the last pass has the most hops, and ends last */
  tg_await_copies<0>();
}

/* ---------------------------------------------------------------------------------------------------- launches -- */

/* Bytes for the factors of a pass. */
template <class F> static int64_t bytes_of(int64_t n, int64_t pass) {
  return F::elements_of(n, pass) * static_cast<int64_t>(sizeof(double));
}

/* The first pass has the most hops. */
bool apply_chase_fits_mma(queue q, trigon_type type, const chase_product *p) {
  return q.has.fp64_mma && q.arch->limits->chase_on_mma && p->n > 1 &&
         with_type(type, [&](auto zero) { return bytes_of<block_form<decltype(zero)>>(p->n, 0) <= p->work_bytes; });
}

/* With as many sets as leave no multiprocessor without columns. */
template <class F, int SETS> static cudaError_t launch_passes(queue q, const chase_passes &task) {
  using S = warp_sets<F, SETS>;
  if constexpr (SETS > 1)
    if (task.of.cols > NARROW_COLUMNS * int64_t{WARPS} / SETS) return launch_passes<F, SETS / 2>(q, task);
  return launch_kernel(q, registered<apply_passes_kernel<S>, apply_shared<S>, NEEDS_MMA>(),
                       (task.of.cols + S::BLOCK_COLUMNS - 1) / S::BLOCK_COLUMNS, APPLY_THREADS, task);
}

/* As many passes together as the memory holds the factors of. */
template <class F> static cudaError_t launch_all(queue q, trigon_type type, const chase_product *p) {
  chase_passes task = {*p, 0, F::passes(p->n), static_cast<double *>(p->work)};
  cudaError_t error = cudaSuccess;
  for (; task.end > 0 && error == cudaSuccess; task.end = task.first) {
    int64_t bytes = 0;
    task.first = task.end;
    while (task.first > 0 && bytes + bytes_of<F>(p->n, task.first - 1) <= p->work_bytes)
      bytes += bytes_of<F>(p->n, --task.first);
    error = launch_pack_chase(q, type, task, bytes / static_cast<int64_t>(F::BLOCK_ELEMENTS * sizeof(double)));
    if (error == cudaSuccess) error = launch_passes<F, WARPS>(q, task);
  }
  return error;
}

cudaError_t launch_apply_chase_mma(queue q, trigon_type type, const chase_product *p) {
  return with_type(type, [&](auto zero) { return launch_all<block_form<decltype(zero)>>(q, type, p); });
}

#else
bool apply_chase_fits_mma(queue, trigon_type, const chase_product *) { return false; }
cudaError_t launch_apply_chase_mma(queue, trigon_type, const chase_product *) { return cudaErrorInvalidValue; }
#endif
