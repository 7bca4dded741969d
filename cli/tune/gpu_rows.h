/* gpu_rows.h - reads what trigon_rows tells of a GPU: its rows of tiles and of classes of batches, and the tiles and
 * kernels that rows can name (docs/tuning.md). */
#ifndef TRIGON_CLI_TUNE_GPU_ROWS_H
#define TRIGON_CLI_TUNE_GPU_ROWS_H

#include <stdint.h>

#include "table.h"

enum { MOST_SHAPES = 8, MOST_KERNELS = 12, MOST_CLASS_ROWS = 16, ROW_NAME = 41 };

/* A kernel of a batched routine for a type. */
typedef struct class_kernel {
  char name[ROW_NAME];
  int64_t above, most; /* the orders that it takes; most: INT64_MAX if there is no largest order */
  bool alone, shares;  /* whether it takes a whole batch, and a class of a batch */
} class_kernel;

/* A row of a batched routine for a type. */
typedef struct class_row {
  char kernel[ROW_NAME];
  int64_t most, most_order; /* most_order 0: any */
  bool alone;
} class_row;

typedef struct tile_name {
  char text[16];
} tile_name;

/* Store what the text of trigon_rows has for a routine. Return how many there are, at most as many as there is room. */
int gpu_rows_kernels(const char *text, const char *routine, char type, class_kernel kernel[MOST_KERNELS]);
int gpu_rows_classes(const char *text, const char *routine, char type, class_row row[MOST_CLASS_ROWS]);
int gpu_rows_shapes(const char *text, const char *routine, tile_name shape[MOST_SHAPES]);

/* Adds the lines of a text that begin with these words, which end with a space. */
void gpu_rows_copy(const char *text, const char *words, table *to);

#endif
