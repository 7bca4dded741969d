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

/* TRIGON_BAD_ARGUMENT if a row that counts on a device with these features names a kernel or a tile that its launcher
 * does not have, or sizes that the kernel cannot take, or if matrices are left without a row. The reason names the
 * row. */
trigon_status gpu_check_rows(const gpu_arch *, gpu_features, const launcher_lists *, reason *);

#endif
