/* tile_choice.h - which tiles a launcher takes, by the size of the operation. For C and C++.
 *
 * A kind of GPU has a table for each launcher. The first row that fits an operation counts. The last row of a table
 * fits every operation. */
#ifndef TRIGON_TILE_CHOICE_H
#define TRIGON_TILE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tile_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tables. All but TILES_TRSM_VECTORS are for doubles on matrix units. */
typedef enum tile_table {
  TILES_TRSM_VECTORS, /* whether the kernel for few columns takes a solve: then cols is not 0. Each type, each GPU */
  TILES_TRSM,
  TILES_TRMM,
  TILES_TRTRI,
  TILES_LAUUM,
  TILE_TABLES
} tile_table;

/* The stride from element to element of a column of the folded triangle (common/fold.h). */
enum { COLUMNS_FORWARD = 1, COLUMNS_BACKWARD = 2, COLUMNS_APART = 4 }; /* 1, -1, or any other */

/* How many tiles the result has, and how many products of tiles their sums have. */
typedef struct tile_counts {
  int64_t tiles, products;
} tile_counts;

typedef struct tile_problem tile_problem;
struct tile_problem {
  int64_t order, width, count;                             /* of the triangle; of B; of all matrices */
  unsigned layout;                                         /* one of COLUMNS_ */
  bool mma;                                                /* the operation has a kernel for matrix units */
  tile_counts (*counts)(const tile_problem *, tile_shape); /* with tiles of this shape. NULL: no row asks for them */
};

/* A limit of 0 is no limit. An area is order × width. */
typedef struct tile_choice {
  unsigned layouts;                                       /* a sum of COLUMNS_; 0: all */
  bool mma;                                               /* only operations that have a kernel for matrix units */
  int64_t most_width, most_order, most_area, most_matrix; /* the largest area of all matrices, and of one matrix */
  int64_t least_width, least_order;
  int64_t least_tiles, most_tiles, least_products; /* in tiles of this row */
  tile_shape tile;
} tile_choice;

/* Whether the row has no limit, so that it is the last one of its table. */
bool gpu_fits_all(const tile_choice *);

/* The tile of the first row that fits. */
tile_shape gpu_choose_tile(const tile_choice *table, const tile_problem *);

#ifdef __cplusplus
}
#endif

#endif
