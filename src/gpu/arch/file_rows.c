/* file_rows.c - reads rows of tiles and of classes from lines, as row_text.c writes them. */
#include "file_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/word_list.h"
#include "row_text.h"

static trigon_status refuse(reason *why, const char *message, const char *word) {
  snprintf(why->text, sizeof why->text, message, word);
  return TRIGON_BAD_ARGUMENT;
}

/* A positive whole number, or 0. */
static int64_t number_of(const char *word) {
  const size_t digits = strspn(word, "0123456789");
  return digits == 0 || digits > 18 || word[digits] ? 0 : strtoll(word, NULL, 10);
}

/* --------------------------------------------------------------------------------------------------- tiles -- */

/* ROWSxCOLS; or whether the kernel for few columns takes a solve, yes or no. */
static bool read_shape(tile_table table, const char *word, tile_shape *shape) {
  enum { any_cols = 4 }; /* not 0 */
  char text[32];
  if (table == TILES_TRSM_VECTORS) {
    *shape = (tile_shape){0, strcmp(word, "yes") == 0 ? any_cols : 0};
    return shape->cols > 0 || strcmp(word, "no") == 0;
  }
  if (sscanf(word, "%4dx%4d", &shape->rows, &shape->cols) != 2) return false;
  snprintf(text, sizeof text, "%dx%d", shape->rows, shape->cols);
  return strcmp(text, word) == 0;
}

/* Names of layouts with commas between. Returns 0 if a name is wrong. */
static unsigned read_layouts(const char *names) {
  unsigned layouts = 0;
  for (const char *at = names;; at += strcspn(at, ",") + 1) {
    const size_t length = strcspn(at, ",");
    int i = 0;
    while (i < TILE_LAYOUTS &&
           (strlen(tile_layout_names[i]) != length || memcmp(tile_layout_names[i], at, length) != 0))
      i++;
    if (i == TILE_LAYOUTS) return 0;
    layouts |= 1u << i;
    if (!at[length]) return layouts;
  }
}

/* The limit of this name. NULL: operations of the table have no such size. */
static int64_t *limit_named(tile_table table, tile_choice *r, const char *name, size_t length) {
  const bool has_widths = table != TILES_TRTRI && table != TILES_LAUUM;
  const struct {
    const char *name;
    int64_t *limit;
    bool of_width; /* of the width, or of what depends on it */
  } all[] = {{"least-width", &r->least_width, true},      {"most-width", &r->most_width, true},
             {"least-order", &r->least_order, false},     {"most-order", &r->most_order, false},
             {"most-area", &r->most_area, true},          {"most-matrix", &r->most_matrix, true},
             {"least-tiles", &r->least_tiles, true},      {"most-tiles", &r->most_tiles, true},
             {"least-products", &r->least_products, true}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0)
      return has_widths || !all[i].of_width ? all[i].limit : NULL;
  return NULL;
}

static trigon_status read_limit(tile_table table, tile_choice *r, const char *word, reason *why) {
  static const char layouts[] = "layouts=";
  const bool is_factor = table == TILES_TRTRI || table == TILES_LAUUM;
  if (strcmp(word, "mma") == 0 && !r->mma) {
    r->mma = true;
    return TRIGON_OK;
  }
  if (strncmp(word, layouts, sizeof layouts - 1) == 0 && !is_factor && !r->layouts) {
    r->layouts = read_layouts(word + sizeof layouts - 1);
    if (r->layouts) return TRIGON_OK;
    return refuse(why, "\"%.60s\": forward, backward and apart expected, with commas between", word);
  }
  const size_t length = strcspn(word, "=");
  int64_t *limit = word[length] ? limit_named(table, r, word, length) : NULL;
  if (!limit) return refuse(why, "\"%.60s\" is no limit of such a tile", word);
  if (*limit) return refuse(why, "\"%.60s\": the row has this limit already", word);
  *limit = number_of(word + length + 1);
  return *limit ? TRIGON_OK : refuse(why, "\"%.60s\": a number above 0 expected", word);
}

static trigon_status read_tile(file_rows *f, char *const *word, int words, reason *why) {
  tile_choice r = {0};
  if (words < 3) return refuse(why, "\"%.40s\" begins no line of the form tile ROUTINE SHAPE LIMITS", word[0]);
  const int t = index_of_word(word[1], tile_table_names, TILE_TABLES);
  if (t < 0) return refuse(why, "\"%.40s\" has no tiles: vectors, trsm, trmm, invert or lauum expected", word[1]);
  const tile_table table = (tile_table)t;
  if (table != TILES_TRSM_VECTORS && !f->has.fp64_mma)
    return refuse(why, "tiles of \"%.40s\" need matrix units, which the device or the kind of GPU does not have",
                  word[1]);
  if (!read_shape(table, word[2], &r.tile))
    return refuse(why,
                  table == TILES_TRSM_VECTORS ? "\"%.40s\" is neither yes nor no"
                                              : "\"%.40s\" is no tile: "
                                                "ROWSxCOLUMNS expected",
                  word[2]);
  if (table != TILES_TRSM_VECTORS && !gpu_has_tile(f->lists, table, r.tile))
    return refuse(why, "\"%.40s\": the launcher has no kernel with this tile", word[2]);
  for (int i = 3; i < words; i++) TRY(read_limit(table, &r, word[i], why));
  int *count = &f->tiles[table];
  if (*count > 0 && gpu_fits_all(&f->tile[table][*count - 1]))
    return refuse(why, "no row of \"%.40s\" can follow a row without limits", word[1]);
  if (*count == MOST_FILE_TILES) return refuse(why, "there are more than 96 rows of \"%.40s\"", word[1]);
  f->tile[table][(*count)++] = r;
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- classes -- */

static trigon_status read_class_limit(batch_class *r, const char *word, reason *why) {
  static const char most_order[] = "most-order=";
  if (strcmp(word, "alone") == 0 && !r->alone) {
    r->alone = true;
    return TRIGON_OK;
  }
  if (strncmp(word, most_order, sizeof most_order - 1) == 0 && r->most_order == 0) {
    r->most_order = number_of(word + sizeof most_order - 1);
    if (r->most_order > 0) return TRIGON_OK;
  }
  return refuse(why, "\"%.60s\": alone or most-order=NUMBER expected", word);
}

/* Adds a row, whose kernel has been found. */
static trigon_status add_class(file_rows *f, batch_table table, int type, const batch_class *r, reason *why) {
  int *count = &f->classes[table][type];
  if (*count == MOST_FILE_CLASSES)
    return refuse(why, "there are more than 16 rows of \"%.40s\" of one type", batch_table_names[table]);
  f->class[table][type][(*count)++] = *r;
  return TRIGON_OK;
}

static trigon_status read_class(file_rows *f, char *const *word, int words, reason *why) {
  static const char *const types[] = {"s", "d", "c", "z"};
  char text[80], row[row_text_size];
  if (words < 5) return refuse(why, "\"%.40s\" begins no line of the form batch ROUTINE TYPE MOST KERNEL", word[0]);
  const int table = index_of_word(word[1], batch_table_names, BATCH_TABLES),
            type = index_of_word(word[2], types, TYPES);
  if (table < 0) return refuse(why, "\"%.40s\" has no classes: potrf, posv, invert or trsm expected", word[1]);
  if (type < 0) return refuse(why, "\"%.40s\" is no type: s, d, c or z expected", word[2]);
  batch_class r = {.most = strcmp(word[3], "*") == 0 ? INT64_MAX : number_of(word[3])};
  if (r.most == 0) return refuse(why, "\"%.40s\" is no number above 0, nor *", word[3]);
  const batch_kernel *k = gpu_find_kernel(f->lists, (batch_table)table, types_in_order[type], word[4]);
  if (!k) return refuse(why, "\"%.40s\": the launcher has no kernel of this name", word[4]);
  r.kernel = k->name;
  for (int i = 5; i < words; i++) TRY(read_class_limit(&r, word[i], why));
  const char *fault = gpu_class_fault((batch_table)table, &r, k, f->has.fp64_mma, text);
  if (!fault) return add_class(f, (batch_table)table, type, &r, why);
  gpu_class_text((batch_table)table, types_in_order[type], &r, row);
  snprintf(why->text, sizeof why->text, "\"%s\": %s", row, fault);
  return TRIGON_BAD_ARGUMENT;
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

static trigon_status read_line(void *to, char *const *word, int words, reason *why) {
  return strcmp(word[0], "tile") == 0 ? read_tile(to, word, words, why) : read_class(to, word, words, why);
}

/* All rows together. */
static trigon_status end_rows(void *to, reason *why) {
  file_rows *f = to;
  for (int t = 0; t < TILE_TABLES; t++) {
    const int count = f->tiles[t];
    if (count > 0 && !gpu_fits_all(&f->tile[t][count - 1]))
      return refuse(why, "the last row `tile %.40s` must have no limits", tile_table_names[t]);
    if (count > 0) f->arch.tiles[t] = f->tile[t];
  }
  for (int t = 0; t < BATCH_TABLES; t++)
    for (int i = 0; i < TYPES; i++)
      if (f->classes[t][i] > 0) f->batch[t][i] = f->class[t][i];
  return gpu_check_rows(&f->arch, f->has, f->lists, why);
}

/* A kind with matrix units has other classes on a device without them (gpu_classes_of). The copy has these classes in
 * its own table, so it must not be such a kind there. */
void file_rows_begin(file_rows *f, const gpu_arch *kind, gpu_features has, const launcher_lists *lists) {
  *f = (file_rows){.arch = *kind, .has = has, .lists = lists};
  f->arch.has.fp64_mma = has.fp64_mma;
  for (int t = 0; t < BATCH_TABLES; t++) {
    for (int i = 0; i < TYPES; i++) f->batch[t][i] = gpu_classes_of(kind, has, (batch_table)t, types_in_order[i]);
    f->arch.batches[t] = f->batch[t];
  }
}

line_reader file_rows_reader(file_rows *f) { return (line_reader){read_line, end_rows, f}; }
