/* tile_choice.c - finds the row of a table of tiles that fits an operation. */
#include "tile_choice.h"

static bool is_between(int64_t least, int64_t size, int64_t most) {
  return least <= size && (most == 0 || size <= most);
}

static bool fits(const tile_choice *r, const tile_problem *p) {
  if ((r->layouts && !(r->layouts & p->layout)) || (r->mma && !p->mma)) return false;
  if (!is_between(r->least_width, p->width, r->most_width) || !is_between(r->least_order, p->order, r->most_order))
    return false;
  if (r->most_matrix && p->order * p->width > r->most_matrix) return false;
  if (r->most_area && p->order * p->width * p->count > r->most_area) return false;
  if (!r->least_tiles && !r->most_tiles && !r->least_products) return true;
  const tile_counts has = p->counts(p, r->tile);
  return is_between(r->least_tiles, has.tiles, r->most_tiles) && has.products >= r->least_products;
}

bool gpu_fits_all(const tile_choice *r) {
  return !r->layouts && !r->mma && !r->most_width && !r->most_order && !r->most_area && !r->most_matrix &&
         !r->least_width && !r->least_order && !r->least_tiles && !r->most_tiles && !r->least_products;
}

tile_shape gpu_choose_tile(const tile_choice *table, const tile_problem *p) {
  while (!fits(table, p)) table++;
  return table->tile;
}
