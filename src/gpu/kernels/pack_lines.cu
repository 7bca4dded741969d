/* pack_lines.cu - planes of the lines of an emulated product: their ceilings, or their residues.
 *
 * A thread makes chunks of 16 neighbouring terms of a line, for all moduli. Each constant of a modulus is read once for
 * 16 elements then. The threads of a warp have several lines and several chunks of each: whatever the order of the
 * operand in memory is, they read neighbours of 64 bytes, and they write rows of 64 bytes of a plane. */
#include "launch.h"
#include "line_reader.h"
#include "residue_divisor.h"

enum { PACK_THREADS = TG_TILE(32, 256), PACK_CHUNKS = 4 };

/* The chunk of a thread: a line of the block, and the first of its terms within the block of terms. */
struct chunk_place {
  int64_t line, term;
};

/* The lines that a plane has room for. */
__device__ static int64_t padded_lines(const line_set &x) {
  return (x.present + residue_lines - 1) / residue_lines * residue_lines;
}

/* PACK_CHUNKS chunks of each of all lines come first, then the next ones. */
__device__ static chunk_place chunk_at(int64_t number, int64_t padded) {
  const int64_t group = number / (PACK_CHUNKS * padded), within = number % (PACK_CHUNKS * padded);
  return {within / PACK_CHUNKS, (group * PACK_CHUNKS + within % PACK_CHUNKS) * residue_chunk};
}

__device__ static int64_t terms_left(const emulation &e, int64_t term) {
  return (e.depth < e.k - e.first ? e.depth : e.k - e.first) - term;
}

struct chunk_words {
  unsigned of[4];
};

__device__ static void store_chunk(int8_t *plane, const chunk_place &at, int64_t blocks, const chunk_words &words) {
  *reinterpret_cast<chunk_words *>(plane + residue_place(at.line, at.term, blocks)) = words;
}

/* The elements of a chunk; 0 where there is none, and for an infinite or undefined one. */
__device__ static void load_chunk(double (&a)[residue_chunk], const emulation &e, const line_set &x,
                                  const chunk_place &at) {
  const int64_t term = e.first + at.term, rest = at.line < x.present ? terms_left(e, at.term) : 0;
  with_reader(x, x.first + at.line, [&](auto read) {
    if (rest >= residue_chunk) {
#pragma unroll
      for (int i = 0; i < residue_chunk; i++) a[i] = read(term + i);
    } else {
#pragma unroll
      for (int i = 0; i < residue_chunk; i++) a[i] = i < rest ? read(term + i) : 0;
    }
  });
#pragma unroll
  for (int i = 0; i < residue_chunk; i++) a[i] = is_finite_number(a[i]) ? a[i] : 0;
}

/* ---------------------------------------------------------------------------------------------------- residues -- */

template <int WORDS> struct integers { unsigned of[residue_chunk][WORDS]; };

/* rint(a·2^e) in two's complement with the highest bit turned, as round_scaled: below 2^63 with two words, below 2^86 with three. A double of 2^52 and
 * more is an integer, so the products and the first rounding are exact but for that rounding. */
template <int WORDS>
__device__ static void scale_chunk(integers<WORDS> &to, const double (&a)[residue_chunk], power_pair scale) {
#pragma unroll
  for (int i = 0; i < residue_chunk; i++) {
    const double x = a[i] * scale.half * scale.other;
    if constexpr (WORDS == 2) {
      const long long whole = llrint(x);
      to.of[i][0] = static_cast<unsigned>(whole);
      to.of[i][1] = static_cast<unsigned>(whole >> 32) ^ 0x80000000u;
    } else {
      const double whole = rint(x), high = rint(whole * 0x1p-32);
      const long long low = static_cast<long long>(fma(high, -0x1p32, whole)); /* at most 2^31 in magnitude */
      const long long upper = static_cast<long long>(high) + (low >> 32);
      to.of[i][0] = static_cast<unsigned>(low), to.of[i][1] = static_cast<unsigned>(upper);
      to.of[i][2] = static_cast<unsigned>(upper >> 32) ^ 0x80000000u;
    }
  }
}

template <int WORDS>
__device__ static void store_residues(const integers<WORDS> &x, const chunk_place &at, int8_t *planes, int64_t plane,
                                      int64_t blocks, int moduli, const integer_divisor *divisors) {
  for (int t = 0; t < moduli; t++) {
    const integer_divisor by = divisors[t];
    chunk_words words;
#pragma unroll
    for (int w = 0; w < 4; w++) {
      const auto residue = [&](int i) { return reduce_integer(x.of[4 * w + i], by); };
      words.of[w] = tg_low_bytes(residue(0), residue(1), residue(2), residue(3));
    }
    store_chunk(planes + t * plane, at, blocks, words);
  }
}

template <int WORDS>
__device__ static void make_chunk(const emulation &e, const line_set &x, const chunk_place &at, int64_t blocks,
                                  int moduli, const integer_divisor *divisors) {
  double a[residue_chunk];
  load_chunk(a, e, x, at);
  integers<WORDS> of;
  const int exponent = at.line < x.present ? exponent_of_line(&e, &x, x.first + at.line) : 0;
  if (at.line < x.present && at.term == 0) x.exponent[x.first + at.line] = exponent;
  scale_chunk(of, a, power_of(exponent));
  store_residues(of, at, x.planes, residue_plane(x.present, e.depth), blocks, moduli, divisors);
}

/* Up to this number of moduli the integers are below 2^63 (core/residues.h). */
enum { most_moduli_of_words = 14 };

__global__ static void __launch_bounds__(PACK_THREADS) make_residues_kernel(packing p) {
  integer_divisor *const divisors = tg_shared<integer_divisor>();
  const emulation &e = p.e;
  const line_set &x = *side_of(&p);
  const int moduli = e.choice->moduli, words = moduli <= most_moduli_of_words ? 2 : 3;
  for (int t = static_cast<int>(threadIdx.x); t < moduli; t += PACK_THREADS)
    divisors[t] = integer_divisor_of(residue_modulus(t), words);
  __syncthreads();
  const int64_t blocks = residue_blocks(e.depth), padded = padded_lines(x);
  const int64_t chunks = padded * blocks * (residue_terms / residue_chunk),
                step = static_cast<int64_t>(gridDim.x) * PACK_THREADS;
  for (int64_t n = static_cast<int64_t>(blockIdx.x) * PACK_THREADS + threadIdx.x; moduli && n < chunks; n += step) {
    const chunk_place at = chunk_at(n, padded);
    if (words == 2)
      make_chunk<2>(e, x, at, blocks, moduli, divisors);
    else
      make_chunk<3>(e, x, at, blocks, moduli, divisors);
  }
}

/* ---------------------------------------------------------------------------------------------------- ceilings -- */

__global__ static void __launch_bounds__(PACK_THREADS) pack_ceilings_kernel(packing p) {
  const emulation &e = p.e;
  const line_set &x = *side_of(&p);
  const int64_t blocks = residue_blocks(e.depth), padded = padded_lines(x);
  const int64_t chunks = padded * blocks * (residue_terms / residue_chunk),
                step = static_cast<int64_t>(gridDim.x) * PACK_THREADS;
  for (int64_t n = static_cast<int64_t>(blockIdx.x) * PACK_THREADS + threadIdx.x; n < chunks; n += step) {
    const chunk_place at = chunk_at(n, padded);
    double a[residue_chunk];
    load_chunk(a, e, x, at);
    const int32_t scale = at.line < x.present ? x.stats[x.first + at.line].scale : 0;
    const power_pair power = power_of(scale);
    const int64_t terms = terms_left(e, at.term); /* also of lines that do not exist, so that their products are 0 */
    chunk_words words;
#pragma unroll
    for (int w = 0; w < 4; w++) {
      const auto ceiling = [&](int i) {
        return 4 * w + i < terms ? packed_ceiling(a[4 * w + i], power, e.bits) ^ 128u : 0u;
      };
      words.of[w] = tg_low_bytes(ceiling(0), ceiling(1), ceiling(2), ceiling(3));
    }
    store_chunk(x.planes, at, blocks, words);
  }
}

static cudaError_t launch_packing(queue q, void (*kernel)(packing), size_t shared, const packing *p) {
  if (q.load) return tg_load(kernel);
  const int64_t chunks = residue_plane(side_of(p)->present, p->e.depth) / residue_chunk;
  return tg_launch(q.stream, kernel, blocks_for((chunks + PACK_THREADS - 1) / PACK_THREADS, PACK_THREADS), PACK_THREADS,
                   shared, *p);
}

cudaError_t launch_make_residues(queue q, const packing *p) {
  return launch_packing(q, make_residues_kernel, most_moduli * sizeof(integer_divisor), p);
}

cudaError_t launch_pack_ceilings(queue q, const packing *p) { return launch_packing(q, pack_ceilings_kernel, 0, p); }
