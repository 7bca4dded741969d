/* pack_chase.cu - the kernel that stores the reflectors of bulge chasing as fragments of block reflectors
 * (chase_blocks.h). All its numbers are doubles. Source: LAPACK xLARFT for T. */
#include "chase_blocks.h"

#if TG_HAS_MMA

enum { PACK_THREADS = 32 };

/* Numbers of type T as doubles. */
__device__ static inline double widen(float x) { return x; }
__device__ static inline double widen(double x) { return x; }
template <class R> __device__ inline complex<double> widen(complex<R> x) { return {x.re, x.im}; }
template <class T> using wide = decltype(widen(T{}));

template <class W> struct pack_shared {
  W v[SWEEPS][8 * TILES]; /* column c of V */
  W dots[SWEEPS][SWEEPS], t[SWEEPS][SWEEPS], tau[SWEEPS];
};

/* The place of a block of threads: pass, hop and first sweep. */
template <class F> struct packed_place {
  int64_t sweep, hop;

  __device__ packed_place(const chase_passes &p, int64_t block) {
    int64_t pass = p.end - 1;
    while (block >= F::hops_of(p.of.n, pass) * F::GROUPS) block -= F::hops_of(p.of.n, pass--) * F::GROUPS;
    hop = block / F::GROUPS;
    sweep = F::first_sweep(pass) + (F::GROUPS - 1 - block % F::GROUPS) * SWEEPS;
  }
};

/* V, whose column c begins in row c, and the taus. */
template <class F, class T = typename F::T, class W = wide<T>>
__device__ static void load_reflectors(const chase_product &p, const packed_place<F> &at, pack_shared<W> &shared) {
  T *const A = static_cast<T *>(const_cast<void *>(p.A));
  for (int e = static_cast<int>(threadIdx.x); e < SWEEPS * 8 * TILES; e += PACK_THREADS) {
    const int c = e / (8 * TILES), row = e % (8 * TILES), i = row - c;
    const int64_t sweep = at.sweep + c, element = at.hop * band_width + i;
    const bool valid = i >= 0 && i < band_width && element < p.n - 1 - sweep;
    const W x = valid ? widen(kept_sweep(A, p.lower, p.n, p.ld, sweep)[element]) : W{};
    shared.v[c][row] = i == 0 && valid ? one<W>() : x;
    if (i == 0) shared.tau[c] = x;
  }
  __syncthreads();
}

/* T: column j is -tau_j·T·(Vᴴ·v_j), above tau_j. */
template <class W> __device__ static void make_factor(pack_shared<W> &shared) {
  const int t = static_cast<int>(threadIdx.x);
  for (int e = t; e < SWEEPS * SWEEPS; e += PACK_THREADS) {
    const int i = e / SWEEPS, j = e % SWEEPS;
    W sum = {};
    for (int r = j; r < 8 * TILES && i < j; r++) sum = multiply_add(conjugate(shared.v[i][r]), shared.v[j][r], sum);
    shared.dots[i][j] = sum;
    shared.t[i][j] = i == j ? shared.tau[j] : W{};
  }
  for (int j = 1; j < SWEEPS; j++) {
    __syncthreads();
    W sum = {};
    for (int l = t; l < j; l++) sum = subtract_product(sum, shared.t[t][l], shared.dots[l][j]);
    if (t < j) shared.t[t][j] = multiply(shared.tau[j], sum);
  }
  __syncthreads();
}

/* Element (row, c) of Y = V·T. */
template <class W> __device__ static W element_of_y(const pack_shared<W> &shared, int row, int c) {
  W sum = {};
  for (int l = 0; l <= c; l++) sum = multiply_add(shared.v[l][row], shared.t[l][c], sum);
  return sum;
}

/* Stores the real part, and for complex numbers the imaginary part as well, in the lane's pairs. */
__device__ static inline void store_parts(double *to, double x) { *to = x; }
__device__ static inline void store_parts(double *to, complex<double> x) { to[0] = x.re, to[PAIR_ELEMENTS] = x.im; }

template <class F> __global__ void __launch_bounds__(PACK_THREADS) pack_chase_kernel(chase_passes p) {
  using W = wide<typename F::T>;
  enum { OF_TILE = F::PARTS * PAIR_ELEMENTS };
  pack_shared<W> &shared = *tg_shared<pack_shared<W>>();
  const int lane = static_cast<int>(threadIdx.x), g = lane / 4, t = lane % 4;
  load_reflectors<F>(p.of, packed_place<F>(p, blockIdx.x), shared);
  make_factor(shared);
  double *const to = p.factors + static_cast<int64_t>(blockIdx.x) * F::BLOCK_ELEMENTS + lane * 2;
  for (int i = 0; i < TILES; i++)
    for (int e = 0; e < 2; e++) {
      store_parts(to + 2 * i * OF_TILE + e, shared.v[g][8 * i + tile_row(t, e)]);
      store_parts(to + (2 * i + 1) * OF_TILE + e, element_of_y(shared, 8 * i + tile_row(g / 2, g % 2), 2 * t + e));
    }
}

cudaError_t launch_pack_chase(queue q, trigon_type type, const chase_passes &p, int64_t blocks) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<pack_chase_kernel<block_form<T>>, sizeof(pack_shared<wide<T>>)>(), blocks,
                         PACK_THREADS, p);
  });
}

#endif
