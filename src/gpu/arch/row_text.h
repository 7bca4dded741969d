/* row_text.h - rows of tiles and of classes as lines of text: for messages, and for what trigon_rows returns. */
#ifndef TRIGON_ROW_TEXT_H
#define TRIGON_ROW_TEXT_H

#include <stddef.h>

#include "check_rows.h"

enum { row_text_size = 200, TILE_LAYOUTS = 3 };

/* The layout of number i has the bit 1 << i. */
extern const char *const tile_table_names[TILE_TABLES], *const batch_table_names[BATCH_TABLES],
                                                            *const tile_layout_names[TILE_LAYOUTS];

/* tile TABLE SHAPE LIMITS. The limits are those that the row has, as most-width=64. A row of TILES_TRSM_VECTORS has
 * `yes` or `no` for the shape. */
void gpu_tile_text(tile_table, const tile_choice *, char text[row_text_size]);

/* batch TABLE TYPE MOST KERNEL LIMITS. MOST is * if there is no largest order. */
void gpu_class_text(batch_table, trigon_type, const batch_class *, char text[row_text_size]);

/* Writes lines: the kind, all rows of tiles and classes that count on a device with these features, the limits (limit
 * NAME NUMBER), and what rows can name on the device: `shape TABLE SHAPE` for tiles, and `kernel TABLE TYPE NAME` for
 * classes with the orders that the kernel takes (above=N most=N), and whether it takes a whole batch (`alone`) and a
 * class of a batch (`shares`). Returns the length of the text, as snprintf does, also if the size is too small, or
 * 0. */
size_t gpu_rows_text(const gpu_arch *, gpu_features, const launcher_lists *, char *text, size_t size);

#endif
