/* tile_walk.h - the order in which a persistent launch computes the tiles of C modulo several moduli.
 *
 * Walkers share the tiles: walker w takes every `step`th tile from number w on. Only tiles that have elements of the
 * computed part have a number, so that walkers have equally much to do. Numbers go down the columns of a band of tile
 * rows, then from band to band, so that the tiles at work are about a square; and from modulus to modulus, so that the
 * planes of one modulus stay in the cache. */
#ifndef TRIGON_TILE_WALK_H
#define TRIGON_TILE_WALK_H

#include "triangle_part.h"

typedef struct walked_tile {
  int modulus, row, col; /* row and column in units of tiles */
} walked_tile;

typedef struct tile_walk {
  triangle_part part;
  int tile_height, tile_width, band; /* elements of a tile, tile rows of a band */
  int rows, cols, moduli, step;      /* tiles of C; walkers */
  int left;                          /* numbers up to the next tile of this walker, from the present column on */
  walked_tile at;                    /* the present column, and the first row of its band */
} tile_walk;

/* The tiles of m × n elements. */
static TRIGON_HOST_DEVICE inline tile_walk tile_walk_of(const triangle_part *part, int64_t m, int64_t n,
                                                        int tile_height, int tile_width, int band, int moduli,
                                                        int walker, int walkers) {
  tile_walk w;
  w.part = *part, w.tile_height = tile_height, w.tile_width = tile_width, w.band = band;
  w.rows = (int)((m + tile_height - 1) / tile_height), w.cols = (int)((n + tile_width - 1) / tile_width);
  w.moduli = moduli, w.step = walkers, w.left = walker;
  w.at.modulus = w.at.row = w.at.col = 0;
  return w;
}

static TRIGON_HOST_DEVICE inline void next_column(tile_walk *w) {
  if (++w->at.col < w->cols) return;
  w->at.col = 0, w->at.row += w->band;
  if (w->at.row < w->rows) return;
  w->at.row = 0, w->at.modulus++;
}

/* Stores the walker's next tile. Returns whether there is one. */
static TRIGON_HOST_DEVICE inline bool next_tile(tile_walk *w, walked_tile *tile) {
  for (; w->moduli > w->at.modulus; next_column(w)) {
    const tile_rows part = part_of_tiles(&w->part, w->at.col, w->tile_height, w->tile_width, w->rows);
    const int first = part.first > w->at.row ? (int)part.first : w->at.row;
    const int end = part.end < w->at.row + w->band ? (int)part.end : w->at.row + w->band;
    const int here = end > first ? end - first : 0;
    if (w->left < here) {
      *tile = w->at;
      tile->row = first + w->left;
      w->left += w->step;
      return true;
    }
    w->left -= here;
  }
  return false;
}

#endif
