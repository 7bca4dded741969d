/* tile_inverses.h - how many diagonal tiles of a triangle have an inverse that dataflow leaves on GPUs may use. */
#ifndef TRIGON_CLI_BENCH_TILE_INVERSES_H
#define TRIGON_CLI_BENCH_TILE_INVERSES_H

#include "../problem.h"

/* The order of the tiles that are counted, as of TRSM with one to four columns. With more columns it is 128. */
enum { COUNTED_TILE = 64 };

typedef struct tile_inverses {
  int tiles, refused; /* 0 tiles: the routine does not use inverses */
} tile_inverses;

/* Applies the rule of the leaves (src/gpu/kernels/diagonal/inverse_rule.h, replaces_substitution) to each diagonal tile
 * of the triangle A, in double precision: a tile is refused, and so solved by substitution, unless
 *
 *     2·COUNTED_TILE·min(‖|V||L|‖, ‖|L||V|‖) <= 30·n        (largest row sums)
 *
 * for the tile L as the routine applies it, V = L⁻¹, and the order n of A. A routine that solves twice counts twice. */
tile_inverses count_tile_inverses(const problem *p, const trigon_matrix *A);

#endif
