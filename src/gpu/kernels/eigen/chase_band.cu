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
 * Source: LAPACK xHBTRD2STG; A. Haidar et al., Parallel reduction to condensed forms for symmetric eigenvalue problems
 * (SC 2011). */
#include "eigen_launchers.h"
#include "gpu/kernels/launch.h"
#include "householder.h"

enum {
  CHASE_THREADS = TG_TILE(64, 128),
  CHASE_BLOCKS = TG_TILE(5, 264), /* two on each multiprocessor; up to n / 2b sweeps run at once */
  CHASE_PARTS = CHASE_THREADS / band_width,
  BAND_ROWS = 2 * band_width
};

template <class T> struct chase_shared {
  T D[band_width][band_width + 1], E[band_width][band_width + 1]; /* by columns */
  T v[band_width], next[band_width], w[band_width], y[band_width];
  T part[2][CHASE_PARTS][band_width];
  T tau, next_tau;
  unsigned word;
};

/* ------------------------------------------------------------------------------------------------------- band -- */

/* Element (i, j) of the lower triangle. */
template <class T> __device__ static T lower_element(const chased_band &p, int64_t i, int64_t j) {
  const T *A = static_cast<const T *>(p.A);
  const T x = p.lower ? A[i + j * p.ld] : conjugate(A[j + i * p.ld]);
  return i == j ? only_real(x) : x;
}

/* A block has a column of the band, whose last rows, and last columns, are zero. */
template <class T> __global__ void __launch_bounds__(BAND_ROWS) copy_band_kernel(chased_band p) {
  const int64_t j = blockIdx.x, below = threadIdx.x, i = j + below;
  static_cast<T *>(p.band)[below + j * BAND_ROWS] = i < p.n && below <= band_width ? lower_element<T>(p, i, j) : T{};
  if (below == 0 && j < p.n) static_cast<real_of<T> *>(p.d)[j] = real(lower_element<T>(p, j, j));
}

/* -------------------------------------------------------------------------------------------------------- hop -- */

/* The reflector of a column of b elements, by the first b threads, which are lanes of one warp. */
template <class T> __device__ static void make_reflector(T x, T *v, T *tau, T *end) {
  using R = real_of<T>;
  const int t = static_cast<int>(threadIdx.x);
  R rest = t > 0 && t < band_width ? square(x) : 0;
  for (int step = 1; step < tg_warp(); step *= 2) rest += tg_shuffle(rest, t ^ step);
  const T alpha = shuffle(x, 0);
  const householder<T> h(alpha, root_of(rest));
  const bool skips = rest == 0 && imaginary(alpha) == 0; /* no reflection: what was chased is gone */
  if (t < band_width) v[t] = t == 0 ? one<T>() : skips ? T{} : divide(x, h.pivot);
  if (t == 0) *tau = skips ? T{} : h.tau, *end = skips ? alpha : make(T{}, h.end, R(0));
}

/* Loads D, both triangles, and E. */
template <class T> __device__ static void load_tiles(const T *band, int64_t r0, chase_shared<T> &s) {
  for (int at = static_cast<int>(threadIdx.x); at < BAND_ROWS * band_width; at += CHASE_THREADS) {
    const int j = at / BAND_ROWS, i = j + at % BAND_ROWS;
    if (i >= BAND_ROWS) continue;
    const T x = tg_load_fresh(band + at % BAND_ROWS + (r0 + j) * BAND_ROWS);
    if (i >= band_width)
      s.E[j][i - band_width] = x;
    else
      s.D[j][i] = x, s.D[i][j] = i == j ? only_real(x) : conjugate(x);
  }
  __syncthreads();
}

template <class T> __device__ static void store_tiles(T *band, int64_t r0, const chase_shared<T> &s) {
  for (int at = static_cast<int>(threadIdx.x); at < BAND_ROWS * band_width; at += CHASE_THREADS) {
    const int j = at / BAND_ROWS, i = j + at % BAND_ROWS;
    if (i >= BAND_ROWS) continue;
    band[at % BAND_ROWS + (r0 + j) * BAND_ROWS] = i >= band_width ? s.E[j][i - band_width] : s.D[j][i];
  }
}

/* Sums over the parts of a product. */
template <class T> __device__ static T sum_parts(const chase_shared<T> &s, int which, int i) {
  T sum = {};
  for (int q = 0; q < CHASE_PARTS; q++) sum = add(sum, s.part[which][q][i]);
  return sum;
}

/* w for D = D - v·wᴴ - w·vᴴ, and y = tau·E·v. */
template <class T> __device__ static void multiply_tiles(chase_shared<T> &s) {
  using R = real_of<T>;
  const int t = static_cast<int>(threadIdx.x), i = t % band_width, q = t / band_width;
  T in_d = {}, in_e = {};
  for (int j = q; j < band_width; j += CHASE_PARTS)
    in_d = multiply_add(s.D[j][i], s.v[j], in_d), in_e = multiply_add(s.E[j][i], s.v[j], in_e);
  s.part[0][q][i] = in_d, s.part[1][q][i] = in_e;
  __syncthreads();
  if (t < band_width) s.y[t] = multiply(s.tau, sum_parts(s, 1, t)), s.next[t] = sum_parts(s, 0, t);
  __syncthreads();
  R dot = 0; /* vᴴ·D·v is real */
  for (int j = 0; j < band_width; j++) dot += real(multiply(conjugate(s.v[j]), s.next[j]));
  if (t < band_width) s.w[t] = add(multiply(s.tau, s.next[t]), scale(s.v[t], R(-0.5) * square(s.tau) * dot));
  __syncthreads();
}

/* D = Hᴴ·D·H, E = E·H */
template <class T> __device__ static void reflect_tiles(chase_shared<T> &s) {
  const int t = static_cast<int>(threadIdx.x), i = t % band_width, q = t / band_width;
  for (int j = q; j < band_width; j += CHASE_PARTS) {
    const T d = subtract_product(s.D[j][i], s.v[i], conjugate(s.w[j]));
    s.D[j][i] = subtract_product(d, s.w[i], conjugate(s.v[j]));
    s.E[j][i] = subtract_product(s.E[j][i], s.y[i], conjugate(s.v[j]));
  }
  __syncthreads();
}

/* H' from E's first column, and E = H'ᴴ·E. */
template <class T> __device__ static void chase_on(chase_shared<T> &s) {
  const int t = static_cast<int>(threadIdx.x), i = t % band_width, q = t / band_width;
  T end;
  if (t < tg_warp()) {
    make_reflector(t < band_width ? s.E[0][t] : T{}, s.next, &s.next_tau, &end);
    if (t < band_width) s.E[0][t] = t == 0 ? end : T{};
  }
  __syncthreads();
  T sum = {}; /* of column i */
  for (int r = q; r < band_width; r += CHASE_PARTS) sum = multiply_add(conjugate(s.next[r]), s.E[i][r], sum);
  s.part[0][q][i] = sum;
  __syncthreads();
  const T row = multiply(conjugate(s.next_tau), s.next[i]);
  for (int j = q; j < band_width; j += CHASE_PARTS)
    if (j > 0) s.E[j][i] = subtract_product(s.E[j][i], row, sum_parts(s, 0, j));
  __syncthreads();
}

/* ------------------------------------------------------------------------------------------------------ sweep -- */

/* The reflector of column s, which leaves d and e. */
template <class T> __device__ static void begin_sweep(const chased_band &p, int64_t sweep, chase_shared<T> &s) {
  using R = real_of<T>;
  const T *column = static_cast<const T *>(p.band) + sweep * BAND_ROWS;
  const int t = static_cast<int>(threadIdx.x);
  T end;
  if (t < tg_warp()) make_reflector(t < band_width ? tg_load_fresh(column + 1 + t) : T{}, s.v, &s.tau, &end);
  if (t == 0) {
    static_cast<R *>(p.d)[sweep] = real(tg_load_fresh(column));
    static_cast<R *>(p.e)[sweep] = real(end);
  }
  __syncthreads();
}

template <class T> __device__ static void run_sweep(const chased_band &p, int64_t sweep, chase_shared<T> &s) {
  unsigned *const done = p.words + 1;
  T *const band = static_cast<T *>(p.band);
  const int t = static_cast<int>(threadIdx.x);
  unsigned hop = 0;
  for (int64_t r0 = sweep + 1; r0 < p.n; r0 += band_width, hop++) {
    if (sweep > 0) tg_await(done + sweep - 1, hop + 2);
    if (hop == 0) begin_sweep(p, sweep, s);
    load_tiles(band, r0, s);
    multiply_tiles(s);
    reflect_tiles(s);
    chase_on(s);
    store_tiles(band, r0, s);
    if (t < band_width) s.v[t] = s.next[t];
    if (t == 0) s.tau = s.next_tau;
    tg_publish(done + sweep, hop + 1);
  }
  if (sweep == p.n - 2 && t == 0) static_cast<real_of<T> *>(p.d)[p.n - 1] = real(s.D[0][0]);
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
    cudaError_t error = cudaMemsetAsync(p->words, 0, static_cast<size_t>(words) * sizeof *p->words, q.stream);
    if (error == cudaSuccess)
      error = launch_kernel(q, registered<copy_band_kernel<T>>(), p->n + BAND_ROWS, BAND_ROWS, *p);
    if (error != cudaSuccess || sweeps == 0) return error;
    return launch_kernel(q, registered<chase_kernel<T>, sizeof(chase_shared<T>)>(),
                         sweeps < CHASE_BLOCKS ? sweeps : int64_t(CHASE_BLOCKS), CHASE_THREADS, *p);
  });
}
