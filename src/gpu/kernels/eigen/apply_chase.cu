/* apply_chase.cu - the kernel that multiplies by the Q of bulge chasing: Z = Q·Z.
 *
 * Reflector (s, k) of sweep s and hop k changes the rows from s + 1 + k·b on, b of them. It must come after (s + 1, k)
 * and (s + 1, k - 1). So a group of neighbouring sweeps, the last one first, goes through the hops in ascending order.
 *
 * A thread has a column of Z. It keeps the rows that a hop of the group changes in registers, so that it exchanges
 * nothing with others; the window moves down by b rows from hop to hop. The reflectors of the next hop are on their way
 * to shared memory meanwhile. */
#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"

enum { PRODUCT_THREADS = TG_TILE(32, 64) };

/* The sweeps of a group: the window of b + sweeps - 1 rows fits the registers. */
template <class T> struct chase_group { static constexpr int sweeps = TG_TILE(3, 32), rows = band_width + sweeps - 1; };
template <class R> struct chase_group<complex<R>> {
  static constexpr int sweeps = TG_TILE(3, 16), rows = band_width + sweeps - 1;
};

template <class T> struct product_shared { T v[2][chase_group<T>::sweeps][band_width]; };

/* Begins to copy the reflectors of a hop. What lies behind the matrix, or behind the last sweep, becomes zero. */
template <class T>
__device__ static void fetch_reflectors(const chase_product &p, int64_t first, int64_t hop,
                                        T (&v)[chase_group<T>::sweeps][band_width]) {
  T *const A = static_cast<T *>(const_cast<void *>(p.A));
  for (int at = static_cast<int>(threadIdx.x); at < chase_group<T>::sweeps * band_width; at += PRODUCT_THREADS) {
    const int c = at / band_width, i = at % band_width;
    const int64_t sweep = first + c, element = hop * band_width + i;
    const bool valid = sweep < p.n - 1 && element < p.n - 1 - sweep;
    tg_copy_async_one(&v[c][i], valid ? kept_sweep(A, p.lower, p.n, p.ld, sweep) + element : A, valid);
  }
  tg_commit_copies();
}

/* z = H·z, for the reflectors of a hop, the last sweep first. */
template <class T>
__device__ static void apply_hop(const T (&v)[chase_group<T>::sweeps][band_width], T (&z)[chase_group<T>::rows]) {
  enum { sums = 4 };
#pragma unroll
  for (int c = chase_group<T>::sweeps - 1; c >= 0; c--) {
    T w[sums] = {z[c]};
#pragma unroll
    for (int i = 1; i < band_width; i++) w[i % sums] = multiply_add(conjugate(v[c][i]), z[c + i], w[i % sums]);
    const T all = multiply(v[c][0], add(add(w[0], w[1]), add(w[2], w[3])));
    z[c] = subtract(z[c], all);
#pragma unroll
    for (int i = 1; i < band_width; i++) z[c + i] = subtract_product(z[c + i], v[c][i], all);
  }
}

/* The group of sweeps that begins with `first`. */
template <class T>
__device__ static void apply_group(const chase_product &p, int64_t first, product_shared<T> &shared) {
  enum { rows = chase_group<T>::rows, kept = chase_group<T>::sweeps - 1 };
  const int64_t j = static_cast<int64_t>(blockIdx.x) * PRODUCT_THREADS + threadIdx.x;
  T *const column = static_cast<T *>(p.Z) + j * p.ldz, z[rows];
  const int64_t end = j < p.cols ? p.n : 0; /* a thread without a column reads and writes nothing */
#pragma unroll
  for (int i = 0; i < kept; i++) z[i] = first + 1 + i < end ? column[first + 1 + i] : T{};
  fetch_reflectors(p, first, 0, shared.v[0]);
  int64_t hop = 0;
  for (int64_t r0 = first + 1; r0 < p.n; r0 += band_width, hop++) {
#pragma unroll
    for (int i = kept; i < rows; i++) z[i] = r0 + i < end ? column[r0 + i] : T{};
    tg_await_copies<0>();
    __syncthreads();
    fetch_reflectors(p, first, hop + 1, shared.v[(hop + 1) % 2]);
    apply_hop(shared.v[hop % 2], z);
#pragma unroll
    for (int i = 0; i < band_width; i++)
      if (r0 + i < end) column[r0 + i] = z[i];
#pragma unroll
    for (int i = 0; i < kept; i++) z[i] = z[band_width + i];
  }
#pragma unroll
  for (int i = 0; i < kept; i++)
    if (first + 1 + hop * band_width + i < end) column[first + 1 + hop * band_width + i] = z[i];
  tg_await_copies<0>();
  __syncthreads();
}

template <class T> __global__ void __launch_bounds__(PRODUCT_THREADS) apply_chase_kernel(chase_product p) {
  constexpr int64_t sweeps = chase_group<T>::sweeps;
  product_shared<T> &shared = *tg_shared<product_shared<T>>();
  for (int64_t group = (p.n - 2) / sweeps; group >= 0; group--) apply_group(p, group * sweeps, shared);
}

cudaError_t launch_apply_chase(queue q, trigon_type type, const chase_product *p) {
  if (p->n < 2 || p->cols == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_kernel(q, registered<apply_chase_kernel<T>, sizeof(product_shared<T>)>(),
                         (p->cols + PRODUCT_THREADS - 1) / PRODUCT_THREADS, PRODUCT_THREADS, *p);
  });
}
