/* pack_lines.cu - makes the planes of bytes of an emulated product from the lines of its operands: their ceilings, or
 * their residues.
 *
 * A thread makes pieces of RUN neighbouring terms of a line, for all moduli. Each constant of a modulus is read once
 * for RUN elements then. The threads of a warp have several lines and several pieces of each: whatever the order of
 * the operand in memory is, they read neighbours of 64 bytes, and they write neighbours of 32 bytes of a plane. */
#include "gpu/kernels/launch.h"
#include "line_reader.h"
#include "pack_mma.h"
#include "residue_pieces.h"
#include "scale_element.h"

enum { RUN = residue_chunk / 2, PACK_THREADS = TG_TILE(32, 256), PACK_RUNS = 4 };

/* The run of a thread: a line of the block, and the first of its terms within the block of terms. */
struct run_coord {
  int64_t line, term;
};

/* The lines that a plane has room for. */
__device__ static int64_t padded_lines(const line_set &x) {
  return (x.present + residue_lines - 1) / residue_lines * residue_lines;
}

/* PACK_RUNS runs of each of all lines come first, then the next ones. */
__device__ static run_coord run_at(int64_t number, int64_t padded) {
  const int64_t group = number / (PACK_RUNS * padded), within = number % (PACK_RUNS * padded);
  return {within / PACK_RUNS, (group * PACK_RUNS + within % PACK_RUNS) * RUN};
}

__device__ static int64_t terms_left(const emulation &e, int64_t term) {
  return (e.depth < e.k - e.first ? e.depth : e.k - e.first) - term;
}

struct run_words {
  unsigned of[RUN / 4];
};

__device__ static void store_run(int8_t *plane, const run_coord &at, int64_t blocks, const run_words &words) {
  *reinterpret_cast<run_words *>(plane + residue_index(at.line, at.term, blocks)) = words;
}

/* The elements of a run; 0 where there is none, and for an infinite or undefined one. */
__device__ static void load_run(double (&a)[RUN], const emulation &e, const line_set &x, const run_coord &at) {
  const int64_t term = e.first + at.term, rest = at.line < x.present ? terms_left(e, at.term) : 0;
  with_reader(x, x.first + at.line, [&](auto read) {
    if (rest >= RUN) {
#pragma unroll
      for (int i = 0; i < RUN; i++) a[i] = read(term + i);
    } else {
#pragma unroll
      for (int i = 0; i < RUN; i++) a[i] = i < rest ? read(term + i) : 0;
    }
  });
#pragma unroll
  for (int i = 0; i < RUN; i++) a[i] = is_finite_number(a[i]) ? a[i] : 0;
}

/* ---------------------------------------------------------------------------------------------------- residues -- */

template <class S>
__device__ static void make_run(const emulation &e, const line_set &x, const run_coord &at, int64_t blocks, int moduli,
                                const piece_divisor *divisors) {
  double a[RUN];
  load_run(a, e, x, at);
  const int exponent = at.line < x.present ? exponent_of_line(&e, &x, x.first + at.line) : 0;
  if (at.line < x.present && at.term == 0) x.exponent[x.first + at.line] = exponent;
  const split_power scale = power_of(exponent);
  float piece[RUN][S::PIECES];
#pragma unroll
  for (int i = 0; i < RUN; i++) {
    unsigned integer[S::WORDS];
    scale_element(integer, a[i] * scale.half * scale.other);
    cut_pieces<S>(piece[i], integer);
  }
  int8_t *plane = x.planes + residue_index(at.line, at.term, blocks);
  const int64_t step = residue_plane(x.present, e.depth);
  for (int t = 0; t < moduli; t++, plane += step) {
    const piece_divisor by = divisors[t];
    run_words words;
#pragma unroll
    for (int w = 0; w < RUN / 4; w++)
      words.of[w] = tg_low_bytes(reduce_pieces(piece[4 * w], by), reduce_pieces(piece[4 * w + 1], by),
                                 reduce_pieces(piece[4 * w + 2], by), reduce_pieces(piece[4 * w + 3], by));
    *reinterpret_cast<run_words *>(plane) = words;
  }
}

__device__ static int64_t runs_of_planes(const emulation &e, const line_set &x) {
  return padded_lines(x) * residue_blocks(e.depth) * (residue_terms / RUN);
}

/* The runs of a thread, for integers of these pieces. */
template <class S> __device__ static void make_runs(const emulation &e, const line_set &x, int moduli) {
  piece_divisor *const divisors = tg_shared<piece_divisor>();
  for (int t = static_cast<int>(threadIdx.x); t < moduli; t += PACK_THREADS)
    divisors[t] = piece_divisor_of(residue_modulus(t), S::BITS);
  __syncthreads();
  const int64_t runs = runs_of_planes(e, x), step = static_cast<int64_t>(gridDim.x) * PACK_THREADS;
  for (int64_t n = static_cast<int64_t>(blockIdx.x) * PACK_THREADS + threadIdx.x; n < runs; n += step)
    make_run<S>(e, x, run_at(n, padded_lines(x)), residue_blocks(e.depth), moduli, divisors);
}

__global__ static void __launch_bounds__(PACK_THREADS, 2) make_residues_kernel(packing p) {
  const emulation &e = p.e;
  const line_set &x = *side_of(&p);
  const int moduli = e.choice->moduli;
  if (moduli == 0) return;
  if (moduli <= 14)
    make_runs<few_pieces>(e, x, moduli);
  else if (moduli <= 16)
    make_runs<more_pieces>(e, x, moduli);
  else
    make_runs<most_pieces>(e, x, moduli);
}

#if TG_HAS_MMA
template <bool REAL, bool ALONG>
__global__ static void __launch_bounds__(pack_mma::THREADS, REAL ? 5 : 4) residue_mma_kernel(packing p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using namespace pack_mma;
  const emulation &e = p.e;
  const line_set &x = *side_of(&p);
  const int moduli = e.choice->moduli;
  const crt &table = e.table[moduli];
  if (moduli == 0) return;
  if (moduli <= 8)
    make_part<REAL, ALONG, 1, 2>(e, x, table);
  else if (moduli <= 14)
    make_part<REAL, ALONG, 2, 2>(e, x, table);
  else if (moduli <= 16)
    make_part<REAL, ALONG, 2, 3>(e, x, table);
  else
    make_part<REAL, ALONG, 3, 3>(e, x, table);
#else
  (void)p;
#endif
}

template <bool REAL, bool ALONG> static cudaError_t launch_runs(queue q, const packing *p) {
  using namespace pack_mma;
  const auto &k = registered<residue_mma_kernel<REAL, ALONG>, 0, NEEDS_INT8_MMA>();
  return launch_kernel(q, k, block_grid<ALONG>(*side_of(p), p->e.depth).all(), THREADS, *p);
}

template <bool REAL> static cudaError_t launch_residue_mma(queue q, const packing *p) {
  return side_of(p)->term_step == 1 ? launch_runs<REAL, true>(q, p) : launch_runs<REAL, false>(q, p);
}

static cudaError_t launch_residue_mma(queue q, const packing *p) {
  return side_of(p)->form == LINES_REAL ? launch_residue_mma<true>(q, p) : launch_residue_mma<false>(q, p);
}
#endif

/* ---------------------------------------------------------------------------------------------------- ceilings -- */

__global__ static void __launch_bounds__(PACK_THREADS) pack_ceilings_kernel(packing p) {
  const emulation &e = p.e;
  const line_set &x = *side_of(&p);
  const int64_t runs = is_hopeless(&e) ? 0 : runs_of_planes(e, x);
  const int64_t step = static_cast<int64_t>(gridDim.x) * PACK_THREADS;
  for (int64_t n = static_cast<int64_t>(blockIdx.x) * PACK_THREADS + threadIdx.x; n < runs; n += step) {
    const run_coord at = run_at(n, padded_lines(x));
    double a[RUN];
    load_run(a, e, x, at);
    const split_power scale = power_of(at.line < x.present ? x.stats[x.first + at.line].scale : 0);
    const int64_t terms = terms_left(e, at.term); /* also of lines that do not exist, so that their products are 0 */
    const auto ceiling = [&](int i) { return i < terms ? packed_ceiling(a[i], scale, e.bits) ^ 128u : 0u; };
    run_words words;
#pragma unroll
    for (int w = 0; w < RUN / 4; w++)
      words.of[w] = tg_low_bytes(ceiling(4 * w), ceiling(4 * w + 1), ceiling(4 * w + 2), ceiling(4 * w + 3));
    store_run(x.planes, at, residue_blocks(e.depth), words);
  }
}

static cudaError_t launch_packing(queue q, const kernel_of<packing> &k, const packing *p) {
  const int64_t runs = residue_plane(side_of(p)->present, p->e.depth) / RUN;
  return launch_kernel(q, k, blocks_for((runs + PACK_THREADS - 1) / PACK_THREADS, PACK_THREADS), PACK_THREADS, *p);
}

cudaError_t launch_make_residues(queue q, const packing *p) {
#if TG_HAS_MMA
  if (q.has.int8_mma) return launch_residue_mma(q, p);
#endif
  return launch_packing(q, registered<make_residues_kernel, most_moduli * sizeof(piece_divisor)>(), p);
}

cudaError_t launch_pack_ceilings(queue q, const packing *p) {
  return launch_packing(q, registered<pack_ceilings_kernel>(), p);
}
