/* dataflow_slabs.h - dataflow leaves: blocks of threads that wait for tiles of other blocks of the same launch
 * (vendor.h).
 *
 * B is cut into slabs of columns, and L into tile rows. A block takes one tile of B: one tile row in one slab. The
 * tickets go through the slabs of the first tile row, then through those of the second, and so on. A block waits only
 * for earlier tile rows of its slab, which have lower tickets. So one resident block is enough.
 *
 * The tile rows of a slab become ready one after the other, because each needs the one before. So a slab has one flag:
 * the number of its tile rows that are ready. The order of the tickets changes no sum, and so no bit of the result. */
#ifndef TRIGON_DATAFLOW_SLABS_H
#define TRIGON_DATAFLOW_SLABS_H

#include "gpu/kernels/launch.h"
#include "gpu/kernels/operand.h"

/* A launch: the slabs first .. first + slabs - 1 of all slabs of all matrices. */
struct dataflow_task {
  triangular t;
  dataflow_words words;
  int64_t first;
  unsigned slabs;
};

/* How many tile rows of a slab are known to be ready. */
struct dataflow_progress {
  const unsigned *flag;
  unsigned *word; /* in shared memory: see tg_await_most */
  unsigned known;

  __device__ void await(unsigned rows) {
    if (known < rows) known = tg_await_most(flag, rows, word);
  }
  /* Waits for the tile rows, and looks more often than await(). Each look may empty a cache of the multiprocessor. */
  __device__ void await_eagerly(unsigned rows) {
    if (known < rows) known = tg_await_least([this](unsigned) { return flag; }, 1, rows, word);
  }
};

/* The matrix of a slab, and the slab's first column. Most launches have one matrix, and a division takes 0.2 µs. */
struct slab_coord {
  int64_t b, j0;
  __device__ slab_coord(const triangular &t, int64_t slab, int width) {
    const int64_t of_matrix = (t.width + width - 1) / width;
    b = t.count == 1 ? 0 : slab / of_matrix;
    j0 = (slab - b * of_matrix) * width;
  }
};

/* Ends a block. The last block leaves zeros in the words behind, of which the launch used `flags` flags. */
__device__ inline void dataflow_end(const dataflow_words &words, unsigned flags, unsigned *word) {
  if (!tg_last_block(words.arrived, gridDim.x, word)) return;
  for (unsigned f = threadIdx.x; f < flags; f += blockDim.x) words.flags[f] = 0;
  if (threadIdx.x == 0) *words.ticket = 0;
}

/* Takes a ticket, calls solve(row, matrix, slab, progress) for its tile, and publishes the tile. */
template <class Solve>
__device__ inline void dataflow_run(const dataflow_task &f, int width, unsigned *word, Solve solve) {
  const unsigned number = tg_ticket(f.words.ticket, word), row = number / f.slabs, slab = number % f.slabs;
  const slab_coord at(f.t, f.first + slab, width);
  dataflow_progress progress = {f.words.flags + slab, word, 0};
  solve(row, at.b, at.j0, progress);
  tg_publish(f.words.flags + slab, row + 1);
  dataflow_end(f.words, f.slabs, word);
}

/* Calls launch(first, number) for items 0 .. items - 1: once, or several times if there are more than `most`. */
template <class Launch> inline cudaError_t launch_in_parts(int64_t items, int64_t most, Launch launch) {
  for (int64_t first = 0; first < items; first += most) {
    const cudaError_t error = launch(first, items - first < most ? items - first : most);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/* Calls launch(task, tiles) for slabs of `width` columns: once, or several times if there are more slabs than flags, or
 * more tiles than a launch may have blocks. `others`: flags and blocks for other purposes. */
template <class G, class Launch>
inline cudaError_t launch_slabs_of(const triangular *t, const dataflow_words *words, int width, int64_t others,
                                   Launch launch) {
  const int64_t rows = (t->n + G::ORDER - 1) / G::ORDER, slabs = (t->width + width - 1) / width * t->count;
  if (rows * slabs == 0) return cudaSuccess;
  const int64_t fit = (blocks_for(rows * slabs + others, G::THREADS) - others) / rows, flags = dataflow_flags - others,
                most = fit < flags ? fit : flags;
  return launch_in_parts(slabs, most, [&](int64_t first, int64_t now) {
    return launch(dataflow_task{*t, *words, first, static_cast<unsigned>(now)}, rows * now);
  });
}

/* Launches a kernel whose blocks take tiles of ORDER rows and `width` columns. */
template <class G>
inline cudaError_t launch_tiles(queue q, const kernel_of<dataflow_task> &k, int width, const triangular *t,
                                const dataflow_words *words) {
  return launch_slabs_of<G>(t, words, width, 0, [&](const dataflow_task &task, int64_t tiles) {
    return launch_kernel(q, k, tiles, G::THREADS, task);
  });
}

#endif
