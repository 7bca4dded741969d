/* finish_product.cu - the last step of an emulated product: the integers from their residues, and C from the integers.
 *
 * Neighbouring threads have neighbouring rows, and a thread has several columns. A residue is a byte of a plane. */
#include "emulation.h"
#include "launch.h"

enum { FINISH_THREADS = TG_TILE(8, 128), FINISH_COLS = 4 };

/* The constants of the chosen moduli, in shared memory. */
__device__ static void load_constants(crt &to, const crt *from) {
  const unsigned *words = reinterpret_cast<const unsigned *>(from);
  for (unsigned i = threadIdx.x; i < sizeof(crt) / 4; i += FINISH_THREADS)
    reinterpret_cast<unsigned *>(&to)[i] = words[i];
  __syncthreads();
}

/* A signed byte as a double, without a conversion: 2^52 + 128 + the byte has the byte in its lowest bits. */
__device__ inline double double_of_byte(int8_t byte) {
  const uint64_t bits = 0x4330000000000000ull | ((static_cast<unsigned>(byte) & 255) ^ 128u);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x - (4503599627370496.0 + 128);
}

/* The integers of PARTS neighbouring rows. */
template <int PARTS>
__device__ static void find_integers(double_double (&sum)[PARTS], const crt &r, const int8_t *residues, int64_t plane) {
  double digit[PARTS][crt_digits] = {};
  for (int t = 0; t < r.count; t++)
#pragma unroll
    for (int i = 0; i < PARTS; i++) add_residue(digit[i], &r, t, double_of_byte(residues[t * plane + i]));
#pragma unroll
  for (int i = 0; i < PARTS; i++) sum[i] = integer_of(&r, digit[i]);
}

/* Rows first .. first + PARTS - 1 and FINISH_COLS columns of C. */
template <int PARTS> __device__ static void finish_columns(const emulation &e, const crt &r, int64_t row, int64_t col) {
  int exponent[PARTS];
  for (int i = 0; i < PARTS; i++) exponent[i] = line_exponent(&e, &e.A, row + i);
#pragma unroll
  for (int j = 0; j < FINISH_COLS; j++) {
    if (col + j >= e.B.first + e.B.present) return;
    double_double sum[PARTS];
    find_integers(sum, r, e.residues + (row - e.A.first) + (col + j - e.B.first) * e.ld, e.plane);
    const int right = line_exponent(&e, &e.B, col + j);
    if constexpr (PARTS == 1)
      finish_real(&e, row, col + j, sum[0], exponent[0] + right);
    else
      finish_complex(&e, row, col + j, sum[0], exponent[0] + right, sum[1], exponent[1] + right);
  }
}

template <int PARTS> __global__ static void __launch_bounds__(FINISH_THREADS) finish_kernel(emulation e) {
  crt &constants = *tg_shared<crt>();
  const int moduli = e.choice->moduli;
  if (moduli == 0) return;
  load_constants(constants, e.table + moduli);
  const int64_t rows = e.A.present / PARTS, groups = (rows + FINISH_THREADS - 1) / FINISH_THREADS;
  const int64_t cols = (e.B.present + FINISH_COLS - 1) / FINISH_COLS;
  for (int64_t at = blockIdx.x; at < groups * cols; at += gridDim.x) {
    const int64_t row = at % groups * FINISH_THREADS + threadIdx.x;
    const int64_t i = e.A.first + row * PARTS, j = e.B.first + at / groups * FINISH_COLS;
    if (row < rows && is_emulated(&e, i / fp64_tile, j / fp64_tile)) finish_columns<PARTS>(e, constants, i, j);
  }
}

template <int PARTS> static cudaError_t launch_finish(queue q, const emulation *e) {
  if (q.load) return tg_load(finish_kernel<PARTS>);
  const int64_t groups = (e->A.present / PARTS + FINISH_THREADS - 1) / FINISH_THREADS;
  const int64_t cols = (e->B.present + FINISH_COLS - 1) / FINISH_COLS;
  return tg_launch(q.stream, finish_kernel<PARTS>, blocks_for(groups * cols, FINISH_THREADS), FINISH_THREADS,
                   sizeof(crt), *e);
}

cudaError_t launch_finish_product(queue q, const emulation *e) {
  if (!q.load) return e->is_complex ? launch_finish<2>(q, e) : launch_finish<1>(q, e);
  const cudaError_t error = launch_finish<1>(q, e);
  return error == cudaSuccess ? launch_finish<2>(q, e) : error;
}
