/* file_rows.h - rows of tiles and of classes from the file of a tuning table. They take the place of rows of a kind of
 * GPU. */
#ifndef TRIGON_FILE_ROWS_H
#define TRIGON_FILE_ROWS_H

#include "check_rows.h"
#include "core/tuning/tuning.h"
#include "core/type.h"

enum { MOST_FILE_TILES = 96, MOST_FILE_CLASSES = 16 }; /* rows of one table; longer tables are refused */

/* `arch` is the kind of GPU with the rows of the file. The rows of a routine (and, in batches, of a type) replace all
 * rows that the kind has for the routine and the type. The struct has pointers into itself, so it must stay where it
 * is. */
typedef struct file_rows {
  gpu_arch arch;
  gpu_features has;
  const launcher_lists *lists;
  const batch_class *batch[BATCH_TABLES][TYPES];
  tile_choice tile[TILE_TABLES][MOST_FILE_TILES];
  batch_class class[BATCH_TABLES][TYPES][MOST_FILE_CLASSES + 1];
  int tiles[TILE_TABLES], classes[BATCH_TABLES][TYPES];
} file_rows;

/* Without rows of a file: `arch` has all rows that count on a device with these features. */
void file_rows_begin(file_rows *, const gpu_arch *kind, gpu_features, const launcher_lists *);

/* Reads lines of a file (docs/tuning.md) into the rows, which file_rows_begin has prepared. If a line is refused,
 * file_rows_begin must be called again. */
line_reader file_rows_reader(file_rows *);

#endif
