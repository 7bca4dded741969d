/* chase_band.cu - the kernels that reduce a band to a tridiagonal matrix: bulge chasing.
 *
 * Sweep s makes the elements of column s below its first one zero by a reflector. That fills the band b rows further
 * down, and hop after hop another reflector chases the bulge down the band:
 *
 *     hop k:    [ D = Hᴴ·D·H            ]      rows and columns r0 = s + 1 + k·b to r0 + b
 *               [ E = H'ᴴ·(E·H)     ... ]      H' makes E's first column a multiple of e_1, and is the H of hop k + 1
 *
 * A hop touches the columns r0 to r0 + b - 1 alone. It needs hop k + 1 of the sweep before. A block of threads takes a
 * sweep, by ticket, and waits only for the sweep before. The band, with its bulges, has 2·b rows, and lies in L2.
 *
 * If the device has room for all hops at once, the kernel of chase_hops.cu takes their place.
 * Source: LAPACK xHBTRD2STG; A. Haidar et al., Parallel reduction to condensed forms for symmetric eigenvalue problems
 * (SC 2011). */
#include "chase_hops.h"

enum {
  CHASE_PARTS = TG_TILE(2, 4), /* of the columns of D and E */
  CHASE_THREADS = band_width * CHASE_PARTS,
  CHASE_BLOCKS = TG_TILE(5, 264), /* two on each multiprocessor; up to n / 2b sweeps run at once */
  COLUMNS = band_width / CHASE_PARTS,
  BAND_ROWS = 2 * band_width
};

/* What a thread has of D and E: row i, and COLUMNS neighbouring columns of it. Threads of a group, which are lanes of
 * one warp, have the rows of the same columns. Each group has the reflector: lane i its element i. */
template <class T> struct hop_tiles { T D[COLUMNS], E[COLUMNS], v, tau; };

template <class T> struct chase_shared {
  T part[2][CHASE_PARTS][band_width]; /* of D·v and of E·v */
  T column[band_width];               /* the first of E */
  unsigned word;
};

__device__ static int column_of_thread() { return part_of_thread() * COLUMNS; }

/* ------------------------------------------------------------------------------------------------------- band -- */

/* A block has a column of the band, whose last rows, and last columns, are zero. */
template <class T> __global__ void __launch_bounds__(BAND_ROWS) copy_band_kernel(chased_band p) {
  const int64_t j = blockIdx.x, below = threadIdx.x, i = j + below;
  static_cast<T *>(p.band)[below + j * BAND_ROWS] = i < p.n && below <= band_width ? lower_element<T>(p, i, j) : T{};
  if (below == 0 && j < p.n) static_cast<real_of<T> *>(p.d)[j] = real(lower_element<T>(p, j, j));
}

/* -------------------------------------------------------------------------------------------------------- hop -- */

/* Makes the reflector of a column, of which each lane has an element. Returns the first element of the column after
 * it. If there is nothing to reflect, what was chased is gone. */
template <class T> __device__ static T make_reflector(T x, hop_tiles<T> &s) {
  using R = real_of<T>;
  const int i = row_of_thread();
  const R rest = group_sum(i > 0 ? square(x) : R(0));
  const T alpha = of_lane(x, 0);
  const householder<T> h(alpha, rest);
  const bool skips = h.is_zero || (rest == 0 && imaginary(alpha) == 0);
  s.v = i == 0 ? one<T>() : skips ? T{} : multiply(x, h.factor_of_rest());
  s.tau = skips ? T{} : h.tau;
  return skips ? only_real(alpha) : make(T{}, h.end, R(0));
}

/* The address of element (i, j) of the matrix, if i >= j. */
template <class T> __device__ static T *band_at(T *band, int64_t i, int64_t j) {
  return band + (i - j) + j * BAND_ROWS;
}

/* Loads D, both triangles, and E. All loads are on their way before the first one is waited for. */
template <class T> __device__ static void load_tiles(T *band, int64_t r0, hop_tiles<T> &s) {
  const int i = row_of_thread(), first = column_of_thread();
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    const int j = first + c, low = i > j ? i : j, high = i > j ? j : i;
    s.D[c] = tg_load_fresh(band_at(band, r0 + low, r0 + high));
    s.E[c] = tg_load_fresh(band_at(band, r0 + band_width + i, r0 + j));
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    s.D[c] = i == first + c ? only_real(s.D[c]) : i < first + c ? conjugate(s.D[c]) : s.D[c];
}

template <class T> __device__ static void store_tiles(T *band, int64_t r0, const hop_tiles<T> &s) {
  const int i = row_of_thread(), first = column_of_thread();
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    if (i >= first + c) *band_at(band, r0 + i, r0 + first + c) = s.D[c];
    *band_at(band, r0 + band_width + i, r0 + first + c) = s.E[c];
  }
}

/* D = Hᴴ·D·H = D - v·wᴴ - w·vᴴ, E = E·H */
template <class T> __device__ static void reflect_tiles(hop_tiles<T> &s, chase_shared<T> &shared) {
  using R = real_of<T>;
  const int i = row_of_thread(), first = column_of_thread();
  T in_d = {}, in_e = {}, u = {}, y = {};
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    const T v = of_lane(s.v, first + c);
    in_d = multiply_add(s.D[c], v, in_d), in_e = multiply_add(s.E[c], v, in_e);
  }
  shared.part[0][part_of_thread()][i] = in_d, shared.part[1][part_of_thread()][i] = in_e;
  __syncthreads();
#pragma unroll
  for (int q = 0; q < CHASE_PARTS; q++) u = add(u, shared.part[0][q][i]), y = add(y, shared.part[1][q][i]);
  const R dot = real(group_sum(multiply(conjugate(s.v), u))); /* vᴴ·D·v is real */
  const T w = add(multiply(s.tau, u), scale(s.v, R(-0.5) * square(s.tau) * dot));
  y = multiply(s.tau, y);
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) {
    const T v = conjugate(of_lane(s.v, first + c));
    s.D[c] = subtract_product(subtract_product(s.D[c], s.v, conjugate(of_lane(w, first + c))), w, v);
    s.E[c] = subtract_product(s.E[c], y, v);
  }
}

/* H' from E's first column, and E = H'ᴴ·E. */
template <class T> __device__ static void chase_on(hop_tiles<T> &s, chase_shared<T> &shared) {
  const int i = row_of_thread();
  if (part_of_thread() == 0) shared.column[i] = s.E[0];
  __syncthreads();
  const T end = make_reflector(shared.column[i], s), left = multiply(conjugate(s.tau), s.v);
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
    s.E[c] = subtract_product(s.E[c], left, group_sum(multiply(conjugate(s.v), s.E[c])));
  if (part_of_thread() == 0) s.E[0] = i == 0 ? end : T{};
}

/* ------------------------------------------------------------------------------------------------------ sweep -- */

/* The reflector of column s, which leaves d and e. */
template <class T> __device__ static void begin_sweep(const chased_band &p, int64_t sweep, hop_tiles<T> &s) {
  using R = real_of<T>;
  const T *column = static_cast<const T *>(p.band) + sweep * BAND_ROWS;
  const T end = make_reflector(tg_load_fresh(column + 1 + row_of_thread()), s);
  if (threadIdx.x != 0) return;
  static_cast<R *>(p.d)[sweep] = real(tg_load_fresh(column));
  static_cast<R *>(p.e)[sweep] = real(end);
}

/* Stores the reflector of a hop. */
template <class T>
__device__ static void keep_reflector(const chased_band &p, int64_t sweep, unsigned hop, const hop_tiles<T> &s) {
  const int64_t at = static_cast<int64_t>(hop) * band_width + row_of_thread();
  if (part_of_thread() > 0 || at >= p.n - 1 - sweep) return;
  kept_sweep(static_cast<T *>(p.A), p.lower, p.n, p.ld, sweep)[at] = row_of_thread() == 0 ? s.tau : s.v;
}

template <class T> __device__ static void run_sweep(const chased_band &p, int64_t sweep, chase_shared<T> &shared) {
  unsigned *const done = p.words + 1;
  T *const band = static_cast<T *>(p.band);
  unsigned hop = 0;
  hop_tiles<T> s;
  for (int64_t r0 = sweep + 1; r0 < p.n; r0 += band_width, hop++) {
    if (sweep > 0) tg_await(done + sweep - 1, hop + 2);
    if (hop == 0) begin_sweep(p, sweep, s);
    if (p.keeps) keep_reflector(p, sweep, hop, s);
    load_tiles(band, r0, s);
    reflect_tiles(s, shared);
    chase_on(s, shared);
    store_tiles(band, r0, s);
    tg_publish(done + sweep, hop + 1);
  }
  if (sweep == p.n - 2 && threadIdx.x == 0) static_cast<real_of<T> *>(p.d)[p.n - 1] = real(s.D[0]);
  tg_publish(done + sweep, UINT32_MAX / 2); /* there are no more hops to wait for */
}

template <class T> __global__ void __launch_bounds__(CHASE_THREADS) chase_kernel(chased_band p) {
  chase_shared<T> &shared = *tg_shared<chase_shared<T>>();
  for (;;) {
    const int64_t sweep = tg_ticket(p.words, &shared.word);
    if (sweep >= p.n - 1) return;
    run_sweep(p, sweep, shared);
  }
}

cudaError_t launch_chase_band(queue q, trigon_type type, const chased_band *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const int64_t words = p->n + 1, sweeps = p->n - 1;
    bool done = false;
    cudaError_t error = launch_chase_hops<T>(q, *p, &done);
    if (error != cudaSuccess || done) return error;
    error = cudaMemsetAsync(p->words, 0, static_cast<size_t>(words) * sizeof *p->words, q.stream);
    if (error == cudaSuccess)
      error = launch_kernel(q, registered<copy_band_kernel<T>>(), p->n + BAND_ROWS, BAND_ROWS, *p);
    if (error != cudaSuccess || sweeps == 0) return error;
    return launch_kernel(q, registered<chase_kernel<T>, sizeof(chase_shared<T>)>(),
                         sweeps < CHASE_BLOCKS ? sweeps : int64_t(CHASE_BLOCKS), CHASE_THREADS, *p);
  });
}
