/* finish_product.cu - the last step of an emulated product: integers from their residues (Chinese remainder theorem),
 * and C from the integers.
 *
 * A thread has FINISH_ROWS neighbouring rows of a column, so that one load brings their residues, and one more thread
 * has the next rows. */
#include "finish_mma.h"
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"

enum { FINISH_THREADS = TG_TILE(8, 128), FINISH_ROWS = 2, most_finish_blocks = TG_TILE(5, 1 << 14) };

/* The constants of the chosen moduli, in shared memory. */
__device__ static void load_constants(crt &to, const crt *from) {
  const unsigned *words = reinterpret_cast<const unsigned *>(from);
  for (unsigned i = threadIdx.x; i < sizeof(crt) / 4; i += FINISH_THREADS)
    reinterpret_cast<unsigned *>(&to)[i] = words[i];
  __syncthreads();
}

/* Byte i of a word of signed bytes whose highest bits were flipped, as a double, without a conversion: 2^52 + 128 + the
 * byte has it in its lowest bits. */
__device__ inline double double_of_byte(unsigned flipped, int i) {
  const uint64_t bits = 0x4330000000000000ull | (flipped >> 8 * i & 255);
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x - (4503599627370496.0 + 128);
}

/* Each weight is read once for all rows. */
__device__ static void find_integers(double_double (&sum)[FINISH_ROWS], const crt &r, const int8_t *residues,
                                     int64_t plane) {
  double digit[FINISH_ROWS][crt_digits] = {};
#pragma unroll 2
  for (int t = 0; t < r.count; t++, residues += plane) {
    const unsigned word = *reinterpret_cast<const uint16_t *>(residues) ^ 0x8080u;
#pragma unroll
    for (int i = 0; i < FINISH_ROWS; i++) add_residue(digit[i], &r, t, double_of_byte(word, i));
  }
#pragma unroll
  for (int i = 0; i < FINISH_ROWS; i++) sum[i] = integer_of(r.product, r.inverse, digit[i], crt_digits);
}

/* Two neighbours in C, as far as they are computed. One store of 16 bytes is faster than two. */
__device__ static void store_rows(const emulation &e, int64_t at, const bool (&computes)[FINISH_ROWS],
                                  const double_double (&sum)[FINISH_ROWS], const int (&exponent)[FINISH_ROWS]) {
  finish_mma::two_doubles x = {};
  for (int i = 0; i < FINISH_ROWS; i++)
    if (computes[i]) x.of[i] = real_of_integer(&e, at + i, sum[i], exponent[i]);
  finish_mma::two_doubles *const to = reinterpret_cast<finish_mma::two_doubles *>(static_cast<double *>(e.C) + at);
  if (computes[0] && computes[1] && !e.single &&
      reinterpret_cast<uintptr_t>(to) % sizeof(finish_mma::two_doubles) == 0) {
    *to = x;
    return;
  }
  for (int i = 0; i < FINISH_ROWS; i++)
    if (computes[i]) store_real(&e, at + i, x.of[i]);
}

/* The integers of rows `row` and row + 1 of column col of the present block become elements of C, as far as they are
 * computed. */
template <int PARTS>
__device__ static void store_integers(const emulation &e, int64_t row, int64_t col,
                                      const double_double (&sum)[FINISH_ROWS]) {
  const int64_t i = e.A.first + row, j = e.B.first + col;
  const bool computes[FINISH_ROWS] = {computes_element(&e, i, j),
                                      row + 1 < e.A.present && computes_element(&e, i + 1, j)};
  if (!computes[0] && !computes[1]) return;
  const int right = e.B.exponent[j];
  const int exponent[FINISH_ROWS] = {e.A.exponent[i] + right, row + 1 < e.A.present ? e.A.exponent[i + 1] + right : 0};
  if constexpr (PARTS == 1)
    store_rows(e, i + j * e.ldc, computes, sum, exponent);
  else
    finish_complex(&e, i, j, sum[0], exponent[0], sum[1], exponent[1]);
}

/* The planes have room for all rows. */
template <int PARTS> __device__ static void finish_rows(const emulation &e, const crt &r, int64_t row, int64_t col) {
  double_double sum[FINISH_ROWS];
  find_integers(sum, r, e.residues + row + col * e.ld, e.plane);
  store_integers<PARTS>(e, row, col, sum);
}

__host__ __device__ static int64_t row_groups(const emulation &e) {
  return (e.A.present + FINISH_ROWS - 1) / FINISH_ROWS;
}

template <int PARTS> __global__ static void __launch_bounds__(FINISH_THREADS) finish_kernel(emulation e) {
  crt &constants = *tg_shared<crt>();
  const int moduli = e.choice->moduli;
  if (moduli == 0) return;
  load_constants(constants, e.table + moduli);
  const int64_t groups = row_groups(e), all = groups * e.B.present,
                step = static_cast<int64_t>(gridDim.x) * FINISH_THREADS;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * FINISH_THREADS + threadIdx.x; at < all; at += step) {
    const int64_t row = at % groups * FINISH_ROWS, col = at / groups;
    const int64_t tile_row = (e.A.first + row) / fp64_tile, tile_col = (e.B.first + col) / fp64_tile;
    if (computes_tile(&e, tile_row, tile_col) && is_emulated(&e, tile_row, tile_col))
      finish_rows<PARTS>(e, constants, row, col);
  }
}

template <int PARTS> static cudaError_t launch_finish(queue q, const emulation *e) {
  const int64_t blocks = (row_groups(*e) * e->B.present + FINISH_THREADS - 1) / FINISH_THREADS;
  /* A block loads its constants once. */
  const int64_t most = most_finish_blocks;
  return launch_kernel(q, registered<finish_kernel<PARTS>, sizeof(crt)>(), blocks < most ? blocks : most,
                       FINISH_THREADS, *e);
}

#if TG_HAS_MMA
template <int PARTS> __global__ static void __launch_bounds__(finish_mma::THREADS, 3) finish_mma_kernel(emulation e) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const int moduli = e.choice->moduli;
  const finish_mma::block_part part(e);
  const auto store = [&](int64_t row, int64_t col, const double_double(&sum)[FINISH_ROWS]) {
    store_integers<PARTS>(e, row, col, sum);
  };
  if (moduli == 0 || !part.active) return;
  if (moduli <= finish_mma::CHUNK)
    finish_mma::finish_part<1, 3>(e, e.table[moduli], part, store);
  else
    finish_mma::finish_part<2, crt_digits>(e, e.table[moduli], part, store);
#else
  (void)e;
#endif
}

template <int PARTS> static cudaError_t launch_finish_mma(queue q, const emulation *e) {
  using namespace finish_mma;
  const auto &k = registered<finish_mma_kernel<PARTS>, WARPS * sizeof(exchange), NEEDS_INT8_MMA>();
  return launch_kernel(q, k, block_parts(*e), THREADS, *e);
}
#endif

template <int PARTS> static cudaError_t launch_parts(queue q, const emulation *e) {
#if TG_HAS_MMA
  if (q.has.int8_mma) return launch_finish_mma<PARTS>(q, e);
#endif
  return launch_finish<PARTS>(q, e);
}

cudaError_t launch_finish_product(queue q, const emulation *e) {
  return e->is_complex ? launch_parts<2>(q, e) : launch_parts<1>(q, e);
}
