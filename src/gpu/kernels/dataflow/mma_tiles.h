/* mma_tiles.h - dataflow leaves for doubles on matrix units: the tiles that a leaf has, and the choice of one. */
#ifndef TRIGON_MMA_TILES_H
#define TRIGON_MMA_TILES_H

#include "gpu/kernels/launch.h"

/* Whole tiles of B, and products of tiles of L and B. */
inline tile_counts whole_tiles(const tile_problem *p, tile_shape tile) {
  const int64_t rows = p->order / tile.rows, slabs = p->width / tile.cols * p->count;
  return {rows * slabs, rows * (rows + 1) / 2 * slabs};
}

/* What the choice of a tile depends on (gpu/arch/tile_choice.h). */
inline tile_problem problem_of(const triangular *t, bool mma) {
  tile_problem p = {};
  p.order = t->n, p.width = t->width, p.count = t->count, p.mma = mma, p.counts = whole_tiles;
  p.layout = t->L.row == 1 ? COLUMNS_FORWARD : t->L.row == -1 ? COLUMNS_BACKWARD : COLUMNS_APART;
  return p;
}
inline tile_problem problem_of(const factor *f, bool mma) {
  tile_problem p = {};
  p.order = f->n, p.count = f->count, p.mma = mma;
  return p;
}

/* A tile of a leaf, and the launch of its kernel. Operation: triangular or factor. */
template <class Operation> struct mma_tile {
  tile_shape shape;
  cudaError_t (*launch)(queue, const Operation *, const dataflow_setup *);
};

/* The tile of this shape, or NULL. */
template <class Operation, int TILES>
inline const mma_tile<Operation> *tile_of_shape(const mma_tile<Operation> (&tiles)[TILES], tile_shape shape) {
  for (const mma_tile<Operation> &tile : tiles)
    if (tile.shape.rows == shape.rows && tile.shape.cols == shape.cols) return &tile;
  return NULL;
}

/* The shape of tile number `at`, or NULL. */
template <class Operation, int TILES>
inline const tile_shape *tile_number(const mma_tile<Operation> (&tiles)[TILES], int at) {
  return at < TILES ? &tiles[at].shape : NULL;
}

/* Launches the kernel of the tile that the option `tile` names, or, if the leaf has no such tile, of the tile that the
 * table of the kind of GPU names. The leaf has that one, or the context was not made (gpu_check_rows). */
template <class Operation, int TILES>
inline cudaError_t launch_mma_tile(const mma_tile<Operation> (&tiles)[TILES], tile_table table, queue q,
                                   const Operation *o, const dataflow_setup *s) {
  const tile_problem p = problem_of(o, true);
  const mma_tile<Operation> *tile = tile_of_shape(tiles, s->shape);
  if (!tile) tile = tile_of_shape(tiles, gpu_choose_tile(q.arch->tiles[table], &p));
  return tile ? tile->launch(q, o, s) : cudaErrorInvalidDeviceFunction;
}

#endif
