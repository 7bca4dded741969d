/* check_rows.h - whether launchers can do what the rows of a kind of GPU say. */
#ifndef TRIGON_CHECK_ROWS_H
#define TRIGON_CHECK_ROWS_H

#include "arch.h"
#include "core/error.h"

/* What launchers have. */
typedef struct launcher_lists {
  const batch_kernel *(*kernel)(batch_table, trigon_type, int at); /* NULL: there are no more */
  const tile_shape *(*tile)(tile_table, int at);                   /* NULL: there are no more */
  bool (*ends_bin)(int64_t order);                                 /* a class may end with this order */
} launcher_lists;

/* Whether the launcher has this tile, and its kernel of this name, or NULL. */
bool gpu_has_tile(const launcher_lists *, tile_table, tile_shape);
const batch_kernel *gpu_find_kernel(const launcher_lists *, batch_table, trigon_type, const char *name);

/* Why the kernel cannot compute what the row says, on a device with (mma) or without matrix units; or NULL. The text is
 * constant or in `text`. */
const char *gpu_class_fault(batch_table, const batch_class *, const batch_kernel *, bool mma, char text[80]);

/* TRIGON_BAD_ARGUMENT if a row that counts on a device with these features names a kernel or a tile that its launcher
 * does not have, or sizes that the kernel cannot take, or if matrices are left without a row. The reason names the
 * row. */
trigon_status gpu_check_rows(const gpu_arch *, gpu_features, const launcher_lists *, reason *);

#endif
