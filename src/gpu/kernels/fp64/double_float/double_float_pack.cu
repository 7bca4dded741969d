/* double_float_pack.cu - converts lines of doubles to double-float numbers (pairs of floats): the exponents of the
 * lines, and the pairs. */
#include "double_float_launchers.h"
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/registry.h"

/* A block of threads finds the exponents of LINES lines. Each line has PARTS threads. */
namespace find {
enum { LINES = TG_TILE(4, 32), PARTS = TG_TILE(4, 32), THREADS = LINES * PARTS };
struct memory {
  double largest[PARTS][LINES + 1];
};
} // namespace find

/* The largest finite |element| of the line among the terms first, first + step, ... */
__device__ static double largest_element(const double_lines &x, int64_t line, int64_t first, int64_t step) {
  double largest = 0;
#pragma unroll 8
  for (int64_t l = first; l < x.terms; l += step) {
    const double size = fabs(line_element(&x, line, l));
    if (is_finite_number(size) && size > largest) largest = size;
  }
  return largest;
}

__device__ static void find_exponents(const line_block &x, find::memory &shared, int64_t first) {
  const int thread = static_cast<int>(threadIdx.x);
  const bool across = lies_across_lines(&x.of);
  const int line = across ? thread % find::LINES : thread / find::PARTS;
  const int part = across ? thread / find::LINES : thread % find::PARTS;
  shared.largest[part][line] = first + line < x.lines ? largest_element(x.of, first + line, part, find::PARTS) : 0;
  __syncthreads();
  if (thread < find::LINES && first + thread < x.lines) {
    double largest = 0;
    for (int i = 0; i < find::PARTS; i++)
      if (shared.largest[i][thread] > largest) largest = shared.largest[i][thread];
    x.exponent[first + thread] = line_exponent(largest, x.of.terms);
  }
  __syncthreads();
}

__global__ static void __launch_bounds__(find::THREADS) line_exponent_kernel(line_blocks t) {
  find::memory &shared = *tg_shared<find::memory>();
  const int64_t of_A = (t.A.lines + find::LINES - 1) / find::LINES, of_B = (t.B.lines + find::LINES - 1) / find::LINES;
  for (int64_t at = blockIdx.x; at < of_A + of_B; at += gridDim.x)
    find_exponents(at < of_A ? t.A : t.B, shared, (at < of_A ? at : at - of_A) * find::LINES);
}

cudaError_t launch_line_exponents(queue q, const line_blocks *t) {
  const int64_t groups = parts_of(t->A.lines, find::LINES) + parts_of(t->B.lines, find::LINES);
  if (groups == 0) return cudaSuccess;
  return launch_kernel(q, registered<line_exponent_kernel, sizeof(find::memory)>(), blocks_for(groups, find::THREADS),
                       find::THREADS, *t);
}

/* ------------------------------------------------------------------------------------------------------- pairs -- */

/* A block of threads takes tiles of FAST neighbours in memory and SLOW others. */
namespace pack_tile {
enum { FAST = TG_TILE(8, 64), SLOW = TG_TILE(4, 16), THREADS = TG_TILE(16, 256), SHARE = FAST * SLOW / THREADS };
}

TRIGON_HOST_DEVICE static int64_t tiles_of(int64_t fast, int64_t slow) {
  return (fast + pack_tile::FAST - 1) / pack_tile::FAST * ((slow + pack_tile::SLOW - 1) / pack_tile::SLOW);
}

/* Calls visit(f, s) for the thread's share of a tile of a fast × slow matrix. */
template <class Visit> __device__ inline void visit_tile(int64_t at, int64_t fast, int64_t slow, Visit visit) {
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t down = (fast + pack_tile::FAST - 1) / pack_tile::FAST;
  const int64_t f = at % down * pack_tile::FAST + thread % pack_tile::FAST,
                s0 = at / down * pack_tile::SLOW + thread / pack_tile::FAST;
#pragma unroll
  for (int e = 0; e < pack_tile::SHARE; e++) {
    const int64_t s = s0 + e * (pack_tile::THREADS / pack_tile::FAST);
    if (f < fast && s < slow) visit(f, s);
  }
}

__device__ static void make_pairs(const line_block &x, int64_t at) {
  const bool across = lies_across_lines(&x.of);
  visit_tile(at, across ? x.lines : x.terms, across ? x.terms : x.lines, [&](int64_t f, int64_t s) {
    const int64_t i = x.line + (across ? f : s), l = x.term + (across ? s : f);
    x.out[f + s * (across ? x.lines : x.terms)] = scaled_double_float(line_element(&x.of, i, l), x.exponent[i]);
  });
}

TRIGON_HOST_DEVICE static int64_t tiles_of(const line_block &x) {
  const bool across = lies_across_lines(&x.of);
  return tiles_of(across ? x.lines : x.terms, across ? x.terms : x.lines);
}

__global__ static void __launch_bounds__(pack_tile::THREADS) double_float_line_kernel(line_blocks t) {
  const int64_t of_A = tiles_of(t.A), of_B = tiles_of(t.B);
  for (int64_t at = blockIdx.x; at < of_A + of_B; at += gridDim.x)
    make_pairs(at < of_A ? t.A : t.B, at < of_A ? at : at - of_A);
}

cudaError_t launch_double_float_lines(queue q, const line_blocks *t) {
  const int64_t tiles = tiles_of(t->A) + tiles_of(t->B);
  if (tiles == 0) return cudaSuccess;
  return launch_kernel(q, registered<double_float_line_kernel>(), blocks_for(tiles, pack_tile::THREADS),
                       pack_tile::THREADS, *t);
}

__global__ static void __launch_bounds__(pack_tile::THREADS) double_float_copy_kernel(double_float_copy p) {
  for (int64_t at = blockIdx.x; at < tiles_of(p.m, p.n); at += gridDim.x)
    visit_tile(at, p.m, p.n, [&](int64_t i, int64_t j) { copy_pair(&p, i, j); });
}

cudaError_t launch_double_float_copy(queue q, const double_float_copy *p) {
  const int64_t tiles = tiles_of(p->m, p->n);
  if (tiles == 0) return cudaSuccess;
  return launch_kernel(q, registered<double_float_copy_kernel>(), blocks_for(tiles, pack_tile::THREADS),
                       pack_tile::THREADS, *p);
}
