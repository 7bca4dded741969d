/* check_rows.c - compares the rows of a kind of GPU with the kernels of the launchers. */
#include "check_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/type.h"
#include "row_text.h"

/* The rows that are checked: of a kind, and of one of its tables. */
typedef struct checked_rows {
  const gpu_arch *arch;
  const launcher_lists *has;
  reason *why;
  bool mma;
  batch_table table;
  trigon_type type;
} checked_rows;

static trigon_status refuse(const checked_rows *c, const char *row, const char *what) {
  snprintf(c->why->text, sizeof c->why->text, "the row \"%s\" for the kind %s of GPUs: %s", row, c->arch->name, what);
  return TRIGON_BAD_ARGUMENT;
}

/* --------------------------------------------------------------------------------------------------- tiles -- */

bool gpu_has_tile(const launcher_lists *has, tile_table table, tile_shape shape) {
  const tile_shape *tile;
  for (int i = 0; (tile = has->tile(table, i)) != NULL; i++)
    if (tile->rows == shape.rows && tile->cols == shape.cols) return true;
  return false;
}

static trigon_status check_tiles(const checked_rows *c, tile_table table) {
  for (const tile_choice *r = c->arch->tiles[table];; r++) {
    char text[row_text_size];
    gpu_tile_text(table, r, text);
    if (!gpu_has_tile(c->has, table, r->tile)) return refuse(c, text, "the launcher has no kernel with this tile");
    if (gpu_fits_all(r)) return TRIGON_OK;
  }
}

/* ------------------------------------------------------------------------------------------------- classes -- */

static trigon_status refuse_class(const checked_rows *c, const batch_class *r, const char *what) {
  char text[row_text_size];
  gpu_class_text(c->table, c->type, r, text);
  return refuse(c, text, what);
}

const batch_kernel *gpu_find_kernel(const launcher_lists *has, batch_table table, trigon_type type, const char *name) {
  const batch_kernel *k;
  int i = 0;
  while ((k = has->kernel(table, type, i)) != NULL && strcmp(k->name, name) != 0) i++;
  return k;
}

static const batch_kernel *kernel_of(const checked_rows *c, const batch_class *r) {
  return gpu_find_kernel(c->has, c->table, c->type, r->kernel);
}

const char *gpu_class_fault(batch_table table, const batch_class *r, const batch_kernel *k, bool mma, char text[80]) {
  if (k->mma && !mma) return "the kernel needs matrix units";
  snprintf(text, 80, "the kernel takes no size above %" PRId64, k->most);
  if (r->most <= 0 || r->most > k->most) return text;
  if (r->alone && !k->alone) return "the kernel cannot take a whole batch";
  if (!r->alone && !k->shares) return "the kernel can only take a whole batch";
  return r->most_order != 0 && table != BATCH_TRSM ? "only rows of trsm have most-order" : NULL;
}

/* Whether the kernel can take the row's matrices. */
static trigon_status check_class(const checked_rows *c, const batch_class *r) {
  const batch_kernel *k = kernel_of(c, r);
  char text[80];
  if (!k) return refuse_class(c, r, "the launcher has no kernel of this name");
  const char *fault = gpu_class_fault(c->table, r, k, c->mma, text);
  return fault ? refuse_class(c, r, fault) : TRIGON_OK;
}

/* The classes of a batch together. */
static trigon_status check_classes(const checked_rows *c, const batch_class *table) {
  const batch_class *row[MOST_CLASSES];
  const int count = gpu_choose_classes(table, INT64_MAX, row);
  const int most = c->table == BATCH_TRSM ? MOST_WIDTH_CLASSES : MOST_CLASSES;
  const bool takes_all = c->table == BATCH_POTRF || c->table == BATCH_TRSM;
  const bool has_bins = c->table == BATCH_POTRF || c->table == BATCH_INVERSE;
  if (count == 0 || row[0]->alone) return refuse_class(c, table, "the table has no rows for mixed orders");
  if (count > most) return refuse_class(c, row[most - 1], "too many classes follow");
  for (int i = 0; i < count; i++) {
    const int64_t below = i > 0 ? row[i - 1]->most : 0;
    char text[80];
    snprintf(text, sizeof text, "the kernel takes no size up to %" PRId64, kernel_of(c, row[i])->above);
    if (below < kernel_of(c, row[i])->above) return refuse_class(c, row[i], text);
    if (has_bins && i < count - 1 && !c->has->ends_bin(row[i]->most))
      return refuse_class(c, row[i], "no bin ends with this order");
  }
  const batch_class *last = row[count - 1];
  /* Behind the launches of all rows, other kernels compute the orders above the last row, also of such a batch. */
  for (const batch_class *r = table; c->table == BATCH_INVERSE && r->kernel; r++)
    if (r->alone && r->most > last->most) return refuse_class(c, r, "no other row takes such orders");
  if (takes_all && (last->most < INT64_MAX || last->most_order > 0))
    return refuse_class(c, last, "the last row must take every size");
  return TRIGON_OK;
}

static trigon_status check_batches(const checked_rows *c, const batch_class *table) {
  trigon_status status = TRIGON_OK;
  for (const batch_class *r = table; r->kernel && status == TRIGON_OK; r++) status = check_class(c, r);
  return status == TRIGON_OK ? check_classes(c, table) : status;
}

trigon_status gpu_check_rows(const gpu_arch *a, gpu_features has, const launcher_lists *lists, reason *why) {
  checked_rows c = {.arch = a, .has = lists, .why = why, .mma = has.fp64_mma};
  trigon_status status = TRIGON_OK;
  for (int t = TILES_TRSM_VECTORS + 1; t < TILE_TABLES && has.fp64_mma && status == TRIGON_OK; t++)
    status = check_tiles(&c, (tile_table)t);
  for (int t = 0; t < BATCH_TABLES; t++)
    for (int i = 0; i < TYPES && status == TRIGON_OK; i++) {
      c.table = (batch_table)t, c.type = types_in_order[i];
      status = check_batches(&c, gpu_classes_of(a, has, c.table, c.type));
    }
  return status;
}
