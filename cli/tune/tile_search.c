/* tile_search.c - finds the tiles of a dataflow leaf for doubles on matrix units.
 *
 * Orders and widths make a grid. At each point the search tries each tile of the leaf. If a tile is faster than the
 * choice of the rows, a new row for the sizes around the point comes before the rows. */
#include "../progress.h"
#include "duel.h"
#include "gpu_rows.h"
#include "gpu_search.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRID_ORDERS = 5, GRID_WIDTHS = 5, GRID_LAYOUTS = 3, LEAST_GRID_ORDER = 16, NO_TILE = -1 };

/* Neighbours of a grid have these ratios: so a row reaches by their square root beyond its point. */
enum { ORDER_RATIO = 2, WIDTH_RATIO = 4 };
static const int64_t least_width = 8;

/* How the columns of the triangle are stored, and a variant in which they are so stored. */
static const struct {
  const char *name, *variant;
} layouts[GRID_LAYOUTS] = {{"forward", "LLNN"}, {"backward", "LUNN"}, {"apart", "LLTN"}};

typedef struct grid {
  int tile[GRID_LAYOUTS][GRID_WIDTHS][GRID_ORDERS]; /* numbers of shapes, or NO_TILE */
} grid;

typedef struct tile_search {
  search *s;
  const tuned_table *table;
  bool has_widths; /* otherwise one width and one layout stand for all */
  tile_name shape[MOST_SHAPES];
  int shapes;
  int64_t order[GRID_ORDERS];
  int orders;
  grid now;
  double least; /* the least ratio of a new row */
} tile_search;

/* The kernel for few columns. Its rows with `mma` are those of doubles. */
static bool is_vectors(const tuned_table *of) { return strcmp(of->row, "vectors") == 0; }

static int widths_of(const tile_search *t) { return t->has_widths ? GRID_WIDTHS : 1; }
static int layouts_of(const tile_search *t) { return t->has_widths ? GRID_LAYOUTS : 1; }

static int64_t width_at(int i) {
  int64_t width = least_width;
  while (i-- > 0) width *= WIDTH_RATIO;
  return width;
}

/* From the largest order down, because large problems take the most time of a program. */
static void make_grid(tile_search *t) {
  for (int64_t order = t->s->largest; t->orders < GRID_ORDERS && order >= LEAST_GRID_ORDER; order /= ORDER_RATIO)
    t->order[t->orders++] = order;
  for (int l = 0; l < GRID_LAYOUTS; l++)
    for (int w = 0; w < GRID_WIDTHS; w++)
      for (int o = 0; o < GRID_ORDERS; o++) t->now.tile[l][w][o] = NO_TILE;
}

/* -------------------------------------------------------------------------------------------------- tables -- */

/* " least-NAME=A most-NAME=B" for the sizes around those from `low` to `high`. */
static void add_range(table *to, const char *name, int64_t low, int64_t high, double ratio) {
  const double reach = sqrt(ratio);
  table_add(to, " least-%s=%" PRId64 " most-%s=%" PRId64, name, (int64_t)((double)low / reach) + 1, name,
            (int64_t)((double)high * reach));
}

/* One row for neighbours with the same tile: the orders number first .. last, of which the last one is the smallest. */
static void add_row(const tile_search *t, int layout, int width, int first, int last, table *to) {
  table_add(to, "tile %s %s%s", t->table->row, t->shape[t->now.tile[layout][width][first]].text,
            is_vectors(t->table) ? " mma" : "");
  if (t->has_widths) {
    table_add(to, " layouts=%s", layouts[layout].name);
    add_range(to, "width", width_at(width), width_at(width), WIDTH_RATIO);
  }
  add_range(to, "order", t->order[last], t->order[first], ORDER_RATIO);
  table_add(to, "\n");
}

/* The new rows, and behind them the built-in ones. */
static void write_rows(const tile_search *t, table *to) {
  char words[40];
  for (int l = 0; l < layouts_of(t); l++)
    for (int w = 0; w < widths_of(t); w++)
      for (int o = 0, end; o < t->orders; o = end) {
        const int *const tile = t->now.tile[l][w];
        for (end = o + 1; end < t->orders && tile[end] == tile[o];) end++;
        if (tile[o] != NO_TILE) add_row(t, l, w, o, end - 1, to);
      }
  snprintf(words, sizeof words, "tile %s ", t->table->row);
  gpu_rows_copy(t->s->rows, words, to);
}

/* Every size is one dataflow leaf, so that its tiles count. Of what was found before, tiles matter alone. */
static void begin_table(const tile_search *t, table *to) {
  to->length = 0;
  table_add(to, "version 2\n%s d * * dataflow *\n", is_vectors(t->table) ? "trsm" : t->table->row);
  gpu_rows_copy(t->s->found.text, "tile ", to);
}

/* Compares the grid `now` with another one. */
static void set_tables(tile_search *t, const grid *champion) {
  const grid candidate = t->now;
  begin_table(t, &t->s->candidate);
  begin_table(t, &t->s->champion);
  write_rows(t, &t->s->candidate);
  t->now = *champion;
  write_rows(t, &t->s->champion);
  t->now = candidate;
}

/* -------------------------------------------------------------------------------------------------- duels -- */

static problem problem_at(const tile_search *t, int layout, int width, int order) {
  const char *name = t->table->measured;
  problem p = {.routine = routine_find(name, strlen(name)), .type = TRIGON_D};
  problem_set_variant(&p, t->has_widths ? layouts[layout].variant : p.routine->default_variant);
  for (int i = 0; i < SIZES; i++) p.size[i] = t->order[order];
  if (t->has_widths) p.size[N] = width_at(width);
  return p;
}

static bool try_point(tile_search *t, int layout, int width, int order) {
  const problem p = problem_at(t, layout, width, order);
  int *const tile = &t->now.tile[layout][width][order];
  for (int i = 0; i < t->shapes; i++) {
    const grid before = t->now;
    double ratio;
    *tile = i;
    set_tables(t, &before);
    if (!gpu_fight(t->s, &p, NULL, &ratio)) return false;
    if (ratio <= 1 + duel_noise) t->now = before;
  }
  return true;
}

/* What a function does at each point that is not wider than the largest order. */
static bool each_point(tile_search *t, bool (*visit)(tile_search *, int layout, int width, int order)) {
  for (int l = 0; l < layouts_of(t); l++)
    for (int o = 0; o < t->orders; o++)
      for (int w = 0; w < widths_of(t) && (!t->has_widths || width_at(w) <= t->s->largest); w++)
        if (!visit(t, l, w, o)) return false;
  return true;
}

/* -------------------------------------------------------------------------------------------------- accepting -- */

static bool has_new_rows(const tile_search *t) {
  bool any = false;
  for (int l = 0; l < GRID_LAYOUTS; l++)
    for (int w = 0; w < GRID_WIDTHS; w++)
      for (int o = 0; o < GRID_ORDERS; o++) any = any || t->now.tile[l][w][o] != NO_TILE;
  return any;
}

/* A point whose row is slower than the built-in rows after all loses its row. */
static bool judge_point(tile_search *t, int layout, int width, int order) {
  int *const tile = &t->now.tile[layout][width][order];
  const problem p = problem_at(t, layout, width, order);
  gpu_score score = {.least = INFINITY};
  grid without = t->now;
  if (*tile == NO_TILE) return true;
  without.tile[layout][width][order] = NO_TILE;
  set_tables(t, &without);
  if (!gpu_judge(t->s, &p, NULL, &score)) return false;
  if (!gpu_is_better(&score)) *tile = NO_TILE;
  if (*tile != NO_TILE) t->least = fmin(t->least, score.least);
  return true;
}

/* Time for the last comparison remains. */
static bool accept(tile_search *t) {
  search *s = t->s;
  s->deadline = INFINITY, t->least = INFINITY;
  if (!each_point(t, judge_point)) return false;
  if (has_new_rows(t)) {
    table_comment(&s->found, "tile %s: at least %.2f times as fast as the built-in rows", t->table->row, t->least);
    write_rows(t, &s->found);
    s->was_late = false;
  } else {
    table_comment(&s->found, "tile %s: %s (duels: %d)", t->table->row, gpu_no_winner(s), s->duels);
  }
  return true;
}

/* The kernel for few columns has no shapes: it takes a solve, or not. */
static int list_shapes(const search *s, const tuned_table *of, tile_name shape[MOST_SHAPES]) {
  if (!is_vectors(of)) return gpu_rows_shapes(s->rows, of->row, shape);
  shape[0] = (tile_name){"yes"}, shape[1] = (tile_name){"no"};
  return gpu_rows_shapes(s->rows, "trsm", (tile_name[MOST_SHAPES]){{""}}) > 0 ? 2 : 0;
}

bool search_has_tiles(const search *s, int tile) {
  tile_name shape[MOST_SHAPES];
  return s->rows && list_shapes(s, &tuned_tiles[tile], shape) > 1;
}

bool search_tiles(search *s, int tile) {
  tile_search t = {.s = s, .table = &tuned_tiles[tile]};
  t.has_widths = strncmp(t.table->measured, "tr", 2) == 0 && strcmp(t.table->row, "invert") != 0;
  gpu_begin(s);
  t.shapes = list_shapes(s, t.table, t.shape);
  make_grid(&t);
  progress *shown = progress_begin(!s->quiet, "tiles, %s", t.table->row);
  const bool done = each_point(&t, try_point) && accept(&t);
  progress_end(shown);
  if (done) s->done.tile[tile] = !s->was_late;
  return done;
}
