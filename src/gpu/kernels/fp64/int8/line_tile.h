/* line_tile.h - tiles of the lines of an emulated product, whose elements the threads of a block hold in registers.
 *
 * A thread has HELD terms of one line. It loads all of them before it uses the first one, so that a multiprocessor has
 * 128 bytes under way for each thread. If the terms of a line are neighbours in memory, neighbouring threads have
 * neighbouring terms. Otherwise they have neighbouring lines, and a thread has neighbouring terms: a chunk of a plane
 * of residues. Either way a warp reads whole lines of the cache and writes whole sectors of a plane. */
#ifndef TRIGON_LINE_TILE_H
#define TRIGON_LINE_TILE_H

#include "gpu/vendor/dot4.h"
#include "line_reader.h"

enum { HELD = residue_chunk, TILE_THREADS = TG_TILE(16, 128) };

/* CONTIGUOUS: the terms of a line are neighbours in memory. */
template <bool CONTIGUOUS> struct line_tile {
  enum {
    LINES = CONTIGUOUS ? TG_TILE(2, 8) : TG_TILE(4, 16),
    PARTS = TILE_THREADS / LINES,
    STRIDE = CONTIGUOUS ? PARTS : 1, /* from term to term of a thread */
    TERMS = HELD * PARTS,
  };
  int line_within, part;
  int64_t line, term; /* the thread's line, and its first term */

  __device__ line_tile(int64_t first_line, int64_t first_term) {
    const int thread = static_cast<int>(threadIdx.x);
    line_within = CONTIGUOUS ? thread / PARTS : thread % LINES;
    part = CONTIGUOUS ? thread % PARTS : thread / LINES;
    line = first_line + line_within;
    term = first_term + (CONTIGUOUS ? part : part * HELD);
  }

  /* Of the tile. */
  __device__ int64_t first_term() const { return term - (CONTIGUOUS ? part : part * HELD); }

  /* Calls add(x, other) so that all[line_within] gets what all parts of the line have. all[threadIdx.x] is not the
   * thread's entry: mine(all) is. */
  template <class X> __device__ X &mine(X *all) const { return all[part * LINES + line_within]; }
  template <class X, class Add> __device__ void fold(X *all, Add add) const {
    for (int half = PARTS / 2; half; half /= 2) {
      __syncthreads();
      if (part < half) add(mine(all), all[(part + half) * LINES + line_within]);
    }
  }
};

/* The lines and the terms that tiles cover. */
struct line_extent {
  int64_t lines, terms;
};

/* The tiles of an operand. Neighbouring tiles are neighbours in memory: `beside` of them have the same lines, or the
 * same terms. The host divides, because a division of 64 bits takes as long as some elements. */
struct tile_map {
  int64_t tiles;
  unsigned beside; /* 2^32 tiles are more than a memory holds */
};

template <bool CONTIGUOUS> inline tile_map map_of(const line_extent &x) {
  using T = line_tile<CONTIGUOUS>;
  const int64_t down = (x.lines + T::LINES - 1) / T::LINES, across = (x.terms + T::TERMS - 1) / T::TERMS;
  return {down * across, static_cast<unsigned>(CONTIGUOUS ? across : down)};
}

template <bool CONTIGUOUS> __device__ inline line_tile<CONTIGUOUS> tile_at(const tile_map &map, unsigned number) {
  using T = line_tile<CONTIGUOUS>;
  const unsigned group = number / map.beside, within = number % map.beside;
  return T(static_cast<int64_t>(CONTIGUOUS ? group : within) * T::LINES,
           static_cast<int64_t>(CONTIGUOUS ? within : group) * T::TERMS);
}

/* The elements of the thread: 0 where there is none. */
template <bool REAL, bool CONTIGUOUS>
__device__ inline void load_tile(double (&a)[HELD], const line_set &x, const line_tile<CONTIGUOUS> &at, int64_t k) {
  constexpr int STRIDE = line_tile<CONTIGUOUS>::STRIDE;
  const int64_t rest = at.line < x.count ? k - at.term : 0;
  with_terms<REAL, CONTIGUOUS>(x, at.line, at.term, [&](auto read) {
    if (rest > (HELD - 1) * STRIDE) {
#pragma unroll
      for (int i = 0; i < HELD; i++) a[i] = read(i * STRIDE);
    } else {
#pragma unroll
      for (int i = 0; i < HELD; i++) a[i] = i * STRIDE < rest ? read(i * STRIDE) : 0;
    }
  });
}

/* Infinite and undefined elements count as zeros. */
__device__ inline void drop_infinite(double (&a)[HELD]) {
#pragma unroll
  for (int i = 0; i < HELD; i++) a[i] = is_finite_number(a[i]) ? a[i] : 0;
}

/* Stores the bytes of a thread in a row of a plane, as residue_index has them: chunks are permuted by XOR. `room` terms
 * of the row begin with the first term of the tile. */
__device__ inline void store_run(int8_t *plane, const line_tile<false> &at, int64_t blocks, int64_t,
                                 const unsigned (&byte)[HELD]) {
  struct alignas(16) chunk {
    unsigned of[HELD / 4];
  } words;
#pragma unroll
  for (int w = 0; w < HELD / 4; w++)
    words.of[w] = tg_low_bytes(byte[4 * w], byte[4 * w + 1], byte[4 * w + 2], byte[4 * w + 3]);
  *reinterpret_cast<chunk *>(plane + residue_index(at.line, at.term, blocks)) = words;
}
__device__ inline void store_run(int8_t *plane, const line_tile<true> &at, int64_t blocks, int64_t room,
                                 const unsigned (&byte)[HELD]) {
  constexpr int STRIDE = line_tile<true>::STRIDE;
  static_assert(residue_terms % STRIDE == 0, "a thread has a whole number of terms of a block");
  const int swizzle = residue_row(static_cast<int>(at.line % residue_lines)) % 8 * residue_chunk;
  int8_t *const row = plane + residue_index(at.line, at.first_term(), blocks) - swizzle;
#pragma unroll
  for (int block = 0; block < HELD * STRIDE / residue_terms; block++) {
    const bool exists = block * residue_terms < room;
#pragma unroll
    for (int i = 0; i < residue_terms / STRIDE; i++)
      if (exists)
        row[block * residue_block + ((at.part + i * STRIDE) ^ swizzle)] =
            static_cast<int8_t>(byte[block * (residue_terms / STRIDE) + i]);
  }
}

/* Stores the ceilings of the thread, less 128, in a plane of these lines and terms; 0 behind the last of k terms, also
 * of lines that do not exist, so that the products of what does not exist are 0. */
template <bool CONTIGUOUS>
__device__ inline void store_ceilings(int8_t *plane, const line_tile<CONTIGUOUS> &at, const line_extent &padded,
                                      int64_t k, unsigned (&ceiling)[HELD]) {
  constexpr int STRIDE = line_tile<CONTIGUOUS>::STRIDE;
  const int64_t rest = k - at.term, room = padded.terms - at.first_term();
  if (at.line >= padded.lines || at.term >= padded.terms) return;
#pragma unroll
  for (int i = 0; i < HELD; i++) ceiling[i] ^= 128u;
  if (rest <= (HELD - 1) * STRIDE) {
#pragma unroll
    for (int i = 0; i < HELD; i++) ceiling[i] = i * STRIDE < rest ? ceiling[i] : 0;
  }
  store_run(plane, at, padded.terms / residue_terms, room, ceiling);
}

#endif
