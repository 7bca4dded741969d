/* residue_tile.h - sums of products of signed bytes for a tile of C, by dp4a or plain integer arithmetic, on any
 * GPU. */
#ifndef TRIGON_RESIDUE_TILE_H
#define TRIGON_RESIDUE_TILE_H

#include "fp64/int8/residue_layout.h"
#include "gpu/kernels/element.h"
#include "gpu/vendor/dot4.h"

/* A tile of C has LINES rows and columns, a thread ITEMS × ITEMS elements at neighbouring lines. A stage holds WORDS
 * words of four terms of each line. */
namespace tile {
enum { SIDE = TG_TILE(4, 16), ITEMS = 4, LINES = SIDE * ITEMS, THREADS = SIDE * SIDE, WORDS = 8, ROW = WORDS + 1 };
struct stage {
  unsigned a[LINES][ROW], b[LINES][ROW];
};
struct sums {
  int of[ITEMS][ITEMS];
}; /* of[row][column] */
} // namespace tile

struct residue_chunk_words {
  unsigned of[4];
};

/* Copies the terms from `term` on of the tile's lines. The planes hold zeros up to a multiple of the block. */
__device__ inline void load_lines(unsigned (&to)[tile::LINES][tile::ROW], const int8_t *plane, int64_t line,
                                  int64_t term, int64_t blocks) {
  enum { CHUNKS = 4 * tile::WORDS / residue_chunk };
  for (int at = static_cast<int>(threadIdx.x); at < tile::LINES * CHUNKS; at += tile::THREADS) {
    const int row = at / CHUNKS, chunk = at % CHUNKS;
    const int8_t *from = plane + residue_index(line + row, term + chunk * residue_chunk, blocks);
    const residue_chunk_words words = *reinterpret_cast<const residue_chunk_words *>(from);
    for (int w = 0; w < 4; w++) to[row][4 * chunk + w] = words.of[w];
  }
}

__device__ inline void add_residue_products(tile::sums &sum, const tile::stage &s, int row, int col) {
  for (int w = 0; w < tile::WORDS; w++) {
    unsigned a[tile::ITEMS], b[tile::ITEMS];
#pragma unroll
    for (int i = 0; i < tile::ITEMS; i++) a[i] = s.a[row + i][w], b[i] = s.b[col + i][w];
#pragma unroll
    for (int i = 0; i < tile::ITEMS; i++)
#pragma unroll
      for (int j = 0; j < tile::ITEMS; j++) sum.of[i][j] = tg_dot4(a[i], b[j], sum.of[i][j]);
  }
}

/* Adds the terms first .. end - 1 of a plane of A and of B to the sums of the thread at (row, col) of the tile at
 * (i0, j0). `first` is a multiple of the terms of a stage. */
__device__ inline void add_terms(tile::sums &sum, tile::stage &s, const int8_t *A, const int8_t *B, int64_t i0,
                                 int64_t j0, int row, int col, int64_t first, int64_t end, int64_t blocks) {
  for (int64_t term = first; term < end; term += 4 * tile::WORDS) {
    load_lines(s.a, A, i0, term, blocks);
    load_lines(s.b, B, j0, term, blocks);
    __syncthreads();
    add_residue_products(sum, s, row, col);
    __syncthreads();
  }
}

#endif
