/* row_text.c - writes rows as lines of text. */
#include "row_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/type.h"

const char *const tile_table_names[TILE_TABLES] = {[TILES_TRSM_VECTORS] = "vectors",
                                                   [TILES_TRSM] = "trsm",
                                                   [TILES_TRMM] = "trmm",
                                                   [TILES_TRTRI] = "invert",
                                                   [TILES_LAUUM] = "lauum"};
const char *const batch_table_names[BATCH_TABLES] = {
    [BATCH_POTRF] = "potrf", [BATCH_POSV] = "posv", [BATCH_INVERSE] = "invert", [BATCH_TRSM] = "trsm"};

const char *const tile_layout_names[TILE_LAYOUTS] = {"forward", "backward", "apart"};

/* Appends to a text. No row is so long that it is cut. */
__attribute__((format(printf, 2, 3))) static void append(char text[row_text_size], const char *format, ...) {
  const size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, row_text_size - used, format, values);
  va_end(values);
}

static void append_limit(char text[row_text_size], const char *name, int64_t limit) {
  if (limit > 0) append(text, " %s=%" PRId64, name, limit);
}

static void append_layouts(char text[row_text_size], unsigned layouts) {
  const char *before = " layouts=";
  for (unsigned i = 0; i < TILE_LAYOUTS; i++)
    if (layouts & (1u << i)) append(text, "%s%s", before, tile_layout_names[i]), before = ",";
}

void gpu_tile_text(tile_table table, const tile_choice *r, char text[row_text_size]) {
  *text = '\0';
  append(text, "tile %s ", tile_table_names[table]);
  if (table == TILES_TRSM_VECTORS)
    append(text, "%s", r->tile.cols > 0 ? "yes" : "no");
  else
    append(text, "%dx%d", r->tile.rows, r->tile.cols);
  if (r->mma) append(text, " mma");
  append_layouts(text, r->layouts);
  append_limit(text, "least-width", r->least_width);
  append_limit(text, "most-width", r->most_width);
  append_limit(text, "least-order", r->least_order);
  append_limit(text, "most-order", r->most_order);
  append_limit(text, "most-area", r->most_area);
  append_limit(text, "most-matrix", r->most_matrix);
  append_limit(text, "least-tiles", r->least_tiles);
  append_limit(text, "most-tiles", r->most_tiles);
  append_limit(text, "least-products", r->least_products);
}

void gpu_class_text(batch_table table, trigon_type type, const batch_class *r, char text[row_text_size]) {
  *text = '\0';
  append(text, "batch %s %c ", batch_table_names[table], "sdcz"[type_index(type)]);
  if (r->most == INT64_MAX)
    append(text, "*");
  else
    append(text, "%" PRId64, r->most);
  append(text, " %.40s%s", r->kernel, r->alone ? " alone" : "");
  append_limit(text, "most-order", r->most_order);
}

/* ------------------------------------------------------------------------------------------------ all rows -- */

/* A text in the making. What finds no room is counted all the same. */
typedef struct lines {
  char *text;
  size_t size, length;
} lines;

__attribute__((format(printf, 2, 3))) static void add(lines *l, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const bool fits = l->length < l->size;
  l->length += (size_t)vsnprintf(fits ? l->text + l->length : NULL, fits ? l->size - l->length : 0, format, values);
  va_end(values);
}

static void add_tiles(lines *l, tile_table table, const tile_choice *r) {
  char text[row_text_size];
  for (;; r++) {
    gpu_tile_text(table, r, text);
    add(l, "%s\n", text);
    if (gpu_fits_all(r)) return;
  }
}

static void add_classes(lines *l, batch_table table, trigon_type type, const batch_class *r) {
  char text[row_text_size];
  for (; r->kernel; r++) {
    gpu_class_text(table, type, r, text);
    add(l, "%s\n", text);
  }
}

static void add_limits(lines *l, const gpu_limits *of) {
  const struct {
    const char *name;
    int64_t limit;
  } all[] = {{"trmm-high", of->trmm.high},
             {"trmm-enough-high", of->trmm.enough_high},
             {"trmm-enough", of->trmm.enough},
             {"trmm-least-piece", of->trmm.least_piece},
             {"trmm-most-slots", of->trmm.most_slots},
             {"gemm-large-tiles", of->gemm_large_tiles},
             {"masked-blocks", of->masked_blocks},
             {"trsm-deep-width", of->trsm_deep_width},
             {"trsm-sharing-slabs", of->trsm_sharing_slabs},
             {"strip-order-s", of->strip_orders[0]},
             {"strip-order-d", of->strip_orders[1]},
             {"strip-order-c", of->strip_orders[2]},
             {"strip-order-z", of->strip_orders[3]},
             {"strip-lines", of->strip_lines},
             {"trsm-batch-blocks", of->trsm_batch_blocks}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) add(l, "limit %s %" PRId64 "\n", all[i].name, all[i].limit);
}

static void add_shapes(lines *l, tile_table table, const launcher_lists *lists) {
  const tile_shape *shape;
  for (int i = 0; (shape = lists->tile(table, i)) != NULL; i++)
    add(l, "shape %s %dx%d\n", tile_table_names[table], shape->rows, shape->cols);
}

/* The kernels that the device can run. */
static void add_kernels(lines *l, batch_table table, trigon_type type, bool mma, const launcher_lists *lists) {
  const batch_kernel *k;
  for (int i = 0; (k = lists->kernel(table, type, i)) != NULL; i++) {
    if (k->mma && !mma) continue;
    add(l, "kernel %s %c %.40s", batch_table_names[table], "sdcz"[type_index(type)], k -> name);
    if (k->above > 0) add(l, " above=%" PRId64, k->above);
    if (k->most < INT64_MAX) add(l, " most=%" PRId64, k->most);
    add(l, "%s%s\n", k->alone ? " alone" : "", k->shares ? " shares" : "");
  }
}

size_t gpu_rows_text(const gpu_arch *a, gpu_features has, const launcher_lists *lists, char *text, size_t size) {
  lines l = {text, size, 0};
  add(&l, "kind %s\n", a->name);
  for (int t = 0; t < TILE_TABLES; t++)
    if (t == TILES_TRSM_VECTORS || has.fp64_mma) add_tiles(&l, (tile_table)t, a->tiles[t]);
  for (int t = 0; t < BATCH_TABLES; t++)
    for (int i = 0; i < TYPES; i++)
      add_classes(&l, (batch_table)t, types_in_order[i], gpu_classes_of(a, has, (batch_table)t, types_in_order[i]));
  add_limits(&l, a->limits);
  for (int t = 0; t < TILE_TABLES && has.fp64_mma; t++) add_shapes(&l, (tile_table)t, lists);
  for (int t = 0; t < BATCH_TABLES; t++)
    for (int i = 0; i < TYPES; i++) add_kernels(&l, (batch_table)t, types_in_order[i], has.fp64_mma, lists);
  return l.length;
}
