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
  __builtin_memcpy(&x, &bits, sizeof x);
  return x - (4503599627370496.0 + 128);
}

/* The places of a thread: PARTS neighbouring rows of FINISH_COLS columns. */
template <int PARTS> struct finish_places {
  const int8_t *residues;
  int64_t row, col;
  int cols; /* that exist */
};

template <int PARTS> struct integers_found { double_double of[FINISH_COLS][PARTS]; };

/* Each weight is read once for all places. DIGITS digits hold the weights of the chosen moduli; the others are 0. */
template <int PARTS, int DIGITS>
__device__ static void find_integers(integers_found<PARTS> &sum, const emulation &e, const crt &r,
                                     const finish_places<PARTS> &at) {
  double digit[FINISH_COLS][PARTS][crt_digits] = {};
  for (int t = 0; t < r.count; t++) {
    double weight[DIGITS];
#pragma unroll
    for (int q = 0; q < DIGITS; q++) weight[q] = r.weight[q][t];
#pragma unroll
    for (int j = 0; j < FINISH_COLS; j++)
#pragma unroll
      for (int i = 0; i < PARTS; i++) {
        const double residue = j < at.cols ? double_of_byte(at.residues[t * e.plane + j * e.ld + i]) : 0;
#pragma unroll
        for (int q = 0; q < DIGITS; q++) digit[j][i][q] += weight[q] * residue;
      }
  }
#pragma unroll
  for (int j = 0; j < FINISH_COLS; j++)
#pragma unroll
    for (int i = 0; i < PARTS; i++) sum.of[j][i] = integer_of(&r, digit[j][i]);
}

/* Up to this number of moduli the weights, at most P/2, and P have three digits between -2^41 and 2^41. */
enum { most_moduli_of_digits = 16 };

template <int PARTS>
__device__ static void finish_columns(const emulation &e, const crt &r, const finish_places<PARTS> &at) {
  integers_found<PARTS> sum;
  if (r.count <= most_moduli_of_digits)
    find_integers<PARTS, 3>(sum, e, r, at);
  else
    find_integers<PARTS, crt_digits>(sum, e, r, at);
#pragma unroll
  for (int j = 0; j < FINISH_COLS; j++) {
    if (j >= at.cols) return;
    const int right = e.B.exponent[at.col + j], left = e.A.exponent[at.row];
    if constexpr (PARTS == 1)
      finish_real(&e, at.row, at.col + j, sum.of[j][0], left + right);
    else
      finish_complex(&e, at.row, at.col + j, sum.of[j][0], left + right, sum.of[j][1],
                     e.A.exponent[at.row + 1] + right);
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
    const int64_t row = at % groups * FINISH_THREADS + threadIdx.x, col = at / groups * FINISH_COLS;
    const int64_t left = e.B.present - col;
    const finish_places<PARTS> places = {e.residues + row * PARTS + col * e.ld, e.A.first + row * PARTS,
                                         e.B.first + col,
                                         left < FINISH_COLS ? static_cast<int>(left) : static_cast<int>(FINISH_COLS)};
    if (row < rows && is_emulated(&e, places.row / fp64_tile, places.col / fp64_tile))
      finish_columns<PARTS>(e, constants, places);
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
