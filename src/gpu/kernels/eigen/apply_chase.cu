/* apply_chase.cu - the kernel that multiplies by the Q of bulge chasing: Z = Q·Z.
 *
 * A few neighbouring lanes share a column of Z: they have every fourth row of the window that a hop of a pass changes,
 * in registers. The window moves down by b rows from hop to hop. Nothing is exchanged with other columns. The
 * reflectors of the next hop are on their way to shared memory meanwhile; zeros on both sides of each let all lanes do
 * the same steps. */
#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"

enum {
  LANES = TG_TILE(2, 4),                  /* of a column */
  NARROW_COLUMNS = TG_TILE(48, 16 * 132), /* of Z: 16 on each of 132 multiprocessors */
  PASS_LAG = 1,                           /* hops by which a pass follows the one before: see apply_group */
  PADDED = band_width + 2 * (LANES - 1),
  STEPS = band_width / LANES + 1 /* rows of a lane that a reflector may reach */
};

/* The sweeps of a pass, the rows of the window, a multiple of LANES, and the sets of a block, which are whole warps. If
 * Z is NARROW, blocks have fewer columns, and more sets than every GPU has the memory for. */
template <class T_, bool NARROW> struct chase_form {
  using T = T_;
  static constexpr bool is_complex = sizeof(T) > sizeof(real_of<T>), is_double = sizeof(real_of<T>) == 8;
  static constexpr int sweeps = TG_TILE(3, is_complex ? 16 : 32);
  static constexpr int rows = (band_width + sweeps - 1 + LANES - 1) / LANES * LANES;
  static constexpr int sets = (is_double ? 3 : 4) * (NARROW ? 2 : 1);
  static constexpr int set_threads = NARROW ? 64 : TG_TILE(64, 128), threads = sets * set_threads;
  static constexpr int columns = set_threads / LANES;

  __device__ static int set() { return static_cast<int>(threadIdx.x) / set_threads; }
  __device__ static int thread() { return static_cast<int>(threadIdx.x) % set_threads; }
  __device__ static int64_t first_column() { return static_cast<int64_t>(blockIdx.x) * columns; }
};

template <class F, class T = typename F::T> struct product_shared {
  T v[2][F::sweeps][PADDED];
  T tau[F::sweeps];
};

/* Begins to copy the reflectors of a hop. What lies behind the matrix, or behind the last sweep, becomes zero. */
template <class F, class T = typename F::T>
__device__ static void fetch_reflectors(const chase_product &p, int64_t first, int hop, T (&v)[F::sweeps][PADDED]) {
  T *const A = static_cast<T *>(const_cast<void *>(p.A));
  for (int at = F::thread(); at < F::sweeps * band_width; at += F::set_threads) {
    const int c = at / band_width, i = at % band_width;
    const int64_t sweep = first + c, element = static_cast<int64_t>(hop) * band_width + i;
    const bool valid = sweep < p.n - 1 && element < p.n - 1 - sweep;
    tg_copy_async_one(&v[c][LANES - 1 + i], valid ? kept_sweep(A, p.lower, p.n, p.ld, sweep) + element : A, valid);
  }
  tg_commit_copies();
}

/* The first elements become one, and their tau go to a place of their own. Ends with a barrier. */
template <class F, class T = typename F::T> __device__ static void take_taus(product_shared<F> &shared, int which) {
  const int t = F::thread();
  tg_await_copies<0>();
  meet_sets();
  if (t < F::sweeps) {
    shared.tau[t] = shared.v[which][t][LANES - 1];
    shared.v[which][t][LANES - 1] = one<T>();
  }
  meet_sets();
}

/* The sum over the lanes of a column. */
template <class T> __device__ static T column_sum(T x) {
  const int lane = static_cast<int>(threadIdx.x) % tg_warp();
#pragma unroll
  for (int step = 1; step < LANES; step *= 2) x = add(x, shuffle(x, lane ^ step));
  return x;
}

/* z = H·z, for the reflectors of a hop, the last sweep first. z[m] is row m·LANES + lane of the window. */
template <class F, class T = typename F::T>
__device__ static void apply_hop(const product_shared<F> &shared, int which, T (&z)[F::rows / LANES]) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
#pragma unroll
  for (int c = F::sweeps - 1; c >= 0; c--) {
    constexpr int last = F::rows / LANES;
    const T *const v = shared.v[which][c] + LANES - 1 + lane - c; /* v[r] belongs to row r + lane */
    T part[STEPS], even = {}, odd = {};
#pragma unroll
    for (int s = 0; s < STEPS; s++) part[s] = c / LANES + s < last ? v[(c / LANES + s) * LANES] : T{};
#pragma unroll
    for (int s = 0; s < STEPS; s++)
      if (c / LANES + s < last) {
        if (s % 2)
          odd = multiply_add(conjugate(part[s]), z[c / LANES + s], odd);
        else
          even = multiply_add(conjugate(part[s]), z[c / LANES + s], even);
      }
    const T w = multiply(shared.tau[c], column_sum(add(even, odd)));
#pragma unroll
    for (int s = 0; s < STEPS; s++)
      if (c / LANES + s < last) z[c / LANES + s] = subtract_product(z[c / LANES + s], part[s], w);
  }
}

enum { BARRIERS = 3 }; /* of a hop */

/* So many hops of other sets go by. */
static __device__ void wait_for_hops(int hops) {
  for (int i = 0; i < BARRIERS * hops; i++) meet_sets();
}

/* The pass that begins with sweep `first`. The window begins at row first + 1. The last rows that hop k loads were
 * stored by hop k of the pass before, so that this pass begins one hop after that one. */
template <class F, class T = typename F::T>
__device__ static void apply_group(const chase_product &p, int64_t first, product_shared<F> &shared) {
  constexpr int rows = F::rows / LANES, moved = band_width / LANES, kept = rows - moved;
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int64_t j = F::first_column() + F::thread() / LANES;
  T *const column = static_cast<T *>(p.Z) + j * p.ldz + lane, z[rows];
  const int64_t end = j < p.cols ? p.n - lane : 0; /* a thread without a column reads and writes nothing */
  int64_t r0 = first + 1;
#pragma unroll
  for (int m = 0; m < kept; m++) z[m] = r0 + m * LANES < end ? column[r0 + m * LANES] : T{};
  fetch_reflectors<F>(p, first, 0, shared.v[0]);
  for (int hop = 0; r0 < p.n; r0 += band_width, hop++) {
#pragma unroll
    for (int m = kept; m < rows; m++) z[m] = r0 + m * LANES < end ? column[r0 + m * LANES] : T{};
    take_taus(shared, hop % 2);
    fetch_reflectors<F>(p, first, hop + 1, shared.v[(hop + 1) % 2]);
    apply_hop(shared, hop % 2, z);
#pragma unroll
    for (int m = 0; m < moved; m++)
      if (r0 + m * LANES < end) column[r0 + m * LANES] = z[m];
#pragma unroll
    for (int m = 0; m < kept; m++) z[m] = z[moved + m];
    meet_sets(); /* the taus are read, and rows are stored for the next set */
  }
#pragma unroll
  for (int m = 0; m < kept; m++)
    if (r0 + m * LANES < end) column[r0 + m * LANES] = z[m];
  tg_await_copies<0>();
}

template <class F> __global__ void __launch_bounds__(F::threads) apply_chase_kernel(chase_product p) {
  using T = typename F::T;
  product_shared<F> &shared = tg_shared<product_shared<F>>()[F::set()];
  T *const v = &shared.v[0][0][0];
  for (int i = F::thread(); i < 2 * F::sweeps * PADDED; i += F::set_threads) v[i] = T{};
  meet_sets();
  pass_times<F::sets, PASS_LAG> times;
  int now = 0, turn = 0;
  for (int64_t pass = (p.n - 2) / F::sweeps; pass >= 0; pass--, turn = turn + 1 < F::sets ? turn + 1 : 0) {
    const int64_t first = pass * F::sweeps;
    times.next(static_cast<int>((p.n - 1 - first + band_width - 1) / band_width));
    if (turn != F::set()) continue;
    wait_for_hops(times.begin - now);
    apply_group<F>(p, first, shared);
    now = times.end();
  }
  wait_for_hops(times.end() - now); /* the last pass has the most hops, and ends last */
}

template <class F> static cudaError_t launch_form(queue q, const chase_product &p) {
  return launch_kernel(q, registered<apply_chase_kernel<F>, F::sets * sizeof(product_shared<F>)>(),
                       (p.cols + F::columns - 1) / F::columns, F::threads, p);
}

cudaError_t launch_apply_chase(queue q, trigon_type type, const chase_product *p) {
  if (p->n < 2 || p->cols == 0) return cudaSuccess;
  if (apply_chase_fits_mma(q, type, p)) return launch_apply_chase_mma(q, type, p);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const bool is_narrow = q.has.fp64_mma && p->cols <= NARROW_COLUMNS;
    return is_narrow ? launch_form<chase_form<T, true>>(q, *p) : launch_form<chase_form<T, false>>(q, *p);
  });
}
