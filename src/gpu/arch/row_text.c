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
  static const char *const names[] = {"forward", "backward", "apart"};
  const char *before = " layouts=";
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (layouts & (1u << i)) append(text, "%s%s", before, names[i]), before = ",";
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
