/* plot.h - draws benchmark rows as a picture, by gnuplot. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PLOT_H
#define TRIGON_CLI_BENCH_PICTURE_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct bench_row;
struct picture_source;

/* Whether a program of this name is on the PATH. */
bool program_found(const char *name);

/* Draws `count` > 0 rows into an SVG file, which appears complete or not at all. Rows of one routine, type and variant
 * must be neighbours. Returns false, with the reason in `why`, on failure. */
bool plot_rows(const char *path, const struct bench_row *rows, int count, const struct picture_source *source,
               char *why, size_t why_size);

#endif
