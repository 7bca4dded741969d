/* tile_shape.h - the option `tile`: the shape of a dataflow leaf's tiles. For C and C++. */
#ifndef TRIGON_TILE_SHAPE_H
#define TRIGON_TILE_SHAPE_H

/* The tile of B that a block of threads computes in a dataflow leaf on matrix units: 64 or 128 rows, and 8, 16, 32,
 * 64 or 128 columns. No routine has all of them. */
typedef struct tile_shape {
  int rows, cols;
} tile_shape;

#endif
