/* dataflow_triangles.h - dataflow leaves that overwrite triangles (dataflow_slabs.h): a block of threads takes one tile
 * of one matrix.
 *
 * No tile is copied, so that a tile must not be overwritten before all others have read it. Blocks publish by flags
 * what they have read. */
#ifndef TRIGON_DATAFLOW_TRIANGLES_H
#define TRIGON_DATAFLOW_TRIANGLES_H

#include "dataflow_slabs.h"

/* A launch: the matrices first .. first + matrices - 1, each with flags_of_each flags. */
struct dataflow_matrices {
  factor p;
  dataflow_words words;
  int64_t first;
  unsigned matrices, flags_of_each;
};

/* Takes a ticket, and calls work(matrix, task, flags). The tickets go through the first task of all matrices, then
 * through the second, and so on. The last block leaves zeros behind. */
template <class Work>
__device__ inline void dataflow_run_matrices(const dataflow_matrices &f, unsigned *word, Work work) {
  const unsigned ticket = tg_ticket(f.words.ticket, word), at = ticket % f.matrices;
  work(f.first + at, ticket / f.matrices, f.words.flags + at * f.flags_of_each);
  dataflow_end(f.words, f.matrices * f.flags_of_each, word);
}

/* Tile row `row` of a lower triangle has row / WIDE + 1 tiles, whose columns are WIDE times as many as their rows. */
template <int WIDE, class Int> inline __host__ __device__ Int tiles_of_triangle(Int rows) {
  const Int whole = rows / WIDE, rest = rows % WIDE;
  return WIDE * (whole * (whole + 1) / 2) + rest * (whole + 1);
}

/* The tile with this number, row by row. The search begins a few rows early, because r rows have at most
 * (r + WIDE)² / (2·WIDE) tiles. */
struct triangle_coord {
  unsigned row, col;
};
template <int WIDE> __device__ inline triangle_coord triangle_coord_of(unsigned number) {
  const unsigned most = static_cast<unsigned>(sqrtf(2.0f * WIDE * static_cast<float>(number)));
  unsigned row = most > WIDE + 1 ? most - WIDE - 1 : 0;
  for (number -= tiles_of_triangle<WIDE>(row); number > row / WIDE; row++) number -= row / WIDE + 1;
  return {row, number};
}

/* Whether a launch holds a matrix of so many tasks and flags. */
template <class G> inline bool dataflow_holds(int64_t tasks, int64_t flags) {
  return flags <= dataflow_flags && blocks_for(tasks, G::THREADS) == tasks;
}

/* Launches a kernel for all matrices: once, or several times if there are too few flags or blocks. dataflow_holds is
 * true. */
template <class G>
inline cudaError_t launch_dataflow_matrices(queue q, const kernel_of<dataflow_matrices> &k, const factor *p,
                                            const dataflow_words *words, int64_t tasks, int64_t flags) {
  if (p->count == 0 || tasks == 0) return cudaSuccess;
  const int64_t by_flags = dataflow_flags / flags, by_blocks = blocks_for(tasks * p->count, G::THREADS) / tasks,
                most = by_flags < by_blocks ? by_flags : by_blocks;
  return launch_in_parts(p->count, most, [&](int64_t first, int64_t now) {
    const dataflow_matrices task = {*p, *words, first, static_cast<unsigned>(now), static_cast<unsigned>(flags)};
    return launch_kernel(q, k, tasks * now, G::THREADS, task);
  });
}

#endif
