/* potrf_tickets.h - the order in which the blocks of a dataflow POTRF take their tiles.
 *
 * A is cut into square tiles. Tile (i, j), i >= j, needs the tiles (i, k) and (j, k), k < j, and the diagonal tile
 * (j, j). So the tiles of a row become final from left to right, and a row has one flag: the number of its final tiles,
 * or of their final panels (potrf_mma.h).
 *
 * From one diagonal tile to the next leads (j - 1, j - 1), (j, j - 1), (j, j). One block takes the last two. It draws
 * its ticket a column ahead, and computes both sums while it waits for the diagonal tile above. Tickets:
 *
 *     (0, 0);   (1, 0) with (1, 1), (2, 0), (3, 0), ...;   (2, 1) with (2, 2), (3, 1), (4, 1), ...;   ...
 *
 * The other blocks take one tile or, to read (j, k) less often, several tiles of a column. For each of these the
 * tickets go through all matrices. A block waits only for lower tickets. */
#ifndef TRIGON_POTRF_TICKETS_H
#define TRIGON_POTRF_TICKETS_H

#include "gpu/kernels/dataflow/dataflow_triangles.h"

/* The flags of a matrix, and which of its tiles a block takes. */
struct tile_coord {
  unsigned row, col; /* the first tile; if they are equal, the block takes (row, row - 1), too */
  unsigned *flags, *word;

  __device__ dataflow_progress progress(unsigned of_row) const { return {flags + of_row, word, 0}; }
  __device__ void publish(unsigned of_row, unsigned final_tiles) const { tg_publish(flags + of_row, final_tiles); }
  __device__ void await_row(unsigned of_row, unsigned final_tiles) const { progress(of_row).await(final_tiles); }
  /* Waits for `count` rows from `first` on, and for row `right`. Returns the least number of final tiles that one of
   * them has. `words`: count + 1 words of shared memory. */
  __device__ unsigned await_rows(unsigned first, unsigned count, unsigned right, unsigned final_tiles,
                                 unsigned *words) const {
    return tg_await_least([&](unsigned i) { return flags + (i < count ? first + i : right); }, count + 1, final_tiles,
                          words);
  }
};

/* How many blocks factor a matrix, if each of the other blocks takes HEIGHT tiles. */
template <int HEIGHT> inline int64_t blocks_of_tiles(int64_t tiles) {
  return tiles < 2 ? tiles : tiles + tiles_of_triangle<HEIGHT>(tiles - 2);
}

/* Takes a ticket, and calls take(matrix, coord), which publishes the final tiles of its rows. A tile row has a flag, so
 * f.flags_of_each is the number of tile rows. */
template <unsigned HEIGHT, class Take>
__device__ inline void dataflow_factor_run(const dataflow_matrices &f, unsigned *word, Take take) {
  const unsigned ticket = tg_ticket(f.words.ticket, word), matrix = ticket % f.matrices;
  unsigned at = ticket / f.matrices, diagonal = 0;
  for (unsigned blocks = 1; at >= blocks; blocks = 1 + (f.flags_of_each - 1 - diagonal + HEIGHT - 1) / HEIGHT) {
    at -= blocks;
    diagonal++;
  }
  tile_coord coord = {diagonal, diagonal, f.words.flags + matrix * f.flags_of_each, word};
  if (at > 0) coord.row = diagonal + 1 + (at - 1) * HEIGHT, coord.col = diagonal - 1;
  take(f.first + matrix, coord);
  dataflow_end(f.words, f.matrices * f.flags_of_each, word);
}

#endif
