/* residue_layout.h - the moduli of products by the Chinese remainder theorem, and where the residues of an operand lie.
 *
 * An operand has lines along k: the rows of op(A), the columns of op(B). Its residues modulo one modulus are a plane of
 * signed bytes. A plane consists of blocks of 128 lines and 128 terms. A block is contiguous, and the blocks of 128
 * lines follow each other along k. So a block comes into shared memory by one plain copy, and no tensor map is needed.
 * Within a block everything is where Hopper's wgmma wants it:
 *
 * - A block has 128 rows of 128 bytes, a row for each line. The 16-byte chunks of a row are permuted by the row's last
 *   three bits (the 128-byte swizzle), so that neither copies nor products meet bank conflicts.
 * - Lines are not rows. In the accumulators of wgmma a thread has the pairs of neighbours 2t, 2t + 1 of every 8
 *   columns. The order of rows makes these pairs neighbours in C: a thread has 16 neighbours of each 64 lines, and
 *   stores them as they are. With the bits of a row h jjj tt e, the bits of its line are h tt jjj e.
 *
 * Behind the last line and the last term, the blocks hold zeros. */
#ifndef TRIGON_RESIDUE_LAYOUT_H
#define TRIGON_RESIDUE_LAYOUT_H

#include <stdint.h>

#include "core/host_device.h"

enum {
  residue_moduli = 20,
  residue_lines = 128, /* of a block; residue_terms, too */
  residue_terms = 128, /* of a block */
  residue_block = residue_lines * residue_terms,
  residue_chunk = 16, /* neighbouring terms that are neighbours in memory */
};

/* Modulus t: pairwise coprime, and as large as signed bytes permit. */
TRIGON_HOST_DEVICE static inline int residue_modulus(int t) {
  const unsigned char below_256[residue_moduli] = {0,  1,  3,  5,  9,  15, 17, 23, 27, 29,
                                                   33, 39, 45, 57, 59, 63, 65, 75, 77, 83};
  return 256 - below_256[t];
}

/* Blocks along k, and bytes of a plane. */
TRIGON_HOST_DEVICE static inline int64_t residue_blocks(int64_t k) { return (k + residue_terms - 1) / residue_terms; }
TRIGON_HOST_DEVICE static inline int64_t residue_plane(int64_t lines, int64_t k) {
  return (lines + residue_lines - 1) / residue_lines * residue_blocks(k) * residue_block;
}

/* The row of a line, both counted within their block. */
TRIGON_HOST_DEVICE static inline int residue_row(int line) {
  return (line & 64) | (line & 14) << 2 | (line >> 3 & 6) | (line & 1);
}

/* The index of a residue in its plane. The 16 terms of a chunk, from a multiple of 16 on, are neighbours. */
TRIGON_HOST_DEVICE static inline int64_t residue_index(int64_t line, int64_t term, int64_t blocks) {
  const int row = residue_row((int)(line % residue_lines)), at = (int)(term % residue_terms);
  const int chunk = (at / residue_chunk) ^ (row & 7);
  return (line / residue_lines * blocks + term / residue_terms) * residue_block + row * residue_terms +
         chunk * residue_chunk + at % residue_chunk;
}

#endif
