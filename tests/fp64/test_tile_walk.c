/* test_tile_walk.c - parts of C, and the walks over their tiles: each tile of a part belongs to one walker. */
#include <stdlib.h>
#include <string.h>

#include "fp64/int8/tile_walk.h"
#include "support/check.h"

enum { MOST_TILES = 4096, MODULI = 3 };

typedef struct walk_case {
  triangle_part part;
  int64_t m, n;
  int tile_rows, tile_cols, band, walkers;
} walk_case;

static bool is_in(const triangle_part *t, int64_t row, int64_t col) {
  enum { ROUND = 1000 }; /* so that quotients of negative numbers are rounded down */
  const int64_t element = (row + t->shift + ROUND * t->height) / t->height - ROUND;
  return t->kind == TRIANGLE_NONE || (t->kind == TRIANGLE_LOWER ? element >= col : element <= col);
}

/* Whether a tile, with its rows and columns behind the end of C, has elements of the part. */
static bool is_due(const walk_case *c, int64_t tile_row, int64_t tile_col) {
  for (int64_t i = 0; i < c->tile_rows; i++)
    for (int64_t j = 0; j < c->tile_cols; j++)
      if (is_in(&c->part, tile_row * c->tile_rows + i, tile_col * c->tile_cols + j)) return true;
  return false;
}

/* The walkers' tiles are those that are due, once for each modulus, and no walker has more than one above another. */
static void walk(const walk_case *c) {
  static int visits[MODULI][MOST_TILES];
  const int64_t rows = (c->m + c->tile_rows - 1) / c->tile_rows, cols = (c->n + c->tile_cols - 1) / c->tile_cols;
  int64_t least = INT64_MAX, most = 0, all = 0, due = 0;
  bool inside = true, right = true;
  memset(visits, 0, sizeof visits);
  for (int w = 0; w < c->walkers; w++) {
    tile_walk walk = tile_walk_of(&c->part, c->m, c->n, c->tile_rows, c->tile_cols, c->band, MODULI, w, c->walkers);
    walked_tile tile;
    int64_t count = 0;
    int modulus = 0;
    for (; inside && next_tile(&walk, &tile); count++) {
      inside = tile.modulus >= modulus && tile.modulus < MODULI && tile.row >= 0 && tile.row < rows && tile.col >= 0 &&
               tile.col < cols;
      modulus = tile.modulus;
      if (inside) visits[tile.modulus][tile.row + tile.col * rows]++;
    }
    least = count < least ? count : least, most = count > most ? count : most, all += count;
  }
  for (int64_t at = 0; at < rows * cols; at++) {
    const int64_t row = at % rows * c->tile_rows, col = at / rows * c->tile_cols;
    const bool here = is_due(c, at % rows, at / rows);
    due += here;
    right = right && part_meets(&c->part, row, col, c->tile_rows, c->tile_cols) == here;
    for (int t = 0; t < MODULI; t++) right = right && visits[t][at] == here;
  }
  right = right && count_part_of_tiles(&c->part, c->m, c->n, c->tile_rows, c->tile_cols) == due;
  if (!inside || !right || all != MODULI * due || most - least > 1)
    printf("kind %d, height %d, shift %d, %d x %d in tiles of %d x %d, bands of %d, %d walkers:\n", (int)c->part.kind,
           c->part.height, (int)c->part.shift, (int)c->m, (int)c->n, c->tile_rows, c->tile_cols, c->band, c->walkers);
  check(inside && right, "walkers have each tile of the part once");
  check(all == MODULI * due && most - least <= 1, "walkers have equally much to do");
}

int main(void) {
  static const int64_t sizes[][2] = {{1, 1}, {4, 4}, {5, 3}, {16, 16}, {17, 40}, {40, 17}, {64, 64}};
  static const int64_t shifts[] = {-48, -20, -4, 0, 4, 16, 44};
  static const int tiles[][2] = {{4, 4}, {8, 4}, {4, 8}, {16, 16}}, walkers[] = {1, 2, 5, 33};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t h = 0; h < sizeof shifts / sizeof *shifts; h++)
      for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        for (int kind = TRIANGLE_NONE; kind <= TRIANGLE_UPPER; kind++)
          for (int height = 1; height <= 2; height++) {
            const triangle_part part = {(triangle_kind)kind, height, shifts[h]};
            walk(&(walk_case){part, sizes[s][0], sizes[s][1], tiles[t][0], tiles[t][1], 1 + (int)(s + h) % 5,
                              walkers[(s + t) % 4]});
          }
  return checked();
}
